import { decodeText } from "@tentpole/core/kernel/Bytes"
import { columnNames, decodeRows, encodeRows, type RowValue } from "@tentpole/core/imports/Table"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema, Stream } from "effect"

const names = (...header: ReadonlyArray<string>) => Result.getOrThrow(columnNames(header))

describe("Column names", () => {
  it("are those of the header, each distinct", () => {
    assert.deepStrictEqual(names(" Email ", "", "Name", "Name", "Name (2)"), [
      "Email",
      "Column 2",
      "Name",
      "Name (3)",
      "Name (2)",
    ])
    assert.deepStrictEqual(names("Column 2", ""), ["Column 2", "Column 2 (2)"])
  })

  it.prop(
    "are distinct for any header",
    [Schema.Array(Schema.Literals(["a", "a (2)", "", "Column 1", " a"]))],
    ([header]) => {
      const made = columnNames(header)
      if (Result.isFailure(made)) assert.isTrue(header.every((cell) => cell.trim() === ""))
      else assert.deepStrictEqual([new Set(made.success).size, made.success.length], [header.length, header.length])
    },
  )

  it("are refused when there are none or thousands", { tags: ["attack/csv-bomb"] }, () => {
    for (const header of [[], ["", " "], Array.from({ length: 2001 }, (_, index) => `c${index}`)]) {
      assert.strictEqual(Result.getOrThrow(Result.flip(columnNames(header))).code, "import_unreadable")
    }
  })
})

const Cell = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null])
const Rows = Schema.Array(Schema.Record(Schema.String, Cell))

describe("Rows of a request", () => {
  it.effect("become a table with every key in order of appearance and text cells", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<Record<string, RowValue>> = [
        { email: "a@b.co", age: 5 },
        { vip: true, email: null, note: "x\ny" },
      ]
      const records = yield* decodeRows(Stream.succeed(encodeRows(rows))).pipe(Stream.runCollect)
      assert.deepStrictEqual(records, [
        { line: null, cells: ["email", "age", "vip", "note"] },
        { line: null, cells: ["a@b.co", "5", "", ""] },
        { line: null, cells: ["", "", "true", "x\ny"] },
      ])
    }),
  )

  it.effect.prop("read back as written for any cells and any division into chunks", [Rows], ([rows]) =>
    Effect.gen(function* () {
      const bytes = encodeRows(rows)
      const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
      const records = yield* decodeRows(Stream.fromIterable(pieces)).pipe(Stream.runCollect)
      assert.strictEqual(records.length, rows.length + 1)
      const [header = [], ...cells] = records.map((record) => record.cells)
      assert.strictEqual(new Set(header).size, header.length)
      for (const [at, row] of rows.entries()) {
        for (const [key, value] of Object.entries(row)) {
          const place = header.indexOf(JSON.parse(JSON.stringify(key)))
          assert.strictEqual(cells[at]?.[place], JSON.parse(JSON.stringify(value === null ? "" : String(value))))
        }
      }
      assert.notInclude(decodeText(bytes), "\r")
    }),
  )
})
