// How many contacts subscribed to a topic and left it, day by day.
import { Group, Paper, SegmentedControl, Skeleton, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { queryOf } from "../api/queries.ts"
import { useNow } from "../format.ts"
import { daysOf } from "../home/home.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { PanelHead } from "../parts/PageHeader.tsx"
import { Plot } from "../parts/plot/Plot.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { trend_days, type TrendDays } from "./search.ts"

const plot_height_px = 200

const Range = ({ days }: { readonly days: TrendDays }) => {
  const { trend: words } = useWords("topics")
  const navigate = useNavigate({ from: "/topics/$topicId" })
  return (
    <SegmentedControl
      size="xs"
      aria-label={words.range}
      value={String(days)}
      data={trend_days.map((each) => ({ value: String(each), label: words.days(each) }))}
      onChange={(next) => void navigate({ search: next === "90" ? { days: 90 } : {}, replace: true })}
    />
  )
}

export const Trend = ({ topicId }: { readonly topicId: string }) => {
  const { trend: words, number } = useWords("topics")
  const { days = 30 } = useSearch({ from: "/topics/$topicId" })
  const query = { topic_id: topicId, ...daysOf(days, useNow()) }
  const found = useQuery({ ...queryOf("analytics", "topic", { query }), placeholderData: (before) => before })
  if (found.isError) return <Problem error={found.error} onRetry={found.refetch} />
  const head = (
    <>
      <Range days={days} />
      <CurlButton call={["analytics", "topic", { query }]} />
    </>
  )
  if (found.data === undefined) return <Skeleton className="late" h={plot_height_px} radius="lg" />
  const { points, totals } = found.data
  if (totals.subscribed + totals.unsubscribed === 0) {
    return (
      <Paper p="md" component="section" aria-label={words.title}>
        <PanelHead title={words.title} beside={<Group gap="xs">{head}</Group>} />
        <Text size="sm" c="dimmed">
          {words.none}
        </Text>
      </Paper>
    )
  }
  return (
    <Plot
      title={words.title}
      text={words.totals(number(totals.subscribed), number(totals.unsubscribed))}
      controls={head}
      points={points.map(({ date, ...its }) => ({ at: date, ...its }))}
      series={[
        { name: "subscribed", label: words.subscribed, color: "pine.6" },
        { name: "unsubscribed", label: words.unsubscribed, color: "red.6" },
      ]}
      height_px={plot_height_px}
    />
  )
}
