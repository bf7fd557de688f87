// A table of any length: only visible rows are in the document. On a phone a row is a card of two lines.
import { Skeleton, VisuallyHidden } from "@mantine/core"
import { useVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, useEffect, useRef, useState } from "react"
import type { Rows } from "../../api/rows.ts"
import { SortDownIcon, SortUpIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { useIsPhone } from "../phone.ts"
import { RowWindow, rows_in_window } from "./RowWindow.tsx"
import { useRowKeys } from "./rowKeys.ts"
import { TableRow } from "./TableRow.tsx"

export interface Column<Row> {
  readonly key: string
  readonly label: string
  readonly cell: (row: Row) => ReactNode
  /** A track of the grid, such as `minmax(12rem, 2fr)`. */
  readonly width: string
  /** Key of the order in the request. */
  readonly sort?: string
  readonly isNumber?: boolean
  /** Whether the second line of a card has it. The first column is the first line. */
  readonly isOnPhone?: boolean
  /** Whether a card names it by its label. Cards name numbers always. */
  readonly isLabelled?: boolean
}

export interface Sort {
  readonly by: string
  readonly order: "asc" | "desc"
}

export interface TableProps<Row> {
  /** Name of the table. */
  readonly label: string
  readonly rows: Rows<Row>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly keyOf: (row: Row) => string
  /** Text of a row for the name of its controls. */
  readonly nameOf: (row: Row) => string
  /** Address of the row's screen, such as `/contacts/1`. The first column is its link. Null for a row without one. */
  readonly pathOf?: (row: Row) => string | null
  readonly sort?: Sort | undefined
  readonly onSort?: ((sort: Sort) => void) | undefined
  /** Chosen rows by key. */
  readonly chosen?: ReadonlyMap<string, Row>
  readonly onChosen?: (chosen: ReadonlyMap<string, Row>) => void
  /** Whether a card on a phone has two more lines, for the text of its last column. */
  readonly isTall?: boolean
  /** Shown in place of rows where a search found none. */
  readonly none?: string
  /** The menu at the end of a row. */
  readonly actions?: (row: Row) => ReactNode
}

const row_height_px = { desk: 44, phone: 64, tall: 100 }
/** Rows of the skeleton while the first page loads. */
const skeleton_rows = 8

const HeadCell = <Row,>({
  column,
  onSort,
  sort,
}: Pick<TableProps<Row>, "sort" | "onSort"> & { readonly column: Column<Row> }) => {
  const words = useWords("shell").table
  const by = column.sort
  if (by === undefined || onSort === undefined) {
    return (
      <div role="columnheader" data-number={column.isNumber}>
        {column.label}
      </div>
    )
  }
  const order = sort?.by === by ? sort.order : null
  const next = order === "asc" ? "desc" : "asc"
  return (
    <div
      role="columnheader"
      data-number={column.isNumber}
      aria-sort={order === null ? "none" : order === "asc" ? "ascending" : "descending"}
    >
      <button type="button" title={words.sortBy(column.label)} onClick={() => onSort({ by, order: next })}>
        {column.label}
        {order === "asc" && <SortUpIcon size={14} />}
        {order === "desc" && <SortDownIcon size={14} />}
      </button>
    </div>
  )
}

const SkeletonRows = ({ height_px }: { readonly height_px: number }) => (
  <div className="late" aria-hidden="true">
    {Array.from({ length: skeleton_rows }, (_, index) => (
      <div key={index} className="row" style={{ height: height_px, gridTemplateColumns: "2fr 1fr 1fr" }}>
        <Skeleton h={12} w="70%" />
        <Skeleton h={12} w="50%" />
        <Skeleton h={12} w="40%" />
      </div>
    ))}
  </div>
)

const Head = <Row,>({
  hasChoice,
  tracks,
  ...props
}: TableProps<Row> & { readonly hasChoice: boolean; readonly tracks: string }) => {
  const { actions, columns, onSort, sort } = props
  const words = useWords("shell")
  return (
    <div role="rowgroup" className="table-head">
      <div role="row" className="row" style={{ gridTemplateColumns: tracks }}>
        {hasChoice && (
          <div role="columnheader">
            <VisuallyHidden>{words.table.chosenColumn}</VisuallyHidden>
          </div>
        )}
        {columns.map((column) => (
          <HeadCell key={column.key} column={column} sort={sort} onSort={onSort} />
        ))}
        {actions !== undefined && (
          <div role="columnheader">
            <VisuallyHidden>{words.more}</VisuallyHidden>
          </div>
        )}
      </div>
    </div>
  )
}

const tracksOf = <Row,>({ actions, columns, onChosen }: TableProps<Row>, isPhone: boolean): string =>
  [
    ...(onChosen === undefined ? [] : ["1.75rem"]),
    ...(isPhone ? ["minmax(0, 1fr)"] : columns.map(({ width }) => width)),
    ...(actions === undefined ? [] : ["2.75rem"]),
  ].join(" ")

/** The visible rows of the present window, which begins at row `start`. */
const useVisibleRows = <Row,>({ rows }: TableProps<Row>, start: number, height_px: number) => {
  const box = useRef<HTMLDivElement>(null)
  const count = Math.max(0, Math.min(rows_in_window, rows.total - start))
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height_px,
    overscan: 8,
  })
  useEffect(() => virtual.measure(), [height_px, virtual])
  const seen = virtual.getVirtualItems()
  const [first, last] = [seen[0]?.index ?? 0, seen.at(-1)?.index ?? 0]
  const { onRange } = rows
  useEffect(() => onRange(start + first, start + last), [onRange, start, first, last])
  return { box, count, seen, virtual }
}

