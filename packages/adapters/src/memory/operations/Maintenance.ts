// Housekeeping in memory: it deletes expired activities, audit entries, events and idempotency keys.
import { event_days_kept, Maintenance, keys_forgotten_at_once } from "@tentpole/core/ports/Maintenance"
import { IdempotencyStore } from "@tentpole/core/operations/idempotency/IdempotencyStore"
import { Outbox } from "@tentpole/core/kernel/changes/Outbox"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect, Layer } from "effect"
import { deleteAudit } from "../kernel/AuditLog.ts"
import { activities } from "../contacts/ContactTables.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"

/** Deletes whole months, as PostgreSQL does with its monthly partitions. */
const deleteActivities = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, before: DateTime.Utc) {
  const month = DateTime.startOf(before, "month")
  for (const { at, id } of yield* db.all(activities, workspace)) {
    if (DateTime.isLessThan(at, month)) yield* db.remove(activities, workspace, id)
  }
})

export const layer = Layer.effect(
  Maintenance,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const workspaces = yield* WorkspaceStore
    const outbox = yield* Outbox
    const keys = yield* IdempotencyStore
    const { transact } = yield* Transactor
    return Maintenance.of({
      run: Effect.fnUntraced(function* ({ activity_days, audit_days }) {
        const now = yield* DateTime.now
        if (audit_days !== null) yield* deleteAudit(db, DateTime.subtract(now, { days: audit_days }))
        for (const { id } of yield* workspaces.list) {
          if (activity_days !== null) yield* deleteActivities(db, id, DateTime.subtract(now, { days: activity_days }))
          yield* transact(outbox.delete(id, event_days_kept))
          yield* transact(keys.forget(id, keys_forgotten_at_once)).pipe(
            Effect.repeat({ while: (count) => count === keys_forgotten_at_once }),
          )
        }
      }),
    })
  }),
)
