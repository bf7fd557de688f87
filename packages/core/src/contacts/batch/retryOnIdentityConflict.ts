// What becomes of a decision about contacts that was overtaken: between reading and writing somebody else took an identity.
import { Effect, Schedule } from "effect"
import { Unavailable } from "../../kernel/Refusal.ts"
import { IdentityTaken } from "../ContactStore.ts"

/** Decides again, each time in a new transaction (`transact` goes inside), until it is nobody's turn but the caller's. */
export const retryOnIdentityConflict = <A, E, R>(
  body: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, IdentityTaken>, R> =>
  body.pipe(
    Effect.retry({
      schedule: Schedule.jittered(Schedule.exponential("10 millis")),
      times: decisions_max - 1,
      while: (error) => error instanceof IdentityTaken,
    }),
    Effect.catch((error) =>
      error instanceof IdentityTaken
        ? Effect.die(new Unavailable({ part: "database" }))
        : Effect.fail(error as Exclude<E, IdentityTaken>),
    ),
  )

/** How often a decision is made before somebody who keeps taking its identities makes it a 503. */
const decisions_max = 4
