// What the doctor found: each check with its result, and how to mend it.
import { Code, CloseButton, Group, Paper, Text } from "@mantine/core"
import { StatusBadge, type Tone } from "../../parts/StatusBadge.tsx"
import { useWords } from "../../words/Words.tsx"
import { type Check, sortedChecks, type Verdict, verdictOf } from "./state.ts"

const tones: Readonly<Record<Verdict, Tone>> = { ok: "good", advice: "warning", wrong: "bad" }

/** Commands and settings of a text are in backticks. */
const Marked = ({ text }: { readonly text: string }) =>
  text.split("`").map((part, index) => (index % 2 === 1 ? <Code key={index}>{part}</Code> : part))

const Line = ({ check }: { readonly check: Check }) => {
  const words = useWords("operations").state
  const verdict = verdictOf(check)
  return (
    <li>
      <StatusBadge tone={tones[verdict]} label={words.verdicts[verdict]} />
      <Text size="sm" fw={550} component="span">
        {check.name}
      </Text>
      <div>
        <Text size="sm">{check.found}</Text>
        {check.mend !== null && (
          <Text size="sm" c="dimmed" component="div">
            <Marked text={check.mend} />
          </Text>
        )}
      </div>
    </li>
  )
}

interface Props {
  readonly checks: ReadonlyArray<Check>
  readonly onClose: () => void
}

export const Checks = ({ checks, onClose }: Props) => {
  const words = useWords("operations").state
  const { close } = useWords("shell")
  const wrong = checks.filter(({ ok }) => !ok).length
  return (
    <Paper p="md" component="section" aria-label={words.checks}>
      <Group justify="space-between" mb="xs">
        <Text component="h2" fw={600} size="sm" m={0}>
          {wrong === 0 ? words.allWell(checks.length) : words.wrong(wrong)}
        </Text>
        <CloseButton aria-label={close} onClick={onClose} />
      </Group>
      <ul className="doctor">
        {sortedChecks(checks).map((check) => (
          <Line key={check.name} check={check} />
        ))}
      </ul>
    </Paper>
  )
}
