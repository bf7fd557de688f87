// The attempts of a delivery, the newest first: when, how long, and how the receiver answered.
import "../webhooks.css"
import { Badge, Code, Group, Paper, Text, Timeline } from "@mantine/core"
import type { LoggedWebhookDelivery } from "@tentpole/client"
import { CheckIcon, CrossIcon } from "../../Icons.tsx"
import { Time } from "../../parts/Time.tsx"
import { useWords } from "../../words/Words.tsx"
import { useErrorText } from "../useErrorText.ts"

type Attempt = LoggedWebhookDelivery["attempts"][number]

const useTitle = () => {
  const words = useWords("webhooks")
  const errorText = useErrorText()
  return ({ error_code, status_code }: Attempt): string =>
    error_code === null ? words.answered(status_code ?? 0) : errorText(error_code, status_code)
}

const Content = ({ attempt }: { readonly attempt: Attempt }) => {
  const words = useWords("webhooks")
  const { at, attempt: number, duration_ms, error_code, replay, response_snippet, status_code } = attempt
  const isOtherError = error_code !== null && error_code !== "http_status"
  return (
    <>
      <Group gap={8}>
        <Text size="xs" c="dimmed">
          {words.attempt(number)} · <Time at={at} />
          {duration_ms !== null && ` · ${words.milliseconds(duration_ms)}`}
          {isOtherError && status_code !== null && ` · ${words.answered(status_code)}`}
        </Text>
        {replay && (
          <Badge size="sm" color="gray">
            {words.isReplay}
          </Badge>
        )}
      </Group>
      {response_snippet !== null && response_snippet !== "" && (
        <Code block className="curl" mt={6} tabIndex={0} role="region" aria-label={words.answerOf(number)}>
          {response_snippet}
        </Code>
      )}
    </>
  )
}

export const Attempts = ({ delivery: { attempts } }: { readonly delivery: LoggedWebhookDelivery }) => {
  const words = useWords("webhooks")
  const titleOf = useTitle()
  return (
    <Paper p="md" component="section" className="attempts" aria-label={words.attempts}>
      <Text component="h2" fw={600} size="sm" m={0} mb="sm">
        {words.attempts}
      </Text>
      {attempts.length === 0 ? (
        <Text size="sm" c="dimmed">
          {words.noAttempts}
        </Text>
      ) : (
        <Timeline bulletSize={20} lineWidth={1} color="gray">
          {attempts.toReversed().map((attempt) => {
            const isGood = attempt.error_code === null
            return (
              <Timeline.Item
                key={attempt.attempt}
                title={titleOf(attempt)}
                bullet={
                  <span className="attempt" data-good={isGood}>
                    {isGood ? <CheckIcon size={12} /> : <CrossIcon size={12} />}
                  </span>
                }
              >
                <Content attempt={attempt} />
              </Timeline.Item>
            )
          })}
        </Timeline>
      )}
    </Paper>
  )
}
