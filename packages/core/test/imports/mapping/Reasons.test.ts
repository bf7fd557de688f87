// Reasons of columns: each code has a clause.
import { reasonCodes, reasonOf, reasonText } from "@tentpole/core/imports/mapping/Reasons"
import { assert, it } from "vitest"

it("each code has its own clause, which begins a sentence and names the values", () => {
  const texts = reasonCodes.map((code) => reasonText([reasonOf(code, "7", "8", "date")]))
  assert.strictEqual(new Set(texts).size, reasonCodes.length)
  for (const text of texts) assert.match(text, /^[A-Z0-9].*[^.]$/)
})

it("several reasons are sentences of one text", () => {
  assert.strictEqual(
    reasonText([reasonOf("values_read", 1, "date"), reasonOf("date_format_open", "DD/MM/YYYY", "MM/DD/YYYY")]),
    "The one value of the sample reads as date. The dates are in the form DD/MM/YYYY or MM/DD/YYYY: set date_format",
  )
})
