// The promise of rules: a store's query picks exactly the contacts that the evaluator says yes to. Longer runs:
// TENTPOLE_RULE_TREES=20000; a run is repeated with TENTPOLE_RULE_SEED.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/postgres/Postgres"
import { audienceCondition, ruleCondition } from "@tentpole/adapters/postgres/Segment"
import { assert, layer } from "@effect/vitest"
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import { Fresh } from "@tentpole/core/contract"
import type { ListId, WorkspaceId } from "@tentpole/core/Ids"
import { compileRules, ruleIssues, type RuleSubject } from "@tentpole/core/segments/Evaluate"
import { parseRules } from "@tentpole/core/segments/Parse"
import { RuleFactsStore } from "@tentpole/core/segments/RuleFacts"
import { conditionsOf, mentionedIn, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { fold } from "@tentpole/core/Text"
import { Array as Arr, DateTime, Effect, Result } from "effect"
import { drawFrom, drawSubject, drawTree, everyComparison, fields, lists, now } from "./RuleDraws.ts"
import { postgres } from "./Stores.ts"

const trees = Number(process.env["TENTPOLE_RULE_TREES"] ?? 250)
const seed = Number(process.env["TENTPOLE_RULE_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const contacts_count = 120

const folded = (text: string | null): string | null => (text === null ? null : fold(text))

/** A row of table `contact`, of JSON. */
const rowOf = (workspace: WorkspaceId, { contact }: RuleSubject) => ({
  ...Object.fromEntries(
    standardFields.flatMap(({ apiName, key }) => {
      const value = contact[key]
      if (typeof value === "string" || (value === null && `${apiName}_folded` !== "phone_folded")) {
        return [
          [apiName, value],
          [`${apiName}_folded`, folded(value)],
        ]
      }
      return [[apiName, DateTime.isDateTime(value) ? DateTime.formatIso(value) : value]]
    }),
  ),
  workspace_id: workspace,
  contact_id: contact.id,
  email_normalized: contact.emailNormalized,
  custom_fields: contact.customFields,
  custom_fields_folded: Object.fromEntries(
    Object.entries(contact.customFields).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, fold(value)]] : [],
    ),
  ),
})

const populate = (sql: PgClient.PgClient, workspace: WorkspaceId, subjects: ReadonlyArray<RuleSubject>) =>
  Effect.gen(function* () {
    const contacts = subjects.map((subject) => rowOf(workspace, subject))
    const activities = subjects.flatMap(({ contact, activities }) =>
      activities.map(({ type, at }) => ({ contact_id: contact.id, type, at: DateTime.formatIso(at) })),
    )
    const members = subjects.flatMap(({ contact, lists }) =>
      [...lists].map((list_id) => ({ list_id, contact_id: contact.id })),
    )
    yield* sql`
      insert into contact_field (workspace_id, field_definition_id, api_name, display_name, value_type, is_editable,
        status, management_mode, provenance_kind, show_in_people_list_default, created_at, updated_at)
      select ${workspace}, id, name, name, type, true, status, 'org_managed', 'api', false, now(), now()
      from unnest(${fields.map((each) => each.id)}::uuid[], ${fields.map((each) => each.apiName)}::text[],
        ${fields.map((each) => each.valueType)}::text[], ${fields.map((each) => each.status)}::text[])
        as f (id, name, type, status)`
    yield* sql`
      insert into list (workspace_id, list_id, kind, name, name_folded, slug, member_count, created_at, updated_at)
      select ${workspace}, id, 'static', id::text, id::text, id::text, 0, now(), now() from unnest(${lists}::uuid[]) as l (id)`
    yield* sql`
      insert into contact select (jsonb_populate_recordset(null::contact, ${JSON.stringify(contacts)}::jsonb)).*`
    yield* sql`
      insert into activity (workspace_id, contact_id, at, type, metadata)
      select ${workspace}, a.contact_id, a.at, a.type, '{}'
      from jsonb_populate_recordset(null::activity, ${JSON.stringify(activities)}::jsonb) as a`
    yield* sql`
      insert into list_member (workspace_id, list_id, contact_id, added_at)
      select ${workspace}, m.list_id, m.contact_id, now()
      from jsonb_populate_recordset(null::list_member, ${JSON.stringify(members)}::jsonb) as m`
  })

