// Which events an endpoint wants: patterns of event types, and the filter. Pure.
import { isObject, type Json } from "../../kernel/Decoding.ts"
import { type EventType, eventTypeNames } from "../EventCatalogue.ts"
import type { PublicEvent } from "../PublicEvent.ts"
import { filterKeys, type WebhookFilter, type WebhookSettings } from "./WebhookEndpoint.ts"

export type EventPattern = WebhookSettings["eventTypes"][number]

const matches = (pattern: string, type: EventType): boolean =>
  pattern === "*" || pattern === type || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)))

/** The types that a text names: a type, a group such as `flow.*` or `flow.member.*`, or `*`. None: it is no pattern. */
export const typesOf = (pattern: string): ReadonlyArray<EventType> =>
  eventTypeNames.filter((type) => matches(pattern, type))

export const isEventPattern = (text: string): text is EventPattern => typesOf(text).length > 0

/** Whether an endpoint gets an event. Its id does not matter: the caller leaves out an endpoint's own end. */
export const wants = (
  { eventTypes, filter }: Pick<WebhookSettings, "eventTypes" | "filter">,
  { data, type }: Pick<PublicEvent, "data" | "type">,
): boolean => eventTypes.some((pattern) => matches(pattern, type)) && (filter === null || passes(filter, data))

const ownValue = (object: unknown, key: string): unknown =>
  isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined

const passes = (filter: WebhookFilter, data: Json): boolean =>
  filterKeys.every((key) => {
    const wanted = filter[key]
    if (wanted === undefined) return true
    const name = key.slice(0, -1)
    const id = ownValue(data, name) ?? ownValue(ownValue(data, "source"), name)
    return typeof id === "string" && wanted.includes(id)
  }) && Object.entries(filter.tags ?? {}).every(([name, value]) => ownValue(ownValue(data, "tags"), name) === value)
