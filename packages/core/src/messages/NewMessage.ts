// A request to send a message: its fields as the API names them, and the checks of its values. Pure: nothing is looked up.
import { DateTime, Result, Schema, SchemaGetter } from "effect"
import { OffsetInstant } from "../contacts/values/OffsetInstant.ts"
import { PreviewText, Subject } from "../documents/EmailFields.ts"
import { decoderOf, isObject } from "../kernel/Decoding.ts"
import { ContactId, EmailId, EmailTemplateId, TopicId } from "../kernel/Ids.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import { encodeText } from "../kernel/Bytes.ts"
import { type EmailAddress, parseEmail } from "../kernel/values/EmailAddress.ts"
import { type Parse, parseNow } from "../ports/Parsers.ts"
import type { MessageData } from "../sending/messages/MessageContent.ts"
import { atMost, FromName, oneLine, SenderAddress } from "../workspaces/Sender.ts"
import { AttachmentInput, type NewAttachment, readAttachments } from "./Attachments.ts"
import {
  ahead_days_max,
  attachments_max,
  client_item_id_length_max,
  expires_after_hours,
  message_html_bytes_max,
  message_text_length_max,
  metadata_length_max,
  metadata_max,
  tag_length_max,
  tags_max,
  to_name_length_max,
} from "./EmailMessage.ts"
import { customHeaderIssues, dataIssues, pairIssues } from "./MessageValues.ts"

/** What a message does with the contacts of the workspace. */
export const contactModes = ["match", "create", "none"] as const
export type ContactMode = (typeof contactModes)[number]

const Recipient = Schema.Struct({
  email: Schema.String.annotate({ description: "The address, such as ann@example.org" }),
  name: Schema.optionalKey(
    Schema.String.check(atMost(to_name_length_max), oneLine).annotate({
      description: "The name in the To header, at most 120 characters",
    }),
  ),
})

/** An address alone has no name. */
const Address = Schema.String.annotate({ examples: ["ann@example.org"] }).pipe(
  Schema.decodeTo(Schema.toType(Recipient), {
    decode: SchemaGetter.transform((email: string) => ({ email })),
    encode: SchemaGetter.transform(({ email }: typeof Recipient.Type) => email),
  }),
)

const Texts = Schema.Record(Schema.String, Schema.Unknown)

/** The fields of a message on the wire. `items` of a batch have the same, without `attachments`. */
export const NewMessageInput = Schema.Struct({
  client_item_id: Schema.optionalKey(
    Schema.String.check(atMost(client_item_id_length_max)).annotate({ description: "The caller's id of the message" }),
  ),
  to: Schema.optionalKey(
    Schema.Union([Recipient, Address]).annotate({
      description: "The one recipient: an address, or { email, name }. Omit it with contact_id",
    }),
  ),
  contact_id: Schema.optionalKey(
    ContactId.annotate({ description: "A contact: its address is used. Omit it with to" }),
  ),
  email_id: Schema.optionalKey(EmailId.annotate({ description: "An approved email" })),
  template_id: Schema.optionalKey(EmailTemplateId.annotate({ description: "An approved email template" })),
  html: Schema.optionalKey(Schema.String.annotate({ description: "Inline HTML, at most 2 MB" })),
  text: Schema.optionalKey(
    Schema.String.annotate({
      description: "Inline plain text, at most 1,000,000 characters. Made from html if it is omitted",
    }),
  ),
  subject: Schema.optionalKey(Subject),
  preview_text: Schema.optionalKey(PreviewText),
  from_name: Schema.optionalKey(FromName),
  from_address: Schema.optionalKey(SenderAddress),
  reply_to_email: Schema.optionalKey(SenderAddress),
  data: Schema.optionalKey(
    Texts.annotate({ description: "Values of {{data.…}} tokens: at most 64 KB, and 10 levels deep" }),
  ),
  allow_unresolved: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Send nothing in place of {{data.…}} tokens without a value. Default false",
    }),
  ),
  contact: Schema.optionalKey(
    Schema.Literals(contactModes).annotate({
      description:
        "match: a contact with the address is used (default). create: one is created if there is none. none: contacts are not looked at",
    }),
  ),
  operational: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Default true: also sent to contacts that unsubscribed, without footer. false: marketing mail",
    }),
  ),
  topic_id: Schema.optionalKey(
    TopicId.annotate({
      description: "Sent to subscribers of the topic only. Needs operational: false. Default: all marketing",
    }),
  ),
  attachments: Schema.optionalKey(
    Schema.Array(AttachmentInput).annotate({ description: "At most 20 files, 10 MB together. Not in batches" }),
  ),
  headers: Schema.optionalKey(
    Texts.annotate({ description: "At most 20 headers: X-*, In-Reply-To, References, Auto-Submitted" }),
  ),
  tags: Schema.optionalKey(Texts.annotate({ description: "At most 10 texts by name. Listings filter by them" })),
  metadata: Schema.optionalKey(Texts.annotate({ description: "At most 20 texts by name, returned with the message" })),
  track_opens: Schema.optionalKey(Schema.Boolean.annotate({ description: "Add an open pixel. Default false" })),
  track_clicks: Schema.optionalKey(Schema.Boolean.annotate({ description: "Redirect links. Default false" })),
  retain_content: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Default true: data, bodies and attachments are stored for MESSAGE_DAYS. false: until the message ends",
    }),
  ),
  scheduled_at: Schema.optionalKey(
    OffsetInstant.annotate({ description: "When to send it, at most 30 days ahead. Default: now" }),
  ),
  expires_at: Schema.optionalKey(
    OffsetInstant.annotate({
      description: "It is not sent after this time, at most 30 days ahead. Default: 24 hours after its time",
    }),
  ),
})
export type NewMessageInput = typeof NewMessageInput.Type

