// The figures of an endpoint: what waits, how the last 24 hours went, and the last success and failure.
import "../webhooks.css"
import { Paper, SimpleGrid, Text } from "@mantine/core"
import type { WebhookEndpoint } from "@tentpole/client"
import type { ReactNode } from "react"
import { useFormat } from "../../format.ts"
import { Time } from "../../parts/Time.tsx"
import { useWords } from "../../words/Words.tsx"
import { useErrorText } from "../useErrorText.ts"

interface FigureProps {
  readonly label: string
  readonly value: ReactNode
  /** Below the value. */
  readonly children: ReactNode
}

const Figure = ({ children, label, value }: FigureProps) => (
  <Paper p="md" role="group" aria-label={label}>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text fw={650} className="figure" component="div">
      {value}
    </Text>
    <Text size="xs" className="change" component="div">
      {children}
    </Text>
  </Paper>
)

export const Figures = ({ stats }: Pick<WebhookEndpoint, "stats">) => {
  const words = useWords("webhooks")
  const { number, share } = useFormat()
  const errorText = useErrorText()
  const { delivered_24h, failed_24h, last_error_code, last_failure_at, last_success_at } = stats
  const hasAttempts = last_success_at !== null || last_failure_at !== null
  const ended = delivered_24h + failed_24h
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="md" mb="md">
      <Figure label={words.waiting} value={number(stats.pending_count)}>
        {stats.oldest_pending_at === null ? (
          words.noneWaits
        ) : (
          <>
            {words.oldestSince} <Time at={stats.oldest_pending_at} as="relative" />
          </>
        )}
      </Figure>
      <Figure label={words.delivered24h} value={number(delivered_24h)}>
        {ended === 0 ? words.noneEnded : words.ofEnded(share(delivered_24h, ended))}
      </Figure>
      <Figure label={words.failed24h} value={number(failed_24h)}>
        {hasAttempts ? words.inARow(stats.consecutive_failures) : words.noAttempt}
      </Figure>
      <Figure
        label={words.lastSuccess}
        value={
          last_success_at === null ? (
            "–"
          ) : (
            <span className="figure-time">
              <Time at={last_success_at} as="relative" />
            </span>
          )
        }
      >
        {last_failure_at === null ? (
          words.noFailure
        ) : (
          <>
            {words.lastFailure} <Time at={last_failure_at} as="relative" />
            {last_error_code !== null && <>: {errorText(last_error_code, null)}</>}
          </>
        )}
      </Figure>
    </SimpleGrid>
  )
}
