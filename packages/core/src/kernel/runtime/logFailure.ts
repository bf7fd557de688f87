// Failures of background work: logged, so that the work goes on.
import { Cause, Effect } from "effect"

/** Logs every failure and defect as `message` with its cause. An interruption stays one. */
export const logFailure =
  (message: string, annotations: Readonly<Record<string, unknown>> = {}, level: "Error" | "Warning" = "Error") =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | void, never, R> =>
    Effect.catchCause(effect, (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : (level === "Error" ? Effect.logError(message, cause) : Effect.logWarning(message, cause)).pipe(
            Effect.annotateLogs(annotations),
          ),
    )
