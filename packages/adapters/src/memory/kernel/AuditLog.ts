// The audit log in memory.
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import { type AuditEntry, type AuditEvent, AuditLog } from "@tentpole/core/kernel/changes/AuditLog"
import { AuditEntryId, Ids } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { MemoryDatabase, type Rows, table } from "./MemoryDatabase.ts"
import { newest } from "./Slices.ts"

const entries = table<AuditEntry>("audit_entry")

/** Appends audit entries. The stores call it with the entries of their changes. */
export const appendAudit = Effect.fnUntraced(function* (
  db: Rows,
  ids: Ids["Service"],
  events: ReadonlyArray<AuditEvent>,
) {
  const actor = yield* Actor
  const at = yield* DateTime.now
  for (const event of events) {
    const id = AuditEntryId.make(yield* ids.next)
    yield* db.put(entries, null, id, { ...event, id, at, actor })
  }
})

export const deleteAudit = Effect.fnUntraced(function* (db: Rows, before: DateTime.Utc) {
  for (const { at, id } of yield* db.all(entries, null)) {
    if (DateTime.isLessThan(at, before)) yield* db.remove(entries, null, id)
  }
})

export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const ids = yield* Ids
    return AuditLog.of({
      append: (events) => Effect.andThen(Transaction, appendAudit(db, ids, events)),
      list: ({ workspaceId, ...query }) =>
        Effect.map(db.all(entries, null), (rows) =>
          newest(
            rows.filter((row) => workspaceId === null || row.workspaceId === workspaceId),
            query,
            ({ at, id }) => ({ at: at.epochMilliseconds, id }),
          ),
        ),
    })
  }),
)
