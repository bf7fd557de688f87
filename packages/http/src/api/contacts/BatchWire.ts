// Batches of contacts on the wire: items of which each stands for itself, and a result for each.
import { standardFields, type StandardField } from "@tentpole/core/contacts/ContactFields"
import type { BatchItem } from "@tentpole/core/contacts/Contacts"
import type { ExistingContact, ItemRefusal } from "@tentpole/core/contacts/Item"
import { Schema } from "effect"
import { ContactWire, CustomFieldsWire, toContactWire } from "./ContactWire.ts"

const batch_max = 100

const valueOf = (field: StandardField) => {
  switch (field.kind) {
    case "text":
      return Schema.String.check(Schema.isMaxCodePoints(field.length_max))
    case "number":
      return Schema.Finite
    case "boolean":
      return Schema.Boolean
    default:
      return Schema.String
  }
}

const documented = Schema.Struct({
  client_item_id: Schema.optionalKey(Schema.String.check(Schema.isMaxCodePoints(255))),
  ...Object.fromEntries(
    standardFields
      .filter((field) => field.writable)
      .map((field) => [
        field.apiName,
        Schema.optionalKey(field.nullable ? Schema.NullOr(valueOf(field)) : valueOf(field)),
      ]),
  ),
  custom_fields: Schema.optionalKey(CustomFieldsWire),
})

// `Schema.Unknown` would do, but what is checked of it is left out of the document.
const anything: Schema.Codec<unknown> = Schema.Any

/** Anything at all: what is wrong with an item refuses that item, not the request. The document shows what is right. */
export const ContactItem = anything
  .check(Schema.makeFilter(() => true, { toJsonSchema: () => ({ ...Schema.toJsonSchemaDocument(documented).schema }) }))
  .annotate({ identifier: "ContactItem", description: "Needs an email or a phone" })

const size = { message: `must have 1 to ${batch_max} items` }

export const Batch = Schema.Struct({
  items: Schema.Array(ContactItem).check(Schema.isMinLength(1, size), Schema.isMaxLength(batch_max, size)),
}).annotate({ identifier: "ContactBatch" })

const ExistingContactWire = Schema.Struct({
  contact_id: Schema.String,
  display_name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  phone: Schema.NullOr(Schema.String),
}).annotate({ identifier: "ExistingContact" })

const place = {
  index: Schema.Int.annotate({ description: "From 0, the order of the request" }),
  client_item_id: Schema.NullOr(Schema.String),
}

const Rejected = Schema.Struct({
  ...place,
  status: Schema.Literal("rejected"),
  error_code: Schema.String.annotate({ examples: ["conflict", "invalid_email", "INVALID_ITEM"] }),
  message: Schema.String,
  existing_contact: Schema.optionalKey(ExistingContactWire),
}).annotate({ identifier: "RejectedItem" })

const done = <const Status extends "created" | "updated">(status: Status) =>
  Schema.Struct({
    ...place,
    contact_id: Schema.String,
    status: Schema.Literal(status),
    contact: ContactWire,
  }).annotate({ identifier: `${status === "created" ? "Created" : "Updated"}Item` })

const Result = Schema.Union([done("created"), done("updated"), Rejected])

const counts = { created_count: Schema.Int, rejected_count: Schema.Int }

export const CreateResults = Schema.Struct({
  status: Schema.Literal("completed"),
  ...counts,
  items: Schema.Array(Result),
}).annotate({ identifier: "CreateResults" })

export const UpsertResults = Schema.Struct({
  status: Schema.Literal("completed"),
  ...counts,
  updated_count: Schema.Int,
  items: Schema.Array(Result),
}).annotate({ identifier: "UpsertResults" })

const count = (items: ReadonlyArray<BatchItem>, status: BatchItem["status"]): number =>
  items.filter((item) => item.status === status).length

export const toCreateResults = (items: ReadonlyArray<BatchItem>): typeof CreateResults.Type => ({
  status: "completed",
  created_count: count(items, "created"),
  rejected_count: count(items, "rejected"),
  items: items.map(toResult),
})

export const toUpsertResults = (items: ReadonlyArray<BatchItem>): typeof UpsertResults.Type => ({
  ...toCreateResults(items),
  updated_count: count(items, "updated"),
})

const toResult = (item: BatchItem, index: number): typeof Result.Type => {
  const at = { index, client_item_id: item.clientItemId }
  if (item.status === "rejected") return { ...at, status: item.status, ...toRejection(item.refusal) }
  const { shown, status } = item
  return { ...at, contact_id: shown.contact.id, status, contact: toContactWire(shown) }
}

const toRejection = ({ code, message, existing }: ItemRefusal) => ({
  error_code: code,
  message,
  ...(existing === null ? {} : { existing_contact: toExisting(existing) }),
})

const toExisting = (existing: ExistingContact): typeof ExistingContactWire.Type => ({
  contact_id: existing.contactId,
  display_name: existing.displayName,
  email: existing.email,
  phone: existing.phone,
})
