// The loop that launches scheduled blasts. All state is in the database, so that a worker may die at any moment and several
// workers may run the loop.
import { Schedules } from "@tentpole/core/blasts/Schedules"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Effect, Layer, Schedule } from "effect"

/** A blast is late by at most this and the time of one round. */
const every_ms = 500
/** Rounds that run concurrently: while one waits for a locked row, the other goes on. */
const lanes = 2

/** With `SENDING=held` nothing is launched. A blast that is more than a day late becomes a draft again. */
export const layer = (round_every_ms = every_ms) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if ((yield* Settings).sending === "held") return
      const { fireDue } = yield* Schedules
      const rounds = fireDue.pipe(
        logFailure("launching scheduled blasts failed", {}, "Warning"),
        Effect.repeat(Schedule.spaced(round_every_ms)),
      )
      yield* Effect.forEach(Array.from({ length: lanes }), () => Effect.forkScoped(rounds), { discard: true })
    }),
  )
