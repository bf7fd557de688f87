import { ImportSessionId } from "@tentpole/core/kernel/Ids"
import { previewOf, analyzeHeaders } from "@tentpole/core/imports/Preview"
import { type SuggestionAnswer, noSuggestions } from "@tentpole/core/imports/mapping/Suggestions"
import { inSteps } from "@tentpole/core/kernel/runtime/Steps"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const id = ImportSessionId.make("00000000-0000-4000-8000-000000000001")
const workspace = { fields: [], defaultCountry: "US" }

const preview = (
  headers: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  answer: SuggestionAnswer = noSuggestions,
) => {
  const numbered = rows.map((cells, index) => ({ rowNumber: index + 2, line: index + 2, cells }))
  const file = { headers, rows: numbered, formulaGuarded: true }
  const analysis = Effect.runSync(inSteps(analyzeHeaders(file, workspace)))
  return Effect.runSync(inSteps(previewOf(id, file, workspace, analysis, answer)))
}

describe("Import preview", () => {
  it("shows the rows that the proposals would import, and those they would reject", () => {
    const seen = preview(
      ["Email", "E-mail", "Plan"],
      [
        ["a@b.co", "x", "gold"],
        ["nobody", "y", "'=1"],
        ["c@b.co", "z"],
      ],
    )
    assert.deepStrictEqual(seen.unmappedHeaders, ["E-mail", "Plan"])
    assert.deepStrictEqual(
      seen.fieldCreationCandidates.map(({ header }) => header),
      ["E-mail", "Plan"],
    )
    assert.deepStrictEqual(seen.sampleRows[1], { Email: "nobody", "E-mail": "y", Plan: "=1" })
    assert.deepStrictEqual(seen.sampleRows[2], { Email: "c@b.co", "E-mail": "z", Plan: "" })
    assert.deepStrictEqual(
      seen.sampleIssues.map(({ rowNumber, header, targetField, code, value }) => [
        rowNumber,
        header,
        targetField,
        code,
        value,
      ]),
      [
        [3, "Email", "email", "invalid_email", "nobody"],
        [4, null, null, "wrong_column_count", null],
      ],
    )
    assert.deepStrictEqual(seen.blockingIssues, [])
    assert.isFalse(seen.availableFields.standard.some(({ writable }) => !writable))
  })

  it("lets other requests continue after each column and row", () => {
    const headers = Array.from({ length: 300 }, (_, column) => `Column ${column}`)
    const rows = Array.from({ length: 5 }, (_, row) => ({ rowNumber: row + 2, line: row + 2, cells: headers }))
    const file = { headers: ["Email", ...headers], rows, formulaGuarded: true }
    const reading = analyzeHeaders(file, workspace)
    let pauses = 0
    while (reading.next().done !== true) pauses++
    const analysis = Effect.runSync(inSteps(analyzeHeaders(file, workspace)))
    const steps = previewOf(id, file, workspace, analysis, noSuggestions)
    while (steps.next().done !== true) pauses++
    // columns, the request for 300 of them, proposals, candidates and rows
    assert.strictEqual(pauses, 301 + 300 + 301 + 300 + 5)
  })

  it("is blocked while no column identifies contacts", () => {
    const seen = preview(["Name", "City"], [["Ann", "Rome"]])
    assert.deepStrictEqual(
      seen.blockingIssues.map(({ code }) => code),
      ["missing_identity_mapping"],
    )
    assert.deepStrictEqual(seen.sampleIssues, [])
  })

  it("keeps a column named like a property of objects", () => {
    const seen = preview(["email", "__proto__", "constructor"], [["a@b.co", "x", "y"]])
    assert.deepStrictEqual(Object.entries(seen.sampleRows[0] ?? {}), [
      ["email", "a@b.co"],
      ["__proto__", "x"],
      ["constructor", "y"],
    ])
  })

  it("reads rows by the AI's suggestions too, and offers a new field for the column that lost", () => {
    const matches = [
      { header: "Correo", targetField: "email" },
      { header: "Otro correo", targetField: "email" },
    ]
    const rows = [["nobody", "a@b.co"]]
    const seen = preview(["Correo", "Otro correo"], rows, { _tag: "given", matches })
    assert.deepStrictEqual(seen.blockingIssues, [])
    assert.deepStrictEqual(seen.unmappedHeaders, ["Otro correo"])
    assert.deepStrictEqual(
      seen.fieldCreationCandidates.map(({ header, sampleValues }) => [header, sampleValues]),
      [["Otro correo", ["a@b.co"]]],
    )
    assert.deepStrictEqual(
      seen.sampleIssues.map(({ header, code }) => [header, code]),
      [["Correo", "invalid_email"]],
    )
  })

  it("offers no field for the columns that an export of rejected rows added", () => {
    const headers = ["Email", "Plan", "row_number", "status", "reason"]
    const seen = preview(headers, [["a@b.co", "gold", "7", "failed", "invalid_email"]])
    assert.deepStrictEqual(seen.unmappedHeaders, ["Plan", "row_number", "status", "reason"])
    assert.deepStrictEqual(
      seen.fieldCreationCandidates.map(({ header }) => header),
      ["Plan"],
    )
  })
})
