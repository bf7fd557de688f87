// Rules of conditions as the builder of rules takes them. Pure.
import type { StepRule, StepRuleGroup } from "@tentpole/client"
import type { StepChoice } from "../../segments/vocabulary.ts"
import type { Step, Structure } from "../draft/steps.ts"

/** The service accepts a condition alone, too. */
export const groupOfRule = (rule: StepRule): StepRuleGroup =>
  rule.kind === "group" ? rule : { kind: "group", operator: "and", conditions: [rule] }

/** The emails that conditions may ask about. */
export const stepChoicesOf = ({ steps }: Structure, titleOf: (step: Step) => string): ReadonlyArray<StepChoice> =>
  steps.flatMap((step) => (step.type === "send_email" ? [{ value: step.step_id, label: titleOf(step) }] : []))
