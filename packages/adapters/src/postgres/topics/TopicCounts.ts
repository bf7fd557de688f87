// Stored numbers of what people chose for topics, without people who are unsubscribed altogether. Every statement that changes choices,
// or whether a contact is unsubscribed, moves them.
import type { PgClient } from "@effect/sql-pg"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { ChoicesChange } from "@tentpole/core/topics/ChoicesChange"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"
import { counterShard } from "../kernel/Postgres.ts"
import { moveContactCount } from "../lists/StoredCounts.ts"

type Sql = PgClient.PgClient

/** Adds rows `d (topic_id, subscribed, not_subscribed)` to the counts, in the order of the topics, so that two do not wait for each other in a circle. */
const addCounts = (sql: Sql, workspace: WorkspaceId, differences: Statement.Fragment) =>
  Effect.flatMap(
    counterShard(64),
    (shard) => sql`
      insert into topic_tally as t (workspace_id, topic_id, shard, subscribed, not_subscribed)
      select ${workspace}, d.topic_id, ${shard}::smallint, d.subscribed, d.not_subscribed from (${differences}) as d
      where d.subscribed <> 0 or d.not_subscribed <> 0
      order by d.topic_id
      on conflict (workspace_id, topic_id, shard) do update set
        subscribed = t.subscribed + excluded.subscribed, not_subscribed = t.not_subscribed + excluded.not_subscribed`,
  )

/** Counts (1) or no longer counts (-1) the choices of these contacts. */
export const moveTopicCounts = (sql: Sql, workspace: WorkspaceId, contacts: ReadonlyArray<ContactId>, sign: 1 | -1) =>
  contacts.length === 0
    ? Effect.void
    : Effect.asVoid(
        addCounts(
          sql,
          workspace,
          sql`
            select h.topic_id, ${sign}::int * (count(*) filter (where h.status = 'subscribed'))::int as subscribed,
              ${sign}::int * (count(*) filter (where h.status <> 'subscribed'))::int as not_subscribed
            from topic_choice h
            where h.workspace_id = ${workspace} and h.contact_id = any(${texts(contacts)}::uuid[])
            group by h.topic_id`,
        ),
      )

/** Moves the counts by a change of choices. Contacts that are unsubscribed altogether count nowhere. */
export const countChoices = (sql: Sql, workspace: WorkspaceId, moves: ChoicesChange["moves"]) =>
  addCounts(
    sql,
    workspace,
    sql`
      select m.topic_id,
        ((count(*) filter (where m.after = 'subscribed')) - (count(*) filter (where m.before = 'subscribed')))::int as subscribed,
        ((count(*) filter (where m.after <> 'subscribed')) - (count(*) filter (where m.before <> 'subscribed')))::int as not_subscribed
      from unnest(${texts(moves.map(({ contactId }) => contactId))}::uuid[],
        ${texts(moves.map(({ topicId }) => topicId))}::uuid[], ${texts(moves.map(({ before }) => before))}::text[],
        ${texts(moves.map(({ after }) => after?.status ?? null))}::text[]) as m (contact_id, topic_id, before, after)
      join contact c on c.workspace_id = ${workspace} and c.contact_id = m.contact_id and not c.unsubscribed
      group by m.topic_id`,
  )

/** Contacts that become unsubscribed altogether, or no longer are. Their flags are about to be written. */
export const moveUnsubscribed = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { left, returned }: { readonly left: ReadonlyArray<ContactId>; readonly returned: ReadonlyArray<ContactId> },
) {
  if (left.length + returned.length === 0) return
  yield* Effect.flatten(moveContactCount(sql, workspace, { contacts: 0, unsubscribed: left.length - returned.length }))
  yield* moveTopicCounts(sql, workspace, left, -1)
  yield* moveTopicCounts(sql, workspace, returned, 1)
})
