// The round trip of rejected rows: exported, parsed again, corrected and read as contacts, they have exactly the values of the
// file.
import { sampled } from "@tentpole/core/contract"
import * as Csv from "@tentpole/adapters/csv/CsvReader"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { fieldsByName } from "@tentpole/core/contacts/batch/ContactItem"
import { byte_order_mark, csvTextInQuotes, withoutFormulaGuard } from "@tentpole/core/kernel/Csv"
import { CsvReader } from "@tentpole/core/imports/CsvReader"
import type { RejectedRow, Mapping } from "@tentpole/core/imports/Import"
import { rejectedRowsTable } from "@tentpole/core/imports/RejectedRows"
import { rowReader, sanitizeCell } from "@tentpole/core/imports/Rows"
import { columnNames, outcomeColumns } from "@tentpole/core/imports/Table"
import { assert, it } from "@effect/vitest"
import { Effect, Result, Schema, Stream } from "effect"

const join = (parts: ReadonlyArray<string>): string => parts.join("")

/** Text of characters that are hard for delimiters, quotes, guards and trimming. */
const Awkward = Schema.Array(
  Schema.Literals(["'", '"', ",", ";", "|", "\t", "\r", "\n", "=", "+", "-", "@", "1", ".", " ", "é", "😀", "x", "\0"]),
)
const Name = Schema.Union([
  Schema.Literals([
    "",
    "Name",
    "=Sum",
    "'=Sum",
    "row_number",
    "status",
    "reason",
    "Column 3",
    "a;b",
    'say "x"',
    "a\tb",
  ]),
  Schema.String,
])

const File = Schema.Struct({
  names: Schema.Array(Name),
  /** Whether the file is itself an export. */
  again: Schema.Boolean,
  rows: Schema.Array(Schema.Array(Awkward)),
  source: Schema.Literals(["upload", "rows"]),
})

/** The fields that take text. Other columns are left out. */
const targets = ["first_name", "last_name", "company", "city"]

const mappingsOf = (headers: ReadonlyArray<string>, own_count: number): ReadonlyArray<Mapping> =>
  headers.slice(0, own_count).flatMap((header, index) => {
    const targetField = index === 0 ? "email" : targets[index - 1]
    return targetField === undefined
      ? []
      : [{ header, targetField, targetKind: "standard", overwriteBehavior: "overwrite" } as const]
  })

const readRecords = (text: string) =>
  Effect.gen(function* () {
    const { read } = yield* CsvReader
    const records = yield* read(Stream.succeed(encodeText(text))).pipe(Stream.runCollect)
    return records.map(({ cells }) => cells)
  }).pipe(Effect.provide(Csv.layer))

/** The names of a file's own columns: a file whose last columns are those of an export is an export. */
const withoutOutcome = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  outcomeColumns.every((name, index) => names[names.length - outcomeColumns.length + index] === name)
    ? names.slice(0, -outcomeColumns.length)
    : names

const mended = (cells: ReadonlyArray<string>): ReadonlyArray<string> => ["ann@b.co", ...cells.slice(1)]

it.effect.prop(
  "exported rejected rows have every value of the file, and a second round trip changes nothing",
  { file: File },
  ({ file: { names: generated, again, rows, source } }) =>
    Effect.gen(function* () {
      const names = withoutOutcome(generated.map((name) => name.trim()))
      const added = again || names.length < generated.length ? outcomeColumns : []
      const made = columnNames(["Email", ...names.map(sanitizeCell), ...added])
      const headers = Result.getOrThrow(made)
      const own_count = names.length + 1
      const kept = rows.map((cells, index): RejectedRow => ({
        rowNumber: index + 2,
        line: null,
        status: index % 2 === 0 ? "failed" : "skipped",
        contactId: null,
        issues: [],
        record: ["no address", ...cells.map(join).map(sanitizeCell)],
      }))
      const widest = Math.max(0, ...kept.map(({ record }) => record.length))
      const table = rejectedRowsTable({ headers, widest, formulaGuarded: source === "upload" })
      const [header = [], ...records] = yield* readRecords(
        byte_order_mark + csvTextInQuotes([table.header, ...kept.map(table.row)]),
      )
      const named = Result.getOrThrow(columnNames(header.map(withoutFormulaGuard)))
      assert.deepStrictEqual(named.slice(0, own_count), headers.slice(0, own_count))
      assert.deepStrictEqual(records.length, kept.length)

      const around = { fields: fieldsByName([]), defaultCountry: "US", onInvalidCell: "skip_row" } as const
      const mappings = mappingsOf(headers, own_count)
      const first = rowReader({ ...around, headers, mappings, formulaGuarded: source === "upload" })
      const second = rowReader({ ...around, headers: named, mappings, formulaGuarded: true })
      for (const [index, { record, rowNumber }] of kept.entries()) {
        const whole = Array.from({ length: headers.length }, (_, at) => (at < own_count ? (record[at] ?? "") : ""))
        const back = records[index] ?? []
        const row = (cells: ReadonlyArray<string>) => ({ rowNumber, line: null, cells })
        assert.deepStrictEqual(second(row(mended(back))), first(row(mended(whole))))
        const emptied = [back, whole].map((cells) => row(["", ...cells.slice(1)]))
        const [after, before] = [second(emptied[0] ?? row([])), first(emptied[1] ?? row([]))]
        // A row that is longer than the header may have extra cells only.
        if (record.length <= headers.length) assert.strictEqual(after._tag, before._tag)
      }

      const twice = rejectedRowsTable({ headers: named, widest: named.length, formulaGuarded: true })
      assert.deepStrictEqual(twice.header, table.header)
      for (const [index, row] of kept.entries()) {
        assert.deepStrictEqual(twice.row({ ...row, record: records[index] ?? [] }), table.row(row))
      }
    }),
  { arbitrary: { runs: sampled(400) } },
)

it.effect("the reader guesses the comma with any number of other delimiters in cells", () =>
  Effect.gen(function* () {
    for (const other of [";", "|", "\t"]) {
      const list = `x${`${other}y`.repeat(20)}`
      const table = [
        ["Email", list, "row_number", "status", "reason"],
        ["a@b.co", list, "2", "failed", "why"],
      ]
      assert.deepStrictEqual(yield* readRecords(byte_order_mark + csvTextInQuotes(table)), table)
    }
  }),
)
