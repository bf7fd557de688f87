// The public event types: what each means, its data, and the event of the outbox that it is made of. Only this file knows the
// names on both sides.
import { Schema } from "effect"
import { entrySources } from "../flows/members/Membership.ts"
import { consentSources } from "../topics/ConsentRecord.ts"
import { topicStatuses } from "../topics/Topic.ts"
import { blockReasons, failureReasons } from "../sending/Delivery.ts"
import { unsubscribeScopes } from "../tracking/Engagement.ts"

/** Why an endpoint is disabled. `requested`: by a call. `stream_blocked`: the head of its order was not accepted. */
export const disabledReasons = ["requested", "gone", "failing", "stream_blocked"] as const

const Id = Schema.String.annotate({ format: "uuid" })
const Text = Schema.NullOr(Schema.String)

/** Who an event is about, as the contact is now. After its deletion only the id is known. */
export const EventContact = Schema.Struct({
  contact_id: Id,
  email: Text,
  phone: Text,
  display_name: Text,
}).annotate({
  identifier: "EventContact",
  description: "The contact as it is now. Only the id is set once the contact is deleted",
})
export type EventContact = typeof EventContact.Type

const MessageTopic = Schema.NullOr(Id).annotate({
  description: "The topic of the message; null: all marketing, or operational",
})

const Source = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("blast"), blast_id: Id, topic_id: MessageTopic }),
  Schema.Struct({ kind: Schema.Literal("flow"), flow_id: Id, membership_id: Id, step_id: Id, topic_id: MessageTopic }),
  Schema.Struct({ kind: Schema.Literal("message"), message_id: Id, topic_id: MessageTopic }),
]).annotate({ description: "What sent the message" })

const Value = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Schema.String)]))

const Changes = Schema.Array(Schema.Struct({ field: Schema.String, from: Value, to: Value })).annotate({
  description: "Custom fields are named `custom_fields.<api_name>`",
})

const Bounce = Schema.Struct({ kind: Schema.Literals(["hard", "soft"]), reply: Text }).annotate({
  description: "`reply`: the words of the mail server",
})

/** Set when long texts were cut, so that the event fits into `event_bytes_max`. */
const truncated = Schema.optionalKey(Schema.Literal(true)).annotate({
  description: "Set if long texts were cut, because an event has at most 64 KB",
})

interface Described<Outbox extends string, Data extends Schema.Top> {
  /** The type of the outbox's event. */
  readonly outbox: Outbox
  readonly description: string
  readonly data: Data
  readonly example: Data["Type"]
}

const eventType = <const Outbox extends string, Fields extends Schema.Struct.Fields>(
  outbox: Outbox,
  description: string,
  fields: Fields,
  example: Schema.Struct<Fields>["Type"],
): Described<Outbox, Schema.Struct<Fields>> => ({ outbox, description, data: Schema.Struct(fields), example })

