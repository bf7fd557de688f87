// Bounce reports: what other servers report of a sent message (delivery, bounce, complaint). Each counts once, even when it
// comes twice or late. A bounced message was not delivered, and no later report changes that.
import type { DateTime } from "effect"
import type { Activity } from "../contacts/Activity.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { Delivery } from "../sending/Delivery.ts"
import { move } from "../sending/machine.ts"
import { type NewActivity, recordsOf } from "../tracking/Engagement.ts"
import { isStronger, bouncesRepeatedly, type SuppressionReason } from "../sending/Suppression.ts"
import type { DeliveryId } from "../kernel/Ids.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { BounceKind } from "../sending/EnhancedCode.ts"

export type BounceReport =
  | { readonly _tag: "delivered" }
  /** `words`: the server's, printable and cut; null when it gave none. */
  | { readonly _tag: "bounced"; readonly kind: BounceKind; readonly words: string | null }
  | { readonly _tag: "complained" }

/** Providers report unsubscriptions too: they would not send to these recipients any more. */
export type ReportedFact = BounceReport | { readonly _tag: "unsubscribed" }

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

export type ReportChange = Change<
  "bounce report",
  {
    readonly before: ReportedDelivery
    /** The new state, with its contact and its suppression; `newest` stays. Suppressions are never weakened. */
    readonly after: ReportedDelivery
    readonly at: DateTime.Utc
    readonly activities: ReadonlyArray<Activity>
  }
>

const reportChange = changeOf("bounce report")

export const ReportChange = {
  /** Undefined when the report says nothing new, or its message was never handed over. */
  of(before: ReportedDelivery, report: BounceReport, at: DateTime.Utc): ReportChange | undefined {
    if (before.handedOverAt === null || !isNew(before, report)) return undefined
    const proven = move(before, { _tag: "report" })
    const after: ReportedDelivery = {
      ...before,
      ...proven,
      ...marksOf(before, report, at, proven === undefined ? null : before.handedOverAt),
      suppression: suppressionOf(before, report) ?? before.suppression,
      contact: contactAfter(before, report),
    }
    const { activities, events } = recordsOf({ before, after, at }, activitiesOf(before, report, after, at))
    return reportChange({ before, after, at, activities }, { events })
  },
}

/** A complaint unsubscribes the contact, and a hard bounce marks its address as invalid. */
const contactAfter = (
  { contact, emailNormalized }: ReportedDelivery,
  report: BounceReport,
): ReportedDelivery["contact"] => {
  if (contact === null) return null
  if (report._tag === "complained" && !contact.unsubscribed) return { ...contact, unsubscribed: true }
  const invalidates = report._tag === "bounced" && report.kind === "hard" && contact.emailNormalized === emailNormalized
  return invalidates && !contact.marketingEmailInvalid ? { ...contact, marketingEmailInvalid: true } : contact
}

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
): Pick<ReportedDelivery, "sentAt" | "deliveredAt" | "bouncedAt" | "bounceKind" | "complainedAt"> => {
  const bounced = report._tag === "bounced"
  const bouncedAt = before.bouncedAt ?? (bounced ? at : null)
  return {
    sentAt: before.sentAt ?? provenAt,
    // A complaint implies a delivery. After a bounce, acceptance was no delivery.
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

/** The activities that the report adds. */
const activitiesOf = (
  before: ReportedDelivery,
  report: BounceReport,
  { sentAt, deliveredAt }: ReportedDelivery,
  at: DateTime.Utc,
): ReadonlyArray<NewActivity> => [
  ...(before.sentAt === null && sentAt !== null ? [{ type: "email_sent" as const, at: sentAt }] : []),
  ...(before.deliveredAt === null && deliveredAt !== null ? [{ type: "email_delivered" as const, at }] : []),
  ...(report._tag === "bounced" && before.bouncedAt === null
    ? [{ type: "email_bounced" as const, at, data: { kind: report.kind, reply: report.words } }]
    : []),
  ...(report._tag === "complained" ? [{ type: "email_complained" as const, at }] : []),
]
