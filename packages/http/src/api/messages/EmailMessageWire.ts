// Schemas of single messages.
import { ContactId, EmailId, EmailTemplateId, MessageId, TopicId } from "@tentpole/core/kernel/Ids"
import { hasTooManyUnknownKeys, unknown_keys_max } from "@tentpole/core/kernel/UnknownKeys"
import {
  batch_items_max,
  type EmailMessage,
  type MessageEvent,
  messageEventTypes,
  messageStatuses,
  smtpMessageIdOf,
} from "@tentpole/core/messages/EmailMessage"
import {
  type MessageItem,
  type MessageView,
  type MessageWarning,
  messageWarnings,
  type SentBatch,
  type SentMessage,
} from "@tentpole/core/messages/MessageView"
import { NewMessageInput } from "@tentpole/core/messages/NewMessage"
import { blockReasons, failureReasons } from "@tentpole/core/sending/Delivery"
import { Schema, Struct } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { documentOf, InstantWire, iso, isoOrNull, item, listing, oneOf, toSnakeCase } from "../../Wire.ts"

type NewMessageWire = typeof NewMessageInput.Encoded

const { attachments: _, ...ofItems } = NewMessageInput.fields

const size = { message: `must have 1 to ${batch_items_max} items` }

const ManyMessages = Schema.Struct({
  items: Schema.Array(item<Omit<NewMessageWire, "attachments">>(Schema.Struct(ofItems))).check(
    Schema.isMinLength(1, size),
    Schema.isMaxLength(batch_items_max, size),
  ),
})

/** Whether the body of a request is a batch. */
export const isBatch = (body: unknown): body is { readonly items: ReadonlyArray<unknown> } =>
  typeof body === "object" && body !== null && Object.hasOwn(body, "items")

const decodeMany = Schema.decodeUnknownResult(ManyMessages, { errors: "all", onExcessProperty: "error" })

/** One message, which the core decodes, or a batch. */
const oneOrMany: Schema.Codec<unknown, NewMessageWire | typeof ManyMessages.Encoded> = Schema.Any

export const SendEmailMessages = oneOrMany
  .check(
    Schema.makeFilter(
      (body: unknown) => {
        if (typeof body !== "object" || body === null || Array.isArray(body)) return "must be an object"
        const meant = isBatch(body) ? ManyMessages : NewMessageInput
        if (hasTooManyUnknownKeys(meant, body)) return `has more than ${unknown_keys_max} unknown keys`
        if (!isBatch(body)) return undefined
        const read = decodeMany(body)
        return read._tag === "Failure" ? read.failure.issue : undefined
      },
      { toJsonSchema: () => ({ anyOf: [NewMessageInput, ManyMessages].map(documentOf) }) },
    ),
  )
  .annotate({ identifier: "SendEmailMessages" })

const text = Schema.NullOr(Schema.String)
const instant = Schema.NullOr(InstantWire)
const texts = Schema.Record(Schema.String, Schema.String)

