// A sending domain: the DNS records to set, what DNS has, and a look again by itself until all are found.
import { Alert, Button, Skeleton, Stack, VisuallyHidden } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { useAdminMutationOf } from "../api/mutations.ts"
import { adminQueryOf } from "../api/queries.ts"
import { useFormat } from "../format.ts"
import { CheckIcon, DownloadIcon, InfoIcon, RefreshIcon, TrashIcon } from "../Icons.tsx"
import { BackLink } from "../parts/BackLink.tsx"
import { Confirm } from "../parts/Confirm.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { saveFile } from "../saveFile.ts"
import { useWorkspaceParams } from "../settings/useSettings.ts"
import { useWords } from "../words/Words.tsx"
import { DnsRecord } from "./DnsRecord.tsx"
import { domainTones } from "./tones.ts"
import { zoneFileOf } from "./zoneFile.ts"

const look_every_ms = 30_000

type Checked = Admin.CheckedSendingDomain

const isComplete = ({ dns_records, status }: Checked): boolean =>
  status === "verified" && dns_records.every(({ verified }) => verified)

/** The record that decides is found, and the service does not know yet. */
const isProven = ({ dns_records, status }: Checked): boolean =>
  status !== "verified" && dns_records.some(({ purpose, verified }) => purpose === "dkim" && verified)

const useDomain = () => {
  const { domainId: domain_id } = useParams({ from: "/domains/$domainId" })
  const params = { ...useWorkspaceParams(), domain_id }
  const found = useQuery({
    ...adminQueryOf("domains", "find", { params }),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data !== undefined && isComplete(data) ? false : look_every_ms),
  })
  const verify = useAdminMutationOf("domains", "verify")
  // Looking changes nothing; the status changes by this call.
  const { data, dataUpdatedAt } = found
  const { mutate } = verify
  const proven = data !== undefined && isProven(data)
  useEffect(() => {
    if (proven) mutate({ params: { workspace_id: params.workspace_id, domain_id } })
  }, [proven, mutate, params.workspace_id, domain_id])
  return { params, data, found, lookedAt: dataUpdatedAt, verify }
}

interface RemoveProps {
  readonly domain: Checked
  readonly onClose: () => void
}

const RemoveDomain = ({ domain: { domain, domain_id }, onClose }: RemoveProps) => {
  const words = useWords("delivery")
  const params = { ...useWorkspaceParams(), domain_id }
  const navigate = useNavigate()
  const remove = useAdminMutationOf("domains", "remove", {
    done: () => words.removed(domain),
    onDone: () => navigate({ to: "/domains" }),
  })
  return (
    <Confirm
      title={words.removeTitle(domain)}
      text={words.removeText}
      action={words.removeAction}
      typed={domain}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params })}
      onClose={onClose}
    />
  )
}

const Records = ({ domain }: { readonly domain: Checked }) => {
  const words = useWords("delivery")
  const isVerified = domain.status === "verified"
  return (
    <section aria-label={words.records}>
      <Alert
        mb="md"
        color={isVerified ? "green" : "gray"}
        icon={isVerified ? <CheckIcon /> : <InfoIcon />}
        role="status"
      >
        {isVerified ? words.isVerified : words.isOpen}
      </Alert>
      <VisuallyHidden component="h2">{words.records}</VisuallyHidden>
      <Stack component="ul" gap="sm" className="plain-list">
        {domain.dns_records.map((record) => (
          <DnsRecord key={record.purpose} record={record} />
        ))}
      </Stack>
    </section>
  )
}

export const Domain = () => {
  const words = useWords("delivery")
  const { time } = useFormat()
  const [isRemoving, setRemoving] = useState(false)
  const { data, found, lookedAt, params, verify } = useDomain()
  const above = <BackLink to="/domains" label={words.domains} />
  if (data === undefined) {
    return (
      <>
        <PageHeader above={above} title={words.domain} />
        {found.isError ? (
          <Problem error={found.error} onRetry={found.refetch} />
        ) : (
          <Skeleton className="late" h={320} radius="lg" />
        )}
      </>
    )
  }
  const { dns_records, domain, status } = data
  return (
    <>
      <PageHeader
        above={above}
        title={domain}
        beside={<StatusBadge tone={domainTones[status]} label={words.statuses[status]} />}
        text={`${words.looked(time(new Date(lookedAt)))}${isComplete(data) ? "" : ` ${words.looksAgain}`}`}
        actions={
          <>
            <CurlButton call={["admin.domains", "find", { params }]} />
            <Button variant="default" leftSection={<TrashIcon size={16} />} onClick={() => setRemoving(true)}>
              {words.remove}
            </Button>
            <Button
              variant="default"
              leftSection={<DownloadIcon size={16} />}
              onClick={() => saveFile(`${domain}.zone`, "text/dns", zoneFileOf(dns_records))}
            >
              {words.zoneFile}
            </Button>
            <Button
              leftSection={<RefreshIcon size={16} />}
              loading={verify.isPending || found.isFetching}
              onClick={() => verify.mutate({ params })}
            >
              {words.lookAgain}
            </Button>
          </>
        }
      />
      {verify.isError && <Problem error={verify.error} />}
      <Records domain={data} />
      {isRemoving && <RemoveDomain domain={data} onClose={() => setRemoving(false)} />}
    </>
  )
}
