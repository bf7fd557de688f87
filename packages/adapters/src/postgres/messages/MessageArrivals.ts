// The arrival of single messages: the hint and the notification that bring a worker to them at once.
import type { PgClient } from "@effect/sql-pg"
import type { AcceptedMessage } from "@tentpole/core/messages/EmailMessageStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect, Latch, Schedule, Scope, Stream } from "effect"
import { hintDueAt } from "../kernel/DueWork.ts"
import { iso } from "../kernel/Instants.ts"
import { Notifications } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

/** The NOTIFY channel of workspaces that had nothing to send. */
export const messages_channel = "tentpole_messages"

/** When the first of the messages is due; null: now. Undefined: none of them waits. */
const dueOf = (messages: ReadonlyArray<AcceptedMessage>): DateTime.Utc | null | undefined =>
  messages.reduce<DateTime.Utc | null | undefined>((due, { message: { scheduledAt, state } }) => {
    if (state !== "queued" || due === null) return due
    return due === undefined || scheduledAt === null || DateTime.isLessThan(scheduledAt, due) ? scheduledAt : due
  }, undefined)

/** The latest hints among which one of the same workspace is looked for. */
const hints_max = 20

/**
 * The columns of a statement that hint at new messages, and notify a worker that may wait. Notifications make commits wait for each
 * other, and there is none where a worker comes soon anyway: the workspace is due, or an earlier hint waits, which had its own.
 */
export const announcement = (sql: Sql, workspace: WorkspaceId, messages: ReadonlyArray<AcceptedMessage>) => {
  const due = dueOf(messages)
  if (due === undefined) return sql`null as hinted`
  const at = iso(due)
  return sql`
    hint_due('messages', ${workspace}, coalesce(${at}::timestamptz, clock_timestamp())) as hinted,
    (select pg_notify(${messages_channel}, '') from due_work
      where kind = 'messages' and workspace_id = ${workspace} and ${at}::timestamptz is null and due_at > clock_timestamp()
        and not exists (
          select from (select kind, workspace_id from due_hint order by position desc limit ${hints_max}) as h
          where h.kind = 'messages' and h.workspace_id = ${workspace}))
      as notified`
}

/** The same as statements of their own, for a distributed database: they read other nodes. */
export const announce = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  messages: ReadonlyArray<AcceptedMessage>,
) {
  const due = dueOf(messages)
  if (due === undefined) return
  if (due !== null) return yield* hintDueAt(sql, "messages", workspace, due)
  yield* hintMessages(sql, workspace)
  const resting = yield* sql`
    select 1 from due_work where kind = 'messages' and workspace_id = ${workspace} and due_at > clock_timestamp()`
  if (resting.length > 0) yield* sql`select pg_notify(${messages_channel}, '')`
})

/** Makes a worker look at the line of a workspace at a time, if it has one. */
export const hintMessages = (sql: Sql, workspace: WorkspaceId, in_s = 0) =>
  Effect.asVoid(sql`select hint_due('messages', ${workspace}, clock_timestamp() + make_interval(secs => ${in_s}))`)

/** Waits for a notification of another process, or of this one. It listens from its first use on. */
export const messageArrivals = Effect.gen(function* () {
  const notifications = yield* Notifications
  const scope = yield* Scope.Scope
  const arrived = yield* Latch.make(false)
  const listen = notifications.listen(messages_channel).pipe(
    Effect.map(Stream.fromQueue),
    Stream.unwrap,
    Stream.runForEach(() => arrived.open),
    Effect.scoped,
    Effect.tapCause(() => Effect.logDebug("notifications of messages are not received; trying again")),
    Effect.retry(Schedule.spaced("1 second")),
  )
  const begin = yield* Effect.cached(Effect.forkIn(listen, scope))
  return Effect.andThen(begin, Effect.andThen(arrived.await, arrived.close))
})
