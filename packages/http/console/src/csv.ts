// A CSV file of rows that the browser has.
import { byte_order_mark, csvText, guardFormula } from "@tentpole/core/kernel/Csv"
import { saveFile } from "./saveFile.ts"

/** The text of a cell: lists are joined, null is empty, formulas are guarded. */
const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  return guardFormula(Array.isArray(value) ? value.join(", ") : String(value))
}

/** Saves rows under a first line of names. */
export const saveCsv = <Row extends object>(
  name: string,
  columns: ReadonlyArray<string>,
  rows: Iterable<Row>,
): void => {
  const records = [...rows].map((row) => columns.map((column) => cellOf(Reflect.get(row, column))))
  saveFile(name, "text/csv;charset=utf-8", byte_order_mark + csvText([columns, ...records]))
}
