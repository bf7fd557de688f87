// The curve of the lag of due work in the last 24 hours. Without a lag, a sentence.
import { Paper, Text } from "@mantine/core"
import { Plot } from "../../parts/plot/Plot.tsx"
import { useWords } from "../../words/Words.tsx"
import { type DueKind, lateKindsOf, type Operations } from "./state.ts"

const colors: Readonly<Record<DueKind, string>> = {
  deliveries: "pine.6",
  blasts: "indigo.5",
  flows: "orange.6",
  flow_events: "grape.5",
  flow_dates: "gray.6",
  webhooks: "cyan.6",
  messages: "pink.6",
  subscriptions: "lime.7",
  confirmations: "teal.6",
}

export const Lags = ({ lags }: Pick<Operations, "lags">) => {
  const words = useWords("operations").state
  const kinds = lateKindsOf(lags)
  if (kinds.length === 0) {
    return (
      <Paper p="md" component="section" aria-label={words.lags}>
        <Text component="h2" fw={600} size="sm" m={0}>
          {words.lags}
        </Text>
        <Text size="sm" c="dimmed">
          {words.noLag}
        </Text>
      </Paper>
    )
  }
  return (
    <Plot
      title={words.lags}
      points={lags.map((point) => ({ ...point }))}
      series={kinds.map((kind) => ({ name: kind, label: words.dueKinds[kind], color: colors[kind] }))}
      interval="minute"
      height_px={180}
    />
  )
}
