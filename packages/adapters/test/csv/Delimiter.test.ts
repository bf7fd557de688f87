// The guess of a CSV delimiter.
import { guessDelimiter } from "@tentpole/adapters/csv/Delimiter"
import { assert, describe, it } from "@effect/vitest"

describe("guessDelimiter", () => {
  it.each([
    ["a;b\n1,5;2,5\n", ";"],
    ["a\tb\r\n1,2\t3\r\n", "\t"],
    ["a|b\rx|y", "|"],
    ['"a,b";c\n"d,e";f\n', ";"],
    ['a;"say ""x;y"""\n1;"two\nlines, with a comma"\n', ";"],
    ['a\t"1,5"\n"t\tt"\t"1,5"\n', "\t"],
    ["a,b,c\n\n1,2,3\n", ","],
    ["email\na@x.com\n", ","],
    ["", ","],
    ['"never closed, and; cut', ","],
  ])("of %j is %j", (head, delimiter) => {
    assert.strictEqual(guessDelimiter(head), delimiter)
  })

  it("prefers equal numbers of fields to many fields", () => {
    assert.strictEqual(guessDelimiter("name;note\nann;a, b, c, d\nbob;e, f\n"), ";")
  })
})
