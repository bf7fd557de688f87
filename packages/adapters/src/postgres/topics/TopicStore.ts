// `TopicStore` on PostgreSQL.
import type { PgClient } from "@effect/sql-pg"
import type { TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { fold } from "@tentpole/core/kernel/Text"
import type { TopicChange } from "@tentpole/core/topics/machine"
import type { Topic } from "@tentpole/core/topics/Topic"
import { usesBy } from "@tentpole/core/topics/TopicErrors"
import { type CountedTopic, TopicStore } from "@tentpole/core/topics/TopicStore"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import { lockName } from "../kernel/AdvisoryLocks.ts"
import { texts } from "../kernel/Arrays.ts"
import { fromRow, requireRow, type RowOf } from "../kernel/Instants.ts"
import { flowsUsingTopic } from "../flows/FlowUses.ts"
import { storeLayer } from "../StoreLayer.ts"
import { topicColumns } from "./ConsentRows.ts"

type Sql = PgClient.PgClient

const required = requireRow("topic")

type CountedRow = RowOf<Topic> & { readonly count: number }

const counted = (sql: Sql, workspace: WorkspaceId, where: Statement.Fragment) =>
  Effect.map(
    sql<CountedRow>`
      select ${sql.literal(topicColumns)}, (
        select case o.default_subscription
          when 'subscribed' then coalesce((
            select sum(c.contacts) - sum(c.unsubscribed) from contact_tally c where c.workspace_id = ${workspace}), 0)
            - coalesce(sum(t.not_subscribed), 0)
          else coalesce(sum(t.subscribed), 0) end
        from topic_tally t where t.workspace_id = ${workspace} and t.topic_id = o.topic_id)::int as count
      from topic o where o.workspace_id = ${workspace} and ${where}
      order by o.position, o.name_folded`,
    (rows) => rows.map(({ count, ...row }): CountedTopic => ({ topic: fromRow<Topic>(row), subscribedCount: count })),
  )

const topics = (sql: Sql, workspace: WorkspaceId, where: Statement.Fragment) =>
  Effect.map(
    sql<RowOf<Topic>>`
      select ${sql.literal(topicColumns)} from topic o where o.workspace_id = ${workspace} and ${where}`,
    (rows) => rows.map(fromRow<Topic>),
  )

/** Every room that names topics has a branch here. In the transaction that begins a use it locks the topic with `for key share`. */
const usesOf = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, id: TopicId) {
  type Named = { readonly id: string; readonly name: string }
  const blasts = yield* sql<Named>`
    select b.blast_id as id, b.name from blast b
    where b.workspace_id = ${workspace} and b.topic_id = ${id} order by b.name collate "C", b.blast_id`
  const flows = yield* sql<Named>`
    select f.flow_id as id, f.name from flow f
    where ${flowsUsingTopic(sql, workspace, id)} order by f.name collate "C", f.flow_id`
  const forms = yield* sql<Named>`
    select f.tent_id as id, f.form_id as name from form_consent f
    where f.workspace_id = ${workspace} and ${id}::uuid = any(f.topic_ids) order by f.form_id, f.tent_id`
  const [row] = yield* sql<{ readonly count: number }>`
    select count(*)::int as count from topic_choice h where h.workspace_id = ${workspace} and h.topic_id = ${id}`
  return usesBy({ blasts, flows, forms, contacts: row?.count ?? 0 })
})

const lockForDelete = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, id: TopicId) {
  const topic = yield* Effect.flatMap(topics(sql, workspace, sql`o.topic_id = ${id} for update`), required)
  // A statement of its own sees uses that were committed while the first one waited for the lock.
  return { topic, uses: yield* usesOf(sql, workspace, id) }
})

const columnsOf = (topic: Topic) => ({
  name: topic.name,
  name_folded: fold(topic.name),
  description: topic.description,
  visibility: topic.visibility,
  double_opt_in: topic.doubleOptIn,
  position: topic.position,
  status: topic.status,
  updated_at: DateTime.formatIso(topic.updatedAt),
})

const insert = (sql: Sql, workspace: WorkspaceId, topic: Topic) => sql`
  insert into topic ${sql.insert({
    workspace_id: workspace,
    topic_id: topic.id,
    slug: topic.slug,
    default_subscription: topic.defaultSubscription,
    created_at: DateTime.formatIso(topic.createdAt),
    ...columnsOf(topic),
  })}`

const apply = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, { after, before }: TopicChange) {
  if (before === null) {
    if (after !== null) yield* insert(sql, workspace, after)
    return
  }
  const it = sql`workspace_id = ${workspace} and topic_id = ${before.id}`
  const written =
    after === null
      ? yield* sql`delete from topic where ${it} returning 1`
      : after === before
        ? [1]
        : yield* sql`
            update topic set ${sql.update(columnsOf(after))}
            where ${it} and updated_at = ${DateTime.formatIso(before.updatedAt)} returning 1`
  if (written.length !== 1)
    return yield* Effect.die(`topic ${before.id} is not what the change was decided on: lock it`)
})

export const layer = storeLayer(TopicStore, ({ sql, within, write, writer }) => ({
  list: (workspace) => within(workspace, counted(sql, workspace, sql`true`)),
  get: (workspace, id) => within(workspace, Effect.flatMap(counted(sql, workspace, sql`o.topic_id = ${id}`), required)),
  many: (workspace, ids) => within(workspace, topics(sql, workspace, sql`o.topic_id = any(${texts(ids)}::uuid[])`)),
  lock: (workspace) =>
    write(workspace, Effect.andThen(lockName(sql, "topics", workspace), topics(sql, workspace, sql`true`))),
  lockForDelete: (workspace, id) => write(workspace, lockForDelete(sql, workspace, id)),
  apply: (workspace, change) =>
    write(workspace, Effect.andThen(apply(sql, workspace, change), writer.writeEffects(workspace, [change]))),
}))
