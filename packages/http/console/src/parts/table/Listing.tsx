// A screen that lists things: its head, the filters and the table, or what the things are while there is none.
import { type ReactNode, useEffect } from "react"
import { announce } from "../../shell/Announcer.tsx"
import { useKeys } from "../../shell/keys.ts"
import { Empty } from "../Empty.tsx"
import { PageHeader } from "../PageHeader.tsx"
import { Problem } from "../Problem.tsx"
import { DataTable, type TableProps } from "./DataTable.tsx"

interface Props<Row> extends TableProps<Row> {
  /** Above the title: where this screen belongs to. */
  readonly above?: ReactNode
  readonly text?: string
  /** The words of the total. A listing by cursor does not know it. */
  readonly totals?: { readonly count: (total: number) => string; readonly number: (total: number) => string }
  readonly isFiltered: boolean
  readonly empty: { readonly icon: ReactNode; readonly title: string; readonly text: string }
  /** The ways to a new one. */
  readonly additions: ReactNode
  /** What the key `n` does. */
  readonly onNew: (() => void) | null
  readonly curl: ReactNode
  /** The call that creates one. */
  readonly emptyCurl?: ReactNode
  readonly filters: ReactNode
}

export const Listing = <Row,>(props: Props<Row>) => {
  const { above, additions, curl, empty, emptyCurl, filters, isFiltered, onNew, text, totals, ...table } = props
  const { label, rows } = table
  const { error, isPending, refetch, total } = rows
  const isEmpty = !isPending && error === null && total === 0 && !isFiltered
  useKeys(onNew === null ? {} : { n: onNew })
  const count = totals?.count(total) ?? null
  useEffect(() => {
    if (!isPending && count !== null) announce(count)
  }, [isPending, count])
  return (
    <>
      <PageHeader
        {...(above === undefined ? {} : { above })}
        title={label}
        {...(text === undefined ? {} : { text })}
        beside={
          isPending || isEmpty || totals === undefined ? null : <span className="count">{totals.number(total)}</span>
        }
        actions={
          <>
            {curl}
            {additions}
          </>
        }
      />
      {isEmpty ? (
        <Empty {...empty}>
          {additions}
          {emptyCurl}
        </Empty>
      ) : (
        <>
          {filters}
          {error !== null && <Problem error={error} onRetry={refetch} />}
          {(error === null || total > 0) && <DataTable {...table} />}
        </>
      )}
    </>
  )
}
