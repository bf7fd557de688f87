import { cellText, csvText, csvTextInQuotes, guardFormula, withoutFormulaGuard } from "@tentpole/core/kernel/Csv"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

/** A strict reader of RFC 4180. */
const records = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const read: Array<Array<string>> = []
  for (let rest = text, record: Array<string> = []; rest !== "";) {
    const [whole = "", inQuotes, plain, end] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? []
    if (whole === "") throw new Error(`not RFC 4180: ${rest.slice(0, 50)}`)
    record.push(inQuotes?.replaceAll('""', '"') ?? plain ?? "")
    if (end === "\r\n") [read[read.length], record] = [record, []]
    rest = rest.slice(whole.length)
  }
  return read
}

/** Text of the characters that affect quoting, guarding and reading. */
const Awkward = Schema.Array(
  Schema.Literals(["'", '"', ",", "\r", "\n", "\t", "=", "+", "-", "@", "1", ".", "e", " ", ";", "é", "😀", "x"]),
)
const join = (parts: ReadonlyArray<string>): string => parts.join("")

describe("CSV text", () => {
  it("follows RFC 4180: quotes where needed, doubled quotes, records ended by CRLF", () => {
    assert.strictEqual(csvText([]), "")
    assert.strictEqual(
      csvText([
        ["a", "", "b c", " d "],
        ['say "hi"', "1,5", "two\nlines", "\r"],
      ]),
      'a,,b c, d \r\n"say ""hi""","1,5","two\nlines","\r"\r\n',
    )
  })

  it("quotes cells with a delimiter of other readers, guarded or not", { tags: ["attack/csv-formula"] }, () => {
    const cells = ["a;=1+1", "a\t=1+1", ";=1+1", "-5;=1+1", "\t;=1+1"].map(cellText)
    assert.strictEqual(csvText([cells]), `"a;=1+1","a\t=1+1",";=1+1","'-5;=1+1","'\t;=1+1"\r\n`)
  })

  it("can quote every cell", () => {
    assert.strictEqual(csvTextInQuotes([["a", "", 'say "hi"', "1;5"]]), '"a","","say ""hi""","1;5"\r\n')
  })

  it.prop(
    "reads back as written for any cells",
    [Schema.Array(Schema.NonEmptyArray(Awkward)), Schema.Array(Schema.NonEmptyArray(Schema.String))],
    ([awkward, any]) => {
      for (const table of [awkward.map((cells) => cells.map(join)), any]) {
        assert.deepStrictEqual(records(csvText(table)), table)
        assert.deepStrictEqual(records(csvTextInQuotes(table)), table)
      }
    },
    { arbitrary: { runs: 500 } },
  )
})

describe("Formula guard", () => {
  it("is added to cells that a spreadsheet would run, and to no others", { tags: ["attack/csv-formula"] }, () => {
    const run = [
      "=1+1",
      "+x",
      "-cmd",
      "@at",
      "\ttab",
      "\rret",
      "+1+1",
      "-",
      "+1 415 555",
      "-5 apples",
      "-1.",
      "'=1",
      "''-5",
    ]
    assert.deepStrictEqual(
      run.map(guardFormula),
      run.map((text) => `'${text}`),
    )
    const harmless = [
      "",
      "x",
      "1-1",
      "a=b",
      "'quoted",
      "'",
      "'5",
      "+14155550123",
      "-5",
      "-0.25",
      "+5",
      "-1.5e-7",
      "1e+21",
      "\n=1",
    ]
    assert.deepStrictEqual(harmless.map(guardFormula), harmless)
  })

  it("is removed where exports added it, and nowhere else", () => {
    const cells = ["'=1+1", "'+x", "'-5", "'@x", "'\tx", "'\rx", "''=1", "'x", "=1", "'", "+1"]
    assert.deepStrictEqual(cells.map(withoutFormulaGuard), [
      "=1+1",
      "+x",
      "-5",
      "@x",
      "\tx",
      "\rx",
      "'=1",
      "'x",
      "=1",
      "'",
      "+1",
    ])
  })

  it.prop(
    "restores every text when removed, and leaves no formula while present",
    [Awkward, Schema.String],
    ([awkward, any]) => {
      for (const text of [join(awkward), any]) {
        const guarded = guardFormula(text)
        assert.strictEqual(withoutFormulaGuard(guarded), text)
        assert.isTrue(!/^[=+\-@\t\r]/.test(guarded) || Number.isFinite(Number(guarded)), guarded)
      }
    },
    { tags: ["attack/csv-formula"], arbitrary: { runs: 2000 } },
  )
})
