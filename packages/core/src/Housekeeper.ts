// The port to what a store must have done from time to time: making room ahead, forgetting what is old.
import { Context, type Effect } from "effect"

export class Housekeeper extends Context.Service<
  Housekeeper,
  {
    /** Makes partitions ahead, and forgets outbox events older than 7 days. May be done by two at once, and again. */
    readonly tidy: Effect.Effect<void>
  }
>()("tentpole/Housekeeper") {}
