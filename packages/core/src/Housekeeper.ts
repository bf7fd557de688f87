// The port to what a store must have done from time to time: making room ahead, forgetting what is old.
import { Context, type Effect } from "effect"

/** How long the outbox keeps what nobody has read. */
export const event_days_kept = 7

export class Housekeeper extends Context.Service<
  Housekeeper,
  {
    /**
     * Makes room ahead, and forgets outbox events that are older than `event_days_kept`, single views of pages that nothing
     * shows any more, and who visited on days that are over. By two at once, and again.
     */
    readonly tidy: Effect.Effect<void>
  }
>()("tentpole/Housekeeper") {}
