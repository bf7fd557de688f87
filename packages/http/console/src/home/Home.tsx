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

/** Calls of the range that the address names. The days move at midnight, UTC. */
const useRange = () => {
  const { days = 30 } = useSearch({ from: "/home" })
  const now_ms = useNow()
  const { from, to } = daysOf(days, now_ms)
  return useMemo(() => ({ days, query: { from, to, interval: "day" } as const }), [days, from, to])
}

export const Home = () => {
  const words = useWords("home")
  const { session } = useSession()
  const navigate = useNavigate({ from: "/home" })
  const { days, query } = useRange()
  const figures = useQuery(queryOf("analytics", "email", { query }))
  const latest = useQuery(queryOf("blasts", "list", { query: { limit: 5 } }))
  const isNew = latest.data?.pagination.total === 0 && figures.data?.totals.sent === 0 && figures.data.before.sent === 0
  const isPending = latest.isPending || figures.isPending
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
            <CurlButton call={["analytics", "email", { query }]} />
          </>
        }
      />
      {figures.isError && <Problem error={figures.error} onRetry={figures.refetch} />}
      {isPending && (
        <Stack className="late">
          <Skeleton h={92} radius="lg" />
          <Skeleton h={280} radius="lg" />
        </Stack>
      )}
      {!isPending && (isNew ? <FirstSteps /> : <Overview figures={figures.data} latest={latest.data?.blasts ?? []} />)}
    </>
  )
}
