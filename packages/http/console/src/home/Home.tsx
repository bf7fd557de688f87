// Home: what happened and what needs the person. On a new workspace, the steps that begin its use.
import { SegmentedControl, Skeleton, Stack } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useMemo } from "react"
import { queryOf } from "../api/queries.ts"
import { useNow } from "../format.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { FirstSteps } from "./FirstSteps.tsx"
import { daysOf, isRange, ranges_days } from "./home.ts"
import { Overview } from "./Overview.tsx"

/** The range that the address names. The days move at midnight, UTC. */
const useRange = () => {
  const { days = 30 } = useSearch({ from: "/home" })
  const now_ms = useNow()
  const { from, to } = daysOf(days, now_ms)
  return useMemo(() => ({ days, query: { from, to } }), [days, from, to])
}

export const Home = () => {
  const words = useWords("home")
  const { session } = useSession()
  const navigate = useNavigate({ from: "/home" })
  const { days, query } = useRange()
  const emailQuery = { ...query, interval: "day" } as const
  const figures = useQuery(queryOf("analytics", "email", { query: emailQuery }))
  const contacts = useQuery(queryOf("analytics", "contacts", { query }))
  const credits = useQuery(queryOf("analytics", "credits", { query }))
  const latest = useQuery(queryOf("blasts", "list", { query: { limit: 5 } }))
  const isNew = latest.data?.pagination.total === 0 && figures.data?.totals.sent === 0 && figures.data.before.sent === 0
  const reads = [figures, contacts, credits]
  const isPending = latest.isPending || reads.some((each) => each.isPending)
  const failed = reads.find((each) => each.isError)
  return (
    <>
      <PageHeader
        title={words.title}
        text={isNew ? words.hello(session.user.name) : undefined}
        actions={
          <>
            {!isNew && (
              <SegmentedControl
                size="xs"
                aria-label={words.range}
                value={String(days)}
                data={ranges_days.map((each) => ({ value: String(each), label: words.days(each) }))}
                onChange={(next) => {
                  const chosen = Number(next)
                  void navigate({ search: isRange(chosen) && chosen !== 30 ? { days: chosen } : {}, replace: true })
                }}
              />
            )}
            <CurlButton call={["analytics", "email", { query: emailQuery }]} />
          </>
        }
      />
      {failed !== undefined && <Problem error={failed.error} onRetry={failed.refetch} />}
      {isPending && (
        <Stack className="late">
          <Skeleton h={92} radius="lg" />
          <Skeleton h={280} radius="lg" />
        </Stack>
      )}
      {!isPending && isNew && <FirstSteps />}
      {!isPending && !isNew && (
        <Overview
          figures={figures.data}
          contacts={contacts.data}
          credits={credits.data}
          latest={latest.data?.blasts ?? []}
          range={query}
        />
      )}
    </>
  )
}
