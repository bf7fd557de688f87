// Valid bodies of all operations on contacts, topics, custom fields and lists, and the fixtures of the attacks.
import { Effect } from "effect"
import { fresh, posting } from "./AttackFixture.ts"
import type { Estate, Probe, Room } from "./AttackSuite.ts"
import { type Operation, operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"
import { type Json, unknownId } from "../fixtures/World.ts"

/** The entities of each of the two workspaces. */
export interface AudienceEstate extends Estate {
  readonly contact_id: string
  /** Merged into the contact. */
  readonly source_contact_id: string
  readonly fieldDefinitionId: string
  /** Dynamic where an operation changes one. */
  readonly listId: string
  readonly staticListId: string
  readonly exportId: string
  /** No contact chose it, so that it can be deleted. */
  readonly topicId: string
  /** The same, by the name of the query parameter. */
  readonly topic_id: string
}

const changesList = ({ method, path }: Operation): boolean =>
  method === "PATCH" && path === "/v1/contact-lists/{listId}"

/** `field` is the `api_name` of its custom field too. */
const settleAudience: Room<AudienceEstate>["settle"] = Effect.fnUntraced(function* ({ call }, field, _, operation) {
  const made = posting(call)
  const fields = yield* made("/v1/contact-fields", { display_name: field, api_name: field, value_type: "string" })
  const items = [{ email: `${field}@example.com`, first_name: `of ${field}`, custom_fields: { [field]: "x" } }]
  const other = yield* made("/v1/contacts", { items: [{ email: `${fresh()}@example.com` }] })
  const contacts = yield* made("/v1/contacts", { items })
  const { contact_id } = contacts.items[0]
  const list = yield* made("/v1/contact-lists", { name: `of ${field}`, kind: "static", contact_ids: [contact_id] })
  const rules = { kind: "condition", source: "contact", field: "city", operator: "is_empty" }
  const listId: string =
    operation !== null && changesList(operation)
      ? (yield* made("/v1/contact-lists", { name: `picked of ${field}`, kind: "dynamic", rules })).list_id
      : list.list_id
  const exported = yield* call("POST", `/v1/contact-lists/${listId}/export`, { json: {} })
  const topic = yield* made("/v1/topics", { name: `of ${field}`, default_subscription: "unsubscribed" })
  const estate: AudienceEstate = {
    contact_id,
    source_contact_id: other.items[0].contact_id,
    fieldDefinitionId: fields.items[0].field_definition_id,
    listId,
    staticListId: list.list_id,
    topicId: topic.topic_id,
    topic_id: topic.topic_id,
    exportId: exported.json?.export_id ?? unknownId,
    field,
  }
  return estate
})

const readable = ({ contact_id, listId, topicId }: AudienceEstate) => [
  "/v1/contacts?limit=100",
  `/v1/contacts/${contact_id}`,
  `/v1/contacts/${contact_id}/activities`,
  `/v1/contacts/${contact_id}/lists`,
  `/v1/contacts/${contact_id}/memberships`,
  `/v1/contacts/${contact_id}/mailable`,
  `/v1/contacts/${contact_id}/topics`,
  `/v1/contacts/${contact_id}/consent-records`,
  "/v1/topics?limit=100",
  `/v1/topics/${topicId}`,
  "/v1/contact-fields?status=any",
  "/v1/contact-lists?limit=100",
  `/v1/contact-lists/${listId}`,
  `/v1/contact-lists/${listId}/contacts?limit=100`,
  `/v1/contact-lists/${listId}/usage`,
]

const person = (estate: AudienceEstate): Json => ({
  client_item_id: "row",
  email: `${fresh()}@example.com`,
  first_name: "Ann",
  service_score: 1.5,
  unsubscribed: false,
  custom_fields: { [estate.field]: "42" },
})

const field = (): Json => ({
  display_name: "Shoe",
  api_name: fresh(),
  value_type: "string",
  is_editable: true,
  description: "EU",
  show_in_people_list_default: false,
})

/** Conditions of every source, two groups deep. */
const rules = ({ fieldDefinitionId, staticListId, topicId }: AudienceEstate): Json => ({
  kind: "group",
  operator: "or",
  conditions: [
    { kind: "condition", source: "contact", field: "serviceScore", operator: "gt", value: 1 },
    {
      kind: "group",
      conditions: [
        { kind: "condition", source: "contact", field: "createdAt", operator: "lt", value: "2026-05-01" },
        { kind: "condition", source: "custom_field", fieldDefinitionId, operator: "contains", value: "4" },
        { kind: "condition", source: "list_membership", listId: staticListId, operator: "is_member" },
        { kind: "condition", source: "topic", topicId, operator: "is_subscribed" },
        {
          kind: "condition",
          source: "activity",
          activityType: "email_opened",
          operator: "has_activity",
          timeWindow: { amount: 1, unit: "day" },
        },
      ],
    },
  ],
})

const people = (estate: AudienceEstate): Json => ({ items: [person(estate)] })
const goers = ({ contact_id }: AudienceEstate): Json => ({ items: [{ contact_id, client_item_id: "row" }] })
const changes = (estate: AudienceEstate): Json => {
  const { client_item_id: _, ...fields } = person(estate)
  return fields
}
const members = ({ contact_id }: AudienceEstate): Json => ({ contact_ids: [contact_id] })
const search = (estate: AudienceEstate): Json => ({
  rules: rules(estate),
  page: 1,
  limit: 10,
  search: "a",
  sort: "created_at",
  order: "asc",
})

const consent = {
  text: "Yes, send me the monthly letter.",
  source: "checkout",
  ip: "203.0.113.77",
  user_agent: "Mozilla/5.0",
  collected_at: "2026-05-01T10:00:00Z",
}
const topicSettings = (): Json => ({
  name: fresh(),
  description: "some",
  visibility: "public",
  double_opt_in: false,
  position: 3,
})

/** Bodies by operation, created at each call, where the example of the document has less. */
const audienceProbes: Readonly<Record<string, Probe<AudienceEstate>>> = {
  "POST /v1/contacts": [people],
  "DELETE /v1/contacts": [goers],
  "POST /v1/contacts/upsert": [people],
  "POST /v1/contacts/update": [(it) => ({ items: [{ contact_id: it.contact_id, ...person(it) }] })],
  "POST /v1/contacts/delete": [goers],
  "POST /v1/contacts/search": [search],
  "PATCH /v1/contacts/{contact_id}": [changes],
  "POST /v1/contacts/{contact_id}/merge": [
    ({ field: name, source_contact_id }) => ({
      source_contact_id,
      prefer: "source",
      fields: { city: "target", [`custom_fields.${name}`]: "source" },
      dry_run: true,
    }),
  ],
  "POST /v1/contacts/{contact_id}/preferences-link": [() => ({ expires_in_hours: 2 })],
  "POST /v1/contacts/{contact_id}/explain": [(it) => ({ rules: rules(it) }), (it) => ({ list_id: it.listId })],
  "PUT /v1/contacts/{contact_id}/topics": [
    ({ topicId }) => ({ items: [{ topic_id: topicId, status: "subscribed", consent }] }),
  ],
  "POST /v1/topics": [() => ({ ...topicSettings(), default_subscription: "unsubscribed" })],
  "PATCH /v1/topics/{topicId}": [() => ({ ...topicSettings(), status: "archived" })],
  "POST /v1/contact-fields": [field, () => ({ items: [field(), field()] })],
  "PATCH /v1/contact-fields/{fieldDefinitionId}": [
    () => ({ display_name: "Boot", description: "EU", is_editable: true, status: "active" }),
  ],
  "POST /v1/contact-lists": [
    (it) => ({ name: fresh(), kind: "static", description: "some", contact_ids: [it.contact_id] }),
    (it) => ({ name: fresh(), kind: "dynamic", rules: rules(it) }),
  ],
  "POST /v1/contact-lists/preview": [(it) => ({ rules: rules(it) })],
  "PATCH /v1/contact-lists/{listId}": [(it) => ({ name: fresh(), description: "some", rules: rules(it) })],
  "POST /v1/contact-lists/{listId}/contacts": [members],
  "DELETE /v1/contact-lists/{listId}/contacts": [members],
  "POST /v1/contact-lists/{listId}/export": [() => ({ exclude_unsubscribed: true })],
}

/** Imports are a separate room: they need files and runs. */
const elsewhere = "/v1/contacts/imports"

/** Contacts, topics, custom fields and lists. */
export const audience: Room<AudienceEstate> = {
  name: "the audience",
  operations: operationsOf(tenants, ["/v1/contacts", "/v1/contact-fields", "/v1/contact-lists", "/v1/topics"]).filter(
    ({ path }) => !path.startsWith(elsewhere),
  ),
  probes: audienceProbes,
  settle: settleAudience,
  stateFor: (operation) => (changesList(operation) ? "dynamic list" : null),
  readable,
  ids: ["contact_id", "source_contact_id", "fieldDefinitionId", "listId", "staticListId", "topicId"],
  found: (json) => json.pagination?.total,
}

interface ConsentExportEstate extends Estate {
  readonly topicId: string
  readonly exportId: string
}

const exported = "/v1/consent-records/export"

const settleExports: Room<ConsentExportEstate>["settle"] = Effect.fnUntraced(function* ({ call }, field) {
  const made = posting(call)
  const topic = yield* made("/v1/topics", { name: `of ${field}`, default_subscription: "unsubscribed" })
  const begun = yield* made(exported, { topic_id: topic.topic_id })
  return { topicId: topic.topic_id, exportId: begun.export_id, field }
}, Effect.orDie)

const exportProbes: Readonly<Record<string, Probe<ConsentExportEstate>>> = {
  [`POST ${exported}`]: [({ topicId }) => ({ topic_id: topicId, since: "2026-05-01", until: "2026-05-02T10:00:00Z" })],
}

export const consentExports: Room<ConsentExportEstate> = {
  name: "exports of consent records",
  operations: operationsOf(tenants, ["/v1/consent-records"]),
  probes: exportProbes,
  settle: settleExports,
  readable: ({ exportId, topicId }) => [`${exported}/${exportId}`, `/v1/topics/${topicId}`],
  ids: ["topicId"],
  found: () => 0,
}
