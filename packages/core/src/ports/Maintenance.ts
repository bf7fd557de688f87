// The port for periodic maintenance: creates partitions and deletes expired rows.
import { Context, type Effect } from "effect"
import type { Retention } from "../kernel/Settings.ts"

/** Retention of outbox events that no consumer has read. */
export const event_days_kept = 7

/** Rows that one statement deletes, so that it is short. */
export const keys_forgotten_at_once = 5000

/** How long ids of finished jobs are remembered, so that none runs again. */
export const done_job_days_kept = 30
/** Jobs that one statement deletes. */
export const jobs_forgotten_at_once = 5000

/** Minimum retention: rules look back over months, and an audit over a year. */
export const activity_days_min = 30
export const audit_days_min = 365

export class Maintenance extends Context.Service<
  Maintenance,
  {
    /**
     * Creates partitions ahead and deletes outbox events older than `event_days_kept`, expired idempotency keys, finished jobs,
     * single page views that no report shows, visitors of past days, batch ids, and timelines and audit entries beyond
     * `retention`. Idempotent and safe to run concurrently.
     */
    readonly run: (retention: Retention) => Effect.Effect<void>
  }
>()("tentpole/Housekeeper") {}
