// The store of bulk jobs in memory.
import { type BulkJob, type CountedBulkJob, countTents } from "@tentpole/core/tents/bulk/Bulk"
import { BulkStore } from "@tentpole/core/tents/bulk/BulkStore"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect } from "effect"
import { storeLayer, table } from "../kernel/MemoryDatabase.ts"
import { newest } from "../kernel/Slices.ts"
import { putTent, tents } from "./TentStore.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"

const bulkJobs = table<BulkJob>("bulk_job")

export const layer = storeLayer(BulkStore, (db, writer) =>
  BulkStore.of({
    lockCredits: (workspace) =>
      Effect.andThen(
        Transaction,
        Effect.map(db.get(workspaces, null, workspace, "workspace"), ({ credits }) => credits),
      ),
    apply: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      for (const tent of change.tents) {
        yield* putTent(db, workspace, tent).pipe(Effect.catchTag("AliasTaken", Effect.die))
      }
      yield* db.put(bulkJobs, workspace, change.job.id, change.job)
      yield* writer.writeEffects(workspace, [change])
    }),
    list: Effect.fnUntraced(function* (workspace, query) {
      const all = (yield* db.all(tents, workspace)).map(({ tent }) => tent)
      const { items, next } = newest(yield* db.all(bulkJobs, workspace), query)
      return {
        items: items.map(({ items: results, ...job }): CountedBulkJob => {
          const accepted = new Set<string>(results.flatMap((item) => (item.status === "accepted" ? [item.tentId] : [])))
          return {
            ...job,
            accepted_count: accepted.size,
            rejected_count: results.length - accepted.size,
            tents: countTents(all.filter(({ id }) => accepted.has(id))),
          }
        }),
        next,
      }
    }),
    get: Effect.fnUntraced(function* (workspace, id) {
      const job = yield* db.get(bulkJobs, workspace, id, "bulk job")
      const accepted = new Set<string>(job.items.flatMap((item) => (item.status === "accepted" ? [item.tentId] : [])))
      const all = yield* db.all(tents, workspace)
      return { job, tents: all.map(({ tent }) => tent).filter((tent) => accepted.has(tent.id)) }
    }),
  }),
)
