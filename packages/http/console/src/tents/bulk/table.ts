// A table pasted from a spreadsheet, and the items that it becomes. Pure.
import type { BulkTentItem } from "@tentpole/client"

export const items_max = 25

/** What a column is: a part of the item, a value of the template, or nothing. */
export type Target =
  | { readonly kind: "name" }
  | { readonly kind: "instructions" }
  | { readonly kind: "alias" }
  | { readonly kind: "value"; readonly name: string }
  | { readonly kind: "nothing" }

export interface Row {
  readonly cells: ReadonlyArray<string>
  /** Why the service rejected it. */
  readonly problem: string | null
}

export interface Table {
  readonly columns: ReadonlyArray<Target>
  readonly rows: ReadonlyArray<Row>
}

/** Cells between tabs, or between commas or semicolons where there is no tab. Quotes hold line breaks and separators. */
export const cellsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const separator = text.includes("\t") ? "\t" : text.split("\n", 1)[0]?.includes(";") === true ? ";" : ","
  const rows: Array<Array<string>> = []
  let row: Array<string> = []
  let cell = ""
  let isQuoted = false
  const endCell = () => {
    row.push(cell.trim())
    cell = ""
  }
  const endRow = () => {
    endCell()
    if (row.some((each) => each !== "")) rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (text.charAt(at + 1) === '"') cell += text.charAt(at++)
      else isQuoted = false
    } else if (sign === '"' && cell.trim() === "") {
      cell = ""
      isQuoted = true
    } else if (sign === separator) endCell()
    else if (sign === "\n") endRow()
    else if (sign !== "\r") cell += sign
  }
  endRow()
  return rows
}

const headings: ReadonlyArray<readonly [heading: RegExp, target: Target]> = [
  [/^(?:tent_?)?name$|^title$|^titel$/, { kind: "name" }],
  [/^prompt$|^instructions?$|^anweisung(?:en)?$|^auftrag$/, { kind: "instructions" }],
  [/^(?:custom_page_)?alias$|^address$|^adresse$|^url$/, { kind: "alias" }],
]

/** The target that a heading names. Null: it names none. */
const targetOf = (heading: string, variables: ReadonlyArray<string>): Target | null => {
  const text = heading.trim().toLowerCase().replaceAll(" ", "_")
  const variable = variables.find((each) => each.toLowerCase() === text)
  if (variable !== undefined) return { kind: "value", name: variable }
  return headings.find(([pattern]) => pattern.test(text))?.[1] ?? null
}

const usual: ReadonlyArray<Target> = [{ kind: "name" }, { kind: "instructions" }, { kind: "alias" }]

/** A heading as the name of a value. */
const nameFrom = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .slice(0, 100)

/** Reads a pasted table. A first row with a known heading names the columns; else they are name, instructions, address. */
export const tableOf = (text: string, variables: ReadonlyArray<string>): Table => {
  const [first = [], ...rest] = cellsOf(text)
  const named = first.map((heading) => targetOf(heading, variables))
  const hasHeadings = named.some((target) => target !== null)
  const width = Math.max(first.length, ...rest.map((cells) => cells.length))
  const columns = Array.from({ length: width }, (_, index): Target => {
    if (!hasHeadings) return usual[index] ?? { kind: "nothing" }
    const heading = first[index] ?? ""
    return named[index] ?? (heading === "" ? { kind: "nothing" } : { kind: "value", name: nameFrom(heading) })
  })
  const rows = (hasHeadings ? rest : [first, ...rest]).filter((cells) => cells.length > 0)
  return {
    columns,
    rows: rows.map((cells) => ({
      cells: Array.from({ length: width }, (_, index) => cells[index] ?? ""),
      problem: null,
    })),
  }
}

/** The items of a request, in the order of the rows. Empty cells say nothing. */
export const itemsOf = ({ columns, rows }: Table): ReadonlyArray<BulkTentItem> =>
  rows.map(({ cells }) => {
    const values: Record<string, string> = {}
    const parts: { tent_name?: string; instructions?: string; custom_page_alias?: string } = {}
    for (const [index, target] of columns.entries()) {
      const cell = (cells[index] ?? "").trim()
      if (cell === "") continue
      if (target.kind === "name") parts.tent_name = cell
      if (target.kind === "instructions") parts.instructions = cell
      if (target.kind === "alias") parts.custom_page_alias = cell
      if (target.kind === "value") values[target.name] = cell
    }
    return { ...parts, ...(Object.keys(values).length === 0 ? {} : { input_data: values }) }
  })

/** Only the rows that were rejected, each with its reason. */
export const rejectedIn = (
  table: Table,
  rejected: ReadonlyArray<{ readonly index: number; readonly message: string }>,
): Table => ({
  ...table,
  rows: rejected.flatMap(({ index, message }) => {
    const row = table.rows[index]
    return row === undefined ? [] : [{ ...row, problem: message }]
  }),
})

export const withCell = (table: Table, row: number, column: number, text: string): Table => ({
  ...table,
  rows: table.rows.map((each, at) =>
    at === row ? { problem: null, cells: each.cells.map((cell, index) => (index === column ? text : cell)) } : each,
  ),
})

export const withoutRow = (table: Table, row: number): Table => ({
  ...table,
  rows: table.rows.filter((_, at) => at !== row),
})

export const withColumn = (table: Table, column: number, target: Target): Table => ({
  ...table,
  columns: table.columns.map((each, at) => (at === column ? target : each)),
})
