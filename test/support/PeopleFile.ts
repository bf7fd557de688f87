// A CSV file of contacts: eight columns, quoted cells, accents, some wrong rows and some repeated contacts. Every cell follows from
// the number of its row, so that each run has the same file.
import type { Json } from "./Service.ts"
import { createWriteStream } from "node:fs"
import { stat } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

export interface PeopleFile {
  readonly rows_count: number
  /** The second edition differs in companies only. */
  readonly edition: 1 | 2
  /** The minimum length of a note. */
  readonly note_chars: number
}

/** The custom fields that the file has values for, as `POST /v1/contact-fields` takes them. */
export const peopleFields = [
  { api_name: "note", display_name: "Note", value_type: "string" },
  { api_name: "orders", display_name: "Orders", value_type: "number" },
] as const

const columns = [
  ["Email", "email"],
  ["First Name", "first_name"],
  ["Last Name", "last_name"],
  ["Company", "company"],
  ["Phone", "phone"],
  ["City", "city"],
  ["Note", "note"],
  ["Orders", "orders"],
] as const

/** The mappings of the columns, as the execution takes them. */
export const peopleMappings: ReadonlyArray<Json> = columns.map(([header, target_field]) => ({
  header,
  target_field,
  target_kind: peopleFields.some(({ api_name }) => api_name === target_field) ? "custom" : "standard",
}))

const first_names = ["Ann", "Zoë", "Carla", "José", "Edith", "Åsa", "Goran", "Hiro", "Ingrid", "Kim", "Lars", "Noor"]
const last_names = ["Smith", "Jones", "Müller", "García", "Novák", "Rossi", "Silva", "Tanaka", "Okafor", "Ångström"]
const cities = ["Berlin", "Paris", "Oslo", "Zürich", "Austin", "Kyoto", "São Paulo", ""]
const firms = ["Lindqvist, Söhne & Co", "Acme", `The "Old" Mill`, "Harbour Ltd", "Dubois SA"]
const words = "met at the fair and wants to hear of news, prices and dates; asked for a call on Monday".split(" ")

/** A pseudo-random number from `number` and `salt`, from 0 up. */
const drawn = (number: number, salt: number): number => (Math.imul(number * 31 + salt, 0x9e3779b1) >>> 8) % 0xffff

const pick = (number: number, salt: number, options: ReadonlyArray<string>): string =>
  options[drawn(number, salt) % options.length] ?? ""

const noteOf = (number: number, chars: number): string => {
  let note = `No. ${number}, "${pick(number, 1, words)}"`
  for (let at = 0; note.length < chars; at++) note += ` ${pick(number, at + 2, words)}`
  return note
}

/** Of a hundred rows, one is wrong, at this place, and one repeats a contact. */
const wrong_at = 37
const repeat_at = 71

const personOf = (number: number, { edition, note_chars }: PeopleFile): Array<string> => [
  `Person.${number}@host${drawn(number, 3) % 50}.example`,
  pick(number, 4, first_names),
  `${pick(number, 5, last_names)}${number % 1000}`,
  `${pick(number, 6, firms)} ${number % 5000}${edition === 2 ? " Group" : ""}`,
  number % 3 === 0 ? "" : `+1 415-${200 + Math.floor(number / 10_000)}-${String(number % 10_000).padStart(4, "0")}`,
  pick(number, 7, cities),
  noteOf(number, note_chars),
  String(drawn(number, 8) % 250),
]

/** A contact of the five thousand rows before. */
const repeatedOf = (number: number): number => {
  const back = 1 + (drawn(number, 9) % Math.min(number, 5000))
  const place = (number - back) % 100
  return number - back - (place === wrong_at || place === repeat_at ? 1 : 0)
}

const spoiled = (number: number, cells: ReadonlyArray<string>): ReadonlyArray<string> => {
  switch (Math.floor(number / 100) % 4) {
    case 0:
      return cells.with(0, "person at host")
    case 1:
      return cells.with(7, "a few")
    case 2:
      return cells.slice(0, 7)
    default:
      return cells.with(0, "").with(4, "")
  }
}

const cellsOf = (number: number, file: PeopleFile): ReadonlyArray<string> => {
  if (number % 100 === wrong_at) return spoiled(number, personOf(number, file))
  if (number % 100 !== repeat_at) return personOf(number, file)
  const cells = personOf(repeatedOf(number), file)
  return cells
    .with(0, (cells[0] ?? "").toUpperCase())
    .with(5, "Reykjavík")
    .with(7, String(1000 + (number % 1000)))
}

const quoted = (cell: string): string => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
const line = (cells: ReadonlyArray<string>): string => `${cells.map(quoted).join(",")}\r\n`

const lines_at_once = 1000

function* text(file: PeopleFile): Generator<string> {
  yield line(columns.map(([header]) => header))
  for (let number = 0; number < file.rows_count; number += lines_at_once) {
    const count = Math.min(lines_at_once, file.rows_count - number)
    yield Array.from({ length: count }, (_, at) => line(cellsOf(number + at, file))).join("")
  }
}

/** Writes the file; returns its size. */
export const writePeople = async (path: string, file: PeopleFile): Promise<{ readonly size_bytes: number }> => {
  await pipeline(Readable.from(text(file)), createWriteStream(path))
  return { size_bytes: (await stat(path)).size }
}
