// Engagement of a recipient with a message: open, click, unsubscription. The first human event of each kind counts. Each also
// proves that the message arrived, so it resolves an `unconfirmed` delivery.
import type { DateTime } from "effect"
import { type Activity, type ActivityType, isDeliveryActivity } from "../contacts/Activity.ts"
import type { Contact } from "../contacts/Contact.ts"
import type { ContactId, DeliveryId } from "../kernel/Ids.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import type { Delivery } from "../sending/Delivery.ts"
import { move } from "../sending/machine.ts"

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

/** What the event of an unsubscription ended. */
export const unsubscribeScopes = ["all", "topic"] as const
export type UnsubscribeScope = (typeof unsubscribeScopes)[number]

export type Event =
  | { readonly _tag: "opened" }
  | { readonly _tag: "clicked"; readonly url: string }
  | { readonly _tag: "unsubscribed" }
  /** From the topic of the message. What people chose is another change. */
  | { readonly _tag: "topicUnsubscribed" }
  | { readonly _tag: "openedByMachine" }
  | { readonly _tag: "clickedByMachine" }

type MachineEvent = Extract<Event, { readonly _tag: "openedByMachine" | "clickedByMachine" }>

export interface TimedEvent {
  readonly deliveryId: DeliveryId
  readonly event: Event
  readonly at: DateTime.Utc
}

export type EngagementChange = Change<
  "engagement",
  {
    readonly before: TrackedDelivery
    /** The new state, with its contact and its suppression. Times that are set stay. */
    readonly after: TrackedDelivery
    readonly at: DateTime.Utc
    readonly activities: ReadonlyArray<Activity>
  }
>

const engagementChange = changeOf("engagement")

export const EngagementChange = {
  /**
   * The changes of a batch, in the given order. Each is decided on the result of the previous ones for its delivery, contact
   * and address. Events of deliveries that were not found change nothing.
   */
  ofAll(
    found: ReadonlyMap<DeliveryId, TrackedDelivery>,
    happenings: ReadonlyArray<TimedEvent>,
  ): ReadonlyArray<EngagementChange> {
    const deliveries = new Map(found)
    const contacts = new Map<ContactId | null, Contact | null>()
    const suppressed = new Set<string | null>()
    return happenings.flatMap(({ at, deliveryId, event }) => {
      const delivery = deliveries.get(deliveryId)
      if (delivery === undefined) return []
      const before = {
        ...delivery,
        contact: contacts.get(delivery.contactId) ?? delivery.contact,
        suppressed: delivery.suppressed || suppressed.has(delivery.emailNormalized),
      }
      const change = EngagementChange.of(before, event, at)
      if (change === undefined) return []
      const { after } = change
      deliveries.set(after.id, after)
      if (after.contactId !== null) contacts.set(after.contactId, after.contact)
      if (after.suppressed && after.emailNormalized !== null) suppressed.add(after.emailNormalized)
      return [change]
    })
  },

  /** Undefined when the event is not the first of its kind. */
  of(before: TrackedDelivery, event: Event, at: DateTime.Utc): EngagementChange | undefined {
    if (event._tag === "openedByMachine" || event._tag === "clickedByMachine") {
      // A machine's first hit is stored. It has no other effect.
      const mark = event._tag === "openedByMachine" ? "machineOpenedAt" : "machineClickedAt"
      if (before[mark] !== null) return undefined
      return engagementChange({ before, after: { ...before, [mark]: at }, at, activities: [] })
    }
    const news = activitiesOf(before, event)
    if (news.length === 0) return undefined
    const proven = move(before, { _tag: "evidence" })
    const sentAt = before.sentAt ?? before.handedOverAt ?? at
    const endsAll = event._tag === "unsubscribed"
    const after: TrackedDelivery = {
      ...before,
      ...(proven === undefined ? {} : { ...proven, sentAt, deliveredAt: before.deliveredAt ?? sentAt }),
      ...marksOf(before, event, at),
      contact:
        endsAll && before.contact?.unsubscribed === false ? { ...before.contact, unsubscribed: true } : before.contact,
      suppressed: before.suppressed || endsAll,
    }
    const sending = proven === undefined ? [] : (["email_sent", "email_delivered"] as const)
    const { activities, events } = recordsOf({ before, after, at }, [
      ...sending.map((type) => ({ type, at: sentAt })),
      ...news.map((each) => ({ ...each, at })),
    ])
    return engagementChange({ before, after, at, activities }, { events })
  },
}

