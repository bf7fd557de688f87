// `Maintenance` on PostgreSQL. Functions with their owner's rights create and drop partitions and delete rows of all workspaces:
// the service role cannot create tables, and sees one workspace at a time.
import { PgClient } from "@effect/sql-pg"
import type { Retention } from "@tentpole/core/kernel/Settings"
import { key_days } from "@tentpole/core/messages/EmailMessage"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { dueKinds } from "@tentpole/core/kernel/changes/DueWork"
import {
  detached_request_days_kept,
  done_job_days_kept,
  Maintenance,
  jobs_forgotten_at_once,
  lag_days_kept,
  pace_days_kept,
  process_days_kept,
  view_batch_days_kept,
  view_days_kept,
  view_total_days_kept,
  visitor_days_kept,
  webhook_hour_days_kept,
} from "@tentpole/core/ports/Maintenance"
import { Effect, Layer } from "effect"
import { queue_table } from "../../jobs/QueueTable.ts"
import { readHints } from "../kernel/DueWork.ts"
import { orDefect } from "../kernel/Postgres.ts"
import { renewStatistics } from "../kernel/Statistics.ts"

/** After how many days rows of a table of `table_retention` are deleted; null: never. */
const daysOf = (retention: Retention): Readonly<Record<string, number | null>> => ({
  activity: retention.activity_days,
  audit_entry: retention.audit_days,
  delivery: retention.delivery_days,
  delivery_click: retention.delivery_days,
  delivery_pace: pace_days_kept,
  due_lag: lag_days_kept,
  email_message: retention.delivery_days,
  email_message_content: retention.message_days,
  email_message_file: retention.message_days,
  email_message_key: key_days,
  email_message_tag: retention.delivery_days,
  flow_event: retention.flow_event_days,
  idempotency_key: 0,
  import_row: retention.import_row_days,
  outbox_event: retention.event_days,
  page_view: view_days_kept,
  page_view_day: view_total_days_kept,
  page_visitor_day: visitor_days_kept,
  passkey_challenge: 0,
  process: process_days_kept,
  sign_in_link: 0,
  subscription_request: detached_request_days_kept,
  token_bucket: 0,
  traffic_batch: view_batch_days_kept,
  user_session: 0,
  visitor_salt: visitor_days_kept,
  webhook_attempt: retention.webhook_log_days,
  webhook_delivery: retention.webhook_log_days,
  webhook_hour: webhook_hour_days_kept,
  webhook_payload: retention.event_days,
  workspace_view_day: view_total_days_kept,
  workspace_visitor_day: visitor_days_kept,
})

const forgottenJobs = (sql: PgClient.PgClient) => sql`
  delete from ${sql(queue_table)} where sequence = any(array(
    select sequence from ${sql(queue_table)}
    where state = 'completed' and updated_at < now() - make_interval(days => ${done_job_days_kept})
    limit ${jobs_forgotten_at_once}))
  returning 1`

export const layer = Layer.effect(
  Maintenance,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const rules = orDefect(sql<{ readonly relation: string; readonly partitioned: boolean }>`
      select relation, step is not null as partitioned from table_retention order by relation`)
    const createPartitions = (table: string) =>
      orDefect(sql`select tentpole_partitions(${table})`).pipe(
        logFailure("creating partitions failed and is tried again", { table }, "Warning"),
      )
    const deleteOld = (table: string, days: number) =>
      orDefect(sql<{ readonly size: number }>`select tentpole_delete_old(${table}, ${days}) as size`).pipe(
        Effect.repeat({ while: ([part]) => part !== undefined && part.size > 0 }),
        logFailure("deleting old rows failed and is tried again", { table }, "Warning"),
      )
    const deleteJobs = orDefect(forgottenJobs(sql)).pipe(
      Effect.repeat({ while: (deleted) => deleted.length === jobs_forgotten_at_once }),
      logFailure("deleting completed jobs failed and is tried again", {}, "Warning"),
    )
    const moveHints = orDefect(sql.withTransaction(readHints(sql, dueKinds))).pipe(
      logFailure("reading hints failed and is tried again", {}, "Warning"),
    )
    return Maintenance.of({
      run: Effect.fnUntraced(function* (retention) {
        const days = daysOf(retention)
        for (const { relation, partitioned } of yield* rules) {
          if (partitioned) yield* createPartitions(relation)
          // A table of a newer release has no days yet.
          const kept = days[relation] ?? null
          if (kept !== null) yield* deleteOld(relation, kept)
        }
        yield* deleteJobs
        // While mail is held, no loop moves hints of messages and webhooks.
        yield* moveHints
        yield* renewStatistics(sql)
      }),
    })
  }),
)
