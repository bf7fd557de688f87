import { fieldsByName } from "@tentpole/core/contacts/batch/ContactItem"
import { columns_max, type RejectedRow, type RowIssue } from "@tentpole/core/imports/Import"
import { rejectedRowsFileName, rejectedRowsTable } from "@tentpole/core/imports/RejectedRows"
import { rowReader } from "@tentpole/core/imports/Rows"
import { columnNames } from "@tentpole/core/imports/Table"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const issue = (header: string | null, message: string): RowIssue => ({
  header,
  targetField: null,
  code: "invalid_value",
  message,
  value: null,
})

const kept = (record: ReadonlyArray<string>, more: Partial<RejectedRow> = {}): RejectedRow => ({
  rowNumber: 7,
  line: null,
  status: "failed",
  contactId: null,
  issues: [issue(null, "The row is empty")],
  record,
  ...more,
})

/** The records in the table, without what the table adds. */
const table = (headers: ReadonlyArray<string> | null, records: ReadonlyArray<ReadonlyArray<string>>) => {
  const widest = Math.max(0, ...records.map(({ length }) => length))
  const { header, row } = rejectedRowsTable({ headers, widest, formulaGuarded: true })
  assert.deepStrictEqual(header.slice(-3), ["row_number", "status", "reason"])
  return [header.slice(0, -3), ...records.map((record) => row(kept(record)).slice(0, -3))]
}

describe("Table of rejected rows", () => {
  it("has the file's columns and cells, then number, status and reason", () => {
    const { header, row } = rejectedRowsTable({ headers: ["Email", "Name"], widest: 2, formulaGuarded: true })
    assert.deepStrictEqual(header, ["Email", "Name", "row_number", "status", "reason"])
    const issues = [issue("Email", "must be an email address, such as ann@example.com")]
    assert.deepStrictEqual(row(kept(["nobody", " Bob "], { issues })), [
      "nobody",
      " Bob ",
      "7",
      "failed",
      "Email must be an email address, such as ann@example.com.",
    ])
  })

  it("writes every issue as a sentence, and for a row without issues that the contact exists", () => {
    const { row } = rejectedRowsTable({ headers: ["Email"], widest: 1, formulaGuarded: true })
    const reason = (issues: ReadonlyArray<RowIssue>) => row(kept(["x"], { status: "skipped", issues })).at(-1)
    assert.strictEqual(reason([issue(null, "The row is empty")]), "The row is empty.")
    assert.strictEqual(
      reason([issue("Phone", "The row has neither email nor phone"), issue("Score", "must be a number.")]),
      "The row has neither email nor phone. Score must be a number.",
    )
    assert.strictEqual(reason([issue(null, "needs an email or a phone")]), "The row needs an email or a phone.")
    assert.strictEqual(reason([issue("=1+1", "must be a number")]), "'=1+1 must be a number.")
    assert.strictEqual(reason([issue("x".repeat(10_000), "is bad")]), `${"x".repeat(80)} is bad.`)
    assert.match(reason([]) ?? "", /^A contact with this email or phone is there already/)
  })

  it("pads short rows, and puts extra cells of long ones into columns of their own", () => {
    assert.deepStrictEqual(table(["Email", "Column 4"], [["a"], ["b", "c"], ["d", "e", "f", "g"], []]), [
      ["Email", "Column 4", "Column 3", "Column 4 (2)"],
      ["a", "", "", ""],
      ["b", "c", "", ""],
      ["d", "e", "f", "g"],
      ["", "", "", ""],
    ])
  })

  it("joins everything beyond the maximum number of columns in the last one", () => {
    const long = Array.from({ length: columns_max + 2 }, (_, index) => `c${index}`)
    const [header = [], row = []] = table(["Email"], [long])
    assert.deepStrictEqual([header.length, row.length], [columns_max, columns_max])
    assert.strictEqual(row.at(-1), long.slice(columns_max - 1).join(","))
  })

  it("numbers columns without names", () => {
    assert.deepStrictEqual(table(null, [["a", "b"], ["c"]]), [
      ["Column 1", "Column 2"],
      ["a", "b"],
      ["c", ""],
    ])
    assert.deepStrictEqual(table(null, []), [[]])
  })

  it("guards cells and names against formulas, and guarded ones only once", { tags: ["attack/csv-formula"] }, () => {
    assert.deepStrictEqual(table(["=cmd", "b"], [["=1+1", "'=1+1"]]), [
      ["'=cmd", "b"],
      ["'=1+1", "'=1+1"],
    ])
    const { row } = rejectedRowsTable({ headers: ["a", "b"], widest: 2, formulaGuarded: false })
    assert.deepStrictEqual(row(kept(["=1", "'=1"])).slice(0, 2), ["'=1", "''=1"])
  })

  it("replaces the columns that an earlier export added", () => {
    const again = ["Email", "Name", "row_number", "status", "reason"]
    assert.deepStrictEqual(table(again, [["a", "b", "2", "failed", "why"], ["c"], ["d", "e", "3"]]), [
      ["Email", "Name"],
      ["a", "b"],
      ["c", ""],
      ["d", "e"],
    ])
    const named = Result.getOrThrow(columnNames(["status", "row_number", "status", "reason"]))
    assert.deepStrictEqual(table(named, [["new", "2", "failed", "why"]]), [["status"], ["new"]])
  })

  it("finds the added columns in rows with an extra delimiter, and loses nothing of rows without", () => {
    const again = ["Email", "Name", "row_number", "status", "reason"]
    assert.deepStrictEqual(table(again, [["a", "b", "c", "2", "failed", "why"]])[1], ["a", "b", "c", "", "", ""])
    const foreign = ["a", "b", "c", "d", "e", "f"]
    assert.deepStrictEqual(table(again, [foreign])[1], foreign)
  })

  it("treats last columns as added only when all three are there", () => {
    for (const own of [
      ["row_number", "status", "reason"],
      ["a", "status", "reason"],
      ["a", "status", "row_number", "reason"],
    ]) {
      assert.deepStrictEqual(table(own, [own])[0], own)
    }
  })

  it("can be as wide as a file and still be imported", () => {
    const widest = Array.from({ length: columns_max }, (_, index) => `c${index}`)
    const { header } = rejectedRowsTable({ headers: widest, widest: columns_max, formulaGuarded: true })
    assert.strictEqual(Result.getOrThrow(columnNames(header)).length, columns_max + 3)
    assert.isTrue(Result.isFailure(columnNames([...widest, "one too many"])))
  })
})

