// Fires scheduled blasts: again and again, whatever has come to its time. Nothing is remembered between rounds, so that a
// worker may die at any moment, and any number of them may look.
import { Schedules } from "@tentpole/core/blasts/Schedules"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Effect, Layer, Schedule } from "effect"

/** With a round's own time, this is how late a blast may be. */
const every_ms = 500
/** Rounds that go on side by side: where one has to wait, for a row that somebody holds, the others go on. */
const lanes = 2

/** Held (`SENDING=held`), nothing fires: what is missed by more than a day is a draft again when it goes on. */
export const layer = (round_every_ms = every_ms) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if ((yield* Settings).sending === "held") return
      const { fireDue } = yield* Schedules
      const rounds = fireDue.pipe(
        logFailure("firing schedules failed", {}, "Warning"),
        Effect.repeat(Schedule.spaced(round_every_ms)),
      )
      yield* Effect.forEach(Array.from({ length: lanes }), () => Effect.forkScoped(rounds), { discard: true })
    }),
  )
