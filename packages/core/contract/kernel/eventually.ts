// Helpers that wait for asynchronous results: the end of other transactions, a worker's next look.
import { Effect } from "effect"

/**
 * The settled mark of pages. Until the process listens to notifications, a mark is valid for half a second; from then on it
 * stays until something changes.
 */
export const settledMark = (mark: Effect.Effect<string>): Effect.Effect<string> =>
  Effect.flatMap(mark, (before) =>
    Effect.flatMap(Effect.delay(mark, "550 millis"), (after) =>
      after === before ? Effect.succeed(after) : settledMark(mark),
    ),
  )

/** Repeats until the value is there and returns it. The test's time-out ends a vain wait. */
export const eventually = <A, E, R>(
  look: Effect.Effect<A, E, R>,
  holds: (seen: A) => boolean,
): Effect.Effect<A, E, R> =>
  look.pipe(
    Effect.tap((seen) => (holds(seen) ? Effect.void : Effect.sleep("20 millis"))),
    Effect.repeat({ until: holds }),
  )

/** Repeats until the condition holds. For state inside this process. */
export const until = (holds: () => boolean): Effect.Effect<boolean> => eventually(Effect.sync(holds), Boolean)
