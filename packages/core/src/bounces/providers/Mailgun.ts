// Mailgun's webhooks: one event for each call, with a signed token. The signature does not cover the event.
import { Option, Schema } from "effect"
import { bounced, eventReader, lenient, type ProviderEvent, Text } from "./ProviderCall.ts"
import type { ReportedFact } from "../Report.ts"

const Call = Schema.Struct({
  signature: Schema.Struct({ timestamp: Schema.String, token: Schema.String, signature: Schema.String }),
  "event-data": Schema.Unknown,
})

/** The parts of a call; undefined when the JSON is not one. */
export const mailgunCall = (json: unknown) => Option.getOrUndefined(decodeCall(json))
const decodeCall = Schema.decodeUnknownOption(Call)

const Event = Schema.Struct({
  event: Schema.String,
  severity: Text,
  reason: Text,
  message: lenient(Schema.Struct({ headers: lenient(Schema.Struct({ "message-id": Text })) })),
  envelope: lenient(Schema.Struct({ sender: Text })),
  "delivery-status": lenient(Schema.Struct({ "enhanced-code": Text, message: Text, description: Text })),
})

const failed = (call: typeof Event.Type): ReportedFact | undefined => {
  // A temporary failure is tried again. The last failure is permanent.
  if (call.severity !== "permanent") return undefined
  switch (call.reason) {
    case "suppress-complaint":
      return { _tag: "complained" }
    case "suppress-unsubscribe":
      return { _tag: "unsubscribed" }
    default: {
      const status = call["delivery-status"]
      return bounced({
        status: status?.["enhanced-code"],
        words: status?.message || status?.description,
        hard: /^(?:suppress-)?bounce$/.test(call.reason ?? ""),
      })
    }
  }
}

const facts: ReadonlyMap<string, ReportedFact> = new Map([
  ["delivered", { _tag: "delivered" }],
  ["complained", { _tag: "complained" }],
  ["unsubscribed", { _tag: "unsubscribed" }],
])

const whatOf = (call: typeof Event.Type): ReportedFact | undefined =>
  call.event === "failed" ? failed(call) : facts.get(call.event)

const read = eventReader(Event, whatOf, (call) => ({
  messageId: call.message?.headers?.["message-id"],
  returnPath: call.envelope?.sender,
}))

/** Empty when the event is irrelevant. */
export const mailgunEvents = (eventData: unknown): ReadonlyArray<ProviderEvent> => read(eventData) ?? []
