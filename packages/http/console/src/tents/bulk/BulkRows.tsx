// The pasted rows: what each column is, cells that can be changed, and the reasons of rejected rows.
import "../tents.css"
import { ActionIcon, NativeSelect, Table as Grid, Text, TextInput, VisuallyHidden } from "@mantine/core"
import { Fragment } from "react"
import { CrossIcon, RefusedIcon } from "../../Icons.tsx"
import { useWords, type Words } from "../../words/Words.tsx"
import { type Table, type Target, withCell, withColumn, withoutRow } from "./table.ts"

const keyOf = (target: Target): string => (target.kind === "value" ? `value:${target.name}` : target.kind)

const targetOf = (key: string): Target => {
  if (key.startsWith("value:")) return { kind: "value", name: key.slice("value:".length) }
  return key === "name" || key === "instructions" || key === "alias" ? { kind: key } : { kind: "nothing" }
}

const labelOf = (words: Words["tents"], target: Target): string =>
  target.kind === "value" ? words.valueOf(target.name) : words.targets[target.kind]

interface Props {
  readonly table: Table
  readonly variables: ReadonlyArray<string>
  readonly onChange: (table: Table) => void
}

export const BulkRows = ({ onChange, table, variables }: Props) => {
  const words = useWords("tents")
  const targets: ReadonlyArray<Target> = [
    { kind: "name" },
    { kind: "instructions" },
    { kind: "alias" },
    ...[...new Set([...variables, ...table.columns.flatMap((each) => (each.kind === "value" ? [each.name] : []))])].map(
      (name): Target => ({ kind: "value", name }),
    ),
    { kind: "nothing" },
  ]
  const data = targets.map((target) => ({ value: keyOf(target), label: labelOf(words, target) }))
  return (
    <Grid.ScrollContainer type="native" minWidth={160 * table.columns.length + 80} tabIndex={0} aria-label={words.rows}>
      <Grid verticalSpacing={4} horizontalSpacing={6}>
        <Grid.Thead>
          <Grid.Tr>
            <Grid.Th w={36}>{words.number}</Grid.Th>
            {table.columns.map((target, column) => (
              // oxlint-disable-next-line react/no-array-index-key -- a column is known by its position
              <Grid.Th key={column}>
                <NativeSelect
                  size="xs"
                  aria-label={words.column(column + 1)}
                  value={keyOf(target)}
                  data={data}
                  onChange={({ currentTarget }) => onChange(withColumn(table, column, targetOf(currentTarget.value)))}
                />
              </Grid.Th>
            ))}
            <Grid.Th w={40}>
              <VisuallyHidden>{words.actions}</VisuallyHidden>
            </Grid.Th>
          </Grid.Tr>
        </Grid.Thead>
        <Grid.Tbody>
          {table.rows.map(({ cells, problem }, row) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows have no id: their cells are being changed
            <Fragment key={row}>
              <Grid.Tr className="bulk-row" data-rejected={problem !== null || undefined}>
                <Grid.Td>{row + 1}</Grid.Td>
                {cells.map((cell, column) => (
                  // oxlint-disable-next-line react/no-array-index-key -- a cell is known by its column
                  <Grid.Td key={column}>
                    <TextInput
                      size="xs"
                      aria-label={words.cell(row + 1, column + 1)}
                      value={cell}
                      onChange={({ currentTarget }) => onChange(withCell(table, row, column, currentTarget.value))}
                    />
                  </Grid.Td>
                ))}
                <Grid.Td>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={words.removeRow(row + 1)}
                    onClick={() => onChange(withoutRow(table, row))}
                  >
                    <CrossIcon size={15} />
                  </ActionIcon>
                </Grid.Td>
              </Grid.Tr>
              {problem !== null && (
                <Grid.Tr className="bulk-row" data-rejected>
                  <Grid.Td />
                  <Grid.Td colSpan={cells.length + 1}>
                    <Text size="sm" c="var(--mantine-color-error)" className="bulk-problem">
                      <RefusedIcon size={15} /> {problem}
                    </Text>
                  </Grid.Td>
                </Grid.Tr>
              )}
            </Fragment>
          ))}
        </Grid.Tbody>
      </Grid>
    </Grid.ScrollContainer>
  )
}
