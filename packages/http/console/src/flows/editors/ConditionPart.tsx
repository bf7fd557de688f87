// The rules of a wait or a condition.
import type { StepRule } from "@tentpole/client"
import { useWords } from "../../words/Words.tsx"
import { Condition } from "./Condition.tsx"
import type { Fields } from "./fields.tsx"

export const ConditionPart = ({ of }: { readonly of: Fields }) => {
  const words = useWords("flows")
  return (
    <Condition
      label={words.fields.condition}
      value={(of.values["condition"] ?? null) as StepRule | null}
      isReadOnly={of.isReadOnly}
      error={of.errorOf("condition")}
      onChange={(condition) => of.set({ condition }, "condition")}
    />
  )
}
