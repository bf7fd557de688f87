// The store of engagement in memory.
import { EngagementChange, type TrackedDelivery } from "@tentpole/core/tracking/Engagement"
import { EngagementStore } from "@tentpole/core/tracking/EngagementStore"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer, Option } from "effect"
import { contacts, writeActivities } from "../contacts/ContactStore.ts"
import { deliveries, suppressions } from "../sending/DeliveryTables.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"
import { appendEvents } from "../kernel/Outbox.ts"

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
  if (!EngagementChange.is(change)) return yield* Effect.die("engagement is written by an EngagementChange only")
  const { activities, after, at, before, events, unsubscribes } = change
  const row = yield* db.find(deliveries, workspace, before.id)
  if (row?.state !== before.state) return yield* Effect.die(`delivery ${before.id} is no longer what was decided on`)
  const { contact: _, suppressed: __, ...delivery } = after
  yield* db.put(deliveries, workspace, row.id, { ...row, ...delivery })
  if (unsubscribes && before.emailNormalized !== null) {
    const there = yield* db.find(suppressions, workspace, before.emailNormalized)
    const suppression = { emailNormalized: before.emailNormalized, reason: "unsubscribe" as const, createdAt: at }
    yield* db.put(suppressions, workspace, before.emailNormalized, there ?? suppression)
  }
  const contact = yield* db.find(contacts, workspace, before.contactId)
  if (contact !== undefined) {
    if (unsubscribes && !contact.unsubscribed) {
      yield* db.put(contacts, workspace, contact.id, { ...contact, unsubscribed: true, updatedAt: at })
    }
    yield* writeActivities(db, workspace, activities)
  }
  yield* appendEvents(db, workspace, events)
})

export const layer = Layer.effect(
  EngagementStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    return EngagementStore.of({
      get: (workspace, id) => find(db, workspace, id),
      lock: (workspace, ids) => Effect.andThen(Transaction, findAll(db, workspace, ids)),
      apply: (workspace, changes) =>
        Effect.andThen(
          Transaction,
          Effect.forEach(changes, (change) => apply(db, workspace, change), { discard: true }),
        ),
    })
  }),
)
