// The four steps of an import.
import { Steps } from "../parts/Steps.tsx"
import { useWords } from "../words/Words.tsx"

const names = ["file", "columns", "look", "run"] as const

type StepName = (typeof names)[number]

interface Props {
  readonly at: StepName
  /** Steps that a click leads to. */
  readonly open: ReadonlyArray<StepName>
  readonly onStep: (step: StepName) => void
}

export const ImportSteps = ({ at, onStep, open }: Props) => {
  const words = useWords("imports")
  const steps = names.map((name) => ({ name, label: words.steps[name], isOpen: open.includes(name) }))
  return <Steps steps={steps} at={at} onStep={onStep} />
}
