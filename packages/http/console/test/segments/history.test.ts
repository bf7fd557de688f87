// Undo and redo of the builder.
import { assert, describe, it } from "vitest"
import { changed, historyOf, redone, undone } from "../../src/segments/history.ts"
import { changedCondition } from "../../src/segments/ruleTree.ts"

describe("history", () => {
  it("goes back and forth, and forgets the future after a change", () => {
    const three = changed(changed(historyOf(1), 2, null, 0), 3, null, 0)
    assert.strictEqual(undone(three).present, 2)
    assert.strictEqual(undone(undone(undone(three))).present, 1)
    assert.strictEqual(redone(undone(three)).present, 3)
    assert.strictEqual(redone(three), three)
    assert.deepStrictEqual(changed(undone(three), 4, null, 0).future, [])
  })

  it("undoes quick changes of one condition at once, and of two conditions one after the other", () => {
    const quick = changed(changed(changed(historyOf(""), "a", "1", 0), "ab", "1", 300), "abc", "1", 600)
    assert.strictEqual(undone(quick).present, "")
    assert.strictEqual(undone(changed(quick, "abcd", "1", 2_000)).present, "abc")
    assert.strictEqual(undone(changed(quick, "abcd", "2", 700)).present, "abc")
    assert.strictEqual(undone(changed(undone(quick), "x", "1", 700)).present, "")
  })
})

describe("changedCondition", () => {
  const condition = (value: string) => ({ field: "contact:city", operator: "equals", value })
  const [one, two] = [condition("a"), condition("b")] as const
  const query = { combinator: "and", rules: [one, { combinator: "or", rules: [two] }] }

  it("is the path of the only condition that differs", () => {
    const other = { ...two, value: "c" }
    const after = { ...query, rules: [one, { combinator: "or", rules: [other] }] }
    assert.strictEqual(changedCondition(query, after), "conditions.1.conditions.0")
  })

  it("is null for another form of the tree", () => {
    assert.isNull(changedCondition(query, { ...query, rules: [one] }))
    assert.isNull(changedCondition(query, { ...query, combinator: "or" }))
    assert.isNull(changedCondition(query, query))
  })
})
