import { assert, describe, it } from "@effect/vitest"
import type { ActivityType } from "@tentpole/core/contacts/Activity"
import { blankContact } from "@tentpole/core/contacts/Contact"
import { ContactId, FieldDefinitionId, ListId } from "@tentpole/core/kernel/Ids"
import { compileRules, type RuleSubject } from "@tentpole/core/segments/Evaluate"
import { type Explanation, explainRules, matchedPaths } from "@tentpole/core/segments/Explain"
import type { RuleField } from "@tentpole/core/segments/RuleFacts"
import type { RuleCondition, RuleNode, RuleTree } from "@tentpole/core/segments/RuleTree"
import { DateTime, Schema } from "effect"

const at = (text: string) => DateTime.makeUnsafe(text)
const now = at("2026-05-31T12:00:00.000Z")
const listId = ListId.make("00000000-0000-4000-8000-0000000000aa")

const field = (last: string, valueType: RuleField["valueType"], status: RuleField["status"] = "active"): RuleField => ({
  id: FieldDefinitionId.make(`00000000-0000-4000-8000-00000000000${last}`),
  apiName: `field_${last}`,
  displayName: `Field ${last}`,
  valueType,
  status,
  provenanceProvider: null,
})
const shoe = field("1", "string")
const born = field("2", "date")
const gone = field("3", "string", "archived")
const reading = { fields: [shoe, born, gone], now }

const contact = (
  field: "city" | "serviceScore" | "createdAt",
  operator: "equals" | "not_equals",
  value: string | number,
) => ({ kind: "condition", source: "contact", field, operator, value }) as const satisfies RuleCondition
const custom = ({ id }: RuleField, operator: "equals" | "is_empty", value?: string) =>
  ({
    kind: "condition",
    source: "custom_field",
    fieldDefinitionId: id,
    operator,
    ...(value === undefined ? {} : { value }),
  }) as const satisfies RuleCondition
const opened = (operator: "has_activity" | "has_no_activity", days?: number) =>
  ({
    kind: "condition",
    source: "activity",
    activityType: "email_opened",
    operator,
    ...(days === undefined ? {} : { timeWindow: { amount: days, unit: "day" } }),
  }) as const satisfies RuleCondition
const member = (operator: "is_member" | "is_not_member") =>
  ({ kind: "condition", source: "list_membership", listId, operator }) as const satisfies RuleCondition

const leaves: ReadonlyArray<RuleCondition> = [
  contact("city", "equals", "bern"),
  contact("city", "not_equals", "bern"),
  contact("serviceScore", "equals", 5),
  contact("createdAt", "equals", "2026-05-01"),
  custom(shoe, "equals", "42"),
  custom(shoe, "is_empty"),
  custom(born, "equals", "2000-01-01"),
  custom(gone, "equals", "old"),
  custom(gone, "is_empty"),
  opened("has_activity"),
  opened("has_activity", 30),
  opened("has_no_activity", 30),
  member("is_member"),
  member("is_not_member"),
]

const Leaf = Schema.Literals(leaves.map((_, index) => index))
const groupOf = <Member extends Schema.Top>(member: Member) =>
  Schema.Struct({
    operator: Schema.Literals(["and", "or"]),
    members: Schema.NonEmptyArray(member),
  })
const Tree = groupOf(Schema.Union([Leaf, groupOf(Schema.Union([Leaf, groupOf(Leaf)]))]))

interface Drawn {
  readonly operator: "and" | "or"
  readonly members: ReadonlyArray<number | Drawn>
}
const treeOf = ({ operator, members }: Drawn): RuleTree => ({
  kind: "group",
  operator,
  conditions: members.flatMap((each): ReadonlyArray<RuleNode> => {
    const leaf = typeof each === "number" ? leaves[each] : treeOf(each)
    return leaf === undefined ? [] : [leaf]
  }),
})

const Subject = Schema.Struct({
  city: Schema.NullOr(Schema.Literals(["BERN", "Basel"])),
  serviceScore: Schema.NullOr(Schema.Literals([5, 6])),
  createdAt: Schema.Literals(["2026-05-01T12:00:00.000Z", "2026-05-02T00:00:00.000Z"]),
  customFields: Schema.Struct({
    field_1: Schema.optionalKey(Schema.Literals(["42", "43"])),
    field_2: Schema.optionalKey(Schema.Literals(["2000-01-01", "2000-01-01T10:00:00.000Z", "2000-01-02"])),
    field_3: Schema.optionalKey(Schema.Literal("old")),
  }),
  activities: Schema.Array(
    Schema.Struct({
      type: Schema.Literals(["email_opened", "email_clicked"]),
      at: Schema.Literals(["2026-05-30T00:00:00.000Z", "2026-05-01T12:00:00.000Z", "2026-04-01T00:00:00.000Z"]),
    }),
  ),
  member: Schema.Boolean,
})
const subjectOf = ({ activities, member, createdAt, ...fields }: typeof Subject.Type): RuleSubject => ({
  contact: {
    ...blankContact(ContactId.make("00000000-0000-4000-8000-000000000000"), now),
    ...fields,
    createdAt: at(createdAt),
  },
  activities: activities.map((each) => ({ type: each.type, at: at(each.at) })),
  lists: new Set(member ? [listId] : []),
  topics: new Map(),
})

