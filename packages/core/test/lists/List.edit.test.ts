import { assert, describe, it } from "@effect/vitest"
import { FieldDefinitionId, ListId } from "@tentpole/core/kernel/Ids"
import {
  type DynamicList,
  type EditFacts,
  type List,
  ListChange,
  type ListEdit,
  type StaticList,
} from "@tentpole/core/lists/List"
import { nameCandidates } from "@tentpole/core/lists/ListName"
import { list_users_max, type ListUser } from "@tentpole/core/lists/ListUse"
import type { RuleFacts } from "@tentpole/core/segments/RuleFacts"
import type { RuleTree } from "@tentpole/core/segments/RuleTree"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime, Result, Schema } from "effect"

const born = DateTime.makeUnsafe(1_000)
const now = DateTime.makeUnsafe(2_000)
const id = ListId.make("00000000-0000-4000-8000-0000000000aa")
const random = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
const nothing: RuleFacts = { fields: [], staticLists: new Set(), topics: new Set() }
const field = FieldDefinitionId.make("00000000-0000-4000-8000-0000000000cc")

const cityIs = (value: string): RuleTree => ({
  kind: "group",
  operator: "and",
  conditions: [{ kind: "condition", source: "contact", field: "city", operator: "equals", value }],
})
const byField: RuleTree = {
  kind: "group",
  operator: "and",
  conditions: [{ kind: "condition", source: "custom_field", fieldDefinitionId: field, operator: "is_empty" }],
}

const common = { id, ownerBlastId: null, createdAt: born, updatedAt: born, name: "VIP", slug: "vip", description: "d" }
const dynamic = (rules: RuleTree | null): DynamicList => ({ ...common, kind: "dynamic", rules })
const fixed: StaticList = { ...common, kind: "static", memberCount: 7 }
const system: List = { ...common, kind: "system", systemList: "unsubscribed" }

const named = (text: string): ListEdit => ({ candidates: nameCandidates({ text, origin: "given" }, random) })
const facts = (list: List, taken: ReadonlyArray<string> = [], known = nothing): EditFacts => ({
  list,
  taken: {
    names: new Map(taken.map((name) => [fold(name), ListId.make("00000000-0000-4000-8000-0000000000cc")])),
    slugs: new Set(taken),
  },
  named: known,
})
const tagOf = <A, E extends { readonly _tag: string }>(result: Result.Result<A, E>) =>
  Result.isFailure(result) ? result.failure._tag : "done"

