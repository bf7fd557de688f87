// What a simulated person does with the messages of the flow, and when.
import { ActionIcon, Button, Group, Input, NativeSelect, NumberInput, Stack, Text } from "@mantine/core"
import { CrossIcon, PlusIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { useEditing } from "../draft/editing.tsx"
import { isUnit, type Unit, useTexts, waitUnits } from "../parts/texts.ts"

const metrics = ["opened", "clicked", "unsubscribed", "bounced"] as const

type Metric = (typeof metrics)[number]

export interface Doing {
  readonly stepId: string
  readonly metric: Metric
  readonly amount: number
  readonly unit: Unit
}

const amount_max = 5_256_000

interface Props {
  readonly doings: ReadonlyArray<Doing>
  readonly onChange: (doings: ReadonlyArray<Doing>) => void
}

interface RowProps {
  readonly doing: Doing
  readonly onChange: (doing: Doing) => void
  readonly onRemove: () => void
}

const Row = ({ doing, onChange, onRemove }: RowProps) => {
  const words = useWords("flows")
  const { names, structure } = useEditing()
  const { titleOf } = useTexts(structure, names)
  const sends = structure.steps.filter(({ type }) => type === "send_email")
  return (
    <div className="flow-event">
      <Group gap={6} wrap="nowrap" grow>
        <NativeSelect
          size="xs"
          aria-label={words.does}
          value={doing.metric}
          data={metrics.map((each) => ({ value: each, label: words.metrics[each] }))}
          onChange={({ currentTarget }) =>
            onChange({ ...doing, metric: metrics.find((each) => each === currentTarget.value) ?? "opened" })
          }
        />
        <NativeSelect
          size="xs"
          aria-label={words.stepTypes.send_email}
          value={doing.stepId}
          data={sends.map((step) => ({ value: step.step_id, label: titleOf(step) }))}
          onChange={({ currentTarget }) => onChange({ ...doing, stepId: currentTarget.value })}
        />
      </Group>
      <ActionIcon variant="subtle" color="gray" aria-label={words.removeDoing} onClick={onRemove}>
        <CrossIcon size={15} />
      </ActionIcon>
      <Group gap={6} wrap="nowrap" align="center">
        <Text size="xs">{words.after}</Text>
        <NumberInput
          size="xs"
          w={64}
          aria-label={words.amount}
          min={0}
          max={amount_max}
          allowDecimal={false}
          hideControls
          value={doing.amount}
          onChange={(next) => onChange({ ...doing, amount: typeof next === "number" ? next : 0 })}
        />
        <NativeSelect
          size="xs"
          aria-label={words.unit}
          value={doing.unit}
          data={waitUnits.map((each) => ({ value: each, label: words.units[each] }))}
          onChange={({ currentTarget: { value } }) => onChange({ ...doing, unit: isUnit(value) ? value : "hours" })}
        />
      </Group>
    </div>
  )
}

export const Doings = ({ doings, onChange }: Props) => {
  const words = useWords("flows")
  const { structure } = useEditing()
  const [firstSend] = structure.steps.filter(({ type }) => type === "send_email")
  const change = (at: number, next: Doing) => onChange(doings.map((each, index) => (index === at ? next : each)))
  return (
    <Stack gap={6}>
      <Input.Label labelElement="div">{words.doings}</Input.Label>
      <div className="flow-events">
        {doings.map((doing, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- rows have no id: two of them may be the same
          <Row
            key={at}
            doing={doing}
            onChange={(next) => change(at, next)}
            onRemove={() => onChange(doings.filter((_, index) => index !== at))}
          />
        ))}
      </div>
      {doings.length === 0 && (
        <Text size="xs" c="dimmed">
          {firstSend === undefined ? words.noMessages : words.doesNothing}
        </Text>
      )}
      {firstSend !== undefined && (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<PlusIcon size={14} />}
          onClick={() =>
            onChange([...doings, { stepId: firstSend.step_id, metric: "opened", amount: 2, unit: "hours" }])
          }
        >
          {words.addDoing}
        </Button>
      )}
    </Stack>
  )
}
