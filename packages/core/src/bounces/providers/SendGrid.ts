// SendGrid's event webhook: an array of events, each with the `Message-ID` of its message as `smtp-id`.
import { Schema } from "effect"
import { bounced, eventReader, type ProviderEvent, Text } from "./ProviderCall.ts"
import type { ReportedFact } from "../Report.ts"

const Event = Schema.Struct({
  event: Schema.String,
  "smtp-id": Text,
  status: Text,
  reason: Text,
  type: Text,
})

/** Why SendGrid did not attempt a delivery. */
const dropped = (reason: string): ReportedFact => {
  if (/spam report/i.test(reason)) return { _tag: "complained" }
  if (/unsubscribed/i.test(reason)) return { _tag: "unsubscribed" }
  return bounced({ words: reason, hard: /bounced address|invalid/i.test(reason) })
}

const whatOf = (call: typeof Event.Type): ReportedFact | undefined => {
  const reason = call.reason ?? ""
  switch (call.event) {
    case "delivered":
      return { _tag: "delivered" }
    case "bounce":
      // The type `blocked` is for refusals that do not concern the address.
      return bounced({ status: call.status, words: reason, hard: call.type !== "blocked" })
    case "dropped":
      return dropped(reason)
    case "spamreport":
      return { _tag: "complained" }
    case "unsubscribe":
    case "group_unsubscribe":
      return { _tag: "unsubscribed" }
    default:
      return undefined
  }
}

const read = eventReader(Event, whatOf, (call) => ({ messageId: call["smtp-id"] }))

/** Undefined when it is not a batch of SendGrid's. Irrelevant events are left out. */
export const sendGridEvents = (json: unknown): ReadonlyArray<ProviderEvent> | undefined =>
  Array.isArray(json) ? json.flatMap((each) => read(each) ?? []) : undefined
