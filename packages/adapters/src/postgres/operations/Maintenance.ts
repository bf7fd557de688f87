// `Maintenance` on PostgreSQL. A function with its owner's rights creates partitions: the service role cannot create tables.
import { PgClient } from "@effect/sql-pg"
import {
  done_job_days_kept,
  event_days_kept,
  Maintenance,
  jobs_forgotten_at_once,
  keys_forgotten_at_once,
} from "@tentpole/core/ports/Maintenance"
import { IdempotencyStore } from "@tentpole/core/operations/idempotency/IdempotencyStore"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Effect, Layer } from "effect"
import { queue_table } from "../../jobs/QueueTable.ts"
import { orDefect } from "../kernel/Postgres.ts"
import { renewStatistics } from "../kernel/Statistics.ts"

const forgottenJobs = (sql: PgClient.PgClient) => sql`
  delete from ${sql(queue_table)} where sequence = any(array(
    select sequence from ${sql(queue_table)}
    where state = 'completed' and updated_at < now() at time zone 'UTC' - make_interval(days => ${done_job_days_kept})
    limit ${jobs_forgotten_at_once}))
  returning 1`

export const layer = Layer.effect(
  Maintenance,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const workspaces = yield* WorkspaceStore
    const keys = yield* IdempotencyStore
    const { transact } = yield* Transactor
    return Maintenance.of({
      run: Effect.fnUntraced(function* ({ activity_days, audit_days }) {
        yield* orDefect(sql`
          select tentpole_partitions('activity'), tentpole_partitions('outbox_event'), tentpole_partitions('page_view'),
            tentpole_partitions('page_visitor_day'), tentpole_partitions('workspace_visitor_day'), tentpole_forget_traffic(),
            tentpole_forget_events(${event_days_kept})`)
        yield* renewStatistics(sql)
        if (activity_days !== null) yield* orDefect(sql`select tentpole_forget_activity(${activity_days})`)
        if (audit_days !== null) yield* orDefect(sql`select tentpole_forget_audit(${audit_days})`)
        yield* orDefect(forgottenJobs(sql)).pipe(
          Effect.repeat({ while: (deleted) => deleted.length === jobs_forgotten_at_once }),
        )
        for (const { id } of yield* workspaces.list) {
          yield* transact(keys.forget(id, keys_forgotten_at_once)).pipe(
            Effect.repeat({ while: (deleted) => deleted === keys_forgotten_at_once }),
          )
        }
      }),
    })
  }),
)
