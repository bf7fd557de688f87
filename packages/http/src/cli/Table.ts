// A table of rows for terminals: one column for each key.

type Row = Readonly<Record<string, unknown>>

const cell_length_max = 60

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replace(/\p{Cc}+/gu, " ")
  return text.length <= cell_length_max ? text : `${text.slice(0, cell_length_max - 1)}…`
}

/** Columns as in the first row. Long values are cut. */
export const tableOf = (rows: ReadonlyArray<Row>): string => {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name) => cellOf(row[name])))]
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
