// Mailgun's webhooks: one event for each call, with a signed token. The signature does not cover the event.
import { Option, Schema } from "effect"
import { bounced, type ProviderEvent, Text, textOf } from "./ProviderCall.ts"

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
  message: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ headers: Schema.optionalKey(Schema.NullOr(Schema.Struct({ "message-id": Text }))) })),
  ),
  envelope: Schema.optionalKey(Schema.NullOr(Schema.Struct({ sender: Text }))),
  "delivery-status": Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ "enhanced-code": Text, message: Text, description: Text })),
  ),
})

const decode = Schema.decodeUnknownOption(Event)

const failed = (said: typeof Event.Type): ProviderEvent["what"] | undefined => {
  // A temporary failure is tried again. The last failure is permanent.
  if (textOf(said.severity) !== "permanent") return undefined
  switch (textOf(said.reason)) {
    case "suppress-complaint":
      return { _tag: "complained" }
    case "suppress-unsubscribe":
      return { _tag: "unsubscribed" }
    default: {
      const status = said["delivery-status"]
      return bounced({
        status: textOf(status?.["enhanced-code"]),
        words: textOf(status?.message) || textOf(status?.description),
        hard: /^(?:suppress-)?bounce$/.test(textOf(said.reason) ?? ""),
      })
    }
  }
}

const whatOf = (said: typeof Event.Type): ProviderEvent["what"] | undefined => {
  switch (said.event) {
    case "delivered":
      return { _tag: "delivered" }
    case "failed":
      return failed(said)
    case "complained":
      return { _tag: "complained" }
    case "unsubscribed":
      return { _tag: "unsubscribed" }
    default:
      return undefined
  }
}

/** Empty when the event is irrelevant. */
export const mailgunEvents = (eventData: unknown): ReadonlyArray<ProviderEvent> => {
  const said = Option.getOrUndefined(decode(eventData))
  const what = said === undefined ? undefined : whatOf(said)
  if (said === undefined || what === undefined) return []
  const message = {
    messageId: textOf(said.message?.headers?.["message-id"]),
    returnPath: textOf(said.envelope?.sender),
  }
  return [{ message, what }]
}
