// Postmark's webhooks: one record for each call. Postmark replaces our `Message-ID` and returns our metadata.
import { Schema } from "effect"
import { bounced, eventReader, lenient, Text } from "./ProviderCall.ts"
import type { ReportedFact } from "../Report.ts"

const metadata_name = "delivery"

const Recorded = Schema.Struct({
  RecordType: Schema.String,
  Type: Text,
  Details: Text,
  Description: Text,
  SuppressSending: lenient(Schema.Boolean),
  SuppressionReason: Text,
  Metadata: lenient(Schema.Record(Schema.String, Schema.Unknown)),
})

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

const bounce = (record: typeof Recorded.Type): ReportedFact | undefined => {
  const type = record.Type ?? ""
  if (type === "SpamComplaint") return { _tag: "complained" }
  if (type === "Unsubscribe") return { _tag: "unsubscribed" }
  // `Transient` is tried again. Automatic replies and challenges are no bounces.
  if (!hardTypes.has(type) && !softTypes.has(type)) return undefined
  return bounced({ words: record.Details || record.Description, hard: hardTypes.has(type) })
}

const suppressions = new Map<string, ReportedFact>([
  ["HardBounce", bounced({ hard: true })],
  ["SpamComplaint", { _tag: "complained" }],
  ["ManualSuppression", { _tag: "unsubscribed" }],
])

const whatOf = (record: typeof Recorded.Type): ReportedFact | undefined => {
  switch (record.RecordType) {
    case "Delivery":
      return { _tag: "delivered" }
    case "Bounce":
      return bounce(record)
    case "SpamComplaint":
      return { _tag: "complained" }
    case "SubscriptionChange":
      return record.SuppressSending === true ? suppressions.get(record.SuppressionReason ?? "") : undefined
    default:
      return undefined
  }
}

/** Undefined when it is not a record of Postmark's. Empty when it is irrelevant. */
export const postmarkEvents = eventReader(Recorded, whatOf, ({ Metadata }) => {
  const deliveryId = Metadata?.[metadata_name]
  return typeof deliveryId === "string" ? { deliveryId } : {}
})
