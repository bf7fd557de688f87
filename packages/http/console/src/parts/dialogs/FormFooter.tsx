// The end of a form in a dialog: what belongs to it on the left, the way out and the action on the right.
import { Button, Group } from "@mantine/core"
import type { ReactNode } from "react"
import { useWords } from "../../words/Words.tsx"

interface Props {
  /** The label of the button that submits. */
  readonly action: ReactNode
  readonly beside?: ReactNode
  readonly isPending: boolean
  /** False: what is entered can't be submitted. */
  readonly isReady?: boolean
  readonly onClose: () => void
}

export const FormFooter = ({ action, beside, isPending, isReady = true, onClose }: Props) => {
  const { cancel } = useWords("shell")
  return (
    <Group justify="space-between">
      {beside}
      <Group gap="xs" ml="auto">
        <Button variant="default" onClick={onClose}>
          {cancel}
        </Button>
        <Button type="submit" disabled={!isReady} loading={isPending}>
          {action}
        </Button>
      </Group>
    </Group>
  )
}
