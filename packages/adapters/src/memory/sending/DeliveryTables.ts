// The memory tables of deliveries, and the only function that moves a delivery.
import type { BounceKind } from "@tentpole/core/sending/EnhancedCode"
import type { Blast } from "@tentpole/core/blasts/Blast"
import type { BlockReason, Delivery, Move } from "@tentpole/core/sending/Delivery"
import { move } from "@tentpole/core/sending/machine"
import { addressOnly, type RecipientFacts, type Suppression } from "@tentpole/core/sending/Suppression"
import type { Contact } from "@tentpole/core/contacts/Contact"
import type { TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { LinkClicks } from "@tentpole/core/tracking/LinkClicks"
import { Clock, type DateTime, Effect } from "effect"
import { recipientTopic } from "@tentpole/core/topics/Topic"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"
import { choiceKey, topicChoices, topics } from "../topics/TopicTables.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"

export interface DeliveryRow extends Delivery {
  readonly emailNormalized: string | null
  readonly displayName: string | null
  readonly operational: boolean
  readonly contactDeleted: boolean
  /** Set while there is a fencing token. */
  readonly leaseUntil_ms: number | null
  readonly smtpReply: string | null
  /** Set while it is failed or unconfirmed. */
  readonly failedAt: DateTime.Utc | null
  /** When it was blocked at its intent, or cancelled. */
  readonly blockedAt: DateTime.Utc | null
  readonly machineOpenedAt: DateTime.Utc | null
  readonly machineClickedAt: DateTime.Utc | null
  readonly bounceKind: BounceKind | null
  readonly createdAt: DateTime.Utc
}

/** The domain of the address. */
export const domainOf = ({ emailNormalized }: DeliveryRow): string => emailNormalized?.split("@").at(-1) ?? "unknown"

/** An unconfirmed delivery counts as failed. */
export const isFailed = ({ state }: DeliveryRow): boolean => state === "failed" || state === "unconfirmed"

export const deliveries = table<DeliveryRow>("delivery")
/** By delivery and link. */
export const clicks = table<LinkClicks>("delivery_click")
/** By normalized address. */
export const suppressions = table<Suppression>("suppression")
export const blasts = table<Blast>("blast")

interface DueRow {
  readonly workspaceId: WorkspaceId
  readonly dueAt_ms: number
}

/** When each workspace has due deliveries, by workspace. The rows are stored outside workspaces. */
export const dueDeliveries = table<DueRow>("due_work deliveries")

/** When each workspace has due schedules, by workspace. The rows are stored outside workspaces. */
export const dueSchedules = table<DueRow>("due_work blasts")

/** Makes the workspace's schedules due at this time, unless they are due earlier. */
export const scheduleDue = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, at: DateTime.Utc) {
  const due = yield* db.find(dueSchedules, null, workspace)
  const dueAt_ms = Math.min(at.epochMilliseconds, due?.dueAt_ms ?? Infinity)
  yield* db.put(dueSchedules, null, workspace, { workspaceId: workspace, dueAt_ms })
})

/** Makes the workspace's deliveries due now, unless they are due already. */
export const makeDue = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const now = yield* Clock.currentTimeMillis
  const due = yield* db.find(dueDeliveries, null, workspace)
  const dueAt_ms = Math.min(now, due?.dueAt_ms ?? now)
  yield* db.put(dueDeliveries, null, workspace, { workspaceId: workspace, dueAt_ms })
})

/** The row after the move, or undefined when the machine refuses it. A row without a token has no lease. */
export const moved = (row: DeliveryRow, by: Move): DeliveryRow | undefined => {
  const after = move(row, by)
  if (after === undefined) return undefined
  return { ...row, ...after, leaseUntil_ms: after.token === null ? null : row.leaseUntil_ms }
}

/** The status of a recipient for the topic of a message. A topic that was deleted has no subscribers. */
const standingOf = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  contact: Contact | null,
  topicId: TopicId | null,
) {
  if (topicId === null) return null
  const topic = yield* db.find(topics, workspace, topicId)
  const choice = contact === null ? undefined : yield* db.find(topicChoices, workspace, choiceKey(topicId, contact.id))
  return recipientTopic(topic ?? { defaultSubscription: "unsubscribed" }, choice ?? null)
})

/** The facts of a recipient now. `contact`: null for a single message that has none. `topicId`: of the message. */
export const factsOf = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  contact: Contact | null,
  emailNormalized: string | null,
  topicId: TopicId | null,
) {
  const settings = yield* db.find(workspaces, null, workspace)
  const suppression = emailNormalized === null ? undefined : yield* db.find(suppressions, workspace, emailNormalized)
  const known = {
    emailNormalized,
    suppression: suppression?.reason ?? null,
    topic: yield* standingOf(db, workspace, contact, topicId),
    consentRequired: settings?.consent.marketingConsent === "required",
  }
  if (contact === null) return addressOnly(known)
  return {
    ...known,
    unsubscribed: contact.unsubscribed,
    marketingEmailSubscribed: contact.marketingEmailSubscribed,
    marketingEmailInvalid: contact.marketingEmailInvalid,
  } satisfies RecipientFacts
})

/** What a delivery has when nothing has happened to it. */
export const nothingHappened = {
  contactDeleted: false,
  token: null,
  leaseUntil_ms: null,
  attempts: 0,
  smtpReply: null,
  handedOverAt: null,
  sentAt: null,
  failedAt: null,
  blockedAt: null,
  deliveredAt: null,
  openedAt: null,
  clickedAt: null,
  clickedUrl: null,
  bouncedAt: null,
  bounceKind: null,
  unsubscribedAt: null,
  complainedAt: null,
  machineOpenedAt: null,
  machineClickedAt: null,
} satisfies Partial<DeliveryRow>

/** A new delivery of a blast or a flow. */
export const newDelivery = (
  it: Pick<DeliveryRow, "id" | "blastId" | "flow" | "contactId" | "approvalId" | "topicId" | "operational">,
  contact: Contact,
  reason: BlockReason | undefined,
  now: DateTime.Utc,
): DeliveryRow => ({
  ...nothingHappened,
  ...it,
  message: null,
  expiresAt: null,
  email: contact.email,
  emailNormalized: contact.emailNormalized,
  displayName: contact.displayName,
  state: reason === undefined ? "queued" : "blocked",
  reason: reason ?? null,
  dueAt: now,
  createdAt: now,
})
