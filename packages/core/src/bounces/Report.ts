// Bounce reports: what other servers report of a sent message (delivery, bounce, complaint). Each counts once, even when it
// comes twice or late. A bounced message was not delivered, and no later report changes that.
import { DateTime } from "effect"
import type { Activity, ActivityType } from "../contacts/Activity.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { Delivery } from "../sending/Delivery.ts"
import { move } from "../sending/machine.ts"
import { about } from "../tracking/Engagement.ts"
import { isStronger, bouncesRepeatedly, type SuppressionReason } from "../sending/Suppression.ts"
import type { DeliveryId } from "../kernel/Ids.ts"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import type { BounceKind } from "../sending/EnhancedCode.ts"

export type BounceReport =
  | { readonly _tag: "delivered" }
  /** `words`: the server's, printable and cut; null when it gave none. */
  | { readonly _tag: "bounced"; readonly kind: BounceKind; readonly words: string | null }
  | { readonly _tag: "complained" }

/** How an earlier message to the same address ended. */
export interface PastMessage {
  readonly id: DeliveryId
  readonly bounceKind: BounceKind | null
}

/** A delivery with its recipient and the data of its address. */
export interface ReportedDelivery extends Delivery {
  readonly emailNormalized: string | null
  /** How it bounced. `soft` without a time: the server refused it at sending, which counts as failed and not as bounced. */
  readonly bounceKind: BounceKind | null
  /** Null when the contact has been deleted. */
  readonly contact: Contact | null
  readonly suppression: SuppressionReason | null
  /**
   * The newest messages of this contact to this address that a server accepted, or refused because of the mailbox: newest
   * first, including this one, at most `soft_bounces_max`.
   */
  readonly newest: ReadonlyArray<PastMessage>
}

/** The new times that reports set. */
export interface ReportMarks {
  readonly sentAt: DateTime.Utc | null
  /** Reset by a bounce: then acceptance was not a delivery. */
  readonly deliveredAt: DateTime.Utc | null
  readonly bouncedAt: DateTime.Utc | null
  readonly bounceKind: BounceKind | null
  readonly complainedAt: DateTime.Utc | null
}

interface Parts {
  readonly before: ReportedDelivery
  readonly at: DateTime.Utc
  readonly marks: ReportMarks
  readonly provesSent: boolean
  readonly suppresses: SuppressionReason | null
  readonly unsubscribes: boolean
  readonly invalidates: boolean
  readonly activities: ReadonlyArray<Activity>
  readonly events: ReadonlyArray<DomainEvent>
}

export class ReportChange {
  readonly #brand = true
  readonly before: ReportedDelivery
  readonly at: DateTime.Utc
  readonly marks: ReportMarks
  /** The delivery was `unconfirmed`, or its worker had no reply yet: it is now known to have been sent. */
  readonly provesSent: boolean
  /** The address becomes suppressed, replacing a weaker suppression. */
  readonly suppresses: SuppressionReason | null
  /** The contact becomes unsubscribed. */
  readonly unsubscribes: boolean
  /** The contact's address is marked invalid. */
  readonly invalidates: boolean
  readonly activities: ReadonlyArray<Activity>
  readonly events: ReadonlyArray<DomainEvent>

  private constructor(it: Parts) {
    this.before = it.before
    this.at = it.at
    this.marks = it.marks
    this.provesSent = it.provesSent
    this.suppresses = it.suppresses
    this.unsubscribes = it.unsubscribes
    this.invalidates = it.invalidates
    this.activities = it.activities
    this.events = it.events
  }

