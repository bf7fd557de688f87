// Populations as PostgreSQL has them, and what it answers of them to a rule tree: where a disagreement with the evaluator is
// found, and made small enough to be read.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/postgres/Postgres"
import { numberColumn } from "@tentpole/adapters/postgres/NumberColumns"
import { countingCondition } from "@tentpole/adapters/postgres/Counting"
import { type ComparedField, ruleCondition } from "@tentpole/adapters/postgres/Segment"
import { customValue } from "@tentpole/core/contacts/Contact"
import { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { ContactStore } from "@tentpole/core/contacts/ContactStore"
import { Fresh } from "@tentpole/core/contract"
import type { ContactId, WorkspaceId } from "@tentpole/core/Ids"
import { compileRules, type RuleReading, type RuleSubject } from "@tentpole/core/segments/Evaluate"
import { conditionsOf, type RuleNode, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { Transactor } from "@tentpole/core/Transactor"
import { DateTime, Effect } from "effect"
import { fields, lists, type Population } from "./RuleDraws.ts"

/** As the store compares them: of the fields of a type, every other one has a column, the rest stay in the JSON. */
export const compared: ReadonlyArray<ComparedField> = ["number", "date"]
  .flatMap((type) => fields.filter(({ valueType }) => valueType === type).filter((_, index) => index % 2 === 0))
  .reduce<ReadonlyArray<ComparedField>>(
    (all, lent, index) =>
      all.map((field) => (field.id === lent.id ? { ...field, column: numberColumn(index + 1) } : field)),
    fields.map((field) => ({ ...field, column: null })),
  )

const populateFields = Effect.fnUntraced(function* (workspace: WorkspaceId) {
  const sql = yield* PgClient.PgClient
  const definitions = compared.map(({ id, apiName, valueType, status, column }) => ({
    workspace_id: workspace,
    field_definition_id: id,
    api_name: apiName,
    display_name: apiName,
    value_type: valueType,
    is_editable: true,
    status,
    management_mode: "org_managed",
    provenance_kind: "api",
    show_in_people_list_default: false,
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-01-01T00:00:00Z",
    number_column: column === null ? null : Number(column.replace("number_", "")),
  }))
  yield* sql`
    insert into contact_field
    select (jsonb_populate_recordset(null::contact_field, ${JSON.stringify(definitions)}::jsonb)).*`
})

/** What the store can't be told through its port: timelines, memberships, and when somebody last did something. */
const populateBesides = Effect.fnUntraced(function* (workspace: WorkspaceId, { subjects }: Population) {
  const sql = yield* PgClient.PgClient
  const activities = subjects.flatMap(({ contact, activities: [, ...others] }) =>
    others.map(({ type, at }) => ({ contact_id: contact.id, type, at: DateTime.formatIso(at) })),
  )
  const last = subjects.flatMap(({ contact: { id, lastActivityAt } }) =>
    lastActivityAt === null ? [] : [{ contact_id: id, last_activity_at: DateTime.formatIso(lastActivityAt) }],
  )
  const members = subjects.flatMap(({ contact, lists }) =>
    [...lists].map((list_id) => ({ list_id, contact_id: contact.id })),
  )
  yield* sql`
    insert into list (workspace_id, list_id, kind, name, name_folded, slug, member_count, created_at, updated_at)
    select ${workspace}, id, 'static', id::text, id::text, id::text, 0, now(), now() from unnest(${lists}::uuid[]) as l (id)`
  yield* sql`
    insert into activity (workspace_id, contact_id, at, type, metadata)
    select ${workspace}, a.contact_id, a.at, a.type, '{}'
    from jsonb_populate_recordset(null::activity, ${JSON.stringify(activities)}::jsonb) as a`
  yield* sql`
    update contact c set last_activity_at = l.last_activity_at
    from jsonb_populate_recordset(null::contact, ${JSON.stringify(last)}::jsonb) as l
    where c.workspace_id = ${workspace} and c.contact_id = l.contact_id`
  yield* sql`
    insert into list_member (workspace_id, list_id, contact_id, added_at)
    select ${workspace}, m.list_id, m.contact_id, now()
    from jsonb_populate_recordset(null::list_member, ${JSON.stringify(members)}::jsonb) as m`
})

/** A workspace of its own with these people in it, written by the store as any caller's are. */
export const populated = Effect.fnUntraced(function* (population: Population) {
  const sql = yield* PgClient.PgClient
  const store = yield* ContactStore
  const { transact } = yield* Transactor
  const workspace = yield* (yield* Fresh).workspace()
  const steps = population.subjects.map(({ contact, activities: [made] }) => ({
    before: null,
    after: contact,
    at: made?.at ?? population.now,
  }))
  yield* transact(
    Effect.gen(function* () {
      yield* fenced(sql)(workspace, populateFields(workspace))
      yield* store.apply(workspace, ContactsChange.of(steps))
      yield* fenced(sql)(workspace, populateBesides(workspace, population))
    }),
  )
  return workspace
})

/** The contacts that a tree picks, and how many the store counts; of all, or whether of one alone. */
export const picks = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  tree: RuleTree,
  reading: RuleReading,
  one?: ContactId,
) {
  const sql = yield* PgClient.PgClient
  const compiled = { ...reading, fields: compared }
  const condition = ruleCondition(sql, workspace, tree, compiled)
  const among = one === undefined ? sql.literal("") : sql` and c.contact_id = ${one}`
  return yield* fenced(sql)(
    workspace,
    Effect.gen(function* () {
      const rows = yield* sql<{ readonly contact_id: string }>`
        select c.contact_id from fenced_contact c where c.workspace_id = ${workspace} and ${condition}${among} order by c.contact_id`
      const counting = yield* countingCondition(sql, workspace, tree, compiled)
      const [counted] = yield* sql<{ readonly count: number }>`
        select count(*)::int as count from fenced_contact c where c.workspace_id = ${workspace} and ${counting}${among}`
      return { ids: rows.map((row) => row.contact_id), count: counted?.count }
    }),
  )
})

