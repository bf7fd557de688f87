// The choice of a table's columns, stored in the browser.
import { Button } from "@mantine/core"
import { useLocalStorage } from "@mantine/hooks"
import { lazy, type Ref } from "react"
import { ColumnsIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { OnDemand } from "../OnDemand.tsx"

const ColumnsPopover = lazy(async () => ({ default: (await import("./ColumnsPopover.tsx")).ColumnsPopover }))

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

export interface ColumnsProps {
  /** All columns. The first one is always shown. */
  readonly columns: ReadonlyArray<Named>
  readonly shown: ReadonlyArray<string>
  readonly onShown: (shown: Array<string>) => void
}

interface TargetProps {
  readonly onClick: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

export const ColumnsTarget = (props: TargetProps) => {
  const words = useWords("shell").table
  return (
    <Button
      {...props}
      variant="default"
      leftSection={<ColumnsIcon size={16} />}
      visibleFrom="sm"
      aria-haspopup="dialog"
    >
      {words.columns}
    </Button>
  )
}

export const ColumnsButton = (props: ColumnsProps) => (
  <OnDemand button={(open) => <ColumnsTarget onClick={open} />}>
    <ColumnsPopover {...props} />
  </OnDemand>
)
