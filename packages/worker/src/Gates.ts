// Points in a sender's work where a test can stop it. They do nothing unless a program provides `Gates`; no setting does.
import { Context, Effect } from "effect"

export const gateNames = ["after-claim", "before-intent", "after-intent", "before-settle"] as const
export type GateName = (typeof gateNames)[number]

/** Runs at each gate; the sender goes on when the effect ends. */
export const Gates = Context.Reference<(name: GateName) => Effect.Effect<void>>("tentpole/worker/Gates", {
  defaultValue: () => () => Effect.void,
})
