// Choices and consent records of a contact that is merged into another one.
import type { PgClient } from "@effect/sql-pg"
import type { MergePair } from "@tentpole/core/contacts/Merge"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ownSources, strictestFirst } from "@tentpole/core/topics/Topic"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { homeOf } from "../citus/Home.ts"
import { recordColumns } from "./ConsentRows.ts"
import { moveTopicCounts } from "./TopicCounts.ts"

/** `isStricter` of core, as the order of rows. */
const rank = (row: string): string => `array_position(o.statuses, ${row}.status), ${row}.source <> all(o.own)`

/**
 * The target gets the stricter one of two choices for a topic. The source's rows stay until it is deleted. The service may not update
 * records, so they are deleted and inserted again.
 */
export const moveConsent = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  { source, target }: MergePair<ContactId>,
) {
  const mailed = (yield* sql<{ readonly id: ContactId }>`
    select contact_id as id from contact
    where workspace_id = ${workspace} and contact_id = any(${texts([source, target])}::uuid[]) and not unsubscribed`).map(
    ({ id }) => id,
  )
  yield* moveTopicCounts(sql, workspace, mailed, -1)
  yield* sql`
    insert into topic_choice (workspace_id, topic_id, contact_id, status, source, changed_at)
    select ${workspace}, s.topic_id, ${target}, s.status, s.source, s.changed_at
    from topic_choice s
    cross join (select ${texts(strictestFirst)}::text[] as statuses, ${texts(ownSources)}::text[] as own) as o
    left join topic_choice t on t.workspace_id = ${workspace} and t.topic_id = s.topic_id and t.contact_id = ${target}
    where s.workspace_id = ${workspace} and s.contact_id = ${source}
      and (t.topic_id is null or (${sql.literal(rank("s"))}) < (${sql.literal(rank("t"))}))
    on conflict (workspace_id, topic_id, contact_id) do update set
      status = excluded.status, source = excluded.source, changed_at = excluded.changed_at`
  yield* moveTopicCounts(
    sql,
    workspace,
    mailed.filter((id) => id === target),
    1,
  )
  yield* sql`
    with moved as (
      delete from consent_record where workspace_id = ${workspace} and contact_id = ${source}
      returning ${sql.literal(recordColumns.join(", "))}),
    written as (
      insert into consent_record (workspace_id, contact_id, ${sql.literal(recordColumns.join(", "))})
      select home.workspace_id, ${target}::uuid, ${sql.literal(recordColumns.join(", "))}
      from ${homeOf(sql, workspace)} cross join moved
      returning 1)
    select 1 from written limit 1`
})
