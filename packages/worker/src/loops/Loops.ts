// The loops of a worker that serve workspaces by turns, and those that run at intervals. All state is in the database, so that a
// worker may die at any moment and several workers may run each loop.
import { Schedules } from "@tentpole/core/blasts/Schedules"
import { FlowEngine } from "@tentpole/core/flows/engine/FlowEngine"
import { ImportConfirmations } from "@tentpole/core/imports/confirmations/ImportConfirmations"
import { flowWork } from "@tentpole/core/flows/engine/FlowQueue"
import { Restores } from "@tentpole/core/operations/restore/Restores"
import type { WorkKind } from "@tentpole/core/kernel/changes/DueWork"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Maintenance } from "@tentpole/core/ports/Maintenance"
import { SendJournal } from "@tentpole/core/sending/journal/SendJournal"
import { Expiries } from "@tentpole/core/subscriptions/Expiries"
import { Cause, Effect, Layer, Schedule } from "effect"
import { DueWatch } from "../DueWatch.ts"
import { EpochCheck } from "../EpochCheck.ts"

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

/** Runs a round whenever there may be work of one of these kinds. */
const whenDue = <E, R>(kinds: ReadonlyArray<WorkKind>, round: Effect.Effect<void, E, R>, failure: string) =>
  Effect.flatMap(DueWatch, (due) =>
    due.await(kinds).pipe(Effect.andThen(round), logFailure(failure, {}, "Warning"), Effect.forever, Effect.forkScoped),
  )

/** Advances the flows of all workspaces. Runs with `SENDING=held` too: messages then wait in the queue. */
export const flows = Layer.effectDiscard(
  Effect.gen(function* () {
    const { run } = yield* FlowEngine
    yield* whenDue(flowWork, Effect.asVoid(Effect.repeat(run, { while: (found) => found })), "advancing flows failed")
  }),
)

/** Launches scheduled blasts. With `SENDING=held` it launches none. A blast that is more than a day late becomes a draft again. */
export const schedules = Layer.effectDiscard(
  Effect.gen(function* () {
    if ((yield* Settings).sending === "held") return
    const { fireDue } = yield* Schedules
    const rounds = whenDue(["blasts"], fireDue, "launching scheduled blasts failed")
    yield* Effect.replicateEffect(rounds, schedule_rounds, { discard: true })
  }),
)

/** Expires subscription requests that no person has confirmed. Runs with `SENDING=held` too: it sends nothing. */
export const expiries = Layer.effectDiscard(
  Effect.flatMap(Expiries, ({ run }) => whenDue(["subscriptions"], run, "expiring subscription requests failed")),
)

/** Sends the confirmation mails of imports. With `SENDING=held` it asks no one. */
export const confirmations = Layer.effectDiscard(
  Effect.gen(function* () {
    if ((yield* Settings).sending === "held") return
    const { run } = yield* ImportConfirmations
    yield* whenDue(["confirmations"], run, "the confirmation mails of imports failed")
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