const contact = {
  contact_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c01",
  email: "ann@example.org",
  phone: null,
  display_name: "Ann Lee",
}
const list = { list_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c02", list_name: "Newsletter" }
const blast = { blast_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c03", name: "Spring sale" }
const flow = { flow_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c05" }
const member = { ...flow, flow_name: "Welcome", membership_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c06" }
const tent = { tent_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c07" }
const endpoint = { endpoint_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c09" }
const message = {
  contact,
  source: { kind: "blast", blast_id: blast.blast_id, topic_id: null },
  recipient_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c04",
} as const

const listFields = { list_id: Id, list_name: Schema.String }
const listOf = (outbox: string, description: string) => eventType(outbox, description, listFields, list)
const memberOfList = (outbox: string, description: string) =>
  eventType(outbox, description, { contact: EventContact, ...listFields }, { contact, ...list })

const Labels = Schema.optionalKey(Schema.Record(Schema.String, Schema.String))

const messageFields = {
  contact: Schema.NullOr(EventContact).annotate({
    description: "Null: a single message to an address that is no contact's",
  }),
  source: Source,
  recipient_id: Id,
  tags: Labels.annotate({ description: "Of a single message" }),
  metadata: Labels.annotate({ description: "Of a single message" }),
}
const email = (outbox: string, description: string) => eventType(outbox, description, messageFields, message)

const BlastStatus = Schema.Literals(["draft", "scheduled", "sending", "sent", "failed", "cancelled", "archived"])
const blastFields = { blast_id: Id, name: Schema.String, from: BlastStatus, reason: Text }
const blastOf = (outbox: string, description: string, from: typeof BlastStatus.Type, reason: string | null = null) =>
  eventType(outbox, description, blastFields, { ...blast, from, reason })

const BlastCounts = Schema.Struct({
  blast_recipient_count: Schema.Int,
  blast_qualified_count: Schema.Int.annotate({ description: "Recipients that could get it at the launch" }),
  blast_sent_count: Schema.Int,
  blast_failed_count: Schema.Int,
  blast_blocked_count: Schema.Int,
})

/** The end of a blast. */
const endOfBlast = (outbox: string, description: string, from: typeof BlastStatus.Type, reason: string | null = null) =>
  eventType(
    outbox,
    description,
    {
      ...blastFields,
      details: Schema.NullOr(BlastCounts).annotate({
        description:
          "Counts of recipients, as `details` of the blast. Those that a failed blast leaves count as failed, those of a cancelled one as blocked, also if their message was being handed over. Null: it was never launched",
      }),
    },
    {
      ...blast,
      from,
      reason,
      details: {
        blast_recipient_count: 1_200,
        blast_qualified_count: 1_180,
        blast_sent_count: 1_171,
        blast_failed_count: 5,
        blast_blocked_count: 24,
      },
    },
  )

const flowOf = (outbox: string, description: string) => eventType(outbox, description, { flow_id: Id }, flow)

const flowMemberFields = { contact: EventContact, flow_id: Id, flow_name: Schema.String, membership_id: Id }
const flowMember = (outbox: string, description: string) =>
  eventType(outbox, description, flowMemberFields, { contact, ...member })

const tentOf = (outbox: string, description: string) => eventType(outbox, description, { tent_id: Id }, tent)

const importRun = {
  import_run_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c10",
  created_count: 120,
  updated_count: 8,
  skipped_count: 0,
  error_count: 2,
}
const importFields = {
  import_run_id: Id,
  created_count: Schema.Int,
  updated_count: Schema.Int,
  skipped_count: Schema.Int,
  error_count: Schema.Int,
}

const topicMove = { topic_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c12" }
const Status = Schema.Literals(topicStatuses)
const subscriptionFields = {
  contact: EventContact,
  topics: Schema.Array(Schema.Struct({ topic_id: Id, from: Status, to: Status })).annotate({
    description: "`from` and `to`: what is recorded, else the default of the topic",
  }),
  source: Schema.Literals(consentSources),
}
const subscriptionOf = (
  outbox: string,
  description: string,
  source: (typeof consentSources)[number],
  from: typeof Status.Type,
  to: typeof Status.Type,
) => eventType(outbox, description, subscriptionFields, { contact, topics: [{ ...topicMove, from, to }], source })

export const eventTypes = {
  "contact.created": eventType(
    "contact_created",
    "A contact was created.",
    { contact: EventContact, original_source: Text },
    { contact, original_source: "api" },
  ),
  "contact.updated": eventType(
    "contact_updated",
    "Fields of a contact changed.",
    { contact: EventContact, changes: Changes, truncated },
    { contact, changes: [{ field: "city", from: null, to: "Hamburg" }] },
  ),
  "contact.deleted": eventType(
    "contact_deleted",
    "A contact was deleted.",
    {
      contact: EventContact,
      erased: Schema.Boolean.annotate({ description: "Whether all data about the contact was erased" }),
    },
    { contact: { ...contact, email: null, display_name: null }, erased: false },
  ),
  "contact.merged": eventType(
    "contact_merged",
    "A contact took over another one, whose id is no longer valid.",
    { contact: EventContact, merged_contact_id: Id },
    { contact, merged_contact_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c11" },
  ),
  "list.created": listOf("list_created", "A contact list was created."),
  "list.updated": listOf("list_updated", "The name, the description or the rules of a contact list changed."),
  "list.deleted": listOf("list_deleted", "A contact list was deleted. Its contacts stay."),
  "list.member_added": memberOfList("list_added", "A contact was added to a static list."),
  "list.member_removed": memberOfList("list_removed", "A contact was removed from a static list."),
  "email.sent": email("email_sent", "The mail server accepted a message."),
  "email.delivered": email("email_delivered", "A message was delivered."),
  "email.opened": email("email_opened", "A recipient opened a message for the first time."),
  "email.clicked": eventType(
    "email_clicked",
    "A recipient followed a link of a message for the first time.",
    { ...messageFields, url: Schema.String },
    { ...message, url: "https://example.org/spring" },
  ),
  "email.bounced": eventType(
    "email_bounced",
    "A message came back.",
    { ...messageFields, bounce: Bounce },
    { ...message, bounce: { kind: "hard", reply: "550 5.1.1 No such user" } },
  ),
  "email.complained": email("email_complained", "A recipient reported a message as spam."),
  "email.failed": eventType(
    "email_failed",
    "A message failed. With the reason `unconfirmed` it may have been sent. A retry sends messages of a blast again.",
    { ...messageFields, reason: Schema.Literals(failureReasons) },
    { ...message, reason: "refused" },
  ),
  "email.blocked": eventType(
    "email_blocked",
    "A message was not sent, because the recipient may not get it or its sending was ended. Recipients that a blast leaves out at its launch make no event.",
    { ...messageFields, reason: Schema.Literals(blockReasons) },
    { ...message, reason: "unsubscribed" },
  ),
  "email.unsubscribed": eventType(
    "email_unsubscribed",
    "A recipient ended marketing mail from a message: all of it, or its topic.",
    { ...messageFields, scope: Schema.Literals(unsubscribeScopes) },
    { ...message, scope: "all" },
  ),
  "blast.scheduled": blastOf("blast_scheduled", "A blast was scheduled.", "draft"),
  "blast.unscheduled": blastOf("blast_draft", "The schedule of a blast was withdrawn.", "scheduled"),
  "blast.sending": blastOf("blast_sending", "A blast began to send. A retry begins to send again.", "draft"),
  "blast.sent": endOfBlast("blast_sent", "A blast was sent to all its recipients.", "sending"),
  "blast.failed": endOfBlast("blast_failed", "A blast failed.", "sending", "sender_domain_unverified"),
  "blast.cancelled": endOfBlast("blast_cancelled", "A blast was cancelled.", "sending"),
  "blast.archived": blastOf("blast_archived", "A blast was archived.", "sent"),
  "blast.deleted": blastOf("blast_deleted", "A blast was deleted.", "draft"),
  "flow.activated": flowOf("flow_activated", "A flow was activated: contacts enter it from now on."),
  "flow.paused": flowOf("flow_paused", "A flow was paused."),
  "flow.archived": flowOf("flow_archived", "A flow was archived."),
  "flow.deleted": flowOf("flow_deleted", "A flow was deleted."),
  "flow.member.entered": eventType(
    "flow_entered",
    "A contact entered a flow.",
    { ...flowMemberFields, entry_source: Schema.Literals(entrySources) },
    { contact, ...member, entry_source: "form_submitted" },
  ),
  "flow.member.completed": flowMember("flow_completed", "A contact reached the end of a flow."),
  "flow.member.dropped": eventType(
    "flow_dropped",
    "A contact left a flow before its end.",
    { ...flowMemberFields, reason: Text },
    { contact, ...member, reason: "disqualified" },
  ),
  "tent.generated": tentOf("tent_generated", "The AI wrote a page of a tent: its first one, or a revision."),
  "tent.generation_failed": eventType(
    "tent_generation_failed",
    "The AI wrote no page: a generation or a revision failed. Its credit is returned.",
    { tent_id: Id, error: Schema.String },
    { ...tent, error: "The page is larger than 2 MB. Ask for a shorter one" },
  ),
  "tent.published": eventType(
    "tent_published",
    "A tent was published, or published again with another page or address.",
    { tent_id: Id, published_url: Schema.String },
    { ...tent, published_url: "https://mill-lane.example.org/spring-sale" },
  ),
  "tent.unpublished": tentOf(
    "tent_unpublished",
    "The page of a tent was withdrawn. The deletion of a published tent does it, too.",
  ),
  "tent.deleted": tentOf("tent_deleted", "A tent was deleted."),
  "flow.member.failed": eventType(
    "flow_failed",
    "A contact left a flow because all attempts of a step failed.",
    { ...flowMemberFields, reason: Schema.String },
    { contact, ...member, reason: "The AI provider did not answer" },
  ),
  "form.submitted": eventType(
    "form_submission",
    "A visitor sent a form of a page.",
    {
      contact: Schema.NullOr(EventContact),
      tent_id: Id,
      form_id: Schema.String,
      submission_id: Id,
      fields: Schema.Record(Schema.String, Schema.String),
      truncated,
    },
    {
      contact,
      ...tent,
      form_id: "contact",
      submission_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c08",
      fields: { email: "ann@example.org", message: "Hello" },
    },
  ),
  "import.completed": eventType(
    "import_completed",
    "An import ended: each of its rows has a result.",
    importFields,
    importRun,
  ),
  "import.failed": eventType(
    "import_failed",
    "An import ended early. What its first rows became stays.",
    { ...importFields, error: Schema.String },
    { ...importRun, error: "The file of this import was deleted. Start the import again" },
  ),
  "subscription.requested": subscriptionOf(
    "subscription_requested",
    "A person asked for topics, and has to confirm it by mail.",
    "form",
    "unsubscribed",
    "pending",
  ),
  "subscription.confirmed": subscriptionOf(
    "subscription_confirmed",
    "A person confirmed topics by the link of a mail.",
    "form",
    "pending",
    "subscribed",
  ),
  "subscription.changed": subscriptionOf(
    "subscription_changed",
    "The status of a contact for topics changed without a confirmation.",
    "preference_page",
    "subscribed",
    "unsubscribed",
  ),
  "subscription.expired": subscriptionOf(
    "subscription_expired",
    "A person did not confirm topics in time: they are as before.",
    "form",
    "pending",
    "unsubscribed",
  ),
  "webhook.test": eventType(
    "webhook_test",
    "A test of a webhook endpoint. Only its endpoint gets it, and no feed has it.",
    { endpoint_id: Id },
    endpoint,
  ),
  "webhook_endpoint.disabled": eventType(
    "webhook_endpoint_disabled",
    "A webhook endpoint was disabled, by a call or because it does not work. The other endpoints get it.",
    { endpoint_id: Id, disabled_reason: Schema.Literals(disabledReasons) },
    { ...endpoint, disabled_reason: "failing" },
  ),
}

export type EventType = keyof typeof eventTypes

export const eventTypeNames = Object.keys(eventTypes) as ReadonlyArray<EventType>

/** The public type of each type of the outbox. Other events of the outbox are internal. */
export const publicTypes: ReadonlyMap<string, EventType> = new Map(
  eventTypeNames.map((type) => [eventTypes[type].outbox, type]),
)
