// What other servers report of a message that went out: that it was delivered, that it came back, that its recipient calls
// it spam. Each counts once, whatever comes twice or late: what came back was not delivered, and nothing revives it.
import { DateTime } from "effect"
import type { Activity, ActivityType } from "../contacts/Activity.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { Delivery } from "../sending/Delivery.ts"
import { move } from "../sending/machine.ts"
import { about } from "../tracking/Engagement.ts"
import { isStronger, isWornOut, type SuppressionReason } from "../sending/Suppression.ts"
import type { DeliveryId } from "../kernel/Ids.ts"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import type { BounceKind } from "../sending/EnhancedCode.ts"

export type BounceReport =
  | { readonly _tag: "delivered" }
  /** `words`: the server's, printable and cut; null when it gave none. */
  | { readonly _tag: "bounced"; readonly kind: BounceKind; readonly words: string | null }
  | { readonly _tag: "complained" }

/** How a message to the same address went. */
export interface Past {
  readonly id: DeliveryId
  readonly bounceKind: BounceKind | null
}

/** A delivery, with whom it was for and what is known of the address. */
export interface ReportedDelivery extends Delivery {
  readonly emailNormalized: string | null
  /** How it came back; `soft` without a time: so refused at sending, which counts as failed and not as bounced. */
  readonly bounceKind: BounceKind | null
  /** Null when the contact has been deleted. */
  readonly contact: Contact | null
  readonly suppression: SuppressionReason | null
  /**
   * The newest messages of this contact to this address that a server was given, or refused because of the mailbox: the
   * newest first, this one among them, `soft_bounces_max` at most.
   */
  readonly newest: ReadonlyArray<Past>
}

/** The marks that reports set, as they are to be. */
export interface ReportMarks {
  readonly sentAt: DateTime.Utc | null
  /** Taken back by a bounce: acceptance was no delivery then. */
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
  /** The delivery was in doubt, or its sender not told yet: it is now known to have been sent. */
  readonly provesSent: boolean
  /** The address becomes suppressed, in place of a weaker suppression. */
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

  /** Undefined when the report is no news, or of a message that was never handed over. */
  static of(before: ReportedDelivery, report: BounceReport, at: DateTime.Utc): ReportChange | undefined {
    if (before.handedOverAt === null || !isNews(before, report)) return undefined
    const provesSent = move(before, { _tag: "report" }) !== undefined
    const marks = marksOf(before, report, at, provesSent ? before.handedOverAt : null)
    const told = newsOf(before, report, marks, at)
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
      activities: told.map(({ type, at, data }) => ({
        contactId: before.contactId,
        type,
        at,
        metadata: { ...about(before), ...data },
      })),
      events: [
        ...told.map(({ type, at, data }) => ({
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

const isNews = (before: ReportedDelivery, report: BounceReport): boolean => {
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
    // Whoever complains has it.
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
          isWornOut(before.newest.map(({ bounceKind, id }) => (id === before.id ? report.kind : bounceKind)))
          ? "bounce"
          : undefined
    }
  })()
  return wanted !== undefined && isStronger(wanted, before.suppression) ? wanted : null
}

interface News {
  readonly type: ActivityType
  readonly at: DateTime.Utc
  readonly data: Readonly<Record<string, string | null>>
}

/** What the timeline has not been told yet. */
const newsOf = (
  before: ReportedDelivery,
  report: BounceReport,
  marks: ReportMarks,
  at: DateTime.Utc,
): ReadonlyArray<News> => [
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
