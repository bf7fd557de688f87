// Clicks on the links of messages, added up by message and link. Every click counts, also repeated ones.
import type { BlastId, ContactId, DeliveryId } from "../kernel/Ids.ts"
import type { Event, TimedEvent, TrackedDelivery } from "./Engagement.ts"

export interface LinkClicks {
  readonly deliveryId: DeliveryId
  readonly blastId: BlastId
  readonly contactId: ContactId | null
  /** The place of the link in the HTML of the approval, from 0. */
  readonly link: number
  readonly clicks: number
  readonly machineClicks: number
}

/** An event, with the link that was requested: null for an open. */
export interface LinkEvent extends TimedEvent {
  readonly link: number | null
}

const machineEvents: ReadonlySet<Event["_tag"]> = new Set(["openedByMachine", "clickedByMachine"])

/** Clicks on messages that were not found count nowhere. */
export const clicksOf = (
  found: ReadonlyMap<DeliveryId, TrackedDelivery>,
  events: ReadonlyArray<LinkEvent>,
): ReadonlyArray<LinkClicks> => {
  const sums = new Map<string, LinkClicks>()
  for (const { deliveryId, event, link } of events) {
    const delivery = found.get(deliveryId)
    if (delivery === undefined || link === null) continue
    const { blastId, contactId } = delivery
    const key = `${deliveryId}/${link}`
    const sum = sums.get(key) ?? { deliveryId, blastId, contactId, link, clicks: 0, machineClicks: 0 }
    const counter = machineEvents.has(event._tag) ? "machineClicks" : "clicks"
    sums.set(key, { ...sum, [counter]: sum[counter] + 1 })
  }
  return [...sums.values()]
}
