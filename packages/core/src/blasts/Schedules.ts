// The use cases of schedules: set a launch time, clear it, and launch blasts that are due.
import { Context, DateTime, Effect, Layer } from "effect"
import type { BlastId, WorkspaceId } from "../kernel/Ids.ts"
import type { Invalid, InvalidState, NotFound } from "../kernel/Refusal.ts"
import { logFailure } from "../kernel/runtime/logFailure.ts"
import { serveTurns } from "../kernel/runtime/Turns.ts"
import { Actor } from "../kernel/changes/Actor.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { applyEvent, BlastStore, type BlastView, toBlastView } from "./BlastStore.ts"
import type { CampaignNotReady } from "./Readiness.ts"
import type { AnotherPersonNeeded } from "../workspaces/FourEyes.ts"
import { emptyTally } from "../sending/Delivery.ts"
import { ScheduleStore } from "./ScheduleStore.ts"

/** Blasts of a workspace that one query returns. */
const due_max = 100
/** How long other workers leave a workspace alone after one has taken its turn. A launch takes some milliseconds. */
const turn_ms = 1_000

export class Schedules extends Context.Service<
  Schedules,
  {
    /** Locks the current approval: later approvals are not sent. */
    readonly schedule: (
      workspace: WorkspaceId,
      id: BlastId,
      options: { readonly scheduledAt: DateTime.Utc; readonly operational: boolean },
    ) => Effect.Effect<BlastView, NotFound | InvalidState | Invalid | CampaignNotReady | AnotherPersonNeeded>
    readonly unschedule: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound | InvalidState>
    /** For workers, periodically: launches due blasts, each once with any number of workers. */
    readonly fireDue: Effect.Effect<void>
  }
>()("tentpole/Schedules") {
  static readonly layer = Layer.effect(
    Schedules,
    Effect.gen(function* () {
      const store = yield* BlastStore
      const schedules = yield* ScheduleStore
      const { transact } = yield* Transactor

      const unscheduled = Effect.fnUntraced(function* (workspace: WorkspaceId, id: BlastId) {
        const before = yield* store.lock(workspace, id)
        yield* applyEvent(store, workspace, before, { _tag: "unschedule" }, yield* DateTime.now)
      }, transact)

      /** Skips a blast that another worker has launched, or that has been unscheduled or rescheduled meanwhile. */
      const fire = (workspace: WorkspaceId, id: BlastId, now: DateTime.Utc) =>
        Effect.gen(function* () {
          const { blast, facts } = yield* store.lockForLaunch(workspace, id, { now })
          yield* applyEvent(store, workspace, blast, { _tag: "fire", facts }, now)
        }).pipe(
          transact,
          Effect.catchTags({ NotFound: () => Effect.void, InvalidState: () => Effect.void }),
          // A blast that can't be launched does not stop the others. It stays due and is tried again.
          logFailure("a blast could not be fired", { workspace_id: workspace, blast_id: id }, "Warning"),
        )

      const serve = Effect.fnUntraced(function* (workspace: WorkspaceId) {
        const { now, blasts } = yield* schedules.due(workspace, due_max)
        yield* Effect.forEach(blasts, (id) => fire(workspace, id, now), { discard: true })
        yield* transact(schedules.endTurn(workspace))
      })

      return Schedules.of({
        schedule: Effect.fn("Schedules.schedule")(function* (workspace, id, options) {
          const now = yield* DateTime.now
          const { blast, facts } = yield* store.lockForLaunch(workspace, id, { now, operational: options.operational })
          const event = { _tag: "schedule", facts, by: yield* Actor, ...options } as const
          const { after } = yield* applyEvent(store, workspace, blast, event, now)
          return toBlastView({ blast: after, facts, tally: emptyTally, paceFacts: null })
        }, transact),

        unschedule: Effect.fn("Schedules.unschedule")(function* (workspace, id) {
          yield* unscheduled(workspace, id)
          return toBlastView(yield* store.get(workspace, id, yield* DateTime.now))
        }),

        fireDue: serveTurns({
          take: (limit) => transact(schedules.takeTurns({ limit, turn_ms })),
          workspaceOf: (workspace) => workspace,
          serve,
          failure: "the scheduled blasts of a workspace could not be fired",
          concurrency: 4,
        }),
      })
    }),
  )
}