  static is(it: unknown): it is ReportChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  /** Undefined when the report says nothing new, or its message was never handed over. */
  static of(before: ReportedDelivery, report: BounceReport, at: DateTime.Utc): ReportChange | undefined {
    if (before.handedOverAt === null || !isNew(before, report)) return undefined
    const provesSent = move(before, { _tag: "report" }) !== undefined
    const marks = marksOf(before, report, at, provesSent ? before.handedOverAt : null)
    const newActivities = activitiesOf(before, report, marks, at)
    const { contact } = before
    const unsubscribes = report._tag === "complained" && contact !== null && !contact.unsubscribed
    const invalidates =
      isHard(report) &&
      contact !== null &&
      !contact.marketingEmailInvalid &&
      contact.emailNormalized === before.emailNormalized
    const changes = [
      ...(unsubscribes ? [{ field: "unsubscribed", from: false, to: true }] : []),
      ...(invalidates ? [{ field: "marketing_email_invalid", from: false, to: true }] : []),
    ]
    return new ReportChange({
      before,
      at,
      marks,
      provesSent,
      suppresses: suppressionOf(before, report),
      unsubscribes,
      invalidates,
      activities: newActivities.map(({ type, at, data }) => ({
        contactId: before.contactId,
        type,
        at,
        metadata: { ...about(before), ...data },
      })),
      events: [
        ...newActivities.map(({ type, at, data }) => ({
          type,
          contactId: before.contactId,
          at,
          data: { ...about(before), ...data },
        })),
        ...(changes.length > 0
          ? [{ type: "contact_updated", contactId: before.contactId, at, data: { changes } }]
          : []),
      ],
    })
  }
}

const isHard = (report: BounceReport): boolean => report._tag === "bounced" && report.kind === "hard"

const isNew = (before: ReportedDelivery, report: BounceReport): boolean => {
  switch (report._tag) {
    case "delivered":
      return before.deliveredAt === null && before.bouncedAt === null
    case "bounced":
      return before.bouncedAt === null || (report.kind === "hard" && before.bounceKind === "soft")
    case "complained":
      return before.complainedAt === null
  }
}

const marksOf = (
  before: ReportedDelivery,
  report: BounceReport,
  at: DateTime.Utc,
  provenAt: DateTime.Utc | null,
): ReportMarks => {
  const bounced = report._tag === "bounced"
  const bouncedAt = before.bouncedAt ?? (bounced ? at : null)
  return {
    sentAt: before.sentAt ?? provenAt,
    // A complaint implies a delivery.
    deliveredAt: bouncedAt === null ? (before.deliveredAt ?? at) : null,
    bouncedAt,
    bounceKind: bounced ? report.kind : before.bounceKind,
    complainedAt: before.complainedAt ?? (report._tag === "complained" ? at : null),
  }
}

const suppressionOf = (before: ReportedDelivery, report: BounceReport): SuppressionReason | null => {
  const wanted = ((): SuppressionReason | undefined => {
    switch (report._tag) {
      case "delivered":
        return undefined
      case "complained":
        return "complaint"
      case "bounced":
        return report.kind === "hard" ||
          bouncesRepeatedly(before.newest.map(({ bounceKind, id }) => (id === before.id ? report.kind : bounceKind)))
          ? "bounce"
          : undefined
    }
  })()
  return wanted !== undefined && isStronger(wanted, before.suppression) ? wanted : null
}

interface NewActivity {
  readonly type: ActivityType
  readonly at: DateTime.Utc
  readonly data: Readonly<Record<string, string | null>>
}

/** The activities that the timeline does not have yet. */
const activitiesOf = (
  before: ReportedDelivery,
  report: BounceReport,
  marks: ReportMarks,
  at: DateTime.Utc,
): ReadonlyArray<NewActivity> => [
  ...(before.sentAt === null && marks.sentAt !== null
    ? [{ type: "email_sent" as const, at: marks.sentAt, data: {} }]
    : []),
  ...(before.deliveredAt === null && marks.deliveredAt !== null
    ? [{ type: "email_delivered" as const, at, data: {} }]
    : []),
  ...(report._tag === "bounced" && before.bouncedAt === null
    ? [{ type: "email_bounced" as const, at, data: { kind: report.kind, reply: report.words } }]
    : []),
  ...(report._tag === "complained" ? [{ type: "email_complained" as const, at, data: {} }] : []),
]
