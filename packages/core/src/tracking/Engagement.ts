// What a recipient does with a message: opens it, clicks, unsubscribes. The first human event of each kind counts. Whatever
// comes back also proves that the message arrived, so it ends a doubt.
import type { DateTime } from "effect"
import type { Activity, ActivityType } from "../contacts/Activity.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { ContactId, DeliveryId } from "../kernel/Ids.ts"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import type { Delivery } from "../sending/Delivery.ts"
import { move } from "../sending/machine.ts"

/** A delivery, with whom it was for. */
export interface TrackedDelivery extends Delivery {
  readonly operational: boolean
  readonly emailNormalized: string | null
  /** Null when the contact has been deleted. */
  readonly contact: Contact | null
  /** The address is suppressed, for whatever reason. */
  readonly suppressed: boolean
  /** When a machine first fetched the pixel, and when one first followed a link. They count nowhere. */
  readonly machineOpenedAt: DateTime.Utc | null
  readonly machineClickedAt: DateTime.Utc | null
}

export type Event =
  | { readonly _tag: "opened" }
  | { readonly _tag: "clicked"; readonly url: string }
  | { readonly _tag: "unsubscribed" }
  | { readonly _tag: "openedByMachine" }
  | { readonly _tag: "clickedByMachine" }

type Machines = Extract<Event, { readonly _tag: "openedByMachine" | "clickedByMachine" }>

/** Something that came back for a delivery, and when. */
export interface Happening {
  readonly deliveryId: DeliveryId
  readonly event: Event
  readonly at: DateTime.Utc
}

export class EngagementChange {
  readonly #brand = true
  readonly before: TrackedDelivery
  /** As it is to be, with its contact and its suppression. What was set stays. */
  readonly after: TrackedDelivery
  readonly at: DateTime.Utc
  /** The contact becomes unsubscribed, and the address suppressed. */
  readonly unsubscribes: boolean
  readonly activities: ReadonlyArray<Activity>
  readonly events: ReadonlyArray<DomainEvent>

  private constructor(it: {
    readonly before: TrackedDelivery
    readonly after: TrackedDelivery
    readonly at: DateTime.Utc
    readonly unsubscribes: boolean
    readonly activities: ReadonlyArray<Activity>
    readonly events: ReadonlyArray<DomainEvent>
  }) {
    this.before = it.before
    this.after = it.after
    this.at = it.at
    this.unsubscribes = it.unsubscribes
    this.activities = it.activities
    this.events = it.events
  }

  static is(it: unknown): it is EngagementChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  /**
   * What a batch changes, in the order given: each is decided on what those before it leave of its delivery, its contact and
   * its address. What happened to a delivery that is not among those found changes nothing.
   */
  static ofAll(
    found: ReadonlyMap<DeliveryId, TrackedDelivery>,
    happenings: ReadonlyArray<Happening>,
  ): ReadonlyArray<EngagementChange> {
    const soFar = new SoFar(found)
    return happenings.flatMap(({ at, deliveryId, event }) => {
      const before = soFar.of(deliveryId)
      const change = before === undefined ? undefined : EngagementChange.of(before, event, at)
      if (change === undefined) return []
      soFar.take(change)
      return [change]
    })
  }

  /** Undefined when the event is not the first of its kind. */
  static of(before: TrackedDelivery, event: Event, at: DateTime.Utc): EngagementChange | undefined {
    if (event._tag === "openedByMachine" || event._tag === "clickedByMachine") {
      return EngagementChange.#byMachine(before, event, at)
    }
    const unsubscribes = event._tag === "unsubscribed" && needsUnsubscribing(before)
    const news = newsOf(before, event, unsubscribes)
    if (news.length === 0) return undefined
    const proven = move(before, { _tag: "evidence" })
    const sentAt = before.sentAt ?? before.handedOverAt ?? at
    const doubtless: ReadonlyArray<News> =
      proven === undefined
        ? []
        : [
            { type: "email_sent", at: sentAt, data: {} },
            { type: "email_delivered", at: sentAt, data: {} },
          ]
    const told = [...doubtless, ...news.map((each): News => ({ ...each, at }))]
    return new EngagementChange({
      before,
      after: {
        ...before,
        ...(proven === undefined ? {} : { ...proven, sentAt, deliveredAt: before.deliveredAt ?? sentAt }),
        ...marksOf(before, event, at),
        contact: before.contact !== null && unsubscribes ? { ...before.contact, unsubscribed: true } : before.contact,
        suppressed: before.suppressed || unsubscribes,
      },
      at,
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

  /** It is written down, and nothing follows from it. */
  static #byMachine(before: TrackedDelivery, event: Machines, at: DateTime.Utc): EngagementChange | undefined {
    const mark = event._tag === "openedByMachine" ? "machineOpenedAt" : "machineClickedAt"
    if (before[mark] !== null) return undefined
    return new EngagementChange({
      before,
      after: { ...before, [mark]: at },
      at,
      unsubscribes: false,
      activities: [],
      events: [],
    })
  }
}

/** What deliveries have become by the changes so far. Those of one person know of each other's. */
class SoFar {
  readonly #deliveries: Map<DeliveryId, TrackedDelivery>
  readonly #contacts = new Map<ContactId, Contact | null>()
  readonly #suppressed = new Set<string>()

  constructor(found: ReadonlyMap<DeliveryId, TrackedDelivery>) {
    this.#deliveries = new Map(found)
  }

  of(id: DeliveryId): TrackedDelivery | undefined {
    const delivery = this.#deliveries.get(id)
    if (delivery === undefined) return undefined
    const { contact, contactId, emailNormalized, suppressed } = delivery
    const known = this.#contacts.get(contactId)
    return {
      ...delivery,
      contact: known === undefined ? contact : known,
      suppressed: suppressed || (emailNormalized !== null && this.#suppressed.has(emailNormalized)),
    }
  }

  take({ after }: EngagementChange): void {
    this.#deliveries.set(after.id, after)
    this.#contacts.set(after.contactId, after.contact)
    if (after.suppressed && after.emailNormalized !== null) this.#suppressed.add(after.emailNormalized)
  }
}

interface News {
  readonly type: ActivityType
  readonly at: DateTime.Utc
  readonly data: Readonly<Record<string, string>>
}

/** What an activity says of the message that it was about. */
export const about = ({ blastId, flow, id }: Pick<Delivery, "id" | "blastId" | "flow">) =>
  flow === null
    ? { blast_id: blastId, recipient_id: id }
    : { flow_id: flow.flowId, membership_id: flow.membershipId, step_id: flow.stepId, recipient_id: id }

/** Someone who subscribed again and follows an old link means it again. */
const needsUnsubscribing = (before: TrackedDelivery): boolean =>
  before.unsubscribedAt === null || (before.contact !== null && !before.contact.unsubscribed) || !before.suppressed

const newsOf = (
  before: TrackedDelivery,
  event: Exclude<Event, Machines>,
  unsubscribes: boolean,
): ReadonlyArray<Omit<News, "at">> => {
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

const marksOf = (before: TrackedDelivery, event: Exclude<Event, Machines>, at: DateTime.Utc) => ({
  openedAt: before.openedAt ?? (event._tag === "unsubscribed" ? null : at),
  clickedAt: before.clickedAt ?? (event._tag === "clicked" ? at : null),
  clickedUrl: before.clickedAt === null ? (event._tag === "clicked" ? event.url : null) : before.clickedUrl,
  unsubscribedAt: before.unsubscribedAt ?? (event._tag === "unsubscribed" ? at : null),
})
