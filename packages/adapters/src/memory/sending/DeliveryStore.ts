// The delivery store in memory. It applies core's machine to the rows.
import { launchOf } from "@tentpole/core/blasts/Blast"
import type { IntentAnswer } from "@tentpole/core/sending/Delivery"
import { finalStates } from "@tentpole/core/sending/Delivery"
import { type Claim, DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import * as Pace from "@tentpole/core/sending/SendRateLimit"
import { intentAnswer } from "@tentpole/core/sending/Suppression"
import { DeliveryId, Ids, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction, Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Clock, DateTime, Effect, Layer } from "effect"
import { contactOf } from "../contacts/ContactTables.ts"
import { endTurn, hintDue, takeTurns, waitingWork } from "../kernel/DueWork.ts"
import { nextDue_ms } from "../messages/MessageTables.ts"
import { fixAudience } from "./DeliveryAudience.ts"
import { bucketOf, claim, sendingBlastIds } from "./DeliveryClaim.ts"
import { settle } from "./DeliverySettle.ts"
import { blasts, deliveries, type DeliveryRow, dueDeliveries, factsOf, makeDue, moved } from "./DeliveryTables.ts"
import { isWithdrawn, putMoved, sendingSteps } from "../flows/MembershipTables.ts"
import { MemoryDatabase, Open, type Rows } from "../kernel/MemoryDatabase.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"

const look_again_ms = 10_000

const answer = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, row: DeliveryRow) {
  const blast = yield* db.find(blasts, workspace, row.blastId)
  const step = yield* db.find(sendingSteps, workspace, row.blastId)
  const contact = yield* contactOf(db, workspace, row.contactId)
  const line = row.message === null ? undefined : { status: "sending", paused: false }
  return intentAnswer({
    blast: line ??
      step ?? { status: blast?.status ?? "cancelled", paused: blast?.status === "sending" && blast.paused },
    recipient:
      contact === undefined && row.contactId !== null
        ? null
        : yield* factsOf(db, workspace, contact ?? null, row.emailNormalized, row.topicId),
    operational: row.operational,
    withdrawn: yield* isWithdrawn(db, workspace, row),
  })
})

const grant = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  claims: ReadonlyArray<Claim>,
  lease_ms: number,
) {
  yield* Transaction
  const now = yield* Clock.currentTimeMillis
  const answers = new Map<DeliveryId, IntentAnswer>()
  for (const { blastId, id, token } of claims) {
    const row = yield* db.find(deliveries, workspace, id)
    if (row?.leaseUntil_ms == null || row.leaseUntil_ms <= now || row.blastId !== blastId) continue
    const verdict = yield* answer(db, workspace, row)
    const after = moved(row, { _tag: "intent", token, answer: verdict })
    if (after === undefined) continue
    answers.set(id, verdict)
    yield* putMoved(
      db,
      workspace,
      row,
      verdict === "granted"
        ? { ...after, leaseUntil_ms: now + lease_ms, handedOverAt: DateTime.makeUnsafe(now) }
        : { ...after, blockedAt: after.state === "blocked" ? DateTime.makeUnsafe(now) : null },
    )
  }
  return answers
})

const renew = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  claims: ReadonlyArray<Claim>,
  lease_ms: number,
) {
  const now = yield* Clock.currentTimeMillis
  let count = 0
  for (const { id, token } of claims) {
    const row = yield* db.find(deliveries, workspace, id)
    if (row?.token !== token || (row.state !== "claimed" && row.state !== "handed_over")) continue
    count++
    yield* db.put(deliveries, workspace, id, { ...row, leaseUntil_ms: now + lease_ms })
  }
  return count
})

const sweep = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const now = yield* Clock.currentTimeMillis
  const swept = { queued: 0, unconfirmed: 0, expired: 0 }
  for (const row of yield* db.all(deliveries, workspace)) {
    const late =
      row.expiresAt !== null && row.expiresAt.epochMilliseconds <= now ? moved(row, { _tag: "late" }) : undefined
    if (late !== undefined) {
      yield* putMoved(db, workspace, row, late)
      swept.expired++
    }
    if (row.leaseUntil_ms === null || row.leaseUntil_ms >= now) continue
    const after = moved(row, { _tag: "expire" })
    if (after === undefined) continue
    yield* putMoved(db, workspace, row, after)
    if (after.state === "queued") swept.queued++
    else swept.unconfirmed++
  }
  if (swept.queued + swept.unconfirmed > 0) {
    yield* makeDue(db, workspace)
    yield* hintDue(db, "messages", workspace, DateTime.makeUnsafe(now))
  }
  return swept
})

