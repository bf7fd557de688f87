// Results of the palette without a browser.
import { assert, describe, it } from "vitest"
import { describe as describeFound, type Found, groupsOf } from "../src/shell/found.ts"
import { palette } from "../src/words/en/shell/palette.ts"

const found = (type: Found["type"], name: string, detail: string | null = null): Found => ({
  type,
  id: name,
  name,
  detail,
})

describe("groupsOf", () => {
  it("groups results by entries of the menu, in the order of their best results", () => {
    const results = [found("flow", "a"), found("tent_template", "b"), found("list", "c"), found("email_template", "d")]
    assert.deepStrictEqual(
      groupsOf(results, () => true).map(([entry, its]) => [entry, its.map(({ name }) => name)]),
      [
        ["flows", ["a"]],
        ["templates", ["b", "d"]],
        ["lists", ["c"]],
      ],
    )
  })

  it("leaves out results without a screen", () => {
    const results = [found("tent", "a"), found("list", "b")]
    const groups = groupsOf(results, (route) => route === "/lists/$listId")
    assert.deepStrictEqual(
      groups.map(([entry]) => entry),
      ["lists"],
    )
  })
})

it("a result has its status in words, or its address unless that is its name", () => {
  const details = [
    found("flow", "Welcome", "active"),
    found("tent", "Page", "pending"),
    found("contact", "Ann Lee", "ann@example.org"),
    found("contact", "ann@example.org", "ann@example.org"),
    found("list", "List"),
  ].map((each) => describeFound(each, palette.details))
  assert.deepStrictEqual(details, ["active", "empty", "ann@example.org", "", ""])
})
