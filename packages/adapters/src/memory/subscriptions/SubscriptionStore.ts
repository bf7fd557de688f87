// The store of subscription requests in memory. Transactions run one after another, so a lock is a plain read.
import type { ContactId, SubscriptionRequestId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { hour_ms } from "@tentpole/core/subscriptions/MailLimits"
import { SubscriptionStore } from "@tentpole/core/subscriptions/SubscriptionStore"
import { DateTime, Effect } from "effect"
import { activities } from "../contacts/ContactTables.ts"
import { memberships } from "../flows/MembershipTables.ts"
import { endTurn, makeWorkDue, takeTurns, waitingWork, workKey } from "../kernel/DueWork.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { byNewest, newest } from "../kernel/Slices.ts"
import { listMembers } from "../segments/SegmentMembers.ts"
import { deliveries } from "../sending/DeliveryTables.ts"
import { consentRecords, topicChoices } from "../topics/TopicTables.ts"
import { requests } from "./RequestTables.ts"

/** Activities of every contact that a request creates. Those of messages are in their deliveries. */
const ownActivities: ReadonlySet<string> = new Set(["contact_created", "subscription_requested"])

const hasOtherTrace = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  contact: ContactId,
  request: SubscriptionRequestId,
) {
  const isMine = ({ contactId }: { readonly contactId: ContactId | null }) => contactId === contact
  const mine = (yield* db.all(requests, workspace)).filter(isMine)
  const mails = new Set((yield* db.all(consentRecords, workspace)).filter(isMine).map(({ messageId }) => messageId))
  const submissions = new Set<unknown>(mine.map(({ evidence }) => evidence.submissionId))
  return (
    (yield* db.all(listMembers, workspace)).some(isMine) ||
    (yield* db.all(memberships, workspace)).some(({ membership }) => isMine(membership)) ||
    (yield* db.all(topicChoices, workspace)).some((choice) => isMine(choice) && choice.status !== "pending") ||
    mine.some(({ id, status }) => id !== request && (status === "pending" || status === "confirmed")) ||
    (yield* db.all(deliveries, workspace)).some((row) => isMine(row) && !mails.has(row.id)) ||
    (yield* db.all(activities, workspace)).some(
      (activity) =>
        isMine(activity) &&
        !ownActivities.has(activity.type) &&
        !activity.type.startsWith("email") &&
        !(activity.type === "form_submission" && submissions.has(activity.metadata["submission_id"])),
    )
  )
})

const ms = (at: DateTime.Utc): number => at.epochMilliseconds

export const layer = storeLayer(SubscriptionStore, (db, writer) => {
  const pending = (workspace: WorkspaceId) =>
    Effect.map(db.all(requests, workspace), (rows) => rows.filter(({ status }) => status === "pending"))
  return SubscriptionStore.of({
    get: (workspace, id) => db.get(requests, workspace, id, "subscription request"),
    list: Effect.fnUntraced(function* (workspace, query) {
      const { contactId, status, topicId } = query
      const rows = (yield* db.all(requests, workspace)).filter(
        (row) =>
          (status === null || row.status === status) &&
          (contactId === null || row.contactId === contactId) &&
          (topicId === null || row.topicIds.includes(topicId) || row.grantedTopicIds.includes(topicId)),
      )
      return newest(rows, query)
    }),
    findPending: Effect.fnUntraced(function* (workspace, contact) {
      const rows = (yield* pending(workspace)).filter(({ contactId }) => contactId === contact)
      return rows.toSorted(byNewest)[0] ?? null
    }),
    mailsTo: Effect.fnUntraced(function* (workspace, email, since) {
      return (yield* db.all(requests, workspace))
        .filter(({ emailNormalized }) => emailNormalized === email)
        .flatMap(({ mailedAt }) => mailedAt)
        .filter((at) => ms(at) > ms(since))
    }),
    lockCount: () => Effect.asVoid(Transaction),
    nthUnconfirmed: Effect.fnUntraced(function* (workspace, nth, since) {
      const rows = (yield* db.all(requests, workspace)).filter(
        ({ createdAt, status }) => status !== "confirmed" && ms(createdAt) > ms(since),
      )
      return rows.toSorted(byNewest)[nth - 1]?.createdAt ?? null
    }),
    apply: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      for (const { after } of change.requests) yield* db.put(requests, workspace, after.id, after)
      const known = yield* db.find(waitingWork, null, workKey("subscriptions", workspace))
      if (known === undefined) yield* makeWorkDue(db, "subscriptions", workspace)
      yield* writer.writeEffects(workspace, [change])
    }),
    hasOtherTrace: (workspace, contact, request) =>
      Effect.andThen(Transaction, hasOtherTrace(db, workspace, contact, request)),
    takeTurns: (options) => Effect.andThen(Transaction, takeTurns(db, ["subscriptions"], options)),
    due: Effect.fnUntraced(function* (workspace, now, limit) {
      return (yield* pending(workspace))
        .filter(({ expiresAt }) => ms(expiresAt) <= ms(now))
        .toSorted((left, right) => ms(left.expiresAt) - ms(right.expiresAt))
        .slice(0, limit)
        .map(({ id }) => id)
    }),
    endTurn: Effect.fnUntraced(function* (turn) {
      yield* Transaction
      const next = (yield* pending(turn.workspace)).reduce(
        (least, { expiresAt }) => Math.min(least, ms(expiresAt)),
        Infinity,
      )
      const now_ms = ms(yield* DateTime.now)
      const dueAt_ms =
        next === Infinity ? now_ms + 12 * hour_ms : Math.min(now_ms + hour_ms, Math.max(now_ms + 1_000, next))
      yield* endTurn(db, { kind: "subscriptions", ...turn }, Effect.succeed(dueAt_ms))
    }),
  })
})
