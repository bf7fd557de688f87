// Finds a step by its label, id, type, or what it names.
import { NavLink, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { SearchIcon } from "../Icons.tsx"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { useWords } from "../words/Words.tsx"
import { useEditing } from "./draft/editing.tsx"
import { useTexts } from "./parts/texts.ts"

const shown_max = 12

interface Props {
  readonly onClose: () => void
}

export const StepSearch = ({ onClose }: Props) => {
  const words = useWords("flows")
  const shell = useWords("shell")
  const { choose, names, structure } = useEditing()
  const { detailOf, titleOf } = useTexts(structure, names)
  const [text, setText] = useState("")
  const wanted = text.trim().toLowerCase()
  const found = structure.steps.filter((step) =>
    [titleOf(step), step.step_id, words.stepTypes[step.type], detailOf(step) ?? ""].some((each) =>
      each.toLowerCase().includes(wanted),
    ),
  )
  const go = (step_id: string) => {
    onClose()
    choose({ step: step_id }, true)
  }
  return (
    <Modal opened onClose={onClose} title={words.findStep} closeButtonProps={{ "aria-label": shell.close }}>
      <Stack gap="xs">
        <TextInput
          aria-label={words.findStep}
          placeholder={words.findPlaceholder}
          leftSection={<SearchIcon size={16} />}
          value={text}
          data-autofocus
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={({ key }) => {
            const [first] = found
            if (key === "Enter" && first !== undefined) go(first.step_id)
          }}
        />
        <div role="status">
          {found.length === 0 && (
            <Text size="sm" c="dimmed">
              {shell.searchNothing}
            </Text>
          )}
        </div>
        <div>
          {found.slice(0, shown_max).map((step) => (
            <NavLink
              key={step.step_id}
              component="button"
              type="button"
              label={titleOf(step)}
              description={detailOf(step) ?? words.stepTypes[step.type]}
              onClick={() => go(step.step_id)}
            />
          ))}
        </div>
      </Stack>
    </Modal>
  )
}