const messageFields = {
  message_id: MessageId,
  status: oneOf(...messageStatuses).annotate({
    description:
      "`scheduled`: its time is ahead. `queued`: it waits, or is tried again. `sent`, `failed`, `blocked`: it has ended",
  }),
  reason: Schema.NullOr(oneOf(...blockReasons, ...failureReasons)).annotate({
    description:
      "Why it failed or was blocked. `unconfirmed`: the connection broke after the message was out, so that it may have arrived",
  }),
  to: Schema.Struct({ email: text, name: text }).annotate({
    identifier: "EmailMessageRecipient",
    description: "Null values: the contact was erased",
  }),
  contact_id: Schema.NullOr(ContactId).annotate({
    description: "null: no contact had the address, or none was looked for",
  }),
  email_id: Schema.NullOr(EmailId),
  approved_email_version: Schema.NullOr(Schema.Int).annotate({
    description: "The version of the email that was approved when the message was accepted",
  }),
  template_id: Schema.NullOr(EmailTemplateId),
  subject: Schema.String.annotate({ description: "With the values of its tokens" }),
  from_name: text,
  from_address: Schema.String,
  reply_to_email: text,
  operational: Schema.Boolean,
  topic_id: Schema.NullOr(TopicId).annotate({
    description: "Sent to subscribers of the topic only; null: all marketing, or operational",
  }),
  track_opens: Schema.Boolean,
  track_clicks: Schema.Boolean,
  retain_content: Schema.Boolean,
  tags: texts.annotate({ examples: [{ kind: "receipt" }] }),
  metadata: texts.annotate({ examples: [{ order: "17" }] }),
  headers: texts.annotate({ description: "Your own ones", examples: [{ "X-Order": "17" }] }),
  attachments: Schema.Array(
    Schema.Struct({
      file_name: Schema.String.annotate({ examples: ["receipt-17.pdf"] }),
      content_type: Schema.String.annotate({ examples: ["application/pdf"] }),
      content_id: text,
      size_bytes: Schema.Int,
    }).annotate({ identifier: "EmailMessageAttachment" }),
  ).annotate({ description: "Without their content" }),
  unresolved_tokens: Schema.Array(Schema.String).annotate({
    description: "Tokens without a value and a fallback. Nothing was sent in their place",
    examples: [[]],
  }),
  test: Schema.Literal(false),
  client_item_id: text,
  scheduled_at: instant,
  expires_at: InstantWire.annotate({ description: "It is not sent after this time" }),
  attempts: Schema.Int.annotate({ description: "Failed attempts" }),
  smtp_message_id: Schema.String.annotate({
    description: "The header `Message-ID`",
    examples: ["<7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11@example.test>"],
  }),
  created_at: InstantWire,
  sent_at: instant.annotate({ description: "When the mail server took it over" }),
  delivered_at: instant,
  opened_at: instant,
  clicked_at: instant,
  clicked_url: text,
  bounced_at: instant,
  complained_at: instant,
  unsubscribed_at: instant,
}

export const EmailMessageWire = Schema.Struct(messageFields).annotate({ identifier: "EmailMessage" })

export const EmailMessagesWire = listing({ email_messages: Schema.Array(EmailMessageWire) }).annotate({
  identifier: "EmailMessages",
})

const EventWire = Schema.Struct({
  type: oneOf(...messageEventTypes),
  timestamp: InstantWire,
  metadata: texts.annotate({
    description: "`reason` of `email_failed` and `email_blocked`, `url` of `email_clicked`",
    examples: [{}],
  }),
}).annotate({ identifier: "EmailMessageEvent" })

export const EmailMessageWithEventsWire = Schema.Struct({
  ...messageFields,
  events: Schema.Array(EventWire).annotate({
    description: "What has happened to it, the oldest first. Of opens and clicks the first ones",
  }),
}).annotate({ identifier: "EmailMessageWithEvents" })

const AcceptedMessageWire = Schema.Struct({
  ...messageFields,
  warnings: Schema.Array(oneOf(...messageWarnings)).annotate({
    description:
      "`sender_shared_with_marketing`: marketing blasts have the same sender address. Use another one, so that complaints about them do not keep this mail out",
  }),
}).annotate({ identifier: "AcceptedEmailMessage" })

const place = {
  index: Schema.Int.annotate({ description: "Position in the request, from 0" }),
  client_item_id: text,
}

const MessageItemWire = Schema.Union([
  Schema.Struct({
    ...place,
    status: Schema.Literal("accepted"),
    email_message: AcceptedMessageWire,
  }).annotate({ identifier: "AcceptedEmailMessageItem" }),
  Schema.Struct({
    ...place,
    status: Schema.Literal("rejected"),
    error_code: Schema.String.annotate({ examples: ["INVALID_ITEM", "NOT_FOUND", "unresolved_tokens"] }),
    message: Schema.String,
  }).annotate({ identifier: "RejectedEmailMessageItem" }),
])