describe("List update", () => {
  it.prop(
    "changes the named fields, and only when a value differs",
    {
      before: Schema.Literals(["none", "Bern", "Rome"]),
      name: Schema.Literals(["", "VIP", "vip", "V.I.P.", "Very"]),
      description: Schema.Literals(["left out", "null", "", "d", "e"]),
      rules: Schema.Literals(["left out", "none", "Bern", "Rome"]),
    },
    ({ before, name, description, rules }) => {
      const tree = (city: string) => (city === "none" ? null : cityIs(city))
      const list = dynamic(tree(before))
      const edit: ListEdit = {
        ...(name === "" ? {} : named(name)),
        ...(description === "left out" ? {} : { description: description === "null" ? null : description }),
        ...(rules === "left out" ? {} : { rules: tree(rules) }),
      }
      const { change, list: after } = Result.getOrThrow(ListChange.update(facts(list), edit, now))
      const wantedDescription =
        description === "left out" ? "d" : description === "null" || description === "" ? null : description
      const rulesMoved = rules !== "left out" && rules !== before
      assert.deepStrictEqual(after, {
        ...list,
        name: name === "" ? "VIP" : name,
        slug: name === "V.I.P." ? "v-i-p" : name === "Very" ? "very" : "vip",
        description: wantedDescription,
        rules: rulesMoved ? tree(rules) : list.rules,
        updatedAt: change.edited ? now : born,
      })
      assert.strictEqual(change.edited, after.name !== "VIP" || wantedDescription !== "d" || rulesMoved)
      const event = (type: string) => ({ type, contactId: null, at: now, data: { list_id: id, list_name: after.name } })
      assert.deepStrictEqual(change.events, [
        ...(change.edited ? [event("list_updated")] : []),
        ...(rulesMoved ? [event("list_rules_changed")] : []),
      ])
      assert.deepStrictEqual([change.added, change.removed, change.activities], [[], [], []])
    },
  )

  it("refuses another list's name, avoids its slug, and checks no names for another spelling of its own", () => {
    const others = ["vip", "very"]
    assert.strictEqual(tagOf(ListChange.update(facts(fixed, others), named("VERY"), now)), "ListNameExists")
    const { list } = Result.getOrThrow(ListChange.update(facts(fixed, others), named("very!"), now))
    assert.deepStrictEqual([list.name, list.slug], ["very!", "very-2"])
    const spelled = Result.getOrThrow(ListChange.update(facts(fixed, others), named("vIP"), now))
    assert.deepStrictEqual([spelled.list.name, spelled.list.slug], ["vIP", "vip"])
  })

  it("accepts unchanged rules that name an archived field, but not new ones", () => {
    const archived: RuleFacts = {
      ...nothing,
      fields: [
        {
          id: field,
          apiName: "shoe_size",
          displayName: "Shoe size",
          valueType: "string",
          status: "archived",
          provenanceProvider: null,
        },
      ],
    }
    const before = dynamic(byField)
    const { list } = Result.getOrThrow(ListChange.update(facts(before, [], archived), named("Renamed"), now))
    assert.deepStrictEqual(list.kind === "dynamic" && list.rules, byField)
    const refused = ListChange.update(facts(before, [], archived), { rules: byField }, now)
    assert(Result.isFailure(refused) && refused.failure._tag === "Invalid")
    assert.deepStrictEqual(
      refused.failure.issues.map(({ path }) => path),
      ["rules.conditions.0.fieldDefinitionId"],
    )
  })

  it("refuses system lists, and any rules for static lists, also null", () => {
    for (const edit of [named("x"), { description: null }, { rules: null }, {}]) {
      assert.strictEqual(tagOf(ListChange.update(facts(system), edit, now)), "SystemListProtected")
    }
    for (const rules of [null, cityIs("Bern"), "nonsense"]) {
      const refused = ListChange.update(facts(fixed), { rules }, now)
      assert(Result.isFailure(refused) && refused.failure._tag === "Invalid")
      assert.deepStrictEqual(
        refused.failure.issues.map(({ path }) => path),
        ["rules"],
      )
    }
  })
})

describe("List deletion", () => {
  const free = { users: [], count: 0 }

  it("writes an event and no timeline entries", () => {
    for (const list of [fixed, dynamic(null)]) {
      const change = Result.getOrThrow(ListChange.delete({ list, uses: free }, now))
      assert.deepStrictEqual([change.before, change.after, change.edited], [list, null, false])
      assert.deepStrictEqual([change.removed, change.activities], [[], []])
      const data = { list_id: id, list_name: list.name }
      assert.deepStrictEqual(change.events, [{ type: "list_deleted", contactId: null, at: now, data }])
    }
  })

  it("is refused for a system list and for a list in use; the refusal names a few users and counts all", () => {
    assert.strictEqual(tagOf(ListChange.delete({ list: system, uses: free }, now)), "SystemListProtected")
    const users: ReadonlyArray<ListUser> = Array.from({ length: list_users_max }, (_, index) => ({
      type: index === 0 ? "blast" : "contact_list",
      id: random,
      name: `user ${index}`,
    }))
    const refused = ListChange.delete({ list: fixed, uses: { users, count: 23 } }, now)
    assert(Result.isFailure(refused) && refused.failure._tag === "ListInUse")
    const { code, message, extras } = refused.failure
    assert.strictEqual(code, "contact_list_in_use")
    assert.deepStrictEqual(extras, { used_by: users, used_by_count: 23 })
    for (const { name } of users) assert.include(message, `"${name}"`)
    assert.include(message, `the email blast "user 0", the rules of the contact list "user 1"`)
    assert.include(message, " and 3 more.")
    const one = ListChange.delete({ list: fixed, uses: { users: users.slice(0, 1), count: 1 } }, now)
    assert(Result.isFailure(one))
    assert.notInclude(one.failure.message, "more")
  })
})