/** An activity of a message, without the message's identifiers. */
export interface NewActivity {
  readonly type: ActivityType
  readonly at: DateTime.Utc
  readonly data?: Readonly<Record<string, string | null>>
}

type RecipientState = Pick<TrackedDelivery, "id" | "blastId" | "flow" | "message" | "topicId" | "contactId" | "contact">

const flags = [
  ["unsubscribed", "unsubscribed"],
  ["marketingEmailInvalid", "marketing_email_invalid"],
] as const

/** The activities of a message to store, and its events for the outbox: all its activities and the contact's new flags. */
export const recordsOf = (
  { before, after, at }: { readonly before: RecipientState; readonly after: RecipientState; readonly at: DateTime.Utc },
  news: ReadonlyArray<NewActivity>,
): { readonly activities: ReadonlyArray<Activity>; readonly events: ReadonlyArray<DomainEvent> } => {
  const { contactId } = before
  const entries = news.map((entry) => ({ ...entry, contactId, metadata: { ...about(before), ...entry.data } }))
  const changes = flags.flatMap(([key, field]) =>
    before.contact?.[key] === false && after.contact?.[key] === true ? [{ field, from: false, to: true }] : [],
  )
  return {
    activities: entries.flatMap(({ type, at: when, metadata }) =>
      contactId === null || isDeliveryActivity(type) ? [] : [{ contactId, type, at: when, metadata }],
    ),
    events: [
      ...entries.map(({ metadata, type, at: when }) => ({ type, contactId, at: when, data: metadata })),
      ...(changes.length > 0 ? [{ type: "contact_updated", contactId, at, data: { changes } }] : []),
    ],
  }
}

/** The identifiers that an activity of a message carries. */
export const about = ({
  blastId,
  flow,
  id,
  message,
  topicId,
}: Pick<Delivery, "id" | "blastId" | "flow" | "message" | "topicId">) => {
  const topic = topicId === null ? {} : { topic_id: topicId }
  if (message !== null) return { message_id: id, ...topic, tags: message.tags, metadata: message.metadata }
  return flow === null
    ? { blast_id: blastId, ...topic, recipient_id: id }
    : { flow_id: flow.flowId, membership_id: flow.membershipId, step_id: flow.stepId, ...topic, recipient_id: id }
}

/** A contact that subscribed again and follows an old link is unsubscribed again. */
const needsUnsubscribing = (before: TrackedDelivery): boolean =>
  before.unsubscribedAt === null || (before.contact !== null && !before.contact.unsubscribed) || !before.suppressed

const activitiesOf = (
  before: TrackedDelivery,
  event: Exclude<Event, MachineEvent>,
): ReadonlyArray<Omit<NewActivity, "at">> => {
  // A click implies an open, even if images were not shown.
  const opened = before.openedAt === null ? [{ type: "email_opened" as const }] : []
  switch (event._tag) {
    case "opened":
      return opened
    case "clicked":
      return before.clickedAt === null ? [...opened, { type: "email_clicked", data: { url: event.url } }] : []
    case "unsubscribed":
      return needsUnsubscribing(before) ? [{ type: "email_unsubscribed" }] : []
    case "topicUnsubscribed":
      return before.unsubscribedAt === null ? [{ type: "email_unsubscribed", data: { scope: "topic" } }] : []
  }
}

const unsubscribes = ({ _tag }: Event): boolean => _tag === "unsubscribed" || _tag === "topicUnsubscribed"

const marksOf = (before: TrackedDelivery, event: Exclude<Event, MachineEvent>, at: DateTime.Utc) => ({
  openedAt: before.openedAt ?? (unsubscribes(event) ? null : at),
  clickedAt: before.clickedAt ?? (event._tag === "clicked" ? at : null),
  clickedUrl: before.clickedAt === null ? (event._tag === "clicked" ? event.url : null) : before.clickedUrl,
  unsubscribedAt: before.unsubscribedAt ?? (unsubscribes(event) ? at : null),
})
