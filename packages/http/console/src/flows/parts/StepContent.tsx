// What a step shows on the canvas and in the list: its kind, title, what it does, its members and its problems.
import { VisuallyHidden } from "@mantine/core"
import { WarningIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { useEditing, useLit } from "../draft/editing.tsx"
import { isWarning } from "../draft/issues.ts"
import type { Step } from "../draft/steps.ts"
import { stepIcons } from "./icons.ts"
import { useTexts } from "./texts.ts"

/** Attributes of the button of a step, for its look. */
export const useStepLook = ({ step_id, type }: Step) => {
  const { chosen, issues } = useEditing()
  const lit = useLit()
  const isChosen = chosen !== null && "step" in chosen && chosen.step === step_id
  const isBad = issues.steps.get(step_id)?.some((issue) => !isWarning(issue)) === true
  return {
    "data-node": `step:${step_id}`,
    "data-kind": type,
    "data-chosen": isChosen || undefined,
    "data-lit": lit.steps.has(step_id) || undefined,
    "data-current": lit.stepId === step_id || undefined,
    "data-problem": isBad || undefined,
    "aria-pressed": isChosen,
  }
}

export const StepContent = ({ step }: { readonly step: Step }) => {
  const words = useWords("flows")
  const { counts, issues, names, structure } = useEditing()
  const { detailOf, titleOf } = useTexts(structure, names)
  const Icon = stepIcons[step.type]
  const count = counts.get(step.step_id) ?? 0
  const problems = issues.steps.get(step.step_id)?.length ?? 0
  return (
    <>
      <span className="flow-icon">
        <Icon size={17} />
      </span>
      <span className="flow-texts">
        {step.label !== null && step.label !== undefined && (
          <VisuallyHidden>{words.stepTypes[step.type]} </VisuallyHidden>
        )}
        <span className="flow-title">{titleOf(step)}</span>
        <span className="flow-detail">{detailOf(step) ?? words.notSet}</span>
      </span>
      {count > 0 && <span className="flow-count">{words.countHere(count)}</span>}
      {problems > 0 && (
        <span className="flow-mark" role="img" aria-label={words.toMend(problems)}>
          <WarningIcon size={15} />
        </span>
      )}
    </>
  )
}
