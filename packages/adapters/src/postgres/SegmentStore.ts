// The contacts that a rule tree picks, on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import type { ActivityType } from "@tentpole/core/contacts/Activity"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { type ContactId, ListId, type WorkspaceId } from "@tentpole/core/Ids"
import type { RuleSubject } from "@tentpole/core/segments/Evaluate"
import { askedBesides, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { type Segment, type SegmentQuery, SegmentStore } from "@tentpole/core/segments/SegmentStore"
import { fold } from "@tentpole/core/Text"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "./Arrays.ts"
import { contactColumns, type ContactRow, contactSortColumns, toContact } from "./ContactStore.ts"
import { fenced, fencedApart, LongQueries } from "./Postgres.ts"
import { ruleCondition } from "./Segment.ts"

type Sql = PgClient.PgClient

const searched = [
  "display_name_folded",
  "first_name_folded",
  "last_name_folded",
  "email_folded",
  "phone",
  "company_folded",
]

/** One statement, so that the page and the total tell of one moment; only past the end nobody is there to carry the total. */
const pageOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  segment: Segment,
  { page, limit, sort, order, search }: SegmentQuery,
) {
  const matching = sql.and([
    sql`c.workspace_id = ${workspace}`,
    ruleCondition(sql, workspace, segment.tree, segment),
    ...(search === null
      ? []
      : [sql.or(searched.map((column) => sql`strpos(c.${sql.literal(column)}, ${fold(search)}) > 0`))]),
  ])
  const counted = sql`select count(*)::int as total from contact c where ${matching}`
  const rows = yield* sql<ContactRow & { readonly total: number }>`
    select ${sql.literal(contactColumns)}, (${counted}) as total from contact c where ${matching}
    order by ${sql.literal(`${contactSortColumns[sort]} ${order}`)} nulls last, c.contact_id
    limit ${limit} offset ${(page - 1) * limit}`
  const [all] = rows.length === 0 && page > 1 ? yield* sql<{ readonly total: number }>`${counted}` : rows
  return { items: rows.map(toContact), total: all?.total ?? 0 }
})

const latestActivities = (
  sql: Sql,
  workspace: WorkspaceId,
  contacts: ReadonlyArray<ContactId>,
  types: ReadonlyArray<ActivityType>,
) =>
  types.length === 0
    ? Effect.succeed([])
    : sql<{ readonly contact_id: string; readonly type: ActivityType; readonly at: Date }>`
        select asked.contact_id, named.type, latest.at
        from unnest(${texts(contacts)}::uuid[]) as asked (contact_id)
        cross join unnest(${texts(types)}) as named (type)
        cross join lateral (
          select a.at from activity a
          where a.workspace_id = ${workspace} and a.type = named.type and a.contact_id = asked.contact_id
          order by a.at desc limit 1
        ) as latest`

const memberships = (
  sql: Sql,
  workspace: WorkspaceId,
  contacts: ReadonlyArray<ContactId>,
  lists: ReadonlyArray<ListId>,
) =>
  lists.length === 0
    ? Effect.succeed([])
    : sql<{ readonly contact_id: string; readonly list_id: string }>`
        select m.contact_id, m.list_id from unnest(${texts(contacts)}::uuid[]) as asked (contact_id)
        join list_member m on m.workspace_id = ${workspace} and m.contact_id = asked.contact_id
        where m.list_id = any(${texts(lists)}::uuid[])`

const subjectsOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  contacts: ReadonlyArray<Contact>,
  tree: RuleTree,
) {
  const ids = contacts.map(({ id }) => id)
  const { activityTypes, lists } = askedBesides(tree)
  const activities = new Map<string, Array<RuleSubject["activities"][number]>>(ids.map((id) => [id, []]))
  for (const { contact_id, type, at } of yield* latestActivities(sql, workspace, ids, activityTypes)) {
    activities.get(contact_id)?.push({ type, at: DateTime.makeUnsafe(at) })
  }
  const held = new Map<string, Set<ListId>>(ids.map((id) => [id, new Set()]))
  for (const { contact_id, list_id } of yield* memberships(sql, workspace, ids, lists)) {
    held.get(contact_id)?.add(ListId.make(list_id))
  }
  return contacts.map((contact): RuleSubject => ({
    contact,
    activities: activities.get(contact.id) ?? [],
    lists: held.get(contact.id) ?? new Set(),
  }))
})

export const layer = Layer.effect(
  SegmentStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const long = yield* LongQueries
    const within = fenced(sql)
    const apart = fencedApart(long)
    return SegmentStore.of({
      page: (workspace, segment, query) => within(workspace, pageOf(sql, workspace, segment, query)),
      preview: (workspace, segment, sample_max) =>
        apart(
          workspace,
          pageOf(long, workspace, segment, {
            page: 1,
            limit: sample_max,
            sort: "created_at",
            order: "desc",
            search: null,
          }),
        ),
      subjects: (workspace, contacts, tree) =>
        contacts.length === 0 ? Effect.succeed([]) : within(workspace, subjectsOf(sql, workspace, contacts, tree)),
    })
  }),
)