export type MessageSource =
  | { readonly kind: "email"; readonly emailId: EmailId }
  | { readonly kind: "template"; readonly templateId: EmailTemplateId }
  | { readonly kind: "inline"; readonly html: string | null; readonly text: string | null }

/** What replaces the fields of the source and the defaults of the workspace. */
export interface HeaderOverrides {
  readonly subject: string | null
  readonly previewText: string | null
  readonly fromName: string | null
  readonly fromAddress: string | null
  readonly replyToEmail: string | null
}

export const noHeader: HeaderOverrides = {
  subject: null,
  previewText: null,
  fromName: null,
  fromAddress: null,
  replyToEmail: null,
}

export interface NewMessage {
  readonly clientItemId: string | null
  readonly to: { readonly email: EmailAddress; readonly name: string | null } | { readonly contactId: ContactId }
  readonly source: MessageSource
  readonly header: HeaderOverrides
  readonly data: MessageData
  readonly allowUnresolved: boolean
  readonly contact: ContactMode
  readonly operational: boolean
  readonly topicId: TopicId | null
  readonly attachments: ReadonlyArray<NewAttachment>
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly tags: Readonly<Record<string, string>>
  readonly metadata: Readonly<Record<string, string>>
  readonly trackOpens: boolean
  readonly trackClicks: boolean
  readonly retainContent: boolean
  readonly scheduledAt: DateTime.Utc | null
  readonly expiresAt: DateTime.Utc
}

const oneRecipient = "a message has one recipient: send one message for each"
const noAddress = "must be an email address, such as ann@example.org"

const decodeInput = decoderOf(NewMessageInput, {
  hints: { cc: oneRecipient, bcc: oneRecipient },
})

/** Checks the JSON of a message, and reports all issues. `attachments`: whether it may have some. `parse` decodes them. */
export const readMessage = (
  json: unknown,
  now: DateTime.Utc,
  { attachments = true, parse = parseNow }: { readonly attachments?: boolean; readonly parse?: Parse } = {},
): Result.Result<NewMessage, Invalid> => {
  const shape = shapeIssues(json, attachments)
  if (shape.length > 0) return Result.fail(new Invalid({ issues: shape }))
  const { issues, value } = decodeInput(json, "")
  if (value === null) return Result.fail(new Invalid({ issues }))
  const files = readAttachments(value.attachments ?? [], parse)
  const address = value.to === undefined ? null : parseEmail(value.to.email)
  const found = [
    ...recipientIssues(value, address),
    ...sourceIssues(value),
    ...topicIssues(value),
    ...dataIssues(value.data ?? {}),
    ...files.issues,
    ...customHeaderIssues(value.headers ?? {}),
    ...pairIssues("tags", value.tags ?? {}, { pairs_max: tags_max, length_max: tag_length_max }),
    ...pairIssues("metadata", value.metadata ?? {}, { pairs_max: metadata_max, length_max: metadata_length_max }),
    ...timeIssues(value, now),
  ]
  if (found.length > 0) return Result.fail(new Invalid({ issues: found }))
  const to =
    address === null
      ? value.contact_id === undefined
        ? null
        : { contactId: value.contact_id }
      : { email: address, name: value.to?.name?.trim() || null }
  const source = sourceOf(value)
  if (to === null || source === null) return Result.fail(Invalid.at("", "has no recipient or no content"))
  const scheduledAt = value.scheduled_at ?? null
  return Result.succeed({
    clientItemId: value.client_item_id ?? null,
    to,
    source,
    header: {
      subject: value.subject ?? null,
      previewText: value.preview_text || null,
      fromName: value.from_name?.trim() || null,
      fromAddress: addressOf(value.from_address),
      replyToEmail: addressOf(value.reply_to_email),
    },
    data: value.data ?? {},
    allowUnresolved: value.allow_unresolved ?? false,
    contact: value.contact ?? "match",
    operational: value.operational ?? true,
    topicId: value.topic_id ?? null,
    attachments: files.attachments,
    headers: Object.entries(value.headers ?? {}) as ReadonlyArray<readonly [string, string]>,
    tags: (value.tags ?? {}) as Readonly<Record<string, string>>,
    metadata: (value.metadata ?? {}) as Readonly<Record<string, string>>,
    trackOpens: value.track_opens ?? false,
    trackClicks: value.track_clicks ?? false,
    retainContent: value.retain_content ?? true,
    scheduledAt,
    expiresAt: value.expires_at ?? DateTime.add(scheduledAt ?? now, { hours: expires_after_hours }),
  })
}

