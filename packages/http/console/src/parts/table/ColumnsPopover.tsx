// The boxes that choose the columns of a table. Only `Columns.tsx` imports this module, on demand.
import { Checkbox, Popover, Stack } from "@mantine/core"
import { useWords } from "../../words/Words.tsx"
import { useOpening } from "../OnDemand.tsx"
import { type ColumnsProps, ColumnsTarget } from "./Columns.tsx"

export const ColumnsPopover = ({ columns, onShown, shown }: ColumnsProps) => {
  const words = useWords("shell").table
  const { isOpen, setOpen, target } = useOpening()
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ColumnsTarget ref={target} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown aria-label={words.columns}>
        <Checkbox.Group value={[...shown]} onChange={onShown} aria-label={words.columns}>
          <Stack gap="xs" mah={320} className="scroll">
            {columns.slice(1).map(({ key, label }) => (
              <Checkbox key={key} value={key} label={label} size="xs" />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  )
}
