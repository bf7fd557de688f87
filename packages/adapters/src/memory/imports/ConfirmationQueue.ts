// The queue of contacts of imports that wait for their confirmation mail, in memory.
import { ConfirmationQueue } from "@tentpole/core/imports/confirmations/ConfirmationQueue"
import type { ImportRunId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect } from "effect"
import { endTurn, makeWorkDue, removeWork, takeTurns } from "../kernel/DueWork.ts"
import { storeLayer } from "../kernel/MemoryDatabase.ts"
import { putWaiting, waitingConfirmations, waitingKey } from "./ConfirmationTables.ts"

export const layer = storeLayer(ConfirmationQueue, (db) =>
  ConfirmationQueue.of({
    add: Effect.fnUntraced(function* (workspace, waiting) {
      yield* Transaction
      const dueAt = yield* DateTime.now
      for (const each of waiting) yield* putWaiting(db, workspace, { ...each, dueAt })
      if (waiting.length > 0) yield* makeWorkDue(db, "confirmations", workspace)
    }),
    due: Effect.fnUntraced(function* (workspace, now, limit) {
      return (yield* db.all(waitingConfirmations, workspace))
        .filter(({ dueAt }) => DateTime.isLessThanOrEqualTo(dueAt, now))
        .toSorted((left, right) => left.dueAt.epochMilliseconds - right.dueAt.epochMilliseconds)
        .slice(0, limit)
        .map(({ contactId, runId }) => ({ contactId, runId }))
    }),
    take: Effect.fnUntraced(function* (workspace, key) {
      yield* Transaction
      const row = yield* db.find(waitingConfirmations, workspace, waitingKey(key))
      yield* db.remove(waitingConfirmations, workspace, waitingKey(key))
      return row ?? null
    }),
    postpone: Effect.fnUntraced(function* (workspace, key, until) {
      yield* Transaction
      const row = yield* db.find(waitingConfirmations, workspace, waitingKey(key))
      if (row !== undefined) yield* db.put(waitingConfirmations, workspace, waitingKey(key), { ...row, dueAt: until })
    }),
    counts: Effect.fnUntraced(function* (workspace, runs) {
      const rows = (yield* db.all(waitingConfirmations, workspace)).filter(({ runId }) => runs.includes(runId))
      const counts = new Map<ImportRunId, number>()
      for (const { runId } of rows) counts.set(runId, (counts.get(runId) ?? 0) + 1)
      return counts
    }),
    takeTurns: (options) => Effect.andThen(Transaction, takeTurns(db, ["confirmations"], options)),
    endTurn: Effect.fnUntraced(function* (turn, earliest) {
      yield* Transaction
      const rows = yield* db.all(waitingConfirmations, turn.workspace)
      if (rows.length === 0) return yield* removeWork(db, "confirmations", turn.workspace)
      const next = Math.min(...rows.map(({ dueAt }) => dueAt.epochMilliseconds))
      const dueAt_ms = Math.max(next, earliest.epochMilliseconds)
      yield* endTurn(db, { kind: "confirmations", ...turn }, Effect.succeed(dueAt_ms))
    }),
  }),
)
