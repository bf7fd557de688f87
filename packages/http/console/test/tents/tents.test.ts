// What the screens of pages decide without a browser: states, addresses, variables, ranges, and pasted tables.
import { assert, describe, it } from "vitest"
import {
  cellsOf,
  itemsOf,
  rejectedIn,
  type Table,
  tableOf,
  withCell,
  withColumn,
  withoutRow,
} from "../../src/tents/bulk/table.ts"
import { bulkSearch, tentListSearch, tentSearch } from "../../src/tents/search.ts"
import { aliasFrom, rangeOf, shortAddress, stateOf, variablesIn } from "../../src/tents/tent.ts"

describe("a page", () => {
  it("has the state of its generation until it is made, then that of its publication", () => {
    assert.strictEqual(stateOf({ status: "pending" }), "idle")
    assert.strictEqual(stateOf({ status: "generating", publication: { status: "pending" } }), "generating")
    assert.strictEqual(stateOf({ status: "completed" }), "draft")
    assert.deepStrictEqual(
      (["pending", "published", "failed", "unpublished"] as const).map((status) =>
        stateOf({ status: "completed", publication: { status } }),
      ),
      ["publishing", "published", "refused", "unpublished"],
    )
  })

  it("gets an address from its name", () => {
    assert.deepStrictEqual(["Spring sale!", "Café & Brötchen", "---", "a".repeat(80)].map(aliasFrom), [
      "spring-sale",
      "cafe-brotchen",
      "",
      "a".repeat(60),
    ])
  })

  it("is shown by its address without a scheme", () => {
    assert.strictEqual(shortAddress("https://acme.pages.example/bakery"), "acme.pages.example/bakery")
    assert.strictEqual(shortAddress("http://acme.localhost:8081/"), "acme.localhost:8081")
  })

  it("names the variables of its template, and those without a fallback", () => {
    assert.deepStrictEqual(
      variablesIn("<h1>{{api.city}}</h1>{{ api.day:uppercase|today }}{{api.city|x}}{{contact.x}}"),
      [
        { name: "city", isNeeded: true },
        { name: "day", isNeeded: false },
      ],
    )
  })

  it("has traffic of days that end with today", () => {
    assert.deepStrictEqual(rangeOf(7, Date.UTC(2026, 10, 24, 23, 59)), { from: "2026-11-18", to: "2026-11-25" })
  })
})

describe("the address of a screen", () => {
  it("keeps what it knows, and drops defaults and the rest", () => {
    assert.deepStrictEqual(tentListSearch({ search: 7, status: "failed", other: 1 }), { search: "7", status: "failed" })
    assert.deepStrictEqual(tentSearch({ tab: "page", days: 30 }), {})
    assert.deepStrictEqual(tentSearch({ tab: "traffic", days: 400 }), { tab: "traffic", days: 400 })
    assert.deepStrictEqual(tentSearch({ tab: "x", days: 8 }), {})
    assert.deepStrictEqual(bulkSearch({ job: "1", template: "" }), { job: "1" })
  })
})

describe("a pasted table", () => {
  it("is read with tabs, commas or semicolons, and quotes", () => {
    assert.deepStrictEqual(cellsOf('a\tb\r\n"c\nd"\t"say ""hi"""\n\n'), [
      ["a", "b"],
      ["c\nd", 'say "hi"'],
    ])
    assert.deepStrictEqual(cellsOf("a;b\nc;d,e"), [
      ["a", "b"],
      ["c", "d,e"],
    ])
    assert.deepStrictEqual(cellsOf('a,"b,c"'), [["a", "b,c"]])
    assert.deepStrictEqual(cellsOf(""), [])
  })

  it("has the columns of its headings, and values of the template for others", () => {
    const { columns, rows } = tableOf("Name\tCity\tPrompt\tOpening hours\nUlm\tUlm\tIn French\t9–5", ["city"])
    assert.deepStrictEqual(columns, [
      { kind: "name" },
      { kind: "value", name: "city" },
      { kind: "instructions" },
      { kind: "value", name: "opening_hours" },
    ])
    assert.strictEqual(rows.length, 1)
  })

  it("has name, instructions and address without headings", () => {
    const table = tableOf("Ulm\tA page for Ulm\tulm\nBern\tA page for Bern\t", [])
    assert.deepStrictEqual(itemsOf(table), [
      { tent_name: "Ulm", instructions: "A page for Ulm", custom_page_alias: "ulm" },
      { tent_name: "Bern", instructions: "A page for Bern" },
    ])
  })

  const table: Table = tableOf("name\tcity\nUlm\tUlm\nBern\t\nRom\tRom", ["city"])

  it("becomes items with values; empty cells say nothing", () => {
    assert.deepStrictEqual(itemsOf(table)[0], { tent_name: "Ulm", input_data: { city: "Ulm" } })
    assert.deepStrictEqual(itemsOf(table)[1], { tent_name: "Bern" })
    const other = withColumn(table, 1, { kind: "nothing" })
    assert.deepStrictEqual(itemsOf(other)[0], { tent_name: "Ulm" })
  })

  it("keeps the rejected rows with their reasons, until they are changed or removed", () => {
    const left = rejectedIn(table, [{ index: 1, message: "lacks a value for city" }])
    assert.deepStrictEqual(left.rows, [{ cells: ["Bern", ""], problem: "lacks a value for city" }])
    assert.deepStrictEqual(withCell(left, 0, 1, "Bern").rows, [{ cells: ["Bern", "Bern"], problem: null }])
    assert.deepStrictEqual(withoutRow(left, 0).rows, [])
  })
})
