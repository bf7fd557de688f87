// What moves flows on, for workers: members whose time has come, events that bring contacts in or change what is known of
// them, dates. Each round is one transaction that does nothing outside the database: a worker that dies in the middle of it has
// done nothing, and another does it.
import { Cause, Clock, Context, Effect, Layer } from "effect"
import type { FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { MembershipRunner } from "./MembershipRunner.ts"
import { FlowDateRounds } from "./FlowDates.ts"
import { FlowEventRounds } from "./FlowEvents.ts"
import { FlowQueue, type Turn } from "./FlowQueue.ts"
import { MembershipStore, type WhichMembers } from "../members/MembershipStore.ts"

/** Members that one transaction moves on. */
export const advance_batch_max = 500
/** Turns that are taken at once, and how many of them are served side by side. */
const turns_max = 20
const concurrency = 2
/** Batches of one workspace's members that one worker has under way: it decides on one while the database writes others. */
const lanes = 3
/** How long others leave a workspace to whoever has taken its turn; then they help. */
const turn_ms = 1_000
/** A workspace is served for so long before others have their turn. */
const slice_ms = 1_000

export class FlowEngine extends Context.Service<
  FlowEngine,
  {
    /** Serves what is waiting, in every workspace, by turns; answers whether there was anything. By any number of workers. */
    readonly work: Effect.Effect<boolean>
    /** Looks at all members of a flow whose structure, rules or status have changed. May be repeated. */
    readonly review: (
      workspace: WorkspaceId,
      asked: { readonly flowId: FlowId; readonly members: "live" | "waiting" },
    ) => Effect.Effect<void>
  }
>()("tentpole/FlowEngine") {
  static readonly layer = Layer.effect(
    FlowEngine,
    Effect.gen(function* () {
      const queue = yield* FlowQueue
      const store = yield* MembershipStore
      const { transact } = yield* Transactor
      const { advanceHeld } = yield* MembershipRunner
      const events = yield* FlowEventRounds
      const dates = yield* FlowDateRounds

      const batch = (workspace: WorkspaceId, which: WhichMembers) =>
        transact(
          Effect.gen(function* () {
            const held = yield* store.lockMembers(workspace, which)
            yield* advanceHeld(workspace, held)
            return held.members
          }),
        )

      const due = (workspace: WorkspaceId) => batch(workspace, { _tag: "due", limit: advance_batch_max })

      /** One round; answers whether there is more to do. */
      const round = ({ kind, workspace }: Turn): Effect.Effect<boolean> => {
        switch (kind) {
          case "flows":
            return Effect.map(due(workspace), isFull)
          case "flow_events":
            return events.work(workspace)
          case "flow_dates":
            return dates.work(workspace)
        }
      }

      /** Turns that ended here with more to do. Only a guess: others may have done it since. */
      const unfinished = new Set<string>()

      /** Round after round until there is no more to do, or others are to have their turn. */
      const rounds = Effect.fnUntraced(function* (turn: Turn, end_ms: number) {
        let more = true
        while (more && (yield* Clock.currentTimeMillis) < end_ms) more = yield* round(turn)
        return more
      })

      const serve = (turn: Turn) =>
        Effect.gen(function* () {
          const end_ms = (yield* Clock.currentTimeMillis) + slice_ms
          let more = unfinished.delete(keyOf(turn)) || (yield* round(turn))
          if (more) {
            const lanes = Array.from({ length: lanesOf(turn) }, () => rounds(turn, end_ms))
            more = (yield* Effect.all(lanes, { concurrency: "unbounded" })).some(Boolean)
          }
          if (more) unfinished.add(keyOf(turn))
          yield* transact(queue.rest(turn, more))
        }).pipe(
          // A workspace whose round fails holds up no other: it stays due, and comes again.
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.interrupt
              : Effect.logWarning("flows could not be moved on", cause).pipe(
                  Effect.annotateLogs({ workspace_id: turn.workspace, kind: turn.kind }),
                ),
          ),
        )

      return FlowEngine.of({
        work: Effect.gen(function* () {
          const turns = yield* transact(queue.takeTurns({ limit: turns_max, turn_ms }))
          yield* Effect.forEach(turns, serve, { concurrency, discard: true })
          return turns.length > 0
        }),

        review: Effect.fn("FlowEngine.review")(function* (workspace, { flowId, members }) {
          const from = (after: Reviewed["after"]): Reviewed => ({
            _tag: "flow",
            flowId,
            members,
            after,
            limit: advance_batch_max,
          })
          let reviewed = yield* batch(workspace, from(null))
          while (isFull(reviewed)) {
            reviewed = yield* batch(workspace, from(reviewed.at(-1)?.contactId ?? null))
          }
        }),
      })
    }),
  )
}

const keyOf = ({ kind, workspace }: Turn): string => `${kind} ${workspace}`

/** Of events and dates, one batch at a time is anybody's. */
const lanesOf = ({ kind }: Turn): number => (kind === "flows" ? lanes : 1)

const isFull = ({ length }: { readonly length: number }): boolean => length === advance_batch_max

type Reviewed = Extract<WhichMembers, { readonly _tag: "flow" }> & { readonly flowId: FlowId }
