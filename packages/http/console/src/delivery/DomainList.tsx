// The domains of the workspace: those that mail leaves from, those of its pages, and how mail arrives at others.
import { Button, Group, Paper, Skeleton, Stack, Text } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { lazy, Suspense, useState } from "react"
import { useAdminCursor } from "../api/rows.ts"
import { DomainsIcon, PlusIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { type Column, DataTable } from "../parts/table/DataTable.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWorkspaceParams } from "../settings/useSettings.ts"
import { useKeys } from "../shell/keys.ts"
import { useWords, type Words } from "../words/Words.tsx"
import { PageDomains } from "./PageDomains.tsx"
import { domainTones } from "./tones.ts"

const RecipientDomains = lazy(async () => ({ default: (await import("./RecipientDomains.tsx")).RecipientDomains }))
const AddSendingDomain = lazy(async () => ({ default: (await import("./AddDomain.tsx")).AddSendingDomain }))

type SendingDomain = Admin.SendingDomain

const columnsOf = (words: Words["delivery"]): ReadonlyArray<Column<SendingDomain>> => [
  { key: "domain", label: words.domain, width: "minmax(10rem, 2fr)", cell: ({ domain }) => domain },
  {
    key: "status",
    label: words.status,
    width: "11rem",
    isOnPhone: true,
    cell: ({ status }) => <StatusBadge tone={domainTones[status]} label={words.statuses[status]} />,
  },
  {
    key: "since",
    label: words.since,
    width: "8rem",
    isOnPhone: true,
    cell: ({ created_at, verified_at }) => <Time at={verified_at ?? created_at} as="date" />,
  },
]

const OwnedDomains = ({ onAdd }: { readonly onAdd: () => void }) => {
  const words = useWords("delivery")
  const params = useWorkspaceParams()
  const rows = useAdminCursor("domains", "list", { params })
  if (rows.error !== null) return <Problem error={rows.error} onRetry={rows.refetch} />
  if (!rows.isPending && rows.total === 0) {
    return (
      <Empty icon={<DomainsIcon size={22} />} title={words.noSending} text={words.noSendingText}>
        <Button leftSection={<PlusIcon size={16} />} onClick={onAdd}>
          {words.addSending}
        </Button>
      </Empty>
    )
  }
  return (
    <DataTable
      label={words.sending}
      rows={rows}
      columns={columnsOf(words)}
      keyOf={({ domain_id }) => domain_id}
      nameOf={({ domain }) => domain}
      pathOf={({ domain_id }) => `/domains/${domain_id}`}
    />
  )
}

/** What members without the role of an owner know. */
const KnownDomains = () => {
  const words = useWords("delivery")
  const { workspace } = useSession()
  return (
    <Paper p="md">
      <Stack component="ul" gap="xs" className="plain-list">
        {(workspace?.domains ?? []).map(({ domain, status }) => (
          <Group key={domain} component="li" justify="space-between">
            <Text size="sm">{domain}</Text>
            <StatusBadge tone={domainTones[status]} label={words.statuses[status]} />
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}

export const DomainList = () => {
  const words = useWords("delivery")
  const { may } = useSession()
  const params = useWorkspaceParams()
  const [isAdding, setAdding] = useState(false)
  const add = () => setAdding(true)
  useKeys(may("owner") ? { n: add } : {})
  return (
    <>
      <PageHeader
        title={words.domains}
        text={words.domainsText}
        actions={
          may("owner") && (
            <>
              <CurlButton call={["admin.domains", "list", { params }]} />
              <Button leftSection={<PlusIcon size={16} />} onClick={add}>
                {words.addSending}
              </Button>
            </>
          )
        }
      />
      <Stack gap="lg">
        <section>
          <Text component="h2" fw={600} size="sm" m={0} mb="xs">
            {words.sending}
          </Text>
          {may("owner") ? <OwnedDomains onAdd={add} /> : <KnownDomains />}
        </section>
        <PageDomains />
        <Suspense fallback={<Skeleton className="late" h={160} radius="lg" />}>
          <RecipientDomains />
        </Suspense>
      </Stack>
      <Suspense fallback={null}>{isAdding && <AddSendingDomain onClose={() => setAdding(false)} />}</Suspense>
    </>
  )
}
