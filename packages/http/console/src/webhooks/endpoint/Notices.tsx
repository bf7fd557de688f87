// What a person has to know of an endpoint first: that it is disabled and why, that it fails, and that two secrets sign.
import "../webhooks.css"
import { Alert, Button, Group, Stack, Text } from "@mantine/core"
import type { WebhookEndpoint } from "@tentpole/client"
import { ClockIcon, PauseIcon, PlayIcon, RefusedIcon, WarningIcon } from "../../Icons.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { isBroken, stateOf } from "../endpoint.ts"
import { useErrorText } from "../useErrorText.ts"
import { Until, useSecondsLeft } from "./Until.tsx"

interface Props {
  readonly endpoint: WebhookEndpoint
  readonly onEnable: () => void
}

const Disabled = ({ endpoint, onEnable }: Props) => {
  const words = useWords("webhooks")
  const { may } = useSession()
  const state = stateOf(endpoint)
  const broken = isBroken(endpoint)
  return (
    <Alert
      color={broken ? "red" : "gray"}
      icon={broken ? <RefusedIcon /> : <PauseIcon />}
      title={words.stateTitles[state]}
      role={broken ? "alert" : "status"}
    >
      <Group justify="space-between" gap="sm" align="flex-end">
        <Text size="sm" className="notice">
          {words.stateTexts[state]}{" "}
          {endpoint.disabled_at !== null && (
            <>
              {words.disabledAt} <Time at={endpoint.disabled_at} />.
            </>
          )}
        </Text>
        {may("owner") && (
          <Button size="compact-sm" variant="default" leftSection={<PlayIcon size={14} />} onClick={onEnable}>
            {words.enableStart}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

const Troubled = ({ endpoint: { stats } }: Pick<Props, "endpoint">) => {
  const words = useWords("webhooks")
  const errorText = useErrorText()
  const { consecutive_failures, last_error_code } = stats
  return (
    <Alert color="yellow" icon={<WarningIcon />} title={words.failedInARow(consecutive_failures)} role="status">
      <Text size="sm">
        {last_error_code !== null && `${errorText(last_error_code, null)} `}
        {words.stateTexts.troubled}
      </Text>
    </Alert>
  )
}

export const Notices = (props: Props) => {
  const words = useWords("webhooks")
  const { endpoint } = props
  const { previous_secret_expires_at } = endpoint
  const isDisabled = endpoint.status === "disabled"
  const isTroubled = stateOf(endpoint) === "troubled"
  const hasOldSecret = useSecondsLeft(previous_secret_expires_at) > 0
  if (!isDisabled && !isTroubled && !hasOldSecret) return null
  return (
    <Stack gap="sm" mb="md">
      {isDisabled && <Disabled {...props} />}
      {isTroubled && <Troubled endpoint={endpoint} />}
      {hasOldSecret && previous_secret_expires_at !== null && (
        <Alert color="gray" icon={<ClockIcon />} title={words.oldSecret}>
          <Text size="sm">
            <Until at={previous_secret_expires_at} text={words.oldSecretLeft} over={words.oldSecretOver} />
          </Text>
        </Alert>
      )}
    </Stack>
  )
}
