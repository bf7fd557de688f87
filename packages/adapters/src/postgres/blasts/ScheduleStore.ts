// `ScheduleStore` on PostgreSQL: a `due_work` row for each workspace with schedules, and an index of scheduled blasts. The cost
// of finding due blasts does not depend on the number of drafts or workspaces.
import { PgClient } from "@effect/sql-pg"
import { type DueSchedules, ScheduleStore } from "@tentpole/core/blasts/ScheduleStore"
import { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { byDialect, takeDue } from "../citus/Dialect.ts"
import { fencedWrites, orDefect, Reads, transactionTime } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

const takeTurns = (sql: Sql, limit: number, turn_ms: number) =>
  byDialect(sql, {
    plain: takePlainTurns(sql, limit, turn_ms),
    citus: Effect.map(takeDue(sql, ["blasts"], limit, turn_ms), (turns) => turns.map(({ workspace }) => workspace)),
  })

const takePlainTurns = (sql: Sql, limit: number, turn_ms: number) =>
  Effect.map(
    sql<{ readonly workspace_id: string; readonly was_due_at: Date }>`
      with turn as materialized (
        select workspace_id, due_at as was_due_at from due_work
        where kind = 'blasts' and due_at <= clock_timestamp()
        order by due_at
        limit ${limit}
        for update skip locked)
      update due_work d set due_at = clock_timestamp() + make_interval(secs => ${turn_ms / 1000})
      from turn where d.kind = 'blasts' and d.workspace_id = turn.workspace_id
      returning d.workspace_id, turn.was_due_at`,
    (rows) =>
      [...rows]
        .sort((left, right) => left.was_due_at.getTime() - right.was_due_at.getTime())
        .map((row) => WorkspaceId.make(row.workspace_id)),
  )

/** Compares with and returns the same database time, cut to milliseconds like all instants of the domain. */
const due = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, limit: number) {
  const [clock] = yield* sql<{ readonly now: Date }>`select date_trunc('milliseconds', clock_timestamp()) as now`
  const now = DateTime.makeUnsafe(clock?.now ?? 0)
  const rows = yield* sql<{ readonly blast_id: string }>`
    select blast_id from blast
    where workspace_id = ${workspace} and status = 'scheduled' and not restored and scheduled_at <= ${DateTime.formatIso(now)}
    order by scheduled_at, blast_id
    limit ${limit}`
  return { now, blasts: rows.map((row) => BlastId.make(row.blast_id)) } satisfies DueSchedules
})

/** The delay before the next attempt when a due blast was not launched. */
const retry_s = 1

/** Locks the row first: a transaction that schedules a blast runs before or after, never between. */
const reschedule = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId) {
  const locked = yield* sql`
    select 1 from due_work where kind = 'blasts' and workspace_id = ${workspace} for update`
  // There is no row to update. A concurrent transaction may insert one, and this call must not delete it.
  if (locked.length === 0) return
  const now = yield* transactionTime(sql)
  const [left] = yield* sql<{ readonly next: string | null; readonly isLater: boolean | null }>`
    select min(scheduled_at)::text as next, min(scheduled_at) > ${now} as "isLater" from blast where workspace_id = ${workspace} and status = 'scheduled' and not restored`
  const next = left?.next ?? null
  yield* next === null
    ? sql`delete from due_work where kind = 'blasts' and workspace_id = ${workspace}`
    : sql`
        update due_work set due_at = ${left?.isLater === true ? sql`${next}::timestamptz` : sql`${now} + make_interval(secs => ${retry_s})`}
        where kind = 'blasts' and workspace_id = ${workspace}`
})

export const layer = Layer.effect(
  ScheduleStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { within } = yield* Reads
    return ScheduleStore.of({
      takeTurns: ({ limit, turn_ms }) => Effect.andThen(Transaction, orDefect(takeTurns(sql, limit, turn_ms))),
      due: (workspace, limit) => within(workspace, due(sql, workspace, limit)),
      endTurn: (workspace) => fencedWrites(sql)(workspace, reschedule(sql, workspace)),
    })
  }),
)
