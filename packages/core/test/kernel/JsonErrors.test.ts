// Tests of the position of JSON errors.
import { jsonErrorPosition } from "@tentpole/core/kernel/JsonErrors"
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"

it("reports the line and column of the first error", () => {
  for (const [text, line, column] of [
    ["", 1, 1],
    ["{", 1, 2],
    ['{"a": 1,}', 1, 9],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ["[1, 2", 1, 6],
    ["[1 2]", 1, 4],
    ["{'a': 1}", 1, 2],
    ["nul", 1, 1],
    ["01", 1, 2],
    ['["a\nb"]', 1, 4],
    ['["\\x"]', 1, 4],
    ['"open', 1, 6],
    ["1 2", 1, 3],
    ["[1]]", 1, 4],
    ["[\r\n\t}", 2, 2],
  ] as const) {
    assert.deepStrictEqual(jsonErrorPosition(text), { line, column }, text)
  }
})

it.prop("finds the end of a valid text that goes on", [Schema.Json], ([value]) => {
  const text = JSON.stringify(value, null, 1)
  const lines = text.split("\n")
  const end = { line: lines.length, column: (lines.at(-1) ?? "").length + 1 }
  assert.deepStrictEqual(jsonErrorPosition(`${text}}`), end)
  if (typeof value === "object" && value !== null) {
    const cut = jsonErrorPosition(text.slice(0, -1))
    assert.strictEqual(cut.line, lines.length)
  }
})
