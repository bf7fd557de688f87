// Tests of CSV files that the console writes.
import { assert, it } from "vitest"
import { csvOf } from "../src/csv.ts"

it("quotes cells, joins lists, and guards formulas but no numbers", () => {
  const row = { a: 'say "x",\n', b: ["one", "two"], c: "=1+1", d: "+41791234567", e: null, f: true }
  assert.strictEqual(
    csvOf(["a", "b", "c", "d", "e", "f"], [row]),
    '\ufeff"a","b","c","d","e","f"\r\n"say ""x"",\n","one, two","\'=1+1","+41791234567","","true"\r\n',
  )
})
