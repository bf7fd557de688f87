// Suppressed addresses in memory, and the recent messages to an address that decide about suppression.
import type { PastMessage } from "@tentpole/core/bounces/Report"
import { isStronger, bouncesRepeatedly, soft_bounces_max, type Suppression } from "@tentpole/core/sending/Suppression"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type DateTime, Effect } from "effect"
import { deliveries, type DeliveryRow, suppressions } from "./DeliveryTables.ts"
import type { Rows } from "../kernel/MemoryDatabase.ts"
import { byAge } from "../kernel/Slices.ts"

/** Suppresses an address, or strengthens its suppression. */
export const suppress = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, suppression: Suppression) {
  const stored = yield* db.find(suppressions, workspace, suppression.email)
  if (!isStronger(suppression.reason, stored?.reason ?? null)) return
  yield* db.put(suppressions, workspace, suppression.email, suppression)
})

/** The newest messages of the delivery's contact to the same address. */
export const newestTo = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, of: DeliveryRow) {
  if (of.emailNormalized === null) return []
  const rows = (yield* db.all(deliveries, workspace)).filter(
    (row) =>
      row.contactId === of.contactId &&
      row.emailNormalized === of.emailNormalized &&
      (row.id === of.id || row.state === "sent" || row.bounceKind !== null),
  )
  return rows
    .sort((left, right) => byAge(right, left))
    .slice(0, soft_bounces_max)
    .map(({ bounceKind, id }): PastMessage => ({ id, bounceKind }))
})

/** After a soft bounce: suppresses the address if it had too many of them. */
export const suppressWornOut = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  row: DeliveryRow,
  at: DateTime.Utc,
) {
  const newest = yield* newestTo(db, workspace, row)
  if (row.emailNormalized === null || !bouncesRepeatedly(newest.map(({ bounceKind }) => bounceKind))) return
  yield* suppress(db, workspace, { email: row.emailNormalized, reason: "bounce", createdAt: at })
})
