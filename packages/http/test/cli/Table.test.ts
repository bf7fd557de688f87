// Tests of tables for terminals.
import { assert, describe, it } from "vitest"
import { tableOf } from "../../src/cli/Table.ts"

describe("tableOf", () => {
  it("aligns the columns of the first row", () => {
    assert.strictEqual(
      tableOf([
        { n: 1, name: "Ann" },
        { n: 10, name: null },
      ]),
      "n   name\n1   Ann\n10",
    )
  })

  it("removes control characters, and cuts long values, except in the last column", () => {
    const long = "x".repeat(100)
    const [, row] = tableOf([{ a: `\u001b[2J\n${long}`, b: long }]).split("\n")
    assert.strictEqual(row, ` [2J ${"x".repeat(54)}…  ${long}`)
  })
})
