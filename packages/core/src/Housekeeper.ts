// The port to what a store must have done from time to time: making room ahead, forgetting what is old.
import { Context, type Effect } from "effect"

/** How long the outbox keeps what nobody has read. */
export const event_days_kept = 7

/** Few enough that no statement takes long. */
export const keys_forgotten_at_once = 5000

export class Housekeeper extends Context.Service<
  Housekeeper,
  {
    /**
     * Makes room ahead, and forgets what is over: outbox events that are older than `event_days_kept`, idempotency keys whose
     * time has passed, single views of pages that nothing shows any more, who visited on days gone by, and which batches of
     * views were written more than a day ago. By two at once, and again.
     */
    readonly tidy: Effect.Effect<void>
  }
>()("tentpole/Housekeeper") {}