const positives = new Map([
  ["not_equals", "equals"],
  ["not_contains", "contains"],
  ["is_not_empty", "is_empty"],
] as const)

/** The tree whose picks are the others; none for archived fields, which pick nobody under either operator. */
const positiveOf = (tree: RuleTree): RuleTree | undefined => {
  const [leaf] = conditionsOf(tree)
  if (leaf?.source !== "contact" && leaf?.source !== "custom_field") return undefined
  if (leaf.source === "custom_field" && ruleIssues(tree, fields).length > 0) return undefined
  for (const [negative, operator] of positives) {
    if (leaf.operator === negative) return { ...tree, conditions: [{ ...leaf, operator }] }
  }
  return undefined
}

const compared = fields.map((field) => ({ ...field, column: null }))

layer(postgres, { timeout: "30 seconds", excludeTestServices: true })("rules on PostgreSQL", (it) => {
  const begin = Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const workspace = yield* (yield* Fresh).workspace()
    const draw = drawFrom(seed)
    const subjects = Array.from({ length: contacts_count }, (_, index) => drawSubject(draw, index))
    yield* fenced(sql)(workspace, populate(sql, workspace, subjects))
    const picked = Effect.fnUntraced(function* (tree: RuleTree) {
      const rows = yield* fenced(sql)(
        workspace,
        sql<{ readonly contact_id: string }>`
          select c.contact_id from contact c
          where c.workspace_id = ${workspace} and ${ruleCondition(sql, workspace, tree, { fields: compared, now })}
          order by c.contact_id`,
      )
      return rows.map((row) => row.contact_id)
    })
    return { sql, workspace, draw, subjects, picked }
  })

  // Archived fields can't be named by a new tree, but by one that was there before.
  const known = { fields: fields.map((each) => ({ ...each, status: "active" as const })), staticLists: new Set(lists) }

  it.effect(
    "store and evaluator agree on random trees over random contacts",
    () =>
      Effect.gen(function* () {
        const { draw, subjects, picked } = yield* begin
        let telling = 0
        for (let count = 0; count < trees; count++) {
          const json = drawTree(draw)
          const tree = Result.getOrThrow(parseRules(json, known))
          const holds = compileRules(tree, { fields, now })
          const expected = subjects.filter(holds).map((subject) => subject.contact.id)
          const got = yield* picked(tree)
          const odd = subjects.find(({ contact }) => got.includes(contact.id) !== expected.includes(contact.id))
          if (odd !== undefined) {
            assert.fail(
              `seed ${seed}, tree ${count}: the evaluator says ${holds(odd)} of ${JSON.stringify(odd, null, 1)} under ${JSON.stringify(tree, null, 1)}`,
            )
          }
          if (got.length > 0 && got.length < subjects.length) telling++
        }
        assert.isAbove(telling, trees / 3, "most trees must tell contacts apart, or nothing is compared")
      }),
    { timeout: 30_000 + trees * 60 },
  )

  it.effect("store and evaluator agree on every operator with every border, and negatives pick the others", () =>
    Effect.gen(function* () {
      const { sql, workspace, subjects } = yield* begin
      const every = everyComparison.map((json) => Result.getOrThrow(parseRules(json, known)))
      const asked = every.flatMap((tree) => [tree, positiveOf(tree)].filter((each) => each !== undefined))
      // Many in one question: a condition that is null in a WHERE clause picks nobody.
      const picks = yield* Effect.forEach(Arr.chunksOf(asked, 60), (trees) =>
        fenced(sql)(
          workspace,
          sql<{ readonly held: ReadonlyArray<boolean> }>`
            select array[${sql.csv(trees.map((tree) => sql`(${ruleCondition(sql, workspace, tree, { fields: compared, now })}) is true`))}] as held
            from contact c where c.workspace_id = ${workspace} order by c.contact_id`,
        ).pipe(Effect.map((rows) => trees.map((tree, at) => [tree, rows.map(({ held }) => held[at])] as const))),
      )
      const held = new Map(picks.flat())
      for (const tree of asked) {
        const expected = subjects.map(compileRules(tree, { fields, now }))
        assert.deepStrictEqual(held.get(tree), expected, `seed ${seed}: ${JSON.stringify(tree)}`)
      }
      for (const tree of every) {
        const positive = positiveOf(tree)
        if (positive === undefined) continue
        const others = subjects.map(compileRules(positive, { fields, now })).map((yes) => !yes)
        assert.deepStrictEqual(held.get(tree), others, JSON.stringify(tree))
      }
    }),
  )

  it.effect("another workspace's contacts are not picked", () =>
    Effect.gen(function* () {
      const { sql, workspace, subjects } = yield* begin
      const other = yield* (yield* Fresh).workspace()
      const tree: RuleTree = {
        kind: "group",
        operator: "and",
        conditions: [{ kind: "condition", source: "contact", field: "phone", operator: "is_not_empty" }],
      }
      const count = (asked: WorkspaceId) =>
        Effect.map(
          fenced(sql)(
            asked,
            sql`select 1 from contact c where c.workspace_id = ${asked} and ${ruleCondition(sql, asked, tree, { fields: compared, now })}`,
          ),
          (rows) => rows.length,
        )
      assert.strictEqual(yield* count(workspace), subjects.length)
      assert.strictEqual(yield* count(other), 0)
    }),
  )

  it.effect("each kind of list is a condition", () =>
    Effect.gen(function* () {
      const { sql, workspace, subjects } = yield* begin
      const [first = lists[0]] = lists
      if (first === undefined) return assert.fail("no list")
      const held = (list: Parameters<typeof audienceCondition>[2]) =>
        Effect.map(
          fenced(sql)(
            workspace,
            sql`select 1 from contact c where c.workspace_id = ${workspace} and ${audienceCondition(sql, workspace, list, { fields: compared, now })}`,
          ),
          (rows) => rows.length,
        )
      const members = subjects.filter((subject) => subject.lists.has(first)).length
      const gone = subjects.filter((subject) => subject.contact.unsubscribed).length
      assert.isAbove(members, 0)
      assert.strictEqual(yield* held({ id: first, kind: "static" }), members)
      assert.strictEqual(yield* held({ id: first, kind: "dynamic", rules: null }), 0)
      assert.strictEqual(yield* held({ id: first, kind: "system", systemList: "all_contacts" }), subjects.length)
      assert.strictEqual(yield* held({ id: first, kind: "system", systemList: "unsubscribed" }), gone)
      const tree = Result.getOrThrow(
        parseRules({ kind: "condition", source: "list_membership", listId: first, operator: "is_not_member" }, known),
      )
      assert.strictEqual(yield* held({ id: first, kind: "dynamic", rules: tree }), subjects.length - members)
    }),
  )

  it.effect("facts are told of what is mentioned, in this workspace only", () =>
    Effect.gen(function* () {
      const { workspace } = yield* begin
      const facts = yield* RuleFactsStore
      const mentioned = { fields: fields.map((each) => each.id), lists }
      const told = yield* facts.of(workspace, mentioned)
      assert.deepStrictEqual(
        [...told.fields].sort((left, right) => (left.id < right.id ? -1 : 1)),
        fields,
      )
      assert.deepStrictEqual(told.staticLists, new Set(lists))
      const other = yield* (yield* Fresh).workspace()
      assert.deepStrictEqual(yield* facts.of(other, mentioned), { fields: [], staticLists: new Set<ListId>() })
      assert.deepStrictEqual(yield* facts.of(workspace, mentionedIn({ kind: "group" })), {
        fields: [],
        staticLists: new Set<ListId>(),
      })
    }),
  )
})
