// Postmark's webhooks: one record for each call. Postmark replaces our `Message-ID` and returns our metadata.
import { Option, Schema } from "effect"
import { bounced, type ProviderEvent, Text, textOf } from "./ProviderCall.ts"

const metadata_name = "delivery"

const Recorded = Schema.Struct({
  RecordType: Schema.String,
  Type: Text,
  Details: Text,
  Description: Text,
  SuppressSending: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  SuppressionReason: Text,
  Metadata: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))),
})

const decode = Schema.decodeUnknownOption(Recorded)

const hardTypes: ReadonlySet<string> = new Set(["HardBounce", "BadEmailAddress", "ManuallyDeactivated"])
const softTypes: ReadonlySet<string> = new Set([
  "SoftBounce",
  "DnsError",
  "SpamNotification",
  "Blocked",
  "SMTPApiError",
  "DMARCPolicy",
  "TemplateRenderingFailed",
  "Unknown",
])

const bounce = (said: typeof Recorded.Type): ProviderEvent["what"] | undefined => {
  const type = textOf(said.Type) ?? ""
  if (type === "SpamComplaint") return { _tag: "complained" }
  if (type === "Unsubscribe") return { _tag: "unsubscribed" }
  // `Transient` is tried again. Automatic replies and challenges are no bounces.
  if (!hardTypes.has(type) && !softTypes.has(type)) return undefined
  return bounced({ words: textOf(said.Details) || textOf(said.Description), hard: hardTypes.has(type) })
}

const suppression = (said: typeof Recorded.Type): ProviderEvent["what"] | undefined => {
  if (said.SuppressSending !== true) return undefined
  switch (textOf(said.SuppressionReason)) {
    case "HardBounce":
      return bounced({ words: null, hard: true })
    case "SpamComplaint":
      return { _tag: "complained" }
    case "ManualSuppression":
      return { _tag: "unsubscribed" }
    default:
      return undefined
  }
}

const whatOf = (said: typeof Recorded.Type): ProviderEvent["what"] | undefined => {
  switch (said.RecordType) {
    case "Delivery":
      return { _tag: "delivered" }
    case "Bounce":
      return bounce(said)
    case "SpamComplaint":
      return { _tag: "complained" }
    case "SubscriptionChange":
      return suppression(said)
    default:
      return undefined
  }
}

/** Undefined when it is not a record of Postmark's. Empty when it is irrelevant. */
export const postmarkEvents = (json: unknown): ReadonlyArray<ProviderEvent> | undefined => {
  const said = Option.getOrUndefined(decode(json))
  if (said === undefined) return undefined
  const what = whatOf(said)
  const deliveryId = said.Metadata?.[metadata_name]
  return what === undefined
    ? []
    : [{ message: { deliveryId: typeof deliveryId === "string" ? deliveryId : null }, what }]
}
