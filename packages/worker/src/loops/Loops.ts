// The loops of a worker that wait for time to pass. All state is in the database, so that a worker may die at any moment and
// several workers may run each loop.
import { Schedules } from "@tentpole/core/blasts/Schedules"
import { FlowEngine } from "@tentpole/core/flows/engine/FlowEngine"
import { ImportConfirmations } from "@tentpole/core/imports/confirmations/ImportConfirmations"
import { Restores } from "@tentpole/core/operations/restore/Restores"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Maintenance } from "@tentpole/core/ports/Maintenance"
import { SendJournal } from "@tentpole/core/sending/journal/SendJournal"
import { Expiries } from "@tentpole/core/subscriptions/Expiries"
import { Cause, Effect, Layer, Schedule } from "effect"
import { EpochCheck } from "../EpochCheck.ts"

/** Pause after a round of flows that found no work. */
const flows_every_ms = 250
/** A blast is late by at most this and the time of one round. */
const schedules_every_ms = 500
/** Rounds of schedules that run concurrently: while one waits for a locked row, the other goes on. */
const schedule_rounds = 2

/** A backup that is younger than this is recognised only if its workers were stopped before it was restored. */
const epoch_every_ms = 60_000
const epoch_retry_ms = 2_000
/** Time for the last increment on shutdown. */
const last_epoch_ms = 3_000

/**
 * Maintains the epoch, which recognises a restored database. It is built before everything that sends: while the database or
 * the blob store does not answer, the worker does not start to send. On shutdown it ends last, so that an earlier backup is
 * always recognised.
 */
export const epochs = (every_ms = epoch_every_ms) =>
  Layer.effect(
    EpochCheck,
    Effect.gen(function* () {
      const { beat, check } = yield* Restores
      const round = logFailure("the epoch could not be written", {}, "Warning")(beat)
      yield* untilDone(beat)
      yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(round), last_epoch_ms))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(every_ms), round)))
      return untilDone(check)
    }),
  )

const untilDone = (attempt: Effect.Effect<void, unknown>): Effect.Effect<void> =>
  Effect.catchCause(attempt, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.logWarning("no mail is sent until the epoch is compared", cause).pipe(
          Effect.andThen(Effect.sleep(epoch_retry_ms)),
          Effect.andThen(Effect.suspend(() => untilDone(attempt))),
        ),
  )

/** Advances the flows of all workspaces. Runs with `SENDING=held` too: messages then wait in the queue. */
export const flows = (every_ms = flows_every_ms) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { run } = yield* FlowEngine
      const round = run.pipe(
        Effect.flatMap((found) => (found ? Effect.void : Effect.sleep(every_ms))),
        Effect.tapCause(() => Effect.sleep(every_ms)),
        logFailure("advancing flows failed", {}, "Warning"),
      )
      yield* Effect.forkScoped(Effect.forever(round))
    }),
  )

/** Launches scheduled blasts. With `SENDING=held` it launches none. A blast that is more than a day late becomes a draft again. */
export const schedules = (every_ms = schedules_every_ms) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if ((yield* Settings).sending === "held") return
      const { fireDue } = yield* Schedules
      const rounds = fireDue.pipe(
        logFailure("launching scheduled blasts failed", {}, "Warning"),
        Effect.repeat(Schedule.spaced(every_ms)),
      )
      yield* Effect.forEach(Array.from({ length: schedule_rounds }), () => Effect.forkScoped(rounds), { discard: true })
    }),
  )

/** A request is late by at most this and the time of one round. */
const expiries_every_ms = 5_000

/** Expires subscription requests that no person has confirmed. Runs with `SENDING=held` too: it sends nothing. */
export const expiries = (every_ms = expiries_every_ms) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { run } = yield* Expiries
      yield* run.pipe(
        logFailure("expiring subscription requests failed", {}, "Warning"),
        Effect.repeat(Schedule.spaced(every_ms)),
        Effect.forkScoped,
      )
    }),
  )

/** A mail is late by at most this and the time of one round. */
const confirmations_every_ms = 2_000

/** Sends the confirmation mails of imports. With `SENDING=held` it asks no one. */
export const confirmations = (every_ms = confirmations_every_ms) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if ((yield* Settings).sending === "held") return
      const { run } = yield* ImportConfirmations
      yield* run.pipe(
        logFailure("the confirmation mails of imports failed", {}, "Warning"),
        Effect.repeat(Schedule.spaced(every_ms)),
        Effect.forkScoped,
      )
    }),
  )

/** Hourly, in every worker: maintenance is idempotent. */
export const maintenance = Layer.effectDiscard(
  Effect.gen(function* () {
    const { run } = yield* Maintenance
    const { retention, sendJournal_days } = yield* Settings
    const { deleteOld } = yield* SendJournal
    yield* run(retention).pipe(
      Effect.andThen(deleteOld(sendJournal_days)),
      logFailure("maintenance failed and is tried again", {}, "Warning"),
      Effect.repeat(Schedule.spaced("1 hour")),
      Effect.forkScoped,
    )
  }),
)
