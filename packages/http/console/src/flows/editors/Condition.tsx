// The rules of a condition in words, and the way to the builder of rules.
import { Button, Group, Input, Stack, Text } from "@mantine/core"
import type { StepRule, StepRuleGroup } from "@tentpole/client"
import { lazy, Suspense, useState } from "react"
import { EditIcon } from "../../Icons.tsx"
import { fromTree, leavesOf, numberOf, pathOf } from "../../segments/ruleTree.ts"
import { useRuleTexts } from "../../segments/useRuleTexts.ts"
import { useVocabulary } from "../../segments/useVocabulary.ts"
import type { Vocabulary } from "../../segments/vocabulary.ts"
import { useWords } from "../../words/Words.tsx"
import { useEditing } from "../draft/editing.tsx"
import { useTexts } from "../parts/texts.ts"
import { groupOfRule, stepChoicesOf } from "./rules.ts"

const RulesDialog = lazy(async () => ({ default: (await import("./RulesDialog.tsx")).RulesDialog }))

interface SentencesProps {
  readonly rules: StepRuleGroup
  readonly vocabulary: Vocabulary
}

const Sentences = ({ rules, vocabulary }: SentencesProps) => {
  const words = useWords("segments")
  const leaves = leavesOf(fromTree(rules))
  const texts = useRuleTexts(
    leaves.map(({ rule }) => rule),
    vocabulary,
  )
  return (
    <div className="flow-rules">
      {leaves.length > 1 && (
        <Text size="xs" c="dimmed">
          {rules.operator === "or" ? words.any : words.all}
        </Text>
      )}
      <ul>
        {leaves.map(({ path }, index) => (
          <li key={pathOf(path)}>
            {leaves.length > 1 && <span className="rule-number">{numberOf(pathOf(path))}</span>} {texts[index]}
          </li>
        ))}
      </ul>
    </div>
  )
}

const InWords = ({ value }: { readonly value: StepRule }) => {
  const { names, structure } = useEditing()
  const { titleOf } = useTexts(structure, names)
  const group = groupOfRule(value)
  const { vocabulary } = useVocabulary(group, stepChoicesOf(structure, titleOf))
  return vocabulary === null ? null : <Sentences rules={group} vocabulary={vocabulary} />
}

interface Props {
  readonly label: string
  readonly value: StepRule | null
  readonly isReadOnly: boolean
  readonly error: string | undefined
  readonly onChange: (rules: StepRule | null) => void
}

export const Condition = ({ error, isReadOnly, label, onChange, value }: Props) => {
  const words = useWords("flows")
  const [isOpen, setOpen] = useState(false)
  return (
    <Stack gap={6}>
      <Input.Label labelElement="div">{label}</Input.Label>
      {value !== null && (
        <Suspense fallback={null}>
          <InWords value={value} />
        </Suspense>
      )}
      {error !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      {(!isReadOnly || value !== null) && (
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<EditIcon size={14} />}
            onClick={() => setOpen(true)}
          >
            {value === null ? words.setCondition : isReadOnly ? words.showCondition : words.editCondition}
          </Button>
        </Group>
      )}
      <Suspense fallback={null}>
        {isOpen && (
          <RulesDialog
            title={label}
            value={value}
            isReadOnly={isReadOnly}
            onChange={onChange}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </Stack>
  )
}
