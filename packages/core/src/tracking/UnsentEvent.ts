// The event of a message that has ended without being sent.
import type { DateTime } from "effect"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import { about } from "./Engagement.ts"
import type { Delivery, DeliveryState } from "../sending/Delivery.ts"

/** The events of these states. An `unconfirmed` message counts as failed: it may have been sent. */
const types: { readonly [State in DeliveryState]?: string } = {
  blocked: "email_blocked",
  failed: "email_failed",
  unconfirmed: "email_failed",
}

type EndState = Pick<Delivery, "id" | "blastId" | "flow" | "message" | "topicId" | "contactId" | "state" | "reason">

/** Null: the message did not end now, or it was sent. */
export const unsentEvent = (before: EndState, after: EndState, at: DateTime.Utc): DomainEvent | null => {
  const type = types[after.state]
  if (type === undefined || before.state === after.state) return null
  return { type, contactId: after.contactId, at, data: { ...about(after), reason: after.reason } }
}
