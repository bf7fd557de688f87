// CSV files whose cells have the worst characters, for previews and imports.
import { text } from "./Fillings.ts"

const cell = (value: string): string => `"${value.replaceAll('"', '""')}"`

const filledWith = (filling: string, length_max: number): string => text(filling, { length_max, bytes_max: Infinity })

const columns_max = 2_000

/** A file of about this length, by name. */
type Make = (filling: string, length: number) => string

const repeated = (head: string, row: string, length: number): string =>
  head + row.repeat(Math.max(1, Math.floor(length / row.length)))

const wide = (value: string, length: number): string => {
  const cells = Array.from({ length: columns_max - 2 }, () => cell(value))
  const names = cells.map((_, column) => `Column ${column}`)
  return repeated(`Email,Name,${names.join()}\n`, `b@example.com,x,${cells.join()}\n`, length)
}

export const importFiles: Readonly<Record<string, Make>> = {
  "a cell of 400 KB in each row": (filling, length) =>
    repeated("Email,Name\n", `a@example.com,${cell(filledWith(filling, 400_000))}\n`, length),
  "many short cells": (filling, length) =>
    repeated("Email,Name\n", `${cell(filledWith(filling, 40))},${cell(filledWith(filling, 40))}\n`, length),
  "no quotes": (filling, length) => `Email,Name\n${filledWith(filling, length)}`,
  "2,000 columns": (filling, length) => {
    const names = Array.from({ length: columns_max - 2 }, () => cell(filledWith(filling, 60)))
    return repeated(`Email,Name,${names.join()}\n`, `b@example.com,x${",y".repeat(columns_max - 2)}\n`, length)
  },
  "2,000 filled columns": (filling, length) => wide(filledWith(filling, 60), length),
}

/** Values that are read in each notation. */
const notations: Readonly<Record<string, string>> = {
  dates: "01/02/2024",
  times: "2024-01-02T03:04:05.678+01:00",
  numbers: "1,234.56",
  "yes and no": "yes",
  phones: "+1 (202) 555-0100",
  emails: "ann@example.com",
  links: "https://example.com/a?b=c",
}

export const notationFiles: Readonly<Record<string, (length: number) => string>> = Object.fromEntries(
  Object.entries(notations).map(([name, value]) => [
    `2,000 columns of ${name}`,
    (length: number) => wide(value, length),
  ]),
)

/** Names that differ in punctuation only are the same column for the reader of reasons. */
export const reasons: Make = (filling, length) => {
  const names = Array.from({ length: 1_000 }, (_, index) => cell(`Reason${".".repeat(index)}`))
  const cells = `,${cell(filledWith(filling, 90))}`.repeat(names.length)
  return repeated(`Email,${names.join()}\n`, `c@example.com${cells}\n`, length)
}
