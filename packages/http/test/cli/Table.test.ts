// Tests of tables for terminals.
import { assert, describe, it } from "vitest"
import { tableOf, textOf } from "../../src/cli/Table.ts"

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

describe("textOf", () => {
  it("shows a listing as a table, of the given columns", () => {
    const rows = [{ id: 1, name: "Ann", hidden: "x" }]
    assert.strictEqual(textOf(rows, ["name", "id"]), "name  id\nAnn   1")
    assert.strictEqual(textOf(rows), "id  name  hidden\n1   Ann   x")
    assert.strictEqual(textOf([]), "None.")
    assert.strictEqual(textOf(["a", "b"]), "a\nb")
  })

  it("shows an object as its fields, with a table for each listing in it", () => {
    const document = {
      name: "Acme",
      brand: { logo_url: null, color: { dark: "#000000" } },
      keys: [{ id: 1 }],
      free: [],
    }
    assert.strictEqual(
      textOf(document),
      "name              Acme\nbrand.color.dark  #000000\n\nkeys\nid\n1\n\nfree\nNone.",
    )
  })
})
