// Tables for terminals: rows with one column for each key, and the fields of one record.

type Row = Readonly<Record<string, unknown>>

const cell_length_max = 60

/** Without control characters, which could move the cursor of a terminal. */
const printable = (value: unknown): string =>
  (typeof value === "string" ? value : JSON.stringify(value)).replace(/\p{Cc}+/gu, " ")

const cellOf = (value: unknown, isLast: boolean): string => {
  if (value === null || value === undefined) return ""
  const text = printable(value)
  return isLast || text.length <= cell_length_max ? text : `${text.slice(0, cell_length_max - 1)}…`
}

/** Columns as in the first row. Long values are cut, except in the last column, which moves no other one. */
export const tableOf = (rows: ReadonlyArray<Row>): string => {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name, at) => cellOf(row[name], at === names.length - 1)))]
  const widths = names.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

/** The fields of one record, one a line. Empty fields are left out; values are whole. */
export const fieldsOf = (record: Row): string => {
  const fields = Object.entries(record).filter(([, value]) => value !== null && value !== undefined && value !== "")
  const width = Math.max(...fields.map(([name]) => name.length))
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`).join("\n")
}
