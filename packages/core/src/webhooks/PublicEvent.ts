// PublicEvent: an event as callers see it, made of an event of the outbox.
import { DateTime } from "effect"
import { encodeText } from "../kernel/Bytes.ts"
import { isObject, type Json } from "../kernel/Decoding.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { RecordedEvent } from "../kernel/changes/Outbox.ts"
import { type EventContact, type EventType, eventTypes, publicTypes } from "./EventCatalogue.ts"
import { type EventId, eventIdOf, sequenceOf } from "./EventId.ts"

/** The envelope, with the names of the API. It is the same wherever an event is shown. */
export interface PublicEvent {
  readonly id: EventId
  readonly type: EventType
  readonly timestamp: string
  readonly sequence: string
  readonly workspace_id: WorkspaceId
  readonly test: boolean
  readonly data: Json
}

/** The largest event, as JSON. */
export const event_bytes_max = 65_536

/** An event of the outbox, with its contact; null: it has none, or the contact is deleted. */
export interface EventWithContact {
  readonly event: RecordedEvent
  readonly contact: EventContact | null
}

/** The public event; null: the event is internal. */
export const publicEvent = (workspace: WorkspaceId, { contact, event }: EventWithContact): PublicEvent | null => {
  const type = publicTypes.get(event.type)
  if (type === undefined || isOfInlineList(event)) return null
  return withinLimit({
    id: eventIdOf(workspace, event.position),
    type,
    timestamp: DateTime.formatIso(event.at),
    sequence: sequenceOf(event.position),
    workspace_id: workspace,
    test: false,
    data: dataOf(type, event, contact),
  })
}

/** The inline audience of a blast is in no listing, and its events have no name. */
const isOfInlineList = ({ data, type }: RecordedEvent): boolean =>
  type === "list_deleted" && data["list_name"] === undefined

/** What the type declares, of the event's data. Fields that are not set stay absent. */
const dataOf = (type: EventType, { contactId, data }: RecordedEvent, contact: EventContact | null): Json => {
  const entries = Object.keys(eventTypes[type].data.fields).flatMap((field): ReadonlyArray<[string, unknown]> => {
    switch (field) {
      case "contact":
        return [[field, contactId === null ? null : (contact ?? { ...deletedContact, contact_id: contactId })]]
      case "source":
        // Of a subscription: where the person answered.
        return [[field, data[field] ?? sourceOf(data)]]
      case "recipient_id":
        return [[field, data[field] ?? data["message_id"] ?? null]]
      case "tags":
      case "metadata":
        return data[field] === undefined ? [] : [[field, data[field]]]
      case "bounce":
        return [[field, { kind: data["kind"], reply: data["reply"] ?? null }]]
      case "scope":
        return [[field, data[field] ?? "all"]]
      case "erased":
        return [[field, data[field] === true]]
      case "truncated":
        return []
      default:
        return [[field, data[field] ?? null]]
    }
  })
  return Object.fromEntries(entries)
}

const deletedContact = { email: null, phone: null, display_name: null }

const sourceOf = ({
  blast_id,
  flow_id,
  membership_id,
  message_id,
  step_id,
  topic_id = null,
}: RecordedEvent["data"]): Json =>
  message_id !== undefined
    ? { kind: "message", message_id, topic_id }
    : flow_id === undefined
      ? { kind: "blast", blast_id, topic_id }
      : { kind: "flow", flow_id, membership_id, step_id, topic_id }

/** Lengths that long texts are cut to, in turn, until the event fits. */
const cut_lengths = [4_096, 1_024, 256, 64]

/** Only texts of forms and of changed fields can be long. */
const withinLimit = (event: PublicEvent): PublicEvent => {
  const long = "fields" in event.data ? "fields" : "changes" in event.data ? "changes" : null
  if (long === null || fits(event)) return event
  const withLong = (value: unknown): PublicEvent => ({
    ...event,
    data: { ...event.data, [long]: value, truncated: true },
  })
  for (const length of cut_lengths) {
    const cut = withLong(cutTexts(event.data[long], length))
    if (fits(cut)) return cut
  }
  return withLong(long === "fields" ? {} : [])
}

const fits = (event: PublicEvent): boolean => {
  const json = JSON.stringify(event)
  // A character has at most three bytes.
  return 3 * json.length <= event_bytes_max || encodeText(json).length <= event_bytes_max
}

/** The value with its texts cut, between characters, and its arrays of texts cut to as many texts. */
const cutTexts = (value: unknown, length_max: number): unknown => {
  if (typeof value === "string") return value.slice(0, length_max).replace(/[\uD800-\uDBFF]$/, "")
  if (Array.isArray(value)) return value.slice(0, length_max).map((each) => cutTexts(each, length_max))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cutTexts(each, length_max)]))
}
