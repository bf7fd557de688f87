// SendGrid's event webhook: an array of events, each with the `Message-ID` of its message as `smtp-id`.
import { Option, Schema } from "effect"
import { bounced, type ProviderEvent, Text, textOf } from "./ProviderCall.ts"

const Event = Schema.Struct({
  event: Schema.String,
  "smtp-id": Text,
  status: Text,
  reason: Text,
  type: Text,
})

const decode = Schema.decodeUnknownOption(Event)

/** Why SendGrid did not attempt a delivery. */
const dropped = (reason: string): ProviderEvent["what"] => {
  if (/spam report/i.test(reason)) return { _tag: "complained" }
  if (/unsubscribed/i.test(reason)) return { _tag: "unsubscribed" }
  return bounced({ words: reason, hard: /bounced address|invalid/i.test(reason) })
}

const whatOf = (said: typeof Event.Type): ProviderEvent["what"] | undefined => {
  const reason = textOf(said.reason) ?? ""
  switch (said.event) {
    case "delivered":
      return { _tag: "delivered" }
    case "bounce":
      // The type `blocked` is for refusals that do not concern the address.
      return bounced({ status: textOf(said.status), words: reason, hard: textOf(said.type) !== "blocked" })
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

/** Undefined when it is not a batch of SendGrid's. Irrelevant events are left out. */
export const sendGridEvents = (json: unknown): ReadonlyArray<ProviderEvent> | undefined =>
  Array.isArray(json)
    ? json.flatMap((each: unknown) => {
        const said = Option.getOrUndefined(decode(each))
        const what = said === undefined ? undefined : whatOf(said)
        return said === undefined || what === undefined
          ? []
          : [{ message: { messageId: textOf(said["smtp-id"]) }, what }]
      })
    : undefined
