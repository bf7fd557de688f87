// Sends the deliveries of a time again: those that failed, or all that have ended.
import { Alert, Group, Radio, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { fieldErrors } from "../../api/problems.ts"
import { WarningIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"
import { instantOf, localOf } from "../../blasts/wizard/zone.ts"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useTimeZone } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { EventTypesField } from "../form/EventTypesField.tsx"
import type { Patterns } from "../patterns.ts"
import type { DialogProps } from "./Dialogs.tsx"

const day_ms = 86_400_000

const fields = ["since", "until", "event_types"]

const fieldOf = (path: string): string => path.split(".")[0] ?? path

/** The instant of a local time; null of none. */
const instant = (local: string, timeZone: string): string | null => {
  const found = instantOf(local, timeZone)
  return found.kind === "invalid" ? null : found.at
}

interface Values {
  /** Local times. An empty one is not set. */
  readonly since: string
  readonly until: string
  readonly types: Patterns
  readonly status: "failed" | "all"
}

interface FieldsProps {
  readonly values: Values
  readonly errors: Readonly<Record<string, string>>
  readonly onChange: (change: Partial<Values>) => void
  /** Batches have a type of their own. */
  readonly hasTypes: boolean
}

const Fields = ({ errors, hasTypes, onChange, values }: FieldsProps) => {
  const words = useWords("webhooks")
  return (
    <>
      <Group gap="sm" grow align="flex-start">
        <TextInput
          type="datetime-local"
          label={words.since}
          required
          data-autofocus
          value={values.since}
          error={errors["since"]}
          onChange={({ currentTarget }) => onChange({ since: currentTarget.value })}
        />
        <TextInput
          type="datetime-local"
          label={words.until}
          description={words.untilText}
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={values.until}
          error={errors["until"]}
          onChange={({ currentTarget }) => onChange({ until: currentTarget.value })}
        />
      </Group>
      <Radio.Group
        label={words.which}
        value={values.status}
        onChange={(next) => onChange({ status: next === "all" ? "all" : "failed" })}
      >
        <Stack gap={6} mt={6}>
          <Radio value="failed" label={words.replayed.failed} />
          <Radio value="all" label={words.replayed.all} description={words.replayedAllText} />
        </Stack>
      </Radio.Group>
      {hasTypes && (
        <EventTypesField
          label={words.events}
          value={values.types}
          error={errors["event_types"]}
          onChange={(types) => onChange({ types })}
        />
      )}
    </>
  )
}

export const ReplayMany = ({ endpoint, onClose }: DialogProps) => {
  const words = useWords("webhooks")
  const { close } = useWords("shell")
  const timeZone = useTimeZone()
  const isPhone = useIsPhone()
  const [values, setValues] = useState<Values>(() => ({
    since: localOf(Date.now() - day_ms, timeZone),
    until: "",
    types: ["*"],
    status: "failed",
  }))
  const replay = useMutationOf("webhookDeliveries", "replayAll", {
    done: ({ matched_count }) => words.replaying(matched_count),
    onDone: onClose,
  })
  const { since, status, types, until } = values
  const [from, to] = [instant(since, timeZone), until === "" ? null : instant(until, timeZone)]
  const request = {
    params: { endpointId: endpoint.endpoint_id },
    payload: {
      since: from ?? "",
      ...(to === null ? {} : { until: to }),
      ...(types.includes("*") ? {} : { event_types: [...types] }),
      status,
    },
  }
  const { errors, rest } = fieldErrors(replay.error, fields, fieldOf)
  const isElsewhere = replay.isError && (rest.length > 0 || Object.keys(errors).length === 0)
  const isReady = from !== null && types.length > 0
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.replayTitle}
      size="lg"
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !replay.isPending) replay.mutate(request)
        }}
      >
        <Stack>
          <Text size="sm">{words.replayText}</Text>
          {endpoint.status === "disabled" && (
            <Alert color="yellow" icon={<WarningIcon />}>
              {words.replayDisabled}
            </Alert>
          )}
          <Fields
            values={values}
            errors={errors}
            hasTypes={endpoint.batch === null}
            onChange={(change) => setValues((before) => ({ ...before, ...change }))}
          />
          {isElsewhere && <Problem error={replay.error} issues={rest} />}
          <FormFooter
            beside={<CurlButton call={["webhookDeliveries", "replayAll", request]} />}
            action={words.replay}
            isPending={replay.isPending}
            isReady={isReady}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
