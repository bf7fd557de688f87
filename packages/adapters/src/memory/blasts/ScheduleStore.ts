// The schedule store of blasts in memory.
import { type DueSchedules, ScheduleStore } from "@tentpole/core/blasts/ScheduleStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Clock, DateTime, Effect } from "effect"
import { blasts, dueSchedules } from "../sending/DeliveryTables.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { byId } from "../kernel/Slices.ts"

const again_ms = 1_000

const takeTurns = Effect.fnUntraced(function* (db: Rows, limit: number, turn_ms: number) {
  const now = yield* Clock.currentTimeMillis
  const turns = (yield* db.all(dueSchedules, null))
    .filter((row) => row.dueAt_ms <= now)
    .sort((left, right) => left.dueAt_ms - right.dueAt_ms)
    .slice(0, limit)
  for (const turn of turns) {
    yield* db.put(dueSchedules, null, turn.workspaceId, { ...turn, dueAt_ms: now + turn_ms })
  }
  return turns.map((turn) => turn.workspaceId)
})

/** Scheduled blasts, the earliest first. */
const scheduled = (db: Rows, workspace: WorkspaceId) =>
  Effect.map(db.all(blasts, workspace), (all) =>
    all
      .flatMap((blast) =>
        blast.status === "scheduled" ? [{ id: blast.id, at_ms: blast.time.scheduledAt.epochMilliseconds }] : [],
      )
      .sort((left, right) => left.at_ms - right.at_ms || byId(left, right)),
  )

const due = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, limit: number) {
  const now = yield* DateTime.now
  const passed = (yield* scheduled(db, workspace)).filter(({ at_ms }) => at_ms <= now.epochMilliseconds)
  return { now, blasts: passed.slice(0, limit).map(({ id }) => id) } satisfies DueSchedules
})

const rest = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const now = yield* Clock.currentTimeMillis
  const [next] = yield* scheduled(db, workspace)
  if (next === undefined) return yield* db.remove(dueSchedules, null, workspace)
  const dueAt_ms = next.at_ms > now ? next.at_ms : now + again_ms
  yield* db.put(dueSchedules, null, workspace, { workspaceId: workspace, dueAt_ms })
})

export const layer = storeLayer(ScheduleStore, (db) =>
  ScheduleStore.of({
    takeTurns: ({ limit, turn_ms }) => Effect.andThen(Transaction, takeTurns(db, limit, turn_ms)),
    due: (workspace, limit) => due(db, workspace, limit),
    endTurn: (workspace) => Effect.andThen(Transaction, rest(db, workspace)),
  }),
)