const rest = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const now = yield* Clock.currentTimeMillis
  const open = (yield* db.all(deliveries, workspace)).filter((row) => !finalStates.has(row.state))
  const all = yield* db.all(blasts, workspace)
  const unfinished = all.some((blast) => blast.status === "sending" && launchOf(blast)?.audience !== null)
  if (open.length === 0 && !unfinished) {
    yield* db.remove(dueDeliveries, null, workspace)
    return { dry: true }
  }
  const sending = yield* sendingBlastIds(db, workspace)
  const due_ms = open
    .filter((row) => row.state === "queued" && sending.has(row.blastId))
    .map((row) => row.dueAt.epochMilliseconds)
  const next_ms = Math.min(now + look_again_ms, Math.max(yield* permitAt_ms(db, workspace, now), Math.min(...due_ms)))
  yield* db.put(dueDeliveries, null, workspace, { workspaceId: workspace, dueAt_ms: next_ms })
  return { dry: open.length === 0 }
})

/** When the workspace may send again. With domain limits, turns are at least `turn_ms` apart. */
const permitAt_ms = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, now: number) {
  const settings = yield* db.find(workspaces, null, workspace)
  const next_ms = now + (settings?.sendingPerDomainPerSecond == null ? 0 : Pace.turn_ms)
  if (settings?.sendingPerSecond == null) return next_ms
  return Math.max(next_ms, Pace.nextPermit_ms(yield* bucketOf(db, workspace, "", now), settings.sendingPerSecond))
})

const workspacesDue = (db: Rows, limit: number, by_ms: number, except: ReadonlyArray<WorkspaceId> = []) =>
  Effect.map(db.all(dueDeliveries, null), (rows) =>
    rows
      .filter((row) => row.dueAt_ms <= by_ms && !except.includes(row.workspaceId))
      .sort((left, right) => left.dueAt_ms - right.dueAt_ms)
      .slice(0, limit)
      .map((row) => row.workspaceId),
  )

export const layer = Layer.effect(
  DeliveryStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const ids = yield* Ids
    const { transact } = yield* Transactor
    return DeliveryStore.of({
      fixAudience: (workspace, blast, contacts_max) =>
        Effect.andThen(Transaction, fixAudience(db, ids, workspace, blast, contacts_max)),
      dueWorkspaces: (limit, except) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => workspacesDue(db, limit, now, except)),
      openWorkspaces: Effect.fnUntraced(function* (limit) {
        const lines = (yield* db.all(waitingWork, null)).filter(
          ({ dueAt_ms, kind }) => kind === "messages" && dueAt_ms < Infinity,
        )
        const open = [...(yield* workspacesDue(db, limit, Infinity)), ...lines.map(({ workspace }) => workspace)]
        return [...new Set(open)].slice(0, limit)
      }),
      claim: (workspace, options) => Effect.andThen(Transaction, claim(db, workspace, options, "deliveries")),
      messageTurns: Effect.fnUntraced(function* (limit, turn_ms) {
        yield* Transaction
        return yield* takeTurns(db, ["messages"], { limit, turn_ms })
      }),
      claimMessages: (workspace, options) => Effect.andThen(Transaction, claim(db, workspace, options, "messages")),
      endMessageTurn: Effect.fnUntraced(function* ({ token, workspace }, more) {
        yield* Transaction
        const next = more ? Clock.currentTimeMillis : nextDue_ms(db, workspace, Pace.turn_ms)
        yield* endTurn(db, { kind: "messages", token, workspace }, next)
      }),
      hasMessages: Effect.map(db.all(waitingWork, null), (works) => works.some(({ kind }) => kind === "messages")),
      messageArrival: Effect.sleep("50 millis"),
      renew: (workspace, claims, lease_ms) => Effect.andThen(Transaction, renew(db, workspace, claims, lease_ms)),
      grant: (workspace, claims, lease_ms) =>
        Effect.flatMap(Open, (open) =>
          open === undefined
            ? transact(grant(db, workspace, claims, lease_ms))
            : Effect.die("an intent is committed before it is used: do not request it inside a transaction"),
        ),
      settle: (workspace, settlements) => Effect.andThen(Transaction, settle(db, workspace, settlements)),
      release: Effect.fnUntraced(function* (workspace, claims) {
        yield* Transaction
        let count = 0
        for (const { id, token } of claims) {
          const row = yield* db.find(deliveries, workspace, id)
          const after = row === undefined ? undefined : moved(row, { _tag: "release", token })
          if (after === undefined) continue
          count++
          yield* db.put(deliveries, workspace, id, { ...after, handedOverAt: null })
        }
        if (count > 0) {
          yield* makeDue(db, workspace)
          yield* hintDue(db, "messages", workspace, yield* DateTime.now)
        }
        return count
      }),
      sweep: (workspace) => Effect.andThen(Transaction, sweep(db, workspace)),
      endTurn: (workspace) => Effect.andThen(Transaction, rest(db, workspace)),
    })
  }),
)
