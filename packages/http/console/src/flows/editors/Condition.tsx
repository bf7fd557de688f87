// The rules of a condition, as JSON. The service checks what they say when the flow is saved.
import { Stack, Text } from "@mantine/core"
import type { StepRule } from "@tentpole/client"
import { useState } from "react"
import { CodeEditor } from "../../parts/code/CodeEditor.tsx"
import { useWords } from "../../words/Words.tsx"
import { isSame } from "../draft/flowDraft.ts"

const textOf = (value: StepRule | null): string => (value === null ? "" : JSON.stringify(value, null, 2))

const isRule = (value: unknown): value is StepRule =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  (value.kind === "group" || value.kind === "condition")

/** The rules of a text; null for an empty one; undefined is no JSON of rules. */
const rulesOf = (text: string): StepRule | null | undefined => {
  if (text.trim() === "") return null
  try {
    const value: unknown = JSON.parse(text)
    return isRule(value) ? value : undefined
  } catch {
    return undefined
  }
}

interface Props {
  readonly label: string
  readonly value: StepRule | null
  readonly isReadOnly: boolean
  readonly error: string | undefined
  readonly onChange: (rules: StepRule | null) => void
  readonly height_px?: number
}

export const Condition = ({ error, height_px = 220, isReadOnly, label, onChange, value }: Props) => {
  const words = useWords("flows")
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: StepRule | null } | null>(null)
  // The rules may change by undo, or by the answer of the service.
  const own = typed !== null && isSame(typed.value, value) ? typed.text : null
  const text = own ?? textOf(value)
  const isBroken = own !== null && rulesOf(own) === undefined
  const shown = isBroken ? words.noRules : error
  const change = (next: string) => {
    const rules = rulesOf(next)
    setTyped({ text: next, value: rules === undefined ? value : rules })
    if (rules !== undefined) onChange(rules)
  }
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <CodeEditor
        label={label}
        language="json"
        value={text}
        isReadOnly={isReadOnly}
        height_px={height_px}
        onChange={change}
      />
      {shown !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {shown}
        </Text>
      )}
    </Stack>
  )
}
