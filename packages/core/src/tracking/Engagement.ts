// Engagement of a recipient with a message: open, click, unsubscription. The first human event of each kind counts. Each also
// proves that the message arrived, so it resolves an `unconfirmed` delivery.
import type { DateTime } from "effect"
import type { Activity, ActivityType } from "../contacts/Activity.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { ContactId, DeliveryId } from "../kernel/Ids.ts"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import type { Delivery } from "../sending/Delivery.ts"
import { move } from "../sending/machine.ts"

/** A delivery with its recipient. */
export interface TrackedDelivery extends Delivery {
  readonly operational: boolean
  readonly emailNormalized: string | null
  /** Null when the contact has been deleted. */
  readonly contact: Contact | null
  /** The address is suppressed, for any reason. */
  readonly suppressed: boolean
  /** When a bot first fetched the pixel, and first followed a link. Counted nowhere. */
  readonly machineOpenedAt: DateTime.Utc | null
  readonly machineClickedAt: DateTime.Utc | null
}

export type Event =
  | { readonly _tag: "opened" }
  | { readonly _tag: "clicked"; readonly url: string }
  | { readonly _tag: "unsubscribed" }
  | { readonly _tag: "openedByMachine" }
  | { readonly _tag: "clickedByMachine" }

type MachineEvent = Extract<Event, { readonly _tag: "openedByMachine" | "clickedByMachine" }>

/** An engagement event of a delivery, with its time. */
export interface TimedEvent {
  readonly deliveryId: DeliveryId
  readonly event: Event
  readonly at: DateTime.Utc
}

export class EngagementChange {
  readonly #brand = true
  readonly before: TrackedDelivery
  /** The new state, with its contact and its suppression. Times that are set stay. */
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
   * The changes of a batch, in the given order. Each is decided on the result of the previous ones for its delivery, contact
   * and address. Events of deliveries that were not found change nothing.
   */
  static ofAll(
    found: ReadonlyMap<DeliveryId, TrackedDelivery>,
    happenings: ReadonlyArray<TimedEvent>,
  ): ReadonlyArray<EngagementChange> {
    const soFar = new BatchState(found)
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
    const news = activitiesOf(before, event, unsubscribes)
    if (news.length === 0) return undefined
    const proven = move(before, { _tag: "evidence" })
    const sentAt = before.sentAt ?? before.handedOverAt ?? at
    const sendingActivities: ReadonlyArray<NewActivity> =
      proven === undefined
        ? []
        : [
            { type: "email_sent", at: sentAt, data: {} },
            { type: "email_delivered", at: sentAt, data: {} },
          ]
    const newActivities = [...sendingActivities, ...news.map((each): NewActivity => ({ ...each, at }))]
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
      activities: newActivities.map((each) => ({
        contactId: before.contactId,
        type: each.type,
        at: each.at,
        metadata: { ...about(before), ...each.data },
      })),
      events: [
        ...newActivities.map((each) => ({
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

  /** Stores the time of a machine hit. It has no other effect. */
  static #byMachine(before: TrackedDelivery, event: MachineEvent, at: DateTime.Utc): EngagementChange | undefined {
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

/** The deliveries after the changes so far. Deliveries of one contact share its state. */
class BatchState {
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

interface NewActivity {
  readonly type: ActivityType
  readonly at: DateTime.Utc
  readonly data: Readonly<Record<string, string>>
}

/** The identifiers that an activity of a message carries. */
export const about = ({ blastId, flow, id }: Pick<Delivery, "id" | "blastId" | "flow">) =>
  flow === null
    ? { blast_id: blastId, recipient_id: id }
    : { flow_id: flow.flowId, membership_id: flow.membershipId, step_id: flow.stepId, recipient_id: id }

/** A contact that subscribed again and follows an old link is unsubscribed again. */
const needsUnsubscribing = (before: TrackedDelivery): boolean =>
  before.unsubscribedAt === null || (before.contact !== null && !before.contact.unsubscribed) || !before.suppressed

const activitiesOf = (
  before: TrackedDelivery,
  event: Exclude<Event, MachineEvent>,
  unsubscribes: boolean,
): ReadonlyArray<Omit<NewActivity, "at">> => {
  switch (event._tag) {
    case "opened":
      return before.openedAt === null ? [{ type: "email_opened", data: {} }] : []
    case "clicked":
      return before.clickedAt === null
        ? [
            // A click implies an open, even if images were not shown.
            ...(before.openedAt === null ? [{ type: "email_opened" as const, data: {} }] : []),
            { type: "email_clicked", data: { url: event.url } },
          ]
        : []
    case "unsubscribed":
      return unsubscribes ? [{ type: "email_unsubscribed", data: {} }] : []
  }
}

const marksOf = (before: TrackedDelivery, event: Exclude<Event, MachineEvent>, at: DateTime.Utc) => ({
  openedAt: before.openedAt ?? (event._tag === "unsubscribed" ? null : at),
  clickedAt: before.clickedAt ?? (event._tag === "clicked" ? at : null),
  clickedUrl: before.clickedAt === null ? (event._tag === "clicked" ? event.url : null) : before.clickedUrl,
  unsubscribedAt: before.unsubscribedAt ?? (event._tag === "unsubscribed" ? at : null),
})
