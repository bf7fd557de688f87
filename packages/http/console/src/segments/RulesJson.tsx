// Rules as JSON: to read, to copy, and to paste.
import { Stack, Text } from "@mantine/core"
import type { RuleGroup } from "@tentpole/client"
import { useState } from "react"
import { CodeEditor } from "../parts/code/CodeEditor.tsx"
import { useWords } from "../words/Words.tsx"
import { readRules } from "./ruleJson.ts"
import type { Vocabulary } from "./vocabulary.ts"

interface Props {
  readonly rules: RuleGroup
  readonly vocabulary: Vocabulary
  readonly isReadOnly: boolean
  /** Rules that could be read from the text. */
  readonly onRules: (rules: RuleGroup) => void
}

const indent = 2

export const RulesJson = ({ isReadOnly, onRules, rules, vocabulary }: Props) => {
  const words = useWords("segments")
  const [text, setText] = useState(() => JSON.stringify(rules, null, indent))
  const [problem, setProblem] = useState<string | null>(null)
  const change = (next: string) => {
    setText(next)
    const read = readRules(next, vocabulary.metadata, words)
    setProblem("problem" in read ? read.problem : null)
    // The builder of an audience has no conditions on emails of a flow: the service refuses them.
    if ("rules" in read) onRules(read.rules as RuleGroup)
  }
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {words.jsonText}
      </Text>
      <CodeEditor
        label={words.rules}
        value={text}
        onChange={change}
        language="json"
        isReadOnly={isReadOnly}
        height_px={360}
      />
      <div role="status">
        {problem !== null && (
          <>
            <Text size="sm" c="var(--mantine-color-error)">
              {problem}
            </Text>
            <Text size="sm" c="dimmed">
              {words.jsonPending}
            </Text>
          </>
        )}
      </div>
    </Stack>
  )
}
