// A row of a table: cells in columns, or a card of two lines on a phone.
import { Checkbox, Skeleton, Text } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import type { CSSProperties, ReactNode } from "react"
import { useWords } from "../../words/Words.tsx"
import type { Column, TableProps } from "./DataTable.tsx"

const Card = <Row,>({
  columns,
  first,
  isTall,
  row,
}: {
  readonly columns: ReadonlyArray<Column<Row>>
  readonly first: ReactNode
  readonly isTall: boolean
  readonly row: Row
}) => (
  <div role="cell" className="card" data-tall={isTall || undefined}>
    <div className="line">{first}</div>
    <Text component="div" size="xs" c="dimmed" className="line">
      {columns
        .filter(({ isOnPhone }) => isOnPhone === true)
        .map((column) => (
          <span key={column.key}>
            {(column.isNumber === true || column.isLabelled === true) && `${column.label}: `}
            {column.cell(row)}
          </span>
        ))}
    </Text>
  </div>
)

const Cells = <Row,>({
  columns,
  isPhone,
  isTall,
  path,
  row,
}: {
  readonly columns: ReadonlyArray<Column<Row>>
  readonly isPhone: boolean
  readonly isTall: boolean
  readonly path: string | null
  readonly row: Row
}) => {
  const [head, ...others] = columns
  if (head === undefined) return null
  const first =
    path === null ? (
      head.cell(row)
    ) : (
      <Link to={path} className="row-link">
        {head.cell(row)}
      </Link>
    )
  if (isPhone) return <Card columns={others} first={first} isTall={isTall} row={row} />
  return (
    <>
      <div role="cell">{first}</div>
      {others.map((column) => (
        <div key={column.key} role="cell" data-number={column.isNumber}>
          {column.cell(row)}
        </div>
      ))}
    </>
  )
}

interface Props<Row> {
  readonly table: TableProps<Row>
  /** Undefined until its page came. */
  readonly row: Row | undefined
  readonly index: number
  /** From 1, of all rows. */
  readonly number: number
  readonly isPhone: boolean
  readonly style: CSSProperties
  readonly onChoose: ((row: Row, isChosen: boolean) => void) | null
}

export const TableRow = <Row,>({ index, isPhone, number, onChoose, row, style, table }: Props<Row>) => {
  const words = useWords("shell").table
  const { actions, chosen, columns, isTall = false, keyOf, nameOf, pathOf } = table
  const isChosen = row !== undefined && chosen?.has(keyOf(row)) === true
  return (
    <div
      role="row"
      className="row body-row"
      data-index={index}
      data-chosen={isChosen || undefined}
      aria-rowindex={number}
      style={style}
    >
      {row === undefined ? (
        <div role="cell">
          <Skeleton h={12} w="40%" />
        </div>
      ) : (
        <>
          {onChoose !== null && (
            <div role="cell">
              <Checkbox
                size="xs"
                checked={isChosen}
                aria-label={words.choose(nameOf(row))}
                onChange={({ currentTarget }) => onChoose(row, currentTarget.checked)}
              />
            </div>
          )}
          <Cells columns={columns} isPhone={isPhone} isTall={isTall} path={pathOf?.(row) ?? null} row={row} />
          {actions !== undefined && (
            <div role="cell" data-end>
              {actions(row)}
            </div>
          )}
        </>
      )}
    </div>
  )
}