const EmailMessageResultsWire = Schema.Struct({
  accepted_count: Schema.Int,
  rejected_count: Schema.Int,
  items: Schema.Array(MessageItemWire),
}).annotate({ identifier: "EmailMessageResults" })

const SentWire = Schema.Union([AcceptedMessageWire, EmailMessageResultsWire]).annotate({
  identifier: "SentEmailMessages",
})

/** The answer of an accepted request. The general keys, which would set the header themselves, are not used. */
export const SentAnswer = HttpApiSchema.WithHeaders(SentWire.pipe(HttpApiSchema.status(202)), {
  "idempotency-replayed": Schema.optionalKey(Schema.String),
})

const toAnswer = (body: typeof SentWire.Type, { replayed }: { readonly replayed: boolean }) =>
  HttpApiSchema.withHeaders({ body, headers: replayed ? { "idempotency-replayed": "true" } : {} })

export const toSentAnswer = (sent: SentMessage) => toAnswer(toAccepted(sent, sent.warnings), sent)

export const toBatchAnswer = (batch: SentBatch) => {
  const items = batch.items.map(toItem)
  const accepted_count = items.filter(({ status }) => status === "accepted").length
  return toAnswer({ accepted_count, rejected_count: items.length - accepted_count, items }, batch)
}

const toAccepted = (view: MessageView, warnings: ReadonlyArray<MessageWarning>): typeof AcceptedMessageWire.Type => ({
  ...toEmailMessageWire(view),
  warnings,
})

const toItem = (each: MessageItem, index: number): typeof MessageItemWire.Type => {
  const at = { index, client_item_id: each.clientItemId }
  return each.status === "accepted"
    ? { ...at, status: each.status, email_message: toAccepted(each.view, each.warnings) }
    : { ...at, status: each.status, error_code: each.code, message: each.message }
}

const names = [
  "to",
  "contactId",
  "emailId",
  "approvedEmailVersion",
  "templateId",
  "subject",
  "fromName",
  "fromAddress",
  "replyToEmail",
  "operational",
  "topicId",
  "trackOpens",
  "trackClicks",
  "retainContent",
  "tags",
  "metadata",
  "unresolvedTokens",
  "clientItemId",
  "attempts",
  "clickedUrl",
] as const satisfies ReadonlyArray<keyof EmailMessage>

export const toEmailMessageWire = ({ message, status }: MessageView): typeof EmailMessageWire.Type => ({
  message_id: message.id,
  status,
  reason: message.reason,
  ...toSnakeCase(Struct.pick(message, names)),
  headers: Object.fromEntries(message.headers),
  attachments: message.attachments.map(({ contentId, contentType, fileName, size_bytes }) => ({
    file_name: fileName,
    content_type: contentType,
    content_id: contentId,
    size_bytes,
  })),
  test: false,
  scheduled_at: isoOrNull(message.scheduledAt),
  expires_at: iso(message.expiresAt),
  smtp_message_id: smtpMessageIdOf(message),
  created_at: iso(message.createdAt),
  sent_at: isoOrNull(message.sentAt),
  delivered_at: isoOrNull(message.deliveredAt),
  opened_at: isoOrNull(message.openedAt),
  clicked_at: isoOrNull(message.clickedAt),
  bounced_at: isoOrNull(message.bouncedAt),
  complained_at: isoOrNull(message.complainedAt),
  unsubscribed_at: isoOrNull(message.unsubscribedAt),
})

export const toMessageWithEventsWire = (
  view: MessageView & { readonly events: ReadonlyArray<MessageEvent> },
): typeof EmailMessageWithEventsWire.Type => ({
  ...toEmailMessageWire(view),
  events: view.events.map(({ at, metadata, type }) => ({ type, timestamp: iso(at), metadata })),
})

export const RetryMessage = Schema.Struct({
  include_unconfirmed: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Also a message that may have arrived: the recipient may get it twice. Default: false",
  }),
}).annotate({ identifier: "RetryEmailMessage" })
