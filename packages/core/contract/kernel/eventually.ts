// Waiting for what comes at a time of its own: when other transactions of the server have ended, when a worker has looked.
import { Effect } from "effect"

/**
 * The mark of pages that stays. Until their news are heard a mark is good for half a second; from then on it stays as long
 * as nothing changes.
 */
export const settledMark = (mark: Effect.Effect<string>): Effect.Effect<string> =>
  Effect.flatMap(mark, (before) =>
    Effect.flatMap(Effect.delay(mark, "550 millis"), (after) =>
      after === before ? Effect.succeed(after) : settledMark(mark),
    ),
  )

/** Looks until it sees what it waits for, and answers that; who waits in vain runs into the time-out of the test. */
export const eventually = <A, E, R>(
  look: Effect.Effect<A, E, R>,
  holds: (seen: A) => boolean,
): Effect.Effect<A, E, R> =>
  look.pipe(
    Effect.tap((seen) => (holds(seen) ? Effect.void : Effect.sleep("20 millis"))),
    Effect.repeat({ until: holds }),
  )

/** Looks until it holds, at what this process knows by itself. */
export const until = (holds: () => boolean): Effect.Effect<boolean> => eventually(Effect.sync(holds), Boolean)
