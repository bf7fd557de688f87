// Edits the rules of a condition. They are taken when they are finished.
import { Button, Group, Stack, Text } from "@mantine/core"
import type { StepRule } from "@tentpole/client"
import { Suspense, useState } from "react"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { useWords } from "../../words/Words.tsx"
import { useEditing } from "../draft/editing.tsx"
import { useTexts } from "../parts/texts.ts"
import { type Rules, RulesForm } from "./RulesForm.tsx"
import { stepChoicesOf } from "./rules.ts"

interface Props {
  readonly title: string
  readonly value: StepRule | null
  readonly isReadOnly: boolean
  readonly onChange: (rules: StepRule | null) => void
  readonly onClose: () => void
}

export const RulesDialog = ({ isReadOnly, onChange, onClose, title, value }: Props) => {
  const words = useWords("flows")
  const shell = useWords("shell")
  const isPhone = useIsPhone()
  const { names, structure } = useEditing()
  const { titleOf } = useTexts(structure, names)
  const [steps] = useState(() => stepChoicesOf(structure, titleOf))
  const [{ isFinished, rules }, setRules] = useState<Rules>({ rules: value, isFinished: true })
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      fullScreen={isPhone}
      size="xl"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <Stack>
        <Suspense fallback={null}>
          <RulesForm first={value} steps={steps} isReadOnly={isReadOnly} onChange={setRules} />
        </Suspense>
        {!isReadOnly && (
          <Group justify="space-between" gap="xs">
            <Text size="xs" c="dimmed">
              {isFinished ? words.conditionText : words.unfinished}
            </Text>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                {shell.cancel}
              </Button>
              <Button
                disabled={!isFinished}
                onClick={() => {
                  onChange(rules)
                  onClose()
                }}
              >
                {words.useCondition}
              </Button>
            </Group>
          </Group>
        )}
      </Stack>
    </Modal>
  )
}