/** The result of the groups, computed only from the conditions that hold. */
const settled = (node: RuleNode, path: string, held: ReadonlySet<string>): boolean => {
  if (node.kind === "condition") return held.has(path)
  const parts = node.conditions.map((each, index) => settled(each, `${path}${path && "."}conditions.${index}`, held))
  return node.operator === "and" ? !parts.includes(false) : parts.includes(true)
}

const heldOf = ({ conditions }: Explanation): ReadonlyArray<string> =>
  conditions.flatMap(({ path, held }) => (held ? [path] : []))

const nodeAt = (tree: RuleTree, path: string): unknown =>
  path.split(".").reduce((node: ReturnType<typeof JSON.parse>, key) => node[key], tree)

describe("Explanation", () => {
  it.prop("agrees with the rules, and follows from its conditions", [Tree, Subject], ([drawn, fields]) => {
    const tree = treeOf(drawn)
    const subject = subjectOf(fields)
    const explained = explainRules(tree, reading)(subject)
    assert.strictEqual(explained.matches, compileRules(tree, reading)(subject))
    assert.strictEqual(explained.matches, settled(tree, "", new Set(heldOf(explained))))
  })

  it.prop("evaluates each condition as a tree of it alone does, at its path", [Tree, Subject], ([drawn, fields]) => {
    const tree = treeOf(drawn)
    const subject = subjectOf(fields)
    for (const { path, condition, held } of explainRules(tree, reading)(subject).conditions) {
      assert.strictEqual(nodeAt(tree, path), condition)
      const alone = compileRules({ kind: "group", operator: "and", conditions: [condition] }, reading)
      assert.strictEqual(held, alone(subject), path)
    }
  })

  it.prop("names every condition that holds, at least one for a match", [Tree, Subject], ([drawn, fields]) => {
    const tree = treeOf(drawn)
    const subject = subjectOf(fields)
    const paths = matchedPaths(tree, reading)(subject)
    const explained = explainRules(tree, reading)(subject)
    assert.deepStrictEqual(paths, heldOf(explained))
    if (explained.matches) assert.isNotEmpty(paths)
  })

  it.prop("needs only the latest activity of each type", [Tree, Subject], ([drawn, fields]) => {
    const tree = treeOf(drawn)
    const subject = subjectOf(fields)
    const latest = new Map<ActivityType, RuleSubject["activities"][number]>()
    for (const each of subject.activities) {
      const known = latest.get(each.type)
      if (known === undefined || DateTime.isGreaterThan(each.at, known.at)) latest.set(each.type, each)
    }
    const explain = explainRules(tree, reading)
    assert.deepStrictEqual(explain({ ...subject, activities: [...latest.values()] }), explain(subject))
  })

  it("shows the contact's value for each condition, whether it holds or not", () => {
    const tree: RuleTree = { kind: "group", operator: "and", conditions: [...leaves] }
    const explain = (fields: typeof Subject.Type) =>
      explainRules(tree, reading)(subjectOf(fields)).conditions.map(({ value, held }) => [value, held])
    const createdAt = "2026-05-01T12:00:00.000Z"
    assert.deepStrictEqual(
      explain({
        city: "BERN",
        serviceScore: 6,
        createdAt,
        customFields: { field_1: "43", field_2: "2000-01-01T10:00:00.000Z", field_3: "old" },
        activities: [
          { type: "email_opened", at: "2026-04-01T00:00:00.000Z" },
          { type: "email_opened", at: "2026-05-01T12:00:00.000Z" },
          { type: "email_opened", at: "2026-04-01T00:00:00.000Z" },
          { type: "email_clicked", at: "2026-05-30T00:00:00.000Z" },
        ],
        member: true,
      }),
      [
        ["BERN", true],
        ["BERN", false],
        [6, false],
        [at(createdAt), true],
        ["43", false],
        ["43", false],
        ["2000-01-01T10:00:00.000Z", true],
        [null, false],
        [null, false],
        [at("2026-05-01T12:00:00.000Z"), true],
        [at("2026-05-01T12:00:00.000Z"), true],
        [at("2026-05-01T12:00:00.000Z"), false],
        [true, true],
        [true, false],
      ],
    )
    assert.deepStrictEqual(
      explain({ city: null, serviceScore: null, createdAt, customFields: {}, activities: [], member: false }),
      [
        [null, false],
        [null, true],
        [null, false],
        [at(createdAt), true],
        [null, false],
        [null, true],
        [null, false],
        [null, false],
        [null, false],
        [null, false],
        [null, false],
        [null, true],
        [false, false],
        [false, true],
      ],
    )
  })
})
