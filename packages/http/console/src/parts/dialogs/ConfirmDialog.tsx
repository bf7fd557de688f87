// The question before an action. What can't be undone asks for its name to be typed.
import { Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { type SyntheticEvent, type ReactNode, useState } from "react"
import { useWords } from "../../words/Words.tsx"
import { Problem } from "../Problem.tsx"
import { Modal } from "./Modal.tsx"

export interface ConfirmProps {
  readonly title: string
  readonly text: ReactNode
  /** The label of the button: the action, never "OK". */
  readonly action: string
  /** The label of the button that does nothing, where "Cancel" could be the action. */
  readonly dismiss?: string
  /** What has to be typed first: the name of the thing, or the number of people. */
  readonly typed?: string
  readonly isDangerous?: boolean
  readonly isPending: boolean
  readonly error: unknown
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export const ConfirmDialog = ({
  action,
  dismiss,
  error,
  isDangerous = true,
  isPending,
  onClose,
  onConfirm,
  text,
  title,
  typed,
}: ConfirmProps) => {
  const words = useWords("shell")
  const [entered, setEntered] = useState("")
  const isReady = typed === undefined || entered.trim() === typed
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (isReady && !isPending) onConfirm()
  }
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": words.close }}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" component="div">
            {text}
          </Text>
          {typed !== undefined && (
            <TextInput
              label={words.confirm.typeName(typed)}
              value={entered}
              autoComplete="off"
              data-autofocus
              onChange={({ currentTarget }) => setEntered(currentTarget.value)}
            />
          )}
          {error !== null && error !== undefined && <Problem error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {dismiss ?? words.cancel}
            </Button>
            <Button type="submit" color={isDangerous ? "red.9" : "pine"} loading={isPending} disabled={!isReady}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
