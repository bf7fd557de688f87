// The store of engagement in memory.
import type { EngagementChange, TrackedDelivery } from "@tentpole/core/tracking/Engagement"
import { EngagementStore } from "@tentpole/core/tracking/EngagementStore"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer, Option } from "effect"
import { contacts, writeActivities } from "../contacts/ContactStore.ts"
import { deliveries, suppressions } from "../sending/DeliveryTables.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"
import { suppress } from "../sending/Suppressions.ts"

const find = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: DeliveryId) {
  const row = yield* db.find(deliveries, workspace, id)
  if (row === undefined) return yield* new NotFound({ resource: "delivery" })
  const suppression =
    row.emailNormalized === null ? undefined : yield* db.find(suppressions, workspace, row.emailNormalized)
  const { displayName: _, contactDeleted: __, leaseUntil_ms: ___, smtpReply: ____, createdAt: _____, ...delivery } = row
  const tracked: TrackedDelivery = {
    ...delivery,
    contact: (yield* db.find(contacts, workspace, row.contactId)) ?? null,
    suppressed: suppression !== undefined,
  }
  return tracked
})

/** Existing deliveries by id. Unknown ids are left out. */
const findAll = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, ids: ReadonlyArray<DeliveryId>) {
  const found = new Map<DeliveryId, TrackedDelivery>()
  for (const id of ids) {
    const tracked = yield* Effect.option(find(db, workspace, id))
    if (Option.isSome(tracked)) found.set(id, tracked.value)
  }
  return found
})

const apply = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: EngagementChange) {
  const { activities, after, at, before } = change
  const row = yield* db.find(deliveries, workspace, before.id)
  if (row?.state !== before.state) return yield* Effect.die(`delivery ${before.id} is no longer what was decided on`)
  const { contact, suppressed, ...delivery } = after
  yield* db.put(deliveries, workspace, row.id, { ...row, ...delivery })
  if (suppressed && before.emailNormalized !== null) {
    yield* suppress(db, workspace, before.emailNormalized, "unsubscribe", at)
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
  EngagementStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const writer = yield* ChangeWriter
    return EngagementStore.of({
      get: (workspace, id) => find(db, workspace, id),
      lock: (workspace, ids) => Effect.andThen(Transaction, findAll(db, workspace, ids)),
      apply: (workspace, changes) =>
        Effect.andThen(
          Transaction,
          Effect.forEach(changes, (change) => apply(db, workspace, change)),
        ).pipe(Effect.andThen(writer.writeEffects(workspace, changes))),
    })
  }),
)
