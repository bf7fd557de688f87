// The choice of a table's columns, stored in the browser.
import { Button, Checkbox, Popover, Stack } from "@mantine/core"
import { useLocalStorage } from "@mantine/hooks"
import { ColumnsIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"

interface Named {
  readonly key: string
  readonly label: string
}

/** The shown columns and the setter of their keys. `table` is the key in the browser's storage. */
export const useColumns = <Column extends Named>(
  table: string,
  columns: ReadonlyArray<Column>,
  usual: ReadonlyArray<string>,
) => {
  const [shown, setShown] = useLocalStorage<ReadonlyArray<string>>({
    key: `tentpole-columns-${table}`,
    defaultValue: usual,
    getInitialValueInEffect: false,
  })
  return { columns: columns.filter(({ key }, index) => index === 0 || shown.includes(key)), shown, setShown }
}

interface Props {
  /** All columns. The first one is always shown. */
  readonly columns: ReadonlyArray<Named>
  readonly shown: ReadonlyArray<string>
  readonly onShown: (shown: Array<string>) => void
}

export const ColumnsButton = ({ columns, onShown, shown }: Props) => {
  const words = useWords("shell").table
  return (
    <Popover position="bottom-end" shadow="md" trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<ColumnsIcon size={16} />} visibleFrom="sm">
          {words.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
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
