// Sending at a time: a blast is given one, is taken back from it, and is fired when it has come.
import { Cause, Context, DateTime, Effect, Layer } from "effect"
import type { BlastId, WorkspaceId } from "../kernel/Ids.ts"
import type { Invalid, InvalidState, NotFound } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { applyEvent } from "./ApplyEvent.ts"
import { BlastStore } from "./BlastStore.ts"
import type { CampaignNotReady } from "./Readiness.ts"
import { ScheduleStore } from "./ScheduleStore.ts"
import { emptyTally, toBlastView, type BlastView } from "./BlastView.ts"

/** Workspaces that are taken at once, and blasts of each that one look finds. */
const turns_max = 50
const due_max = 100
/** How long others leave a workspace to whoever has taken its turn: a firing takes some milliseconds. */
const turn_ms = 1_000
/** Workspaces that are served at once: each of them takes a connection to the database. */
const concurrency = 4

export class Schedules extends Context.Service<
  Schedules,
  {
    /** What is approved now is what will be sent. */
    readonly schedule: (
      ws: WorkspaceId,
      id: BlastId,
      options: { readonly scheduledAt: DateTime.Utc; readonly operational: boolean },
    ) => Effect.Effect<BlastView, NotFound | InvalidState | Invalid | CampaignNotReady>
    readonly unschedule: (ws: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound | InvalidState>
    /** For workers, again and again: fires what has come to its time, each blast once with any number of workers. */
    readonly fireDue: Effect.Effect<void>
  }
>()("tentpole/Schedules") {
  static readonly layer = Layer.effect(
    Schedules,
    Effect.gen(function* () {
      const store = yield* BlastStore
      const schedules = yield* ScheduleStore
      const { transact } = yield* Transactor

      const unscheduled = Effect.fnUntraced(function* (ws: WorkspaceId, id: BlastId) {
        const before = yield* store.lock(ws, id)
        yield* applyEvent(store, ws, before, { _tag: "unschedule" }, yield* DateTime.now)
      }, transact)

      /** Fired by another worker, unscheduled or put off meanwhile, it is not this one's any more. */
      const fire = (ws: WorkspaceId, id: BlastId, now: DateTime.Utc) =>
        Effect.gen(function* () {
          const { blast, facts } = yield* store.lockForLaunch(ws, id, { now })
          yield* applyEvent(store, ws, blast, { _tag: "fire", facts }, now)
        }).pipe(
          transact,
          Effect.catchTags({ NotFound: () => Effect.void, InvalidState: () => Effect.void }),
          // One that can't be fired holds up no other: it stays due, and comes again.
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.interrupt
              : Effect.logWarning("a blast could not be fired", cause).pipe(
                  Effect.annotateLogs({ workspace_id: ws, blast_id: id }),
                ),
          ),
        )

      const serve = Effect.fnUntraced(function* (ws: WorkspaceId) {
        const { now, blasts } = yield* schedules.due(ws, due_max)
        yield* Effect.forEach(blasts, (id) => fire(ws, id, now), { discard: true })
        yield* transact(schedules.rest(ws))
      })

      return Schedules.of({
        schedule: Effect.fn("Schedules.schedule")(function* (ws, id, options) {
          const now = yield* DateTime.now
          const { blast, facts } = yield* store.lockForLaunch(ws, id, { now, operational: options.operational })
          const { after } = yield* applyEvent(store, ws, blast, { _tag: "schedule", facts, ...options }, now)
          return toBlastView({ blast: after, facts, tally: emptyTally })
        }, transact),

        unschedule: Effect.fn("Schedules.unschedule")(function* (ws, id) {
          yield* unscheduled(ws, id)
          return toBlastView(yield* store.get(ws, id, yield* DateTime.now))
        }),

        fireDue: transact(schedules.takeTurns({ limit: turns_max, turn_ms })).pipe(
          Effect.tap((turns) => Effect.forEach(turns, serve, { concurrency, discard: true })),
          // When all of them were served there may be more of them.
          Effect.repeat({ while: (turns) => turns.length === turns_max }),
          Effect.asVoid,
        ),
      })
    }),
  )
}
