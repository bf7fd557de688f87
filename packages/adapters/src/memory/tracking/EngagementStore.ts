// The store of engagement in memory.
import type { TrackedDelivery } from "@tentpole/core/tracking/Engagement"
import { EngagementStore } from "@tentpole/core/tracking/EngagementStore"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Array, Effect } from "effect"
import { currentContact } from "../contacts/ContactMerge.ts"
import { contactOf } from "../contacts/ContactTables.ts"
import { clicks, deliveries, suppressions } from "../sending/DeliveryTables.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { putEngaged } from "../sending/Engaged.ts"

const find = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: DeliveryId) {
  const row = yield* db.get(deliveries, workspace, id, "delivery")
  const suppression =
    row.emailNormalized === null ? undefined : yield* db.find(suppressions, workspace, row.emailNormalized)
  const { displayName: _, contactDeleted: __, leaseUntil_ms: ___, smtpReply: ____, createdAt: _____, ...delivery } = row
  const contactId = yield* currentContact(db, workspace, row.contactId)
  const tracked: TrackedDelivery = {
    ...delivery,
    contactId,
    contact: (yield* contactOf(db, workspace, contactId)) ?? null,
    suppressed: suppression !== undefined,
  }
  return tracked
})

/** Existing deliveries by id. Unknown ids are left out. */
const findAll = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, ids: ReadonlyArray<DeliveryId>) {
  const existing = yield* Effect.forEach(ids, (id) => Effect.option(find(db, workspace, id)))
  return new Map(Array.getSomes(existing).map((tracked) => [tracked.id, tracked]))
})

export const layer = storeLayer(EngagementStore, (db, writer) =>
  EngagementStore.of({
    get: (workspace, id) => find(db, workspace, id),
    lock: (workspace, ids) => Effect.andThen(Transaction, findAll(db, workspace, ids)),
    apply: Effect.fnUntraced(function* (workspace, changes) {
      yield* Transaction
      for (const change of changes) {
        const { suppressed, ...after } = change.after
        yield* putEngaged(db, workspace, change, { after, suppression: suppressed ? "unsubscribe" : null })
      }
      yield* writer.writeEffects(workspace, changes)
    }),
    addClicks: Effect.fnUntraced(function* (workspace, added) {
      yield* Transaction
      for (const each of added) {
        const key = `${each.deliveryId}/${each.link}`
        const known = yield* db.find(clicks, workspace, key)
        yield* db.put(clicks, workspace, key, {
          ...each,
          clicks: each.clicks + (known?.clicks ?? 0),
          machineClicks: each.machineClicks + (known?.machineClicks ?? 0),
        })
      }
    }),
  }),
)
