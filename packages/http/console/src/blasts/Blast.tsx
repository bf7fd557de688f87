// The screen of one blast: the wizard of a draft, the live view while it is sent, and its report and recipients afterwards.
import { Skeleton, Tabs } from "@mantine/core"
import type { Blast as BlastValue } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { lazy, Suspense } from "react"
import { useChanges } from "../api/changes.ts"
import { queryOf } from "../api/queries.ts"
import { ChartIcon, ContactsIcon } from "../Icons.tsx"
import { BackLink } from "../parts/BackLink.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { stateOf, toneOf } from "./blast.ts"
import { BlastActions } from "./BlastActions.tsx"
import { Retry } from "./report/Retry.tsx"

const Live = lazy(async () => ({ default: (await import("./Live.tsx")).Live }))
const Recipients = lazy(async () => ({ default: (await import("./report/Recipients.tsx")).Recipients }))
const Report = lazy(async () => ({ default: (await import("./report/Report.tsx")).Report }))
const Scheduled = lazy(async () => ({ default: (await import("./Scheduled.tsx")).Scheduled }))
const Wizard = lazy(async () => ({ default: (await import("./wizard/Wizard.tsx")).Wizard }))

const Outcome = ({ blast }: { readonly blast: BlastValue }) => {
  const words = useWords("blasts")
  const { view } = useSearch({ from: "/blasts/$blastId" })
  const navigate = useNavigate({ from: "/blasts/$blastId" })
  return (
    <Tabs
      value={view ?? "report"}
      keepMounted={false}
      onChange={(next) => void navigate({ search: next === "recipients" ? { view: next } : {}, replace: true })}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="report" leftSection={<ChartIcon size={16} />}>
          {words.report}
        </Tabs.Tab>
        <Tabs.Tab value="recipients" leftSection={<ContactsIcon size={16} />}>
          {words.recipients}
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="report">
        <Report blast={blast} />
      </Tabs.Panel>
      <Tabs.Panel value="recipients">
        <Recipients blast={blast} />
      </Tabs.Panel>
    </Tabs>
  )
}

const Content = ({ blast }: { readonly blast: BlastValue }) => {
  switch (blast.status) {
    case "draft":
      return <Wizard blast={blast} />
    case "scheduled":
      return <Scheduled blast={blast} />
    case "sending":
      return (
        <>
          <Live blast={blast} />
          <Outcome blast={blast} />
        </>
      )
    case "sent":
    case "failed":
    case "cancelled":
      return <Outcome blast={blast} />
    case "archived":
      // What was archived before it was sent has no report.
      return blast.sent_at === null ? null : <Outcome blast={blast} />
  }
}

const About = ({ blast }: { readonly blast: BlastValue }) => {
  const words = useWords("blasts")
  const { audience, cancelled_reason, email, failed_reason, sent_at } = blast
  const parts = [
    ...(audience === null ? [] : [words.toList(audience.name)]),
    ...(email === null || blast.status === "draft" ? [] : [words.withEmail(email.name)]),
    ...(cancelled_reason === null ? [] : [words.cancelReasons[cancelled_reason]]),
    ...(failed_reason === null ? [] : [words.failedFor(failed_reason)]),
  ]
  return (
    <>
      {parts.join(" · ")}
      {sent_at !== null && (
        <>
          {parts.length > 0 && " · "}
          <Time at={sent_at} />
        </>
      )}
    </>
  )
}

export const Blast = () => {
  const words = useWords("blasts")
  const { may } = useSession()
  const { blastId } = useParams({ from: "/blasts/$blastId" })
  const params = { blastId }
  const found = useQuery(queryOf("blasts", "find", { params }))
  const status = found.data?.status
  const isLive = status === "sending" || status === "scheduled"
  useChanges(isLive ? [`blast:${blastId}`] : [])
  const back = <BackLink to="/blasts" label={words.title} />
  if (found.isPending) return <Skeleton className="late" h={320} radius="lg" />
  if (found.isError) {
    return (
      <>
        <PageHeader above={back} title={words.blast} />
        <Problem error={found.error} onRetry={found.refetch} />
      </>
    )
  }
  const blast = found.data
  return (
    <>
      <PageHeader
        above={back}
        title={blast.name}
        beside={<StatusBadge tone={toneOf(blast)} label={words.states[stateOf(blast)]} />}
        text={<About blast={blast} />}
        actions={
          <>
            <CurlButton call={["blasts", "find", { params }]} />
            {may("sender") && <Retry blast={blast} />}
            {may("editor") && <BlastActions blast={blast} />}
          </>
        }
      />
      <Suspense fallback={<Skeleton className="late" h={320} radius="lg" />}>
        <Content key={blast.status} blast={blast} />
      </Suspense>
    </>
  )
}
