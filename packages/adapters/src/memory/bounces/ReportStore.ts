// The bounce report store in memory: deliveries with the recent messages to their address, and the reports about them.
import type { ReportChange, ReportedDelivery } from "@tentpole/core/bounces/Report"
import { BounceReportStore } from "@tentpole/core/bounces/ReportStore"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer } from "effect"
import { contacts, writeActivities } from "../contacts/ContactStore.ts"
import { deliveries, suppressions } from "../sending/DeliveryTables.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"
import { newestTo, suppress } from "../sending/Suppressions.ts"

const find = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, ids: ReadonlyArray<DeliveryId>) {
  const found: Array<ReportedDelivery> = []
  for (const id of new Set(ids)) {
    const row = yield* db.find(deliveries, workspace, id)
    if (row === undefined) continue
    const { emailNormalized } = row
    const suppression = emailNormalized === null ? undefined : yield* db.find(suppressions, workspace, emailNormalized)
    found.push({
      ...row,
      contact: (yield* db.find(contacts, workspace, row.contactId)) ?? null,
      suppression: suppression?.reason ?? null,
      newest: yield* newestTo(db, workspace, row),
    })
  }
  return found
})

const apply = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: ReportChange) {
  const { activities, after, at, before } = change
  const row = yield* db.find(deliveries, workspace, before.id)
  if (row?.state !== before.state) return yield* Effect.die(`delivery ${before.id} is no longer what was decided on`)
  const { contact, newest: _, suppression, ...delivery } = after
  yield* db.put(deliveries, workspace, row.id, { ...row, ...delivery })
  if (suppression !== null && before.emailNormalized !== null) {
    yield* suppress(db, workspace, before.emailNormalized, suppression, at)
  }
  const stored = yield* db.find(contacts, workspace, before.contactId)
  if (stored !== undefined && contact !== null && contact !== before.contact) {
    const marketingEmailInvalid = stored.marketingEmailInvalid || contact.marketingEmailInvalid
    const unsubscribed = stored.unsubscribed || contact.unsubscribed
    yield* db.put(contacts, workspace, stored.id, { ...stored, marketingEmailInvalid, unsubscribed, updatedAt: at })
  }
  yield* writeActivities(db, workspace, activities)
})

export const layer = Layer.effect(
  BounceReportStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const writer = yield* ChangeWriter
    return BounceReportStore.of({
      lock: (workspace, ids) => Effect.andThen(Transaction, find(db, workspace, ids)),
      apply: (workspace, changes) =>
        Effect.andThen(
          Transaction,
          Effect.forEach(changes, (change) => apply(db, workspace, change)),
        ).pipe(Effect.andThen(writer.writeEffects(workspace, changes))),
    })
  }),
)
