// The bounce report store in memory: deliveries with the recent messages to their address, and the reports about them.
import type { ReportedDelivery } from "@tentpole/core/bounces/Report"
import { BounceReportStore } from "@tentpole/core/bounces/ReportStore"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect } from "effect"
import { currentContact } from "../contacts/ContactMerge.ts"
import { contactOf } from "../contacts/ContactTables.ts"
import { deliveries, suppressions } from "../sending/DeliveryTables.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { newestTo } from "../sending/Suppressions.ts"
import { putEngaged } from "../sending/Engaged.ts"

const find = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, ids: ReadonlyArray<DeliveryId>) {
  const found: Array<ReportedDelivery> = []
  for (const id of new Set(ids)) {
    const row = yield* db.find(deliveries, workspace, id)
    if (row === undefined) continue
    const { emailNormalized } = row
    const suppression = emailNormalized === null ? undefined : yield* db.find(suppressions, workspace, emailNormalized)
    const contactId = yield* currentContact(db, workspace, row.contactId)
    found.push({
      ...row,
      contactId,
      contact: (yield* contactOf(db, workspace, contactId)) ?? null,
      suppression: suppression?.reason ?? null,
      newest: yield* newestTo(db, workspace, row),
    })
  }
  return found
})

export const layer = storeLayer(BounceReportStore, (db, writer) =>
  BounceReportStore.of({
    lock: (workspace, ids) => Effect.andThen(Transaction, find(db, workspace, ids)),
    apply: Effect.fnUntraced(function* (workspace, changes) {
      yield* Transaction
      for (const change of changes) {
        const { newest: _, suppression, ...after } = change.after
        yield* putEngaged(db, workspace, change, { after, suppression })
      }
      yield* writer.writeEffects(workspace, changes)
    }),
  }),
)