describe("Empty row", () => {
  const tagOf = (headers: ReadonlyArray<string>, cells: ReadonlyArray<string>) =>
    rowReader({
      headers,
      mappings: [],
      fields: fieldsByName([]),
      defaultCountry: "US",
      formulaGuarded: true,
      onInvalidCell: "skip_row",
    })({
      rowNumber: 2,
      line: 2,
      cells,
    })._tag

  it("is still empty when it comes back from an export", () => {
    const again = ["Email", "Name", "row_number", "status", "reason"]
    assert.strictEqual(tagOf(again, ["", " ", "4", "skipped", "The row is empty."]), "skipped")
    assert.strictEqual(tagOf(again, ["'\t", "", "4", "skipped", "The row is empty."]), "skipped")
    assert.strictEqual(tagOf(again, ["", "Ann", "4", "failed", "why"]), "failed")
    assert.strictEqual(tagOf(again, ["", "", "4", "failed", "why", "more"]), "failed")
  })

  it("is not empty when the last columns are the file's own", () => {
    assert.strictEqual(tagOf(["Email", "status", "reason"], ["", "x", ""]), "failed")
    assert.strictEqual(tagOf(["row_number", "status", "reason"], ["", "x", ""]), "failed")
    assert.strictEqual(tagOf(["Email"], ["", "x"]), "failed")
    assert.strictEqual(tagOf(["Email"], ["", " "]), "skipped")
  })
})

describe("File name of rejected rows", () => {
  it("is the imported file's name with the content, added once", () => {
    assert.deepStrictEqual(
      ["Ann & Co.csv", "people.2026.TXT", "people", ".csv", "", null, "a-not-imported.csv", "a/b\r\n.csv"].map(
        rejectedRowsFileName,
      ),
      [
        "Ann & Co-not-imported.csv",
        "people.2026-not-imported.csv",
        "people-not-imported.csv",
        "import-not-imported.csv",
        "import-not-imported.csv",
        "import-not-imported.csv",
        "a-not-imported.csv",
        "a/b\r\n-not-imported.csv",
      ],
    )
    assert.strictEqual(rejectedRowsFileName("😀".repeat(200)), `${"😀".repeat(150)}-not-imported.csv`)
  })
})
