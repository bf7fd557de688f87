// Wire schemas of contact batches, with a result for each item, and of the body that updates one contact.
import { standardFields, type StandardField } from "@tentpole/core/contacts/ContactFields"
import type { BatchItem, DeletedItem } from "@tentpole/core/contacts/Contacts"
import type { ItemRefusal } from "@tentpole/core/contacts/batch/ContactItem"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { item, shownAs, toSnakeCase } from "../../Wire.ts"
import { ContactWire, CustomFieldsWire, toContactWire } from "./ContactWire.ts"

export const batch_max = 100

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

const clientItemId = Schema.optionalKey(Schema.String.check(Schema.isMaxCodePoints(255)))

const writable = {
  ...Object.fromEntries(
    standardFields
      .filter((field) => field.writable)
      .map((field) => [
        field.apiName,
        Schema.optionalKey(field.nullable ? Schema.NullOr(valueOf(field)) : valueOf(field)),
      ]),
  ),
  custom_fields: Schema.optionalKey(CustomFieldsWire),
}

export const readOnlyFields = [
  "contact_id",
  "marketing_email_invalid",
  "created_at",
  "updated_at",
  "last_activity_at",
] as const

/** The writable fields of a contact as a type, for the client: `writable` is computed and has no static type. */
type WrittenContact = Partial<Omit<typeof ContactWire.Encoded, (typeof readOnlyFields)[number]>>
type Named = { readonly client_item_id?: string }

const ContactItem = item<WrittenContact & Named>(Schema.Struct({ client_item_id: clientItemId, ...writable })).annotate(
  {
    identifier: "ContactItem",
    description: "An email or a phone is required",
  },
)

type Known = { readonly contact_id: string }

const ContactUpdate = item<WrittenContact & Named & Known>(
  Schema.Struct({ contact_id: ContactId, client_item_id: clientItemId, ...writable }),
).annotate({
  identifier: "ContactUpdate",
  description: "Omitted keys stay unchanged, null clears a value. custom_fields are merged key by key",
})

const ContactDeletion = item<Known & Named>(
  Schema.Struct({ contact_id: ContactId, client_item_id: clientItemId }),
).annotate({
  identifier: "ContactDeletion",
})

const isObject = (value: unknown) =>
  (typeof value === "object" && value !== null && !Array.isArray(value)) || "must be an object"

export const ContactPatch = shownAs<WrittenContact>(Schema.Struct(writable), isObject).annotate({
  identifier: "ContactPatch",
  description: "Omitted keys stay unchanged, null clears a value. custom_fields are merged key by key",
})

const size = { message: `must have 1 to ${batch_max} items` }

const batchOf = <Wire>(one: Schema.Codec<unknown, Wire>) =>
  Schema.Struct({
    items: Schema.Array(one).check(Schema.isMinLength(1, size), Schema.isMaxLength(batch_max, size)),
  })

export const Batch = batchOf(ContactItem).annotate({ identifier: "ContactBatch" })
export const UpdateBatch = batchOf(ContactUpdate).annotate({ identifier: "ContactUpdateBatch" })
export const DeleteBatch = batchOf(ContactDeletion).annotate({ identifier: "ContactDeletionBatch" })

const ExistingContactWire = Schema.Struct({
  contact_id: Schema.String,
  display_name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  phone: Schema.NullOr(Schema.String),
}).annotate({ identifier: "ExistingContact" })

const place = {
  index: Schema.Int.annotate({ description: "Position in the request, from 0" }),
  client_item_id: Schema.NullOr(Schema.String),
}

const Rejected = Schema.Struct({
  ...place,
  status: Schema.Literal("rejected"),
  error_code: Schema.String.annotate({ examples: ["conflict", "invalid_email", "INVALID_ITEM", "NOT_FOUND"] }),
  message: Schema.String,
  existing_contact: Schema.optionalKey(ExistingContactWire),
  merge: Schema.optionalKey(Schema.Literal(true)).annotate({
    description: "A merge of the two contacts solves the conflict",
  }),
  merged_into: Schema.optionalKey(Schema.String).annotate({
    description: "The contact that the requested one was merged into",
  }),
}).annotate({ identifier: "RejectedItem" })