const addressOf = (text: string | undefined): string | null =>
  text === undefined ? null : (parseEmail(text)?.written ?? text)

/** What a decoder would report in other words: several recipients, and attachments in a batch. */
const shapeIssues = (json: unknown, attachments: boolean): ReadonlyArray<Issue> => {
  if (!isObject(json)) return [{ path: "", message: "must be an object" }]
  const { attachments: files, to } = json
  const issues: Array<Issue> = []
  if (Array.isArray(to))
    issues.push({ path: "to", message: `must be an address or an object, not an array: ${oneRecipient}` })
  if (isObject(to) && Array.isArray(to["email"])) {
    issues.push({ path: "to.email", message: `must be text, not an array: ${oneRecipient}` })
  }
  if (typeof to === "string" && parseEmail(to) === null) issues.push({ path: "to", message: noAddress })
  if (!attachments && files !== undefined && files !== null) {
    issues.push({ path: "attachments", message: "is not allowed in a batch: send the message alone" })
  }
  if (Array.isArray(files) && files.length > attachments_max) {
    issues.push({ path: "attachments", message: `must have at most ${attachments_max} files, got ${files.length}` })
  }
  return issues
}

const recipientIssues = (
  { contact, contact_id, to }: NewMessageInput,
  address: EmailAddress | null,
): ReadonlyArray<Issue> => {
  if (to === undefined && contact_id === undefined) return [{ path: "to", message: "is required, or contact_id" }]
  if (to !== undefined && contact_id !== undefined) {
    return [{ path: "contact_id", message: "can't be combined with to: omit one of them" }]
  }
  if (contact_id !== undefined && contact !== undefined && contact !== "match") {
    return [{ path: "contact", message: "can't be combined with contact_id: omit it" }]
  }
  return to !== undefined && address === null ? [{ path: "to.email", message: noAddress }] : []
}

const topicIssues = ({ operational = true, topic_id }: NewMessageInput): ReadonlyArray<Issue> =>
  topic_id !== undefined && operational
    ? [{ path: "topic_id", message: "needs operational: false: operational messages have no topic" }]
    : []

const sourceIssues = ({ email_id, html, template_id, text }: NewMessageInput): ReadonlyArray<Issue> => {
  const inline = html === undefined ? (text === undefined ? [] : ["text"]) : ["html"]
  const given = [
    ...(email_id === undefined ? [] : ["email_id"]),
    ...(template_id === undefined ? [] : ["template_id"]),
    ...inline,
  ]
  const [first, ...others] = given
  const issues: Array<Issue> = others.map((path) => ({
    path,
    message: `can't be combined with ${first}: omit one of them`,
  }))
  if (first === undefined) issues.push({ path: "email_id", message: "is required, or template_id, html or text" })
  if (html !== undefined && encodeText(html).length > message_html_bytes_max) {
    issues.push({ path: "html", message: `must have at most ${message_html_bytes_max} bytes` })
  }
  if (html !== undefined && html.trim() === "") issues.push({ path: "html", message: "must not be empty" })
  if (text !== undefined && text.length > message_text_length_max) {
    issues.push({ path: "text", message: `must have at most ${message_text_length_max} characters` })
  }
  if (text !== undefined && text.trim() === "") issues.push({ path: "text", message: "must not be empty" })
  return issues
}

const sourceOf = ({ email_id, html, template_id, text }: NewMessageInput): MessageSource | null => {
  if (email_id !== undefined) return { kind: "email", emailId: email_id }
  if (template_id !== undefined) return { kind: "template", templateId: template_id }
  return html === undefined && text === undefined ? null : { kind: "inline", html: html ?? null, text: text ?? null }
}

const timeIssues = (
  { expires_at, scheduled_at }: Pick<NewMessageInput, "expires_at" | "scheduled_at">,
  now: DateTime.Utc,
): ReadonlyArray<Issue> => {
  const latest_ms = DateTime.add(now, { days: ahead_days_max }).epochMilliseconds
  const issues = [["scheduled_at", scheduled_at] as const, ["expires_at", expires_at] as const].flatMap(
    ([path, at]): ReadonlyArray<Issue> =>
      at !== undefined && at.epochMilliseconds > latest_ms
        ? [{ path, message: `must be at most ${ahead_days_max} days ahead` }]
        : [],
  )
  const from_ms = Math.max(now.epochMilliseconds, scheduled_at?.epochMilliseconds ?? 0)
  return expires_at !== undefined && expires_at.epochMilliseconds <= from_ms
    ? [...issues, { path: "expires_at", message: "must be later than now and than scheduled_at" }]
    : issues
}
