// The schedules of blasts on PostgreSQL: a row of `due_work` for each workspace that has one, and an index of what it has
// scheduled. However many drafts and workspaces there are, a look at what is due reads what is due.
import { PgClient } from "@effect/sql-pg"
import { type DueSchedules, ScheduleStore } from "@tentpole/core/blasts/ScheduleStore"
import { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { fenced, orDefect } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

const takeTurns = (sql: Sql, limit: number, turn_ms: number) =>
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

/** One clock for the question and the answer: to the millisecond below, as instants of the domain are. */
const due = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, limit: number) {
  const [clock] = yield* sql<{ readonly now: Date }>`select date_trunc('milliseconds', clock_timestamp()) as now`
  const now = DateTime.makeUnsafe(clock?.now ?? 0)
  const rows = yield* sql<{ readonly blast_id: string }>`
    select blast_id from blast
    where workspace_id = ${workspace} and status = 'scheduled' and scheduled_at <= ${DateTime.formatIso(now)}
    order by scheduled_at, blast_id
    limit ${limit}`
  const schedules: DueSchedules = { now, blasts: rows.map((row) => BlastId.make(row.blast_id)) }
  return schedules
})

/** How soon a workspace is looked at again whose blast could not be fired. */
const again_s = 1

/** The row is locked first: whoever schedules at the same moment comes before or after, never between. */
const rest = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId) {
  const held = yield* sql`
    select 1 from due_work where kind = 'blasts' and workspace_id = ${workspace} for update`
  // Without a row there is nothing to note, and a new one may come at any moment: it is not this look's to delete.
  if (held.length === 0) return
  const [left] = yield* sql<{ readonly next: string | null }>`
    select min(scheduled_at)::text as next from blast where workspace_id = ${workspace} and status = 'scheduled'`
  const next = left?.next ?? null
  yield* next === null
    ? sql`delete from due_work where kind = 'blasts' and workspace_id = ${workspace}`
    : sql`
        update due_work set due_at = case when ${next}::timestamptz > clock_timestamp() then ${next}::timestamptz
          else clock_timestamp() + make_interval(secs => ${again_s}) end
        where kind = 'blasts' and workspace_id = ${workspace}`
})

export const layer = Layer.effect(
  ScheduleStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)
    return ScheduleStore.of({
      takeTurns: ({ limit, turn_ms }) => Effect.andThen(Transaction, orDefect(takeTurns(sql, limit, turn_ms))),
      due: (workspace, limit) => within(workspace, due(sql, workspace, limit)),
      endTurn: (workspace) => Effect.andThen(Transaction, within(workspace, rest(sql, workspace))),
    })
  }),
)