const done = <const Status extends "created" | "updated">(status: Status) =>
  Schema.Struct({
    ...place,
    contact_id: Schema.String,
    status: Schema.Literal(status),
    contact: ContactWire,
  }).annotate({ identifier: `${status === "created" ? "Created" : "Updated"}Item` })

const Result = Schema.Union([done("created"), done("updated"), Rejected])

const Deleted = Schema.Struct({
  ...place,
  contact_id: Schema.String,
  status: Schema.Literal("deleted"),
}).annotate({ identifier: "DeletedItem" })

const resultsOf = <const Counts extends Schema.Struct.Fields, Item extends Schema.Top>(
  identifier: string,
  counts: Counts,
  one: Item,
) =>
  Schema.Struct({ status: Schema.Literal("completed"), ...counts, items: Schema.Array(one) }).annotate({ identifier })

const created = { created_count: Schema.Int, rejected_count: Schema.Int }
const updated = { updated_count: Schema.Int, rejected_count: Schema.Int }
const deleted = { deleted_count: Schema.Int, rejected_count: Schema.Int }

export const CreateResults = resultsOf("CreateResults", created, Result)
export const UpsertResults = resultsOf("UpsertResults", { ...created, updated_count: Schema.Int }, Result)
export const UpdateResults = resultsOf("UpdateResults", updated, Schema.Union([done("updated"), Rejected]))
export const DeleteResults = resultsOf("DeleteResults", deleted, Schema.Union([Deleted, Rejected]))

type Counts<Status extends string> = { readonly [Each in Status as `${Each}_count`]: number }

/** The results of a batch, and the number of items with each of these statuses. */
const completed = <const Status extends string, Item extends { readonly status: string }>(
  items: ReadonlyArray<Item>,
  ...statuses: ReadonlyArray<Status>
) => ({
  status: "completed" as const,
  ...(Object.fromEntries(
    statuses.map((status) => [`${status}_count`, items.filter((each) => each.status === status).length]),
  ) as Counts<Status>),
  items,
})

export const toCreateResults = (items: ReadonlyArray<BatchItem>): typeof CreateResults.Type =>
  completed(items.map(toResult), "created", "rejected")

export const toUpsertResults = (items: ReadonlyArray<BatchItem>): typeof UpsertResults.Type =>
  completed(items.map(toResult), "created", "rejected", "updated")

export const toUpdateResults = (items: ReadonlyArray<BatchItem<"updated">>): typeof UpdateResults.Type =>
  completed(items.map(toResult), "updated", "rejected")

export const toDeleteResults = (items: ReadonlyArray<DeletedItem>): typeof DeleteResults.Type =>
  completed(
    items.map((item, index) =>
      item.status === "rejected"
        ? toRejected(item, index)
        : { ...placeOf(item, index), contact_id: item.contactId, status: item.status },
    ),
    "deleted",
    "rejected",
  )

const placeOf = ({ clientItemId }: { readonly clientItemId: string | null }, index: number) => ({
  index,
  client_item_id: clientItemId,
})

const toResult = <Status extends "created" | "updated">(item: BatchItem<Status>, index: number) =>
  "refusal" in item
    ? toRejected(item, index)
    : {
        ...placeOf(item, index),
        contact_id: item.shown.contact.id,
        status: item.status,
        contact: toContactWire(item.shown),
      }

const toRejected = (
  item: { readonly clientItemId: string | null; readonly refusal: ItemRefusal },
  index: number,
): typeof Rejected.Type => {
  const { code, existing, mergedInto, message } = item.refusal
  return {
    ...placeOf(item, index),
    status: "rejected",
    error_code: code,
    message,
    ...(existing === null ? {} : { existing_contact: toSnakeCase(existing), merge: true as const }),
    ...(mergedInto === null ? {} : { merged_into: mergedInto }),
  }
}
