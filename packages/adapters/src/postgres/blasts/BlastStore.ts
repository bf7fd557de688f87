// Blasts on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import type { EarlyEndReason } from "@tentpole/core/blasts/Blast"
import { type BlastQuery, type BlastSort, BlastStore } from "@tentpole/core/blasts/BlastStore"
import type { BlastChange } from "@tentpole/core/blasts/machine"
import { temporaryReasons } from "@tentpole/core/sending/Delivery"
import { BlastId, ContactId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { lockForLaunch, views } from "./BlastFacts.ts"
import { recipients } from "./BlastRecipients.ts"
import { blastColumns, type BlastRow, columnsOf, toBlast } from "./BlastRows.ts"
import { makeDue, makeDueAt } from "../kernel/DueWork.ts"
import { applyEmail } from "../emails/EmailStore.ts"
import { applyList } from "../lists/ListWrites.ts"
import { fenced, takingLong } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

const gone = new NotFound({ resource: "email blast" })

const sorts: { readonly [Sort in BlastSort]: string } = {
  updated_at: "b.updated_at",
  created_at: "b.created_at",
  name: "b.name_folded",
  scheduled_at: "b.scheduled_at",
}

const page = Effect.fnUntraced(function* (sql: Sql, ws: WorkspaceId, query: BlastQuery, now: DateTime.Utc) {
  const status =
    query.status === null
      ? sql` and b.status <> 'archived'`
      : query.status === "any"
        ? sql.literal("")
        : sql` and b.status = ${query.status}`
  const named = query.search === "" ? sql.literal("") : sql` and strpos(b.name_folded, ${fold(query.search)}) > 0`
  const chosen = sql`where b.workspace_id = ${ws} and b.purpose = 'blast'${status}${named}`
  const [counted] = yield* sql<{ readonly total: number }>`select count(*)::int as total from blast b ${chosen}`
  const order = sql.literal(`order by ${sorts[query.sortBy]} ${query.sortOrder} nulls last, b.blast_id`)
  const items = yield* views(
    sql,
    ws,
    sql`${chosen} ${order} limit ${query.limit} offset ${(query.page - 1) * query.limit}`,
    now,
  )
  return { items, total: counted?.total ?? 0 }
})

/** Not `for update`: the counters of its deliveries refer to the blast, and don't have to wait. */
const lock = Effect.fnUntraced(function* (sql: Sql, ws: WorkspaceId, id: BlastId) {
  const [row] = yield* sql<BlastRow>`
    select ${sql.literal(blastColumns)} from blast b where b.workspace_id = ${ws} and b.blast_id = ${id} and b.purpose = 'blast' for no key update`
  return row === undefined ? yield* gone : toBlast(row)
})

/** `grant_intents` takes the same lock shared, so that intents don't wait for each other, but do for this. */
const fenceIntents = (sql: Sql, id: BlastId) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${id}::uuid::text, 0))`

const write = (sql: Sql, ws: WorkspaceId, { before, after }: BlastChange) => {
  if (before === null && after !== null) {
    return sql`insert into blast ${sql.insert({
      workspace_id: ws,
      blast_id: after.id,
      ...columnsOf(after),
      created_at: DateTime.formatIso(after.createdAt),
    })} returning 1`
  }
  if (before === null) return Effect.succeed([])
  const paused = before.status === "sending" && before.paused
  const decidedOn = sql`workspace_id = ${ws} and blast_id = ${before.id} and status = ${before.status} and paused = ${paused}`
  return after === null
    ? Effect.andThen(takingLong(sql), sql`delete from blast where ${decidedOn} returning 1`)
    : sql`update blast set ${sql.update(columnsOf(after))} where ${decidedOn} returning 1`
}

const apply = Effect.fnUntraced(function* (
  sql: Sql,
  writer: ChangeWriter["Service"],
  ws: WorkspaceId,
  change: BlastChange,
) {
  for (const list of change.lists) yield* applyList(sql, ws, list)
  // An email that is made for a blast is not written by the AI, and takes no credits.
  if (change.email !== null) yield* Effect.orDie(applyEmail(sql, ws, change.email))
  const written = yield* write(sql, ws, change)
  if (written.length !== 1) return yield* Effect.die("the blast is not what the change was decided on: lock it first")
  yield* writer.writeEffects(ws, [change])
  if (change.wakesSenders) yield* makeDue(sql, "deliveries", ws)
  if (change.scheduleDueAt !== null) yield* makeDueAt(sql, "blasts", ws, change.scheduleDueAt)
})

/**
 * Rows that a sender is taking at this moment are skipped: waiting for them could be waiting for each other. Queued and
 * claimed ones are looked for one by one, since each has an index of its own. The rows are found by their ids, as an array:
 * no plan reads all deliveries for them, whatever the statistics say.
 */
const endOpen = (sql: Sql, ws: WorkspaceId, id: BlastId, ending: EarlyEndReason, limit: number) => {
  const standing = (phase: "queued" | "leased", state: "queued" | "claimed") => sql`
    select delivery_id from delivery
    where workspace_id = ${ws} and blast_id = ${id} and phase = ${sql.literal(`'${phase}'`)}
      and state = ${sql.literal(`'${state}'`)}
    limit ${limit}
    for update skip locked`
  return sql`
    with queued as materialized (${standing("queued", "queued")}),
    claimed as materialized (${standing("leased", "claimed")}),
    open as (select delivery_id from queued union all select delivery_id from claimed limit ${limit})
    update delivery d set state = ${ending === "cancelled" ? "blocked" : "failed"}, reason = ${ending}, token = null,
      lease_until = null
    where d.workspace_id = ${ws} and d.delivery_id = any(array(select delivery_id from open))
    returning 1`
}

/**
 * By the index of contacts within a blast: a retry reads through it once, whatever its batches. Whose row is being settled
 * late at this moment is waited for, and left when it turned out to be sent.
 */
const requeue = Effect.fnUntraced(function* (
  sql: Sql,
  ws: WorkspaceId,
  id: BlastId,
  { after, includeUnconfirmed, limit }: Parameters<BlastStore["Service"]["requeue"]>[2],
) {
  const behind = after === null ? sql.literal("") : sql` and d.contact_id > ${after}`
  const rows = yield* sql<{ readonly contact_id: string }>`
    with retried as materialized (
      select d.delivery_id from delivery d
      where d.workspace_id = ${ws} and d.blast_id = ${id}${behind}
        and (d.state = 'failed' and d.reason = any(${texts([...temporaryReasons])})
          or d.state = 'unconfirmed' and ${includeUnconfirmed}::boolean)
      order by d.contact_id
      limit ${limit}
      for update)
    update delivery d set state = 'queued', reason = null, token = null, lease_until = null, attempts = 0,
      due_at = clock_timestamp(), handed_over_at = null
    where d.workspace_id = ${ws} and d.delivery_id = any(array(select delivery_id from retried))
    returning d.contact_id`
  if (rows.length > 0) yield* makeDue(sql, "deliveries", ws)
  const last = rows
    .map((row) => row.contact_id)
    .sort()
    .at(-1)
  return last === undefined ? null : ContactId.make(last)
})

const unsettled = `(select sum(queued) from delivery_tally t
  where t.workspace_id = b.workspace_id and t.blast_id = b.blast_id)`

const finished = (sql: Sql, ws: WorkspaceId, limit: number) => sql<BlastRow>`
  select ${sql.literal(blastColumns)} from blast b
  where b.workspace_id = ${ws} and b.purpose = 'blast' and b.status = 'sending' and b.audience_fixed_at is not null
    and b.retrying_since is null and coalesce(${sql.literal(unsettled)}, 0) = 0
  order by b.blast_id
  limit ${limit}
  for no key update of b skip locked`

/** What stands for the steps of a flow ends with the flow. */
const endedWithOpen = (sql: Sql, ws: WorkspaceId, limit: number) => sql<{
  readonly blast_id: string
  readonly cancelled: boolean
}>`
  select b.blast_id, b.cancelled_at is not null as cancelled from blast b
  where b.workspace_id = ${ws} and (b.audience_fixed_at is not null or b.purpose = 'flow_step')
    and (b.status in ('cancelled', 'failed')
      or b.status = 'archived' and (b.cancelled_at is not null or b.failure is not null))
    and ${sql.literal(unsettled)} > 0
  order by b.blast_id
  limit ${limit}`

export const layer = Layer.effect(
  BlastStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const writer = yield* ChangeWriter
    const within = fenced(sql)
    return BlastStore.of({
      get: (ws, id, now) =>
        within(
          ws,
          views(sql, ws, sql`where b.workspace_id = ${ws} and b.blast_id = ${id} and b.purpose = 'blast'`, now),
        ).pipe(Effect.flatMap(([view]) => (view === undefined ? Effect.fail(gone) : Effect.succeed(view)))),
      list: (ws, query, now) => within(ws, page(sql, ws, query, now)),
      lock: (ws, id) => Effect.andThen(Transaction, within(ws, lock(sql, ws, id))),
      lockAgainstIntents: (ws, id) =>
        Effect.andThen(Transaction, within(ws, Effect.andThen(fenceIntents(sql, id), lock(sql, ws, id)))),
      lockForLaunch: (ws, id, options) =>
        Effect.andThen(Transaction, within(ws, lockForLaunch(sql, ws, id, options))).pipe(
          Effect.flatMap((found) => (found === null ? Effect.fail(gone) : Effect.succeed(found))),
        ),
      apply: (ws, change) => Effect.andThen(Transaction, within(ws, apply(sql, writer, ws, change))),
      endOpen: (ws, id, ending, limit) =>
        Effect.andThen(Transaction, within(ws, endOpen(sql, ws, id, ending, limit))).pipe(
          Effect.map((rows) => rows.length),
        ),
      requeue: (ws, id, options) => Effect.andThen(Transaction, within(ws, requeue(sql, ws, id, options))),
      lockFinished: (ws, limit) =>
        Effect.andThen(Transaction, within(ws, finished(sql, ws, limit))).pipe(Effect.map((rows) => rows.map(toBlast))),
      endedWithOpen: (ws, limit) =>
        Effect.map(within(ws, endedWithOpen(sql, ws, limit)), (rows) =>
          rows.map(({ blast_id, cancelled }) => ({
            id: BlastId.make(blast_id),
            ending: cancelled ? "cancelled" : "blast_failed",
          })),
        ),
      recipients: (ws, id, query) => within(ws, recipients(sql, ws, id, query)),
    })
  }),
)
