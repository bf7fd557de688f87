// Amazon SES events over SNS: an envelope, signed as docs.aws.amazon.com/sns describes, with an event as JSON text.
import { Option, Schema } from "effect"
import { encodeText } from "../../kernel/Bytes.ts"
import { bounced, eventReader, lenient, type ProviderEvent, Text } from "./ProviderCall.ts"
import type { ReportedFact } from "../Report.ts"

const Envelope = Schema.Struct({
  Type: Schema.Literals(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: Schema.String,
  TopicArn: Schema.String,
  Message: Schema.String,
  Timestamp: Schema.String,
  Subject: lenient(Schema.String),
  Token: lenient(Schema.String),
  SubscribeURL: lenient(Schema.String),
  SignatureVersion: Schema.Literals(["1", "2"]),
  Signature: Schema.String,
  SigningCertURL: Schema.String,
})

export type SnsEnvelope = typeof Envelope.Type

/** Undefined when the JSON is not an envelope. */
export const snsEnvelope = (json: unknown): SnsEnvelope | undefined => Option.getOrUndefined(decodeEnvelope(json))
const decodeEnvelope = Schema.decodeUnknownOption(Envelope)

/** The signed text: names and values, one per line, in the order that AWS defines. */
export const signedText = (envelope: SnsEnvelope): Uint8Array => {
  const { Message, MessageId, Subject, SubscribeURL, Timestamp, Token, TopicArn, Type } = envelope
  const fields =
    Type === "Notification"
      ? ({ Message, MessageId, Subject, Timestamp, TopicArn, Type } as const)
      : ({ Message, MessageId, SubscribeURL, Timestamp, Token, TopicArn, Type } as const)
  return encodeText(
    Object.entries(fields)
      .flatMap(([name, value]) => (value === null || value === undefined ? [] : [`${name}\n${value}\n`]))
      .join(""),
  )
}

/** The only host that requests go to: SNS in the topic's own region. Undefined when the name is not a topic's. */
const hostOf = (topicArn: string): string | undefined => {
  const [, partition, region] =
    /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]+)+-\d):\d{12}:[\w-]{1,256}$/.exec(topicArn) ?? []
  return region === undefined ? undefined : `sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`
}

/** The certificate's address, if it is at SNS. Only one spelling of it is accepted. */
export const certificateUrl = ({ SigningCertURL, TopicArn }: SnsEnvelope): string | undefined => {
  const host = hostOf(TopicArn)
  const start = `https://${host}/SimpleNotificationService-`
  return host !== undefined &&
    SigningCertURL.startsWith(start) &&
    /^[\w-]{1,100}\.pem$/.test(SigningCertURL.slice(start.length))
    ? SigningCertURL
    : undefined
}

/** The address that confirms a subscription, if it is at SNS and for the topic. */
export const subscriptionUrl = ({ SubscribeURL, TopicArn }: SnsEnvelope): string | undefined => {
  const host = hostOf(TopicArn)
  const start = `https://${host}/?`
  const url = SubscribeURL ?? ""
  if (host === undefined || !url.startsWith(start) || !/^[\w%=&.:-]{1,2000}$/.test(url.slice(start.length)))
    return undefined
  const query = new Map(
    url
      .slice(start.length)
      .split("&")
      .map((each): readonly [string, string] => {
        const [name = "", value = ""] = each.split("=", 2)
        return [name, value]
      }),
  )
  const ofTopic = [TopicArn, TopicArn.replaceAll(":", "%3A")].includes(query.get("TopicArn") ?? "")
  return query.get("Action") === "ConfirmSubscription" && ofTopic ? url : undefined
}

const Event = Schema.Struct({
  notificationType: Text,
  eventType: Text,
  mail: Schema.Struct({
    source: Text,
    headers: lenient(Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String }))),
  }),
  bounce: lenient(
    Schema.Struct({
      bounceType: Text,
      bouncedRecipients: lenient(Schema.Array(Schema.Struct({ status: Text, diagnosticCode: Text }))),
    }),
  ),
  complaint: lenient(Schema.Struct({ complaintFeedbackType: Text })),
})

const whatOf = (event: typeof Event.Type): ReportedFact | undefined => {
  switch (event.eventType ?? event.notificationType) {
    case "Delivery":
      return { _tag: "delivered" }
    case "Bounce": {
      const recipient = event.bounce?.bouncedRecipients?.[0]
      return bounced({
        status: recipient?.status,
        words: recipient?.diagnosticCode,
        hard: event.bounce?.bounceType === "Permanent",
      })
    }
    case "Complaint":
      return event.complaint?.complaintFeedbackType === "not-spam" ? undefined : { _tag: "complained" }
    case "Subscription":
      return { _tag: "unsubscribed" }
    default:
      return undefined
  }
}

const read = eventReader(Event, whatOf, ({ mail }) => ({
  returnPath: mail.source,
  messageId: mail.headers?.find(({ name }) => name.toLowerCase() === "message-id")?.value,
}))

/** The event in the parsed `Message` of a notification. Empty when it is irrelevant. */
export const sesEvents = (message: unknown): ReadonlyArray<ProviderEvent> => read(message) ?? []
