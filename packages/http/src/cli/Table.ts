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

const isRecord = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value)

/** `sender_defaults.from_name` for a field of a field. */
const flat = (record: Row, prefix = ""): Row =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      isRecord(value) ? Object.entries(flat(value, `${prefix}${name}.`)) : [[`${prefix}${name}`, value]],
    ),
  )

type Field = readonly [name: string, value: unknown]

const isListing = (field: Field): field is readonly [name: string, entries: ReadonlyArray<unknown>] =>
  Array.isArray(field[1])

const listingOf = (entries: ReadonlyArray<unknown>, columns?: ReadonlyArray<string>): string => {
  if (entries.length === 0) return "None."
  const rows = entries.filter(isRecord)
  if (rows.length < entries.length) return entries.map(printable).join("\n")
  const names = columns ?? Object.keys(rows[0] ?? {})
  return tableOf(rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]]))))
}

/**
 * A document of a command as text: a listing as a table, of these columns or all, and an object as its fields with a table for
 * each listing in it.
 */
export const textOf = (document: unknown, columns?: ReadonlyArray<string>): string => {
  if (Array.isArray(document)) return listingOf(document, columns)
  if (!isRecord(document)) return printable(document)
  const all: ReadonlyArray<Field> = Object.entries(flat(document))
  const [fields, listings] = [all.filter((field) => !isListing(field)), all.filter(isListing)]
  return [
    ...(fields.length === 0 ? [] : [fieldsOf(Object.fromEntries(fields))]),
    ...listings.map(([name, entries]) => `${name}\n${listingOf(entries, columns)}`),
  ].join("\n\n")
}
