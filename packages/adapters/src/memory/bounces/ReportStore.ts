// The bounce report store in memory: deliveries with the recent messages to their address, and the reports about them.
import { ReportChange, type ReportedDelivery } from "@tentpole/core/bounces/Report"
import { BounceReportStore } from "@tentpole/core/bounces/ReportStore"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer } from "effect"
import { contacts, writeActivities } from "../contacts/ContactStore.ts"
import { deliveries, suppressions } from "../sending/DeliveryTables.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"
import { appendEvents } from "../kernel/Outbox.ts"
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
  if (!ReportChange.is(change)) return yield* Effect.die("reports are written by a ReportChange only")
  const { activities, at, before, events, invalidates, marks, provesSent, suppresses, unsubscribes } = change
  const row = yield* db.find(deliveries, workspace, before.id)
  if (row?.state !== before.state) return yield* Effect.die(`delivery ${before.id} is no longer what was decided on`)
  yield* db.put(deliveries, workspace, row.id, {
    ...row,
    ...marks,
    ...(provesSent ? { state: "sent" as const, reason: null } : {}),
  })
  if (suppresses !== null && before.emailNormalized !== null) {
    yield* suppress(db, workspace, before.emailNormalized, suppresses, at)
  }
  const contact = yield* db.find(contacts, workspace, before.contactId)
  if (contact !== undefined) {
    if (unsubscribes || invalidates) {
      yield* db.put(contacts, workspace, contact.id, {
        ...contact,
        unsubscribed: contact.unsubscribed || unsubscribes,
        marketingEmailInvalid: contact.marketingEmailInvalid || invalidates,
        updatedAt: at,
      })
    }
    yield* writeActivities(db, workspace, activities)
  }
  yield* appendEvents(db, workspace, events)
})

export const layer = Layer.effect(
  BounceReportStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    return BounceReportStore.of({
      lock: (workspace, ids) => Effect.andThen(Transaction, find(db, workspace, ids)),
      apply: (workspace, changes) =>
        Effect.andThen(
          Transaction,
          Effect.forEach(changes, (change) => apply(db, workspace, change), { discard: true }),
        ),
    })
  }),
)
