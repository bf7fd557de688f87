// The blast audit store in memory.
import {
  type AuditFinding,
  BlastAuditStore,
  type Found,
  samples_max,
  type StateCount,
} from "@tentpole/core/blasts/inspection/BlastAuditStore"
import { countsOf, launchOf } from "@tentpole/core/blasts/Blast"
import { type BlastId, DeliveryId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { byCodePoint } from "@tentpole/core/kernel/Text"
import { Effect, Layer } from "effect"
import { deliveriesOf, findBlast, isOpen, tallyOf } from "./BlastStore.ts"
import { activities } from "../contacts/ContactTables.ts"
import type { DeliveryRow } from "../sending/DeliveryTables.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"
import { eventsOf } from "../kernel/Outbox.ts"

/** Rows whose key an earlier row has. Rows with the key null are skipped. */
const duplicates = (rows: ReadonlyArray<DeliveryRow>, key: (row: DeliveryRow) => string | null) => {
  const seen = new Set<string>()
  return rows.filter((row) => {
    const mine = key(row)
    if (mine === null) return false
    const before = seen.has(mine)
    seen.add(mine)
    return before
  })
}

const hasEvidence = (row: DeliveryRow): boolean =>
  [row.smtpReply, row.bounceKind, row.deliveredAt, row.openedAt, row.clickedAt, row.machineOpenedAt]
    .concat([row.machineClickedAt, row.bouncedAt, row.unsubscribedAt, row.complainedAt])
    .some((each) => each !== null)

/** Counts the `email_sent` events or activities of each delivery of the blast. */
const sendsOf = (
  blast: BlastId,
  reports: ReadonlyArray<{ readonly type: string; readonly metadata: Readonly<Record<string, unknown>> }>,
) => {
  const times = new Map<DeliveryId, number>()
  for (const { type, metadata } of reports) {
    if (type !== "email_sent" || metadata["blast_id"] !== blast) continue
    const id = DeliveryId.make(String(metadata["recipient_id"]))
    times.set(id, (times.get(id) ?? 0) + 1)
  }
  return times
}

const countStates = (rows: ReadonlyArray<DeliveryRow>): ReadonlyArray<StateCount> =>
  [...Map.groupBy(rows, ({ state, reason }) => `${state} ${reason ?? "~"}`)]
    .sort(([left], [right]) => byCodePoint(left, right))
    .flatMap(([, [first, ...others]]) =>
      first === undefined ? [] : [{ state: first.state, reason: first.reason, count: others.length + 1 }],
    )

const evidence = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: BlastId) {
  const blast = yield* findBlast(db, workspace, id)
  const rows = [...(yield* deliveriesOf(db, workspace, id))].sort((left, right) => (left.id < right.id ? -1 : 1))
  const sent = new Map(rows.filter(({ state }) => state === "sent").map((row) => [row.id, row]))
  const inTimelines = sendsOf(id, yield* db.all(activities, workspace))
  const events = (yield* eventsOf(db, workspace)).map(({ type, data }) => ({ type, metadata: data }))
  const wrongly = (times: ReadonlyMap<DeliveryId, number>) =>
    [...times].flatMap(([each, count]) => (count > 1 || !sent.has(each) ? [each] : []))
  const found = (ids: ReadonlyArray<DeliveryId>): Found => ({
    count: ids.length,
    samples: [...ids].sort().slice(0, samples_max),
  })
  const holding = (holds: (row: DeliveryRow) => boolean) => found(rows.filter(holds).map((row) => row.id))
  const isSent = ({ state }: DeliveryRow) => state === "sent"
  const unblocked = rows.filter(({ state }) => state !== "blocked")
  return {
    status: blast.status,
    recipientCount: countsOf(launchOf(blast))?.recipientCount ?? null,
    recipients: countStates(rows),
    // Memory has no stored counters, so both figures come from the rows.
    tally: tallyOf(rows),
    recount: tallyOf(rows),
    unconfirmed: rows.filter(({ state }) => state === "unconfirmed").slice(0, samples_max),
    found: {
      contact_again: found(duplicates(rows, (row) => row.contactId).map((row) => row.id)),
      address_again: found(duplicates(unblocked, (row) => row.emailNormalized).map((row) => row.id)),
      sent_without_intent: holding((row) => isSent(row) && row.handedOverAt === null),
      sent_without_evidence: holding((row) => isSent(row) && !hasEvidence(row)),
      open: holding(isOpen),
      timeline_silent: holding((row) => isSent(row) && !row.contactDeleted && !inTimelines.has(row.id)),
      timeline_wrong: found(wrongly(inTimelines)),
      events_wrong: found(wrongly(sendsOf(id, events))),
    } satisfies { readonly [Finding in AuditFinding]: Found },
  }
})

export const layer = Layer.effect(
  BlastAuditStore,
  Effect.map(MemoryDatabase, (db) =>
    BlastAuditStore.of({ evidence: (workspace, blast) => evidence(db, workspace, blast) }),
  ),
)
