// The port for periodic maintenance: creates partitions and deletes expired rows.
import { Context, type Effect } from "effect"
import type { Retention } from "../kernel/Settings.ts"

/** Retention in days. Where partitions are dropped, a row is stored for up to the length of its partition more. */

/** Single page views. Analytics shows those of seven days. */
export const view_days_kept = 7
/** Visitors of a day, and its salt: today, and yesterday around midnight. Afterwards their number is enough. */
export const visitor_days_kept = 1
/** The pace of blasts: their progress shows twenty minutes. */
export const pace_days_kept = 1
/** Processes that ended without deleting their rows. */
export const process_days_kept = 1
/** The lags of due work: operators see those of 24 hours. */
export const lag_days_kept = 1
/** Daily totals of page views. */
export const view_total_days_kept = 400
/** Hourly counts of webhooks: statistics show those of a day. */
export const webhook_hour_days_kept = 2
/** Subscription requests that have expired, and whose contact was deleted. */
export const detached_request_days_kept = 30
/** Ids of written batches of page views. A batch is retried for seconds only. */
export const view_batch_days_kept = 1

/** How long ids of finished jobs are remembered, so that none runs again. */
export const done_job_days_kept = 30
/** Jobs that one statement deletes. */
export const jobs_forgotten_at_once = 5000

/**
 * Minimum retention. Rules look back over months, and an audit over a year. Links of a message work while its delivery is stored:
 * unsubscribing has to work for months.
 */
export const activity_days_min = 30
export const audit_days_min = 365
export const delivery_days_min = 90
export const import_row_days_min = 30
export const flow_event_days_min = 30

/** Of events, and of payloads of webhooks. */
export const event_days_min = 7
export const event_days_max = 30
/** Of deliveries of webhooks: all attempts of one take 76 hours. */
export const webhook_log_days_min = 7
export const webhook_log_days_max = 90
/** Of data, bodies and attachments of single messages. Of those that are still to be sent they stay longer. */
export const message_days_min = 1
export const message_days_max = 90

export class Maintenance extends Context.Service<
  Maintenance,
  {
    /**
     * Creates partitions ahead, and deletes what is older than its retention, in the time of a few statements whatever the number
     * of workspaces. Each table is a part of its own: a failed part is logged, the others run. Idempotent and safe to run
     * concurrently.
     */
    readonly run: (retention: Retention) => Effect.Effect<void>
  }
>()("tentpole/Housekeeper") {}
