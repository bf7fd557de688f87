// A button with a small form below it: one thing is chosen, then something is done with it.
import { Button, Popover, Stack } from "@mantine/core"
import { type ReactNode, useState } from "react"
import { Problem } from "../Problem.tsx"

interface Props {
  readonly button: string
  readonly icon: ReactNode
  /** For a bar of small buttons. */
  readonly isSmall?: boolean
  readonly picker: (value: string | null, onChange: (value: string | null) => void) => ReactNode
  /** The label of the button that does it. */
  readonly action: string
  readonly isPending: boolean
  readonly error: unknown
  /** Calls `close` after success. */
  readonly onChosen: (value: string, close: () => void) => void
}

export const ChoosePopover = ({ action, button, error, icon, isPending, isSmall = false, onChosen, picker }: Props) => {
  const [isOpen, setOpen] = useState(false)
  const [value, setValue] = useState<string | null>(null)
  return (
    <Popover opened={isOpen} onChange={setOpen} width={320} shadow="md" trapFocus position="bottom-start">
      <Popover.Target>
        <Button
          size={isSmall ? "compact-sm" : "sm"}
          variant="default"
          leftSection={icon}
          onClick={() => {
            setValue(null)
            setOpen(!isOpen)
          }}
        >
          {button}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          {picker(value, setValue)}
          {error !== null && <Problem error={error} />}
          <Button
            disabled={value === null}
            loading={isPending}
            onClick={() => {
              if (value !== null) onChosen(value, () => setOpen(false))
            }}
          >
            {action}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
