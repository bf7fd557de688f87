// The port to what a store must have done from time to time: making room ahead, forgetting what is old.
import { Context, type Effect } from "effect"
import type { Retention } from "../kernel/Settings.ts"

/** How long the outbox keeps what nobody has read. */
export const event_days_kept = 7

/** Few enough that no statement takes long. */
export const keys_forgotten_at_once = 5000

/** How long the ids of jobs that are done are remembered, so that none is done again. */
export const done_job_days_kept = 30
/** Jobs that one statement forgets. */
export const jobs_forgotten_at_once = 5000

/** Less is refused: rules look back over months, and an audit over a year. */
export const activity_days_min = 30
export const audit_days_min = 365

export class Maintenance extends Context.Service<
  Maintenance,
  {
    /**
     * Makes room ahead, and forgets what is over: outbox events that are older than `event_days_kept`, idempotency keys whose
     * time has passed, jobs that have long been done, single views of pages that nothing shows any more, who visited on days
     * gone by, which batches of views were written, and of timelines and the audit log what is not to be kept. By two at once,
     * and again.
     */
    readonly run: (retention: Retention) => Effect.Effect<void>
  }
>()("tentpole/Housekeeper") {}