/** Where store and evaluator part: of whom, and under the smallest tree for which they still do. */
export interface Disagreement {
  readonly tree: RuleTree
  readonly subject: RuleSubject
  readonly evaluator: boolean
}

/** The disagreement about a tree, if there is one, among people who are there in the order of their ids. */
export const disagreement = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  tree: RuleTree,
  reading: RuleReading,
  { subjects }: Population,
) {
  const holds = compileRules(tree, reading)
  const { ids, count } = yield* picks(workspace, tree, reading)
  const picked = new Set(ids)
  const subject = subjects.find((each) => holds(each) !== picked.has(each.contact.id))
  if (subject === undefined && count !== ids.length) {
    return yield* Effect.die(new Error(`${ids.length} are picked, ${count} counted under ${JSON.stringify(tree)}`))
  }
  if (subject === undefined) return { found: undefined, picked: ids.length }
  const parts = (smaller: RuleTree) =>
    Effect.map(
      picks(workspace, smaller, reading, subject.contact.id),
      (one) => compileRules(smaller, reading)(subject) !== one.ids.length > 0,
    )
  const smallest = yield* shrunk(tree, parts)
  const found: Disagreement = { tree: smallest, subject, evaluator: compileRules(smallest, reading)(subject) }
  return { found, picked: ids.length }
})

/** The first smaller tree that still fails, and so on until none does. */
const shrunk = <E, R>(
  tree: RuleTree,
  fails: (tree: RuleTree) => Effect.Effect<boolean, E, R>,
): Effect.Effect<RuleTree, E, R> =>
  Effect.gen(function* () {
    for (const smaller of smallerThan(tree)) if (yield* fails(smaller)) return yield* shrunk(smaller, fails)
    return tree
  })

const alone = (node: RuleNode): RuleTree =>
  node.kind === "group" ? node : { kind: "group", operator: "and", conditions: [node] }

/** A part of the tree by itself, or the tree with a part of it smaller or left out. */
const smallerThan = (tree: RuleTree): ReadonlyArray<RuleTree> => [
  ...(tree.conditions.length === 1 && tree.conditions[0]?.kind === "condition" ? [] : tree.conditions.map(alone)),
  ...tree.conditions.flatMap((node, at) => {
    const others = (inPlace: ReadonlyArray<RuleNode>): RuleTree => ({
      ...tree,
      conditions: tree.conditions.toSpliced(at, 1, ...inPlace),
    })
    const without = tree.conditions.length > 1 ? [others([])] : []
    return [...without, ...(node.kind === "group" ? smallerThan(node).map((smaller) => others([smaller])) : [])]
  }),
]

/** As text, with what is not ASCII by its code: two forms of one letter look alike. */
const legible = (value: unknown): string =>
  JSON.stringify(value, null, 1).replace(
    /[^\n -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

/** A disagreement in words, with as much of the contact as its tree asks for. */
export const told = ({ tree, subject, evaluator }: Disagreement, { now }: Population): string => {
  const asked = conditionsOf(tree).map((condition) => {
    switch (condition.source) {
      case "contact":
        return { [condition.field]: subject.contact[condition.field] }
      case "custom_field": {
        const field = fields.find((each) => each.id === condition.fieldDefinitionId)
        return { ...field, value: field === undefined ? null : customValue(subject.contact, field.apiName) }
      }
      case "activity":
        return { now, activities: subject.activities.filter(({ type }) => type === condition.activityType) }
      case "list_membership":
        return { lists: [...subject.lists] }
    }
  })
  return [
    `of contact ${subject.contact.id} the evaluator says ${evaluator}, the store ${!evaluator}`,
    `under ${legible(tree)}`,
    `who has ${legible(asked)}`,
  ].join("\n")
}
