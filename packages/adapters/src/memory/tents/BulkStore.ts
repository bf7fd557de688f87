// The store of bulk jobs in memory.
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import type { BulkJob } from "@tentpole/core/tents/bulk/Bulk"
import { BulkStore } from "@tentpole/core/tents/bulk/BulkStore"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer } from "effect"
import { MemoryDatabase, table } from "../kernel/MemoryDatabase.ts"
import { putTent, tents } from "./TentStore.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"

const bulkJobs = table<BulkJob>("bulk_job")

export const layer = Layer.effect(
  BulkStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const writer = yield* ChangeWriter
    return BulkStore.of({
      lockCredits: (workspace) =>
        Effect.gen(function* () {
          yield* Transaction
          const row = yield* db.find(workspaces, null, workspace)
          return row === undefined ? yield* new NotFound({ resource: "workspace" }) : row.credits
        }),
      apply: (workspace, change) =>
        Effect.gen(function* () {
          yield* Transaction
          for (const tent of change.tents) {
            yield* putTent(db, workspace, tent).pipe(Effect.catchTag("AliasTaken", Effect.die))
          }
          yield* db.put(bulkJobs, workspace, change.job.id, change.job)
          yield* writer.writeEffects(workspace, [change])
        }),
      get: (workspace, id) =>
        Effect.gen(function* () {
          const job = yield* db.find(bulkJobs, workspace, id)
          if (job === undefined) return yield* new NotFound({ resource: "bulk job" })
          const accepted = new Set<string>(
            job.items.flatMap((item) => (item.status === "accepted" ? [item.tentId] : [])),
          )
          const all = yield* db.all(tents, workspace)
          return { job, tents: all.map(({ tent }) => tent).filter((tent) => accepted.has(tent.id)) }
        }),
    })
  }),
)
