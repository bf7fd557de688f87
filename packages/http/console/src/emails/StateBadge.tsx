// The state of an email or template: draft, approved, changed since, or what the AI does.
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { useWords } from "../words/Words.tsx"
import { type Answer, stateOf, stateTones } from "./written.ts"

interface Props {
  readonly of: Answer
}

export const StateBadge = ({ of }: Props) => {
  const words = useWords("emails")
  const state = stateOf(of)
  return <StatusBadge tone={stateTones[state]} label={words.states[state]} />
}