/** Chooses rows: one, or from the last chosen one up to another. Indexes count from the row `start`. */
const useChoice = <Row,>({ chosen, keyOf, onChosen, rows }: TableProps<Row>, start: number) => {
  const last = useRef(0)
  const choose = (row: Row, isChosen: boolean) => {
    const next = new Map(chosen)
    if (isChosen) next.set(keyOf(row), row)
    else next.delete(keyOf(row))
    onChosen?.(next)
  }
  return {
    choose,
    toggle: (index: number) => {
      const row = rows.rowAt(start + index)
      last.current = index
      if (row !== undefined && onChosen !== undefined) choose(row, chosen?.has(keyOf(row)) !== true)
    },
    chooseTo: (index: number) => {
      const [first, end] = [Math.min(last.current, index), Math.max(last.current, index)]
      const between = Array.from({ length: end - first + 1 }, (_, at) => rows.rowAt(start + first + at))
      last.current = index
      onChosen?.(
        new Map([
          ...(chosen ?? []),
          ...between.flatMap((row) => (row === undefined ? [] : [[keyOf(row), row] as const])),
        ]),
      )
    },
  }
}

export const DataTable = <Row,>(props: TableProps<Row>) => {
  const { isTall = false, label, none, onChosen, rows } = props
  const isPhone = useIsPhone()
  const [start, setStart] = useState(0)
  const height_px = row_height_px[isPhone ? (isTall ? "tall" : "phone") : "desk"]
  const { box, count, seen, virtual } = useVisibleRows(props, start, height_px)
  const { choose, chooseTo, toggle } = useChoice(props, start)
  useRowKeys({ box, count, show: (index) => virtual.scrollToIndex(index), toggle, toggleTo: chooseTo })
  const move = (next: number) => {
    setStart(next)
    box.current?.scrollTo({ top: 0 })
  }
  const hasChoice = onChosen !== undefined
  const tracks = tracksOf(props, isPhone)
  return (
    <div className="table-frame" data-stale={rows.isStale || undefined}>
      <div ref={box} className="table-box" tabIndex={0} role="region" aria-label={label}>
        <div role="table" aria-label={label} aria-rowcount={rows.isWhole ? rows.total : -1} className="table">
          {!isPhone && <Head {...props} hasChoice={hasChoice} tracks={tracks} />}
          {rows.isPending && rows.error === null && <SkeletonRows height_px={height_px} />}
          {!rows.isPending && rows.total === 0 && <p className="table-none">{none}</p>}
          <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
            {seen.map(({ index, key, start: top_px }) => (
              <TableRow
                key={key}
                table={props}
                row={rows.rowAt(start + index)}
                index={index}
                number={start + index + 1}
                isPhone={isPhone}
                style={{ gridTemplateColumns: tracks, height: height_px, transform: `translateY(${top_px}px)` }}
                onChoose={hasChoice ? choose : null}
              />
            ))}
          </div>
        </div>
      </div>
      <RowWindow start={start} total={rows.total} onStart={move} />
    </div>
  )
}
