// The fields of a condition: the rules, and the two ways of members.
import { Stack } from "@mantine/core"
import { useWords } from "../../words/Words.tsx"
import type { Step } from "../draft/steps.ts"
import { Condition } from "./Condition.tsx"
import { useStepFields, WayPart } from "./fields.tsx"

type Check = Extract<Step, { readonly type: "condition_check" }>

export const CheckFields = ({ step }: { readonly step: Check }) => {
  const words = useWords("flows")
  const of = useStepFields(step)
  const hasDefault = typeof step.default_step_id === "string"
  const otherwise = hasDefault ? words.asOtherwise : words.ends
  return (
    <Stack gap="sm">
      <Condition
        label={words.rules}
        value={step.condition ?? null}
        isReadOnly={of.isReadOnly}
        error={of.errorOf("condition")}
        onChange={(condition) => of.set({ condition })}
      />
      <WayPart step={step} way="true" label={words.whenTrue} otherwise={otherwise} />
      <WayPart step={step} way="false" label={words.whenFalse} otherwise={otherwise} />
      <WayPart
        step={step}
        way="default"
        label={words.otherwise}
        description={words.otherwiseText}
        otherwise={words.ends}
      />
    </Stack>
  )
}
