// How an endpoint gets its events: what requests contain, in which order, and how many at a time.
import { Group, NumberInput, Radio, Stack, Switch } from "@mantine/core"
import { useWords } from "../../words/Words.tsx"
import { batch_events_max, batch_wait_max_s, in_flight_max, type Values } from "./draft.ts"

interface Props {
  readonly values: Values
  readonly errors: Readonly<Record<string, string>>
  readonly onChange: (change: Partial<Values>) => void
}

const Batch = ({ errors, onChange, values }: Props) => {
  const words = useWords("webhooks")
  return (
    <Stack gap="xs">
      <Switch
        label={words.batch}
        description={words.batchText}
        checked={values.isBatched}
        onChange={({ currentTarget }) => onChange({ isBatched: currentTarget.checked })}
      />
      {values.isBatched && (
        <Group gap="sm" grow align="flex-start">
          <NumberInput
            label={words.batchEvents}
            min={2}
            max={batch_events_max}
            allowDecimal={false}
            value={values.max_events}
            error={errors["max_events"]}
            onChange={(max_events) => onChange({ max_events })}
          />
          <NumberInput
            label={words.batchWait}
            min={0}
            max={batch_wait_max_s}
            decimalScale={3}
            value={values.wait_s}
            error={errors["wait_s"]}
            onChange={(wait_s) => onChange({ wait_s })}
          />
        </Group>
      )}
    </Stack>
  )
}

export const DeliveryFields = (props: Props) => {
  const { errors, onChange, values } = props
  const words = useWords("webhooks")
  return (
    <Stack>
      <Radio.Group
        label={words.payload}
        value={values.payload}
        onChange={(next) => onChange({ payload: next === "thin" ? "thin" : "full" })}
      >
        <Stack gap={6} mt={6}>
          <Radio value="full" label={words.payloads.full} description={words.payloadTexts.full} />
          <Radio value="thin" label={words.payloads.thin} description={words.payloadTexts.thin} />
        </Stack>
      </Radio.Group>
      <Radio.Group
        label={words.mode}
        value={values.mode}
        onChange={(next) => onChange({ mode: next === "ordered" ? "ordered" : "parallel" })}
      >
        <Stack gap={6} mt={6}>
          <Radio value="parallel" label={words.modes.parallel} description={words.modeTexts.parallel} />
          <Radio value="ordered" label={words.modes.ordered} description={words.modeTexts.ordered} />
        </Stack>
      </Radio.Group>
      {values.mode === "parallel" && (
        <NumberInput
          label={words.inFlight}
          description={words.inFlightText}
          min={1}
          max={in_flight_max}
          allowDecimal={false}
          maw={280}
          value={values.max_in_flight}
          error={errors["max_in_flight"]}
          onChange={(max_in_flight) => onChange({ max_in_flight })}
        />
      )}
      <Batch {...props} />
    </Stack>
  )
}
