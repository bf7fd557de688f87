import { assert, describe, it } from "@effect/vitest"
import { blankContact, type Contact } from "@tentpole/core/contacts/Contact"
import { ContactId, FieldDefinitionId, ListId, TopicId } from "@tentpole/core/kernel/Ids"
import { compileRules, ruleIssues, type RuleSubject, windowStart } from "@tentpole/core/segments/Evaluate"
import { parseRules } from "@tentpole/core/segments/Parse"
import type { RuleField } from "@tentpole/core/segments/RuleFacts"
import type { RuleTree } from "@tentpole/core/segments/RuleTree"
import { DateTime, Result } from "effect"

const at = (text: string) => DateTime.makeUnsafe(text)
const now = at("2026-05-31T12:00:00.000Z")
const list = ListId.make("00000000-0000-4000-8000-0000000000aa")
const topicId = TopicId.make("00000000-0000-4000-8000-0000000000bb")

const shoe: RuleField = {
  id: FieldDefinitionId.make("00000000-0000-4000-8000-000000000001"),
  apiName: "constructor",
  displayName: "Shoe size",
  valueType: "string",
  status: "active",
  provenanceProvider: null,
}
const birthday: RuleField = {
  ...shoe,
  id: FieldDefinitionId.make("00000000-0000-4000-8000-000000000002"),
  apiName: "birthday",
  valueType: "date",
}
const interests: RuleField = {
  ...shoe,
  id: FieldDefinitionId.make("00000000-0000-4000-8000-000000000003"),
  apiName: "interests",
  valueType: "tags",
}
const fields = [shoe, birthday, interests]

const blank = blankContact(ContactId.make("00000000-0000-4000-8000-000000000000"), now)

const subject = (contact: Partial<Contact>, more: Partial<RuleSubject> = {}): RuleSubject => ({
  contact: { ...blank, ...contact },
  activities: [],
  lists: new Set(),
  topics: new Map(),
  ...more,
})

const parsed = (rules: unknown): RuleTree =>
  Result.getOrThrow(parseRules(rules, { fields, staticLists: new Set([list]), topics: new Set([topicId]) }))
const holds = (rules: unknown, it: RuleSubject, known = fields) =>
  compileRules(parsed(rules), { fields: known, now })(it)
const rule = (field: string, operator: string, value?: unknown) => ({
  kind: "condition",
  source: "contact",
  field,
  operator,
  value,
})
const custom = (field: RuleField, operator: string, value?: unknown) => ({
  kind: "condition",
  source: "custom_field",
  fieldDefinitionId: field.id,
  operator,
  value,
})

