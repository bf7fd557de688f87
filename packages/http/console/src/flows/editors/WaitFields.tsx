// The fields of a wait: a duration, or a condition with the longest time to wait for it.
import { SegmentedControl, Stack } from "@mantine/core"
import { useWords } from "../../words/Words.tsx"
import { useEditing } from "../draft/editing.tsx"
import { changeStep } from "../draft/edits.ts"
import { type Step, withMode } from "../draft/steps.ts"
import { Condition } from "./Condition.tsx"
import { DurationPart, useStepFields, WayPart } from "./fields.tsx"

type Wait = Extract<Step, { readonly type: "wait" }>

export const WaitFields = ({ step }: { readonly step: Wait }) => {
  const words = useWords("flows")
  const { edit } = useEditing()
  const of = useStepFields(step)
  const isConditional = step.mode === "condition"
  const setMode = (mode: string) =>
    edit((before) =>
      changeStep(before, step.step_id, (each) =>
        each.type === "wait" ? withMode(each, mode === "condition" ? mode : "duration") : each,
      ),
    )
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label={words.waitMode}
        readOnly={of.isReadOnly}
        value={isConditional ? "condition" : "duration"}
        data={[
          { value: "duration", label: words.waitModes.duration },
          { value: "condition", label: words.waitModes.condition },
        ]}
        onChange={setMode}
      />
      {isConditional ? (
        <>
          <Condition
            label={words.rules}
            value={step.condition ?? null}
            isReadOnly={of.isReadOnly}
            error={of.errorOf("condition")}
            onChange={(condition) => of.set({ condition })}
          />
          <DurationPart
            of={of}
            label={words.atMost}
            description={words.atMostText}
            amount="timeout_amount"
            unit="timeout_unit"
          />
          <WayPart step={step} way="next" label={words.whenHolds} otherwise={words.ends} />
          <WayPart step={step} way="timeout" label={words.afterTimeout} otherwise={words.asWhenHolds} />
        </>
      ) : (
        <>
          <DurationPart of={of} label={words.duration} amount="duration_amount" unit="duration_unit" />
          <WayPart step={step} way="next" label={words.next} otherwise={words.ends} />
        </>
      )}
    </Stack>
  )
}
