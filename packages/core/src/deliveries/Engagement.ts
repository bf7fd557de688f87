// What a recipient does with a message: opens it, clicks, unsubscribes. The first human event of each kind counts. Whatever
// comes back also proves that the message arrived, so it ends a doubt.
import { DateTime } from "effect"
import type { Activity, ActivityType } from "../contacts/Activity.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { DomainEvent } from "../Outbox.ts"
import type { Delivery } from "./Delivery.ts"
import { move } from "./Delivery.ts"

/** A delivery, with whom it was for. */
export interface TrackedDelivery extends Delivery {
  readonly operational: boolean
  readonly emailNormalized: string | null
  /** Null when the contact has been deleted. */
  readonly contact: Contact | null
  /** The address is suppressed, for whatever reason. */
  readonly suppressed: boolean
}

export type Event =
  | { readonly _tag: "opened" }
  | { readonly _tag: "clicked"; readonly url: string }
  | { readonly _tag: "unsubscribed" }

/** The times that engagement sets; each is set once. */
export interface Marks {
  readonly openedAt: DateTime.Utc | null
  readonly clickedAt: DateTime.Utc | null
  readonly clickedUrl: string | null
  readonly unsubscribedAt: DateTime.Utc | null
  readonly sentAt: DateTime.Utc | null
  readonly deliveredAt: DateTime.Utc | null
}

export class EngagementChange {
  readonly #brand = true
  readonly before: TrackedDelivery
  readonly at: DateTime.Utc
  /** As they are to be; what was set stays. */
  readonly marks: Marks
  /** The delivery was unconfirmed, and is now known to have been sent. */
  readonly provesSent: boolean
  /** The contact becomes unsubscribed, and the address suppressed. */
  readonly unsubscribes: boolean
  readonly activities: ReadonlyArray<Activity>
  readonly events: ReadonlyArray<DomainEvent>

  private constructor(it: {
    readonly before: TrackedDelivery
    readonly at: DateTime.Utc
    readonly marks: Marks
    readonly provesSent: boolean
    readonly unsubscribes: boolean
    readonly activities: ReadonlyArray<Activity>
    readonly events: ReadonlyArray<DomainEvent>
  }) {
    this.before = it.before
    this.at = it.at
    this.marks = it.marks
    this.provesSent = it.provesSent
    this.unsubscribes = it.unsubscribes
    this.activities = it.activities
    this.events = it.events
  }

  static is(it: unknown): it is EngagementChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  /** Undefined when the event is not the first of its kind. */
  static of(before: TrackedDelivery, event: Event, at: DateTime.Utc): EngagementChange | undefined {
    const unsubscribes = event._tag === "unsubscribed" && needsUnsubscribing(before)
    const news = newsOf(before, event, unsubscribes)
    if (news.length === 0) return undefined
    const provesSent = move(before, { _tag: "evidence", of: "sent" }) !== undefined
    const sentAt = before.sentAt ?? before.handedOverAt ?? at
    const proven: ReadonlyArray<News> = provesSent
      ? [
          { type: "email_sent", at: sentAt, data: {} },
          { type: "email_delivered", at: sentAt, data: {} },
        ]
      : []
    const told = [...proven, ...news.map((each): News => ({ ...each, at }))]
    return new EngagementChange({
      before,
      at,
      marks: marksOf(before, event, at, provesSent ? sentAt : null),
      provesSent,
      unsubscribes,
      activities: told.map((each) => ({
        contactId: before.contactId,
        type: each.type,
        at: each.at,
        metadata: { ...about(before), ...each.data },
      })),
      events: [
        ...told.map((each) => ({
          type: each.type,
          contactId: before.contactId,
          at: each.at,
          data: { ...about(before), ...each.data },
        })),
        ...(unsubscribes && before.contact !== null && !before.contact.unsubscribed
          ? [
              {
                type: "contact_updated",
                contactId: before.contactId,
                at,
                data: { changes: [{ field: "unsubscribed", from: false, to: true }] },
              },
            ]
          : []),
      ],
    })
  }
}

interface News {
  readonly type: ActivityType
  readonly at: DateTime.Utc
  readonly data: Readonly<Record<string, string>>
}

/** What an activity says of the message that it was about. */
export const about = (delivery: { readonly id: string; readonly blastId: string }) => ({
  blast_id: delivery.blastId,
  recipient_id: delivery.id,
})

/** Someone who subscribed again and follows an old link means it again. */
const needsUnsubscribing = (before: TrackedDelivery): boolean =>
  before.unsubscribedAt === null || (before.contact !== null && !before.contact.unsubscribed) || !before.suppressed

const newsOf = (before: TrackedDelivery, event: Event, unsubscribes: boolean): ReadonlyArray<Omit<News, "at">> => {
  switch (event._tag) {
    case "opened":
      return before.openedAt === null ? [{ type: "email_opened", data: {} }] : []
    case "clicked":
      return before.clickedAt === null
        ? [
            // Who clicks has seen it, whether or not images were shown.
            ...(before.openedAt === null ? [{ type: "email_opened" as const, data: {} }] : []),
            { type: "email_clicked", data: { url: event.url } },
          ]
        : []
    case "unsubscribed":
      return unsubscribes ? [{ type: "email_unsubscribed", data: {} }] : []
  }
}

const marksOf = (before: TrackedDelivery, event: Event, at: DateTime.Utc, provenAt: DateTime.Utc | null): Marks => ({
  openedAt: before.openedAt ?? (event._tag === "unsubscribed" ? null : at),
  clickedAt: before.clickedAt ?? (event._tag === "clicked" ? at : null),
  clickedUrl: before.clickedAt === null ? (event._tag === "clicked" ? event.url : null) : before.clickedUrl,
  unsubscribedAt: before.unsubscribedAt ?? (event._tag === "unsubscribed" ? at : null),
  sentAt: before.sentAt ?? provenAt,
  deliveredAt: before.deliveredAt ?? provenAt,
})