describe("Rule evaluation", () => {
  it("compares tags by their folded words: any, all or none of them", () => {
    const member = subject({ customFields: { interests: ["VIP", "É", "early bird"] } })
    const results = (...words: ReadonlyArray<string>) =>
      ["contains_any", "contains_all", "contains_none"].map((operator) =>
        holds(custom(interests, operator, words), member),
      )
    assert.deepStrictEqual(results("vip"), [true, true, false])
    assert.deepStrictEqual(results(" Vip ", "e\u0301", "EARLY BIRD"), [true, true, false])
    assert.deepStrictEqual(results("vip", "gold"), [true, false, false])
    assert.deepStrictEqual(results("vi", "early"), [false, false, true])
    assert.isFalse(holds(custom(interests, "is_empty"), member))
    const none = subject({})
    for (const [operator, expected] of [
      ["contains_any", false],
      ["contains_all", false],
      ["contains_none", true],
      ["is_empty", true],
      ["is_not_empty", false],
    ] as const) {
      assert.strictEqual(holds(custom(interests, operator, ["vip"]), none), expected, operator)
    }
  })

  it(
    "compares text by its folded form: case, composition, the Turkish i, final sigma",
    { tags: ["attack/text-folding"] },
    () => {
      for (const [stored, value] of [
        ["Zürich", "ZU\u0308RICH"],
        ["ΟΔΟΣ", "οδος"],
        ["οδοσ", "ΟΔΟς"],
        ["İzmir", "i\u0307zmir"],
      ] as const) {
        assert.isTrue(holds(rule("city", "equals", value), subject({ city: stored })), `${stored} ${value}`)
      }
      assert.isFalse(holds(rule("city", "equals", "strasse"), subject({ city: "straße" })))
      assert.isFalse(holds(rule("city", "contains", "e"), subject({ city: "É" })))
      assert.isTrue(holds(rule("city", "starts_with", "ZÜ"), subject({ city: "zürich" })))
      assert.isTrue(holds(rule("city", "ends_with", "%_\\"), subject({ city: "a%_\\" })))
      assert.isFalse(holds(rule("city", "ends_with", "%_\\"), subject({ city: "axyz" })))
      assert.isTrue(holds(rule("email", "contains", "@MÜNCHEN.de"), subject({ email: "ann@münchen.de" })))
    },
  )

  it("holds for negative operators when the field has no value", () => {
    for (const [operator, value] of [
      ["not_equals", "x"],
      ["not_contains", "x"],
      ["is_empty", undefined],
    ] as const) {
      assert.isTrue(holds(rule("city", operator, value), subject({})), operator)
    }
    assert.isTrue(holds(rule("serviceScore", "not_equals", 5), subject({})))
    for (const operator of ["equals", "contains", "starts_with", "ends_with", "is_not_empty"]) {
      assert.isFalse(holds(rule("city", operator, "x"), subject({})), operator)
    }
    for (const operator of ["equals", "gt", "gte", "lt", "lte"]) {
      assert.isFalse(holds(rule("serviceScore", operator, 0), subject({})), operator)
      assert.isFalse(holds(rule("lastActivityAt", operator, "2026-05-01"), subject({})), operator)
    }
  })

  it("treats text of white space as empty", () => {
    for (const blank of ["", " ", "\t\n\u00a0\u2003\u3000\u0085"]) {
      assert.isTrue(holds(rule("city", "is_empty"), subject({ city: blank })))
      assert.isFalse(holds(rule("city", "is_not_empty"), subject({ city: blank })))
    }
    assert.isFalse(holds(rule("city", "is_empty"), subject({ city: "\u200b" })))
  })

  it("treats a boolean without a value as neither true nor false", () => {
    assert.isFalse(holds(rule("marketingEmailSubscribed", "is_true"), subject({})))
    assert.isFalse(holds(rule("marketingEmailSubscribed", "is_false"), subject({})))
    assert.isTrue(holds(rule("marketingEmailSubscribed", "is_empty"), subject({})))
    assert.isTrue(holds(rule("marketingEmailSubscribed", "false"), subject({ marketingEmailSubscribed: false })))
  })

  it("compares with the whole UTC day for a day, and with the millisecond for a timestamp", () => {
    const day = "2026-05-01"
    const first = at("2026-05-01T00:00:00.000Z")
    const last = at("2026-05-01T23:59:59.999Z")
    const before = at("2026-04-30T23:59:59.999Z")
    const after = at("2026-05-02T00:00:00.000Z")
    const answers = (operator: string, value: string) =>
      [before, first, last, after].map((createdAt) => holds(rule("createdAt", operator, value), subject({ createdAt })))
    assert.deepStrictEqual(answers("equals", day), [false, true, true, false])
    assert.deepStrictEqual(answers("not_equals", day), [true, false, false, true])
    assert.deepStrictEqual(answers("greater_than", day), [false, false, false, true])
    assert.deepStrictEqual(answers("greater_than_or_equal", day), [false, true, true, true])
    assert.deepStrictEqual(answers("less_than", day), [true, false, false, false])
    assert.deepStrictEqual(answers("less_than_or_equal", day), [true, true, true, false])
    assert.deepStrictEqual(answers("equals", "2026-05-01T02:00:00+02:00"), [false, true, false, false])
    assert.deepStrictEqual(answers("gt", "2026-05-01T00:00:00Z"), [false, false, true, true])
    assert.deepStrictEqual(answers("lte", "2026-05-01T00:00:00Z"), [true, true, false, false])
  })

  it("treats a stored day as its first instant", () => {
    const born = subject({ customFields: { birthday: "2026-05-01" } })
    assert.isTrue(holds(custom(birthday, "equals", "2026-05-01T00:00:00Z"), born))
    assert.isTrue(holds(custom(birthday, "lt", "2026-05-01T00:00:00.001Z"), born))
    assert.isFalse(holds(custom(birthday, "gt", "2026-05-01"), born))
  })

  it("counts time windows back from now, months by the calendar", () => {
    const start = (amount: number, unit: "minute" | "hour" | "day" | "week" | "month") =>
      DateTime.formatIso(windowStart(now, { amount, unit }))
    assert.strictEqual(start(90, "minute"), "2026-05-31T10:30:00.000Z")
    assert.strictEqual(start(2, "week"), "2026-05-17T12:00:00.000Z")
    assert.strictEqual(start(1, "month"), "2026-04-30T12:00:00.000Z")
    assert.strictEqual(start(3, "month"), "2026-02-28T12:00:00.000Z")
    assert.strictEqual(start(27, "month"), "2024-02-29T12:00:00.000Z")
    const opened = (when: string) => subject({}, { activities: [{ type: "email_opened", at: at(when) }] })
    const window = (operator: string) => ({
      kind: "condition",
      source: "activity",
      activityType: "email_opened",
      operator,
      timeWindow: { amount: 1, unit: "month" },
    })
    assert.isTrue(holds(window("did"), opened("2026-04-30T12:00:00.000Z")))
    assert.isFalse(holds(window("did"), opened("2026-04-30T11:59:59.999Z")))
    assert.isTrue(holds(window("did_not"), opened("2026-04-30T11:59:59.999Z")))
    assert.isTrue(holds(window("did_not"), subject({})))
  })

  it("tests membership of the named list only", () => {
    const member = (operator: string) => ({ kind: "condition", source: "list_membership", listId: list, operator })
    assert.isTrue(holds(member("is_member"), subject({}, { lists: new Set([list]) })))
    assert.isFalse(holds(member("is_not_member"), subject({}, { lists: new Set([list]) })))
    assert.isTrue(holds(member("is_not_member"), subject({})))
  })

  it("never holds for a condition on an archived field, with any operator", () => {
    const archived = [{ ...shoe, status: "archived" as const }, birthday]
    for (const [operator, value] of [["equals", "42"], ["not_equals", "42"], ["is_empty"], ["is_not_empty"]]) {
      for (const customFields of [{}, { constructor: "42" } as Record<string, string>]) {
        const tree = parsed(custom(shoe, operator ?? "", value))
        assert.isFalse(compileRules(tree, { fields: archived, now })(subject({ customFields })), operator)
        assert.deepStrictEqual(ruleIssues(tree, archived), [
          { label: "Shoe size", provider: null, apiName: "constructor" },
        ])
        assert.deepStrictEqual(ruleIssues(tree, fields), [])
      }
    }
  })

  it("evaluates compiled rules for each contact independently", () => {
    for (const operator of ["equals", "contains", "starts_with", "ends_with"]) {
      const asked = compileRules(parsed(rule("city", operator, "rome")), { fields, now })
      const cities = ["Rome", "Rome", "Oslo", null, "Oslo", "ROME", "", "rome", null]
      const answers = cities.map((city) => asked(subject({ city })))
      assert.deepStrictEqual(answers, [true, true, false, false, false, true, false, true, false], operator)
    }
  })

  it("treats an unset field named constructor as empty", () => {
    assert.isTrue(holds(custom(shoe, "is_empty"), subject({})))
    assert.isTrue(holds(custom(shoe, "equals", "42"), subject({ customFields: { constructor: "42" } })))
  })
})
