// EpochCheck: what a sender does between a claim and its first message, so that it sends nothing that it claimed in a database
// which was replaced by a backup while it ran.
import { Context, Effect } from "effect"

/** Ends when the database is known to be current. `Loops.epochs` provides it. */
export const EpochCheck = Context.Reference<Effect.Effect<void>>("tentpole/worker/EpochCheck", {
  defaultValue: () => Effect.void,
})
