// The traffic of a page: views, visits, sign-ups, and where visitors come from.
import { Group, Paper, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core"
import type { Tent, WorkspaceAnalytics } from "@tentpole/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useMemo } from "react"
import { queryOf } from "../../api/queries.ts"
import { useFormat, useNow } from "../../format.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Plot } from "../../parts/plot/Plot.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { isDays, ranges_days } from "../search.ts"
import { rangeOf } from "../tent.ts"
import { Breakdowns } from "./Breakdowns.tsx"
import { Latest } from "./Latest.tsx"

const plot_height_px = 230

const Cards = ({ figures }: { readonly figures: WorkspaceAnalytics }) => {
  const words = useWords("tents")
  const { number, percent } = useFormat()
  const { conversion_rate, pageviews, submissions, visits } = figures
  const cards = [
    [words.views, number(pageviews)],
    [words.visits, number(visits)],
    [words.tabs.signups, number(submissions)],
    [words.conversion, conversion_rate === null ? "–" : percent(conversion_rate)],
  ] as const
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      {cards.map(([label, value]) => (
        <Paper key={label} p="md">
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          <Text fw={650} className="figure">
            {value}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}

const Shown = ({ figures }: { readonly figures: WorkspaceAnalytics }) => {
  const words = useWords("tents")
  return (
    <Stack>
      <Cards figures={figures} />
      <Plot
        title={words.byDay}
        points={figures.daily_pageviews.map(({ date, pageviews, submissions }) => ({
          at: date,
          pageviews,
          submissions,
        }))}
        series={[
          { name: "pageviews", label: words.views, color: "pine.6" },
          { name: "submissions", label: words.tabs.signups, color: "indigo.6" },
        ]}
        height_px={plot_height_px}
      />
      <Breakdowns figures={figures} />
      <Latest views={figures.recent_pageviews} />
    </Stack>
  )
}

export const Traffic = ({ tent }: { readonly tent: Tent }) => {
  const words = useWords("tents")
  const { days = 30 } = useSearch({ from: "/tents/$tentId" })
  const navigate = useNavigate({ from: "/tents/$tentId" })
  const now_ms = useNow()
  const { from, to } = rangeOf(days, now_ms)
  const query = useMemo(() => ({ tent_id: tent.id, from, to }), [tent.id, from, to])
  const found = useQuery({ ...queryOf("analytics", "traffic", { query }), placeholderData: keepPreviousData })
  return (
    <>
      <Group justify="space-between" mb="md">
        <SegmentedControl
          size="xs"
          aria-label={words.range}
          value={String(days)}
          data={ranges_days.map((each) => ({ value: String(each), label: words.days(each) }))}
          onChange={(next) => {
            const chosen = Number(next)
            void navigate({
              search: { tab: "traffic", ...(isDays(chosen) && chosen !== 30 ? { days: chosen } : {}) },
              replace: true,
              resetScroll: false,
            })
          }}
        />
        <CurlButton call={["analytics", "traffic", { query }]} />
      </Group>
      {found.isPending && <Skeleton className="late" h={360} radius="lg" />}
      {found.isError && <Problem error={found.error} onRetry={found.refetch} />}
      {found.data !== undefined && <Shown figures={found.data} />}
    </>
  )
}
