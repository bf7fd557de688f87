// The flow engine of workers: due members, events, and date triggers. Each round is one transaction without effects outside
// the database. If a worker dies in a round, another worker repeats it.
import { Cause, Clock, Context, Effect, Layer } from "effect"
import type { FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { MembershipRunner } from "./MembershipRunner.ts"
import { FlowDateRounds } from "./FlowDates.ts"
import { FlowEventRounds } from "./FlowEvents.ts"
import { FlowQueue, type Turn } from "./FlowQueue.ts"
import { MembershipStore, type MemberSelection } from "../members/MembershipStore.ts"

/** Members that one transaction advances. */
export const advance_batch_max = 500
/** Turns that one call claims, and how many of them run concurrently. */
const turns_max = 20
const concurrency = 2
/** Concurrent batches of one workspace's members in one worker: it decides on one while the database writes others. */
const concurrent_batches_max = 3
/** How long a turn belongs to one worker. After that, others may work on the workspace, too. */
const turn_ms = 1_000
/** How long a worker serves one workspace before the next turn. */
const turn_length_max_ms = 1_000

export class FlowEngine extends Context.Service<
  FlowEngine,
  {
    /** Serves all workspaces with pending work, by turns; returns whether there was any. Safe in any number of workers. */
    readonly run: Effect.Effect<boolean>
    /** Re-evaluates the members of a flow whose structure, rules or status changed. Can be repeated. */
    readonly review: (
      workspace: WorkspaceId,
      options: { readonly flowId: FlowId; readonly members: "live" | "waiting" },
    ) => Effect.Effect<void>
  }
>()("tentpole/FlowEngine") {
  static readonly layer = Layer.effect(
    FlowEngine,
    Effect.gen(function* () {
      const queue = yield* FlowQueue
      const store = yield* MembershipStore
      const { transact } = yield* Transactor
      const { advanceLocked } = yield* MembershipRunner
      const events = yield* FlowEventRounds
      const dates = yield* FlowDateRounds

      const batch = (workspace: WorkspaceId, which: MemberSelection) =>
        transact(
          Effect.gen(function* () {
            const locked = yield* store.lockMembers(workspace, which)
            yield* advanceLocked(workspace, locked)
            return locked.members
          }),
        )

      /** One transaction; returns whether there is more work. */
      const round = ({ kind, workspace }: Turn): Effect.Effect<boolean> => {
        switch (kind) {
          case "flows":
            return Effect.map(batch(workspace, { _tag: "due", limit: advance_batch_max }), isFull)
          case "flow_events":
            return events.run(workspace)
          case "flow_dates":
            return dates.run(workspace)
        }
      }

      /** Turns that ended with more work. A hint only: other workers may have done it since. */
      const unfinished = new Set<string>()

      /** Repeats rounds until there is no more work or the time is up. */
      const rounds = Effect.fnUntraced(function* (turn: Turn, end_ms: number) {
        let more = true
        while (more && (yield* Clock.currentTimeMillis) < end_ms) more = yield* round(turn)
        return more
      })

      const serve = (turn: Turn) =>
        Effect.gen(function* () {
          const end_ms = (yield* Clock.currentTimeMillis) + turn_length_max_ms
          let more = unfinished.delete(keyOf(turn)) || (yield* round(turn))
          if (more) {
            const batches = Array.from({ length: batchesOf(turn) }, () => rounds(turn, end_ms))
            more = (yield* Effect.all(batches, { concurrency: "unbounded" })).some(Boolean)
          }
          if (more) unfinished.add(keyOf(turn))
          yield* transact(queue.endTurn(turn, more))
        }).pipe(
          // A failed round does not stop other workspaces: this one stays due and is tried again.
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.interrupt
              : Effect.logWarning("flow work failed", cause).pipe(
                  Effect.annotateLogs({ workspace_id: turn.workspace, kind: turn.kind }),
                ),
          ),
        )

      return FlowEngine.of({
        run: Effect.gen(function* () {
          const turns = yield* transact(queue.takeTurns({ limit: turns_max, turn_ms }))
          yield* Effect.forEach(turns, serve, { concurrency, discard: true })
          return turns.length > 0
        }),

        review: Effect.fn("FlowEngine.review")(function* (workspace, { flowId, members }) {
          const which = { _tag: "flow", flowId, members, limit: advance_batch_max } as const
          let reviewed = yield* batch(workspace, { ...which, after: null })
          while (isFull(reviewed)) {
            reviewed = yield* batch(workspace, { ...which, after: reviewed.at(-1)?.contactId ?? null })
          }
        }),
      })
    }),
  )
}

const keyOf = ({ kind, workspace }: Turn): string => `${kind} ${workspace}`

/** Batches of events and dates run one at a time. */
const batchesOf = ({ kind }: Turn): number => (kind === "flows" ? concurrent_batches_max : 1)

const isFull = ({ length }: { readonly length: number }): boolean => length === advance_batch_max
