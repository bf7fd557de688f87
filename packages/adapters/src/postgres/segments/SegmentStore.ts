// `SegmentStore` on PostgreSQL: the contacts that a rule tree matches.
import type { PgClient } from "@effect/sql-pg"
import type { ActivityType } from "@tentpole/core/contacts/Activity"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { type ContactId, ListId, type TopicId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { RuleSubject } from "@tentpole/core/segments/Evaluate"
import { type RequiredFacts, requiredFactsIn } from "@tentpole/core/segments/RuleTree"
import { type Segment, type SegmentQuery, SegmentStore } from "@tentpole/core/segments/SegmentStore"
import type { TopicStatus } from "@tentpole/core/topics/Topic"
import { DateTime, Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { contactSortKeys, contactsWhere, countedPage, type Readers, searchIn } from "../contacts/ContactPages.ts"
import { activitiesOfType } from "../contacts/Timeline.ts"
import { segmentCounted } from "./SegmentCounts.ts"
import { storedTreeCount } from "../lists/StoredCounts.ts"
import { ruleCondition, withColumns } from "./RuleSql.ts"
import { storeLayer } from "../StoreLayer.ts"

type Sql = PgClient.PgClient

const pageOf = (readers: Readers, workspace: WorkspaceId, segment: Segment, query: SegmentQuery) =>
  countedPage(readers, workspace, {
    selection: (sql) =>
      Effect.map(withColumns(sql, workspace, segment.fields), (fields) => {
        const condition = ruleCondition(sql, workspace, segment.tree, { fields, now: segment.now })
        return contactsWhere(sql, workspace, condition, searchIn(sql, query.search))
      }),
    ...(query.search === null ? { counting: (sql: Sql) => segmentCounted(sql, workspace, segment) } : {}),
    ordered: { ...query, key: contactSortKeys[query.sort] },
    total: query.search === null ? storedTreeCount(workspace, segment.tree) : null,
  }).pipe(Effect.map(({ items, total }) => ({ items: items.map(({ contact }) => contact), total })))

const latestOf = (sql: Sql, workspace: WorkspaceId, type: ActivityType) => sql`(
  select ${type}::text as type, a.at from ${activitiesOfType(sql, workspace, type)} as a
  where a.contact_id = wanted.contact_id order by a.at desc limit 1)`

const latestActivities = (
  sql: Sql,
  workspace: WorkspaceId,
  contacts: ReadonlyArray<ContactId>,
  types: ReadonlyArray<ActivityType>,
) =>
  types.length === 0
    ? Effect.succeed([])
    : sql<{ readonly contact_id: string; readonly type: ActivityType; readonly at: Date }>`
        select wanted.contact_id, latest.type, latest.at
        from unnest(${texts(contacts)}::uuid[]) as wanted (contact_id)
        cross join lateral (${sql.join(" union all ", false)(types.map((type) => latestOf(sql, workspace, type)))}) as latest`

const memberships = (
  sql: Sql,
  workspace: WorkspaceId,
  contacts: ReadonlyArray<ContactId>,
  lists: ReadonlyArray<ListId>,
) =>
  lists.length === 0
    ? Effect.succeed([])
    : sql<{ readonly contact_id: string; readonly list_id: string }>`
        select m.contact_id, m.list_id from unnest(${texts(contacts)}::uuid[]) as wanted (contact_id)
        join list_member m on m.workspace_id = ${workspace} and m.contact_id = wanted.contact_id
        where m.list_id = any(${texts(lists)}::uuid[])`

interface StatusRow {
  readonly contact_id: string
  readonly topic_id: TopicId
  readonly status: TopicStatus
}

/** The recorded status, else the default of the topic. */
const topicStatuses = (
  sql: Sql,
  workspace: WorkspaceId,
  contacts: ReadonlyArray<ContactId>,
  topics: ReadonlyArray<TopicId>,
) =>
  topics.length === 0
    ? Effect.succeed([])
    : sql<StatusRow>`
        select wanted.contact_id, o.topic_id, coalesce(h.status, o.default_subscription) as status
        from unnest(${texts(contacts)}::uuid[]) as wanted (contact_id)
        join topic o on o.workspace_id = ${workspace} and o.topic_id = any(${texts(topics)}::uuid[])
        left join topic_choice h
          on h.workspace_id = ${workspace} and h.topic_id = o.topic_id and h.contact_id = wanted.contact_id`

/** The lists, topics and activities of these contacts, in their order, as far as requested. */
export const subjectsOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  contacts: ReadonlyArray<Contact>,
  { activityTypes, lists, topics }: RequiredFacts,
) {
  const ids = contacts.map(({ id }) => id)
  const activities = new Map<string, Array<RuleSubject["activities"][number]>>(ids.map((id) => [id, []]))
  for (const { contact_id, type, at } of yield* latestActivities(sql, workspace, ids, activityTypes)) {
    activities.get(contact_id)?.push({ type, at: DateTime.makeUnsafe(at) })
  }
  const listsByContact = new Map<string, Set<ListId>>(ids.map((id) => [id, new Set()]))
  for (const { contact_id, list_id } of yield* memberships(sql, workspace, ids, lists)) {
    listsByContact.get(contact_id)?.add(ListId.make(list_id))
  }
  const statuses = Map.groupBy(yield* topicStatuses(sql, workspace, ids, topics), ({ contact_id }) => contact_id)
  return contacts.map((contact): RuleSubject => ({
    contact,
    activities: activities.get(contact.id) ?? [],
    lists: listsByContact.get(contact.id) ?? new Set(),
    topics: new Map(statuses.get(contact.id)?.map(({ status, topic_id }) => [topic_id, status])),
  }))
})

export const layer = storeLayer(SegmentStore, ({ quick, long }) => ({
  list: (workspace, segment, query) => pageOf({ quick, long }, workspace, segment, query),
  subjects: (workspace, contacts, tree) =>
    contacts.length === 0
      ? Effect.succeed([])
      : quick.read(workspace, (sql) => subjectsOf(sql, workspace, contacts, requiredFactsIn(tree))),
}))
