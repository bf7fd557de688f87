// The calls on contacts.
import { contactSorts } from "@tentpole/core/contacts/ContactStore"
import { readDate } from "@tentpole/core/contacts/values/FieldValue"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { DateTime, Result, Schema, SchemaGetter } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { oneOf, orderParameter, pageQuery, PaginationWire, searchParameter, Text } from "../../Wire.ts"
import { ActivitiesAnswer } from "./ActivityWire.ts"
import {
  Batch,
  ContactPatch,
  CreateResults,
  DeleteBatch,
  DeleteResults,
  UpdateBatch,
  UpdateResults,
  UpsertResults,
} from "./BatchWire.ts"
import { ContactWire, ListedContactWire } from "./ContactWire.ts"

const instantMessage = "must be a timestamp with a zone, as 2026-05-01T09:30:00Z"

/** A timestamp, or a day for its first instant. */
const instantParameter = Schema.String.check(
  Schema.makeFilter((text: string) => Result.isSuccess(readDate(text, "json")) || instantMessage),
)
  .annotate({ format: "date-time" })
  .pipe(
    Schema.decodeTo(Schema.DateTimeUtc, {
      decode: SchemaGetter.transform((text: string) => DateTime.makeUnsafe(text)),
      encode: SchemaGetter.transform(DateTime.formatIso),
    }),
  )

const listParameters = {
  ...pageQuery,
  sort: Schema.optionalKey(oneOf(...contactSorts)),
  order: orderParameter,
  search: searchParameter,
  updated_after: Schema.optionalKey(instantParameter.annotate({ description: "Exclusive" })),
}

const lookupParameter = Schema.optionalKey(Text(1000, 1))

/** Either a lookup, by email or by phone, or a listing. */
export const ContactsQuery = Schema.Struct({
  email: lookupParameter,
  phone: lookupParameter,
  ...listParameters,
}).check(
  Schema.makeFilter((query) => {
    const given = Object.keys(query)
    const by = given.find((name) => name === "email" || name === "phone")
    return by === undefined
      ? []
      : given
          .filter((name) => name !== by)
          .map((name) => ({ path: [name], issue: `can't stand beside ${by}, which looks up one contact` }))
  }),
)

export const ContactsAnswer = Schema.Struct({
  items: Schema.Array(ListedContactWire),
  pagination: Schema.optionalKey(PaginationWire),
}).annotate({ identifier: "Contacts", description: "A lookup has no pagination" })

export const ActivitiesQuery = Schema.Struct({ ...pageQuery, order: orderParameter })

const params = { contact_id: ContactId }

export const ContactsApi = HttpApiGroup.make("contacts")
  .add(
    HttpApiEndpoint.get("list", "/v1/contacts", { query: ContactsQuery, success: ContactsAnswer })
      .annotate(OpenApi.Summary, "List contacts, or look one up")
      .annotate(
        OpenApi.Description,
        "Pages of contacts, the newest first unless asked otherwise; or, by `email` or `phone`, the one contact that has it, with its custom fields. A value that can't be read finds nobody.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/contacts", {
      payload: Batch,
      success: CreateResults.pipe(HttpApiSchema.status(201)),
    })
      .annotate(OpenApi.Summary, "Create contacts")
      .annotate(
        OpenApi.Description,
        "Makes up to 100 contacts. Each item stands for itself, with a result of its own at its place; they are done as if in order. 201 also when every item was rejected.",
      ),
  )
  .add(
    HttpApiEndpoint.post("upsert", "/v1/contacts/upsert", { payload: Batch, success: UpsertResults })
      .annotate(OpenApi.Summary, "Create or update contacts")
      .annotate(
        OpenApi.Description,
        "Finds each of up to 100 items by its email, then its phone, and updates whom it finds; the others are made. Keys left out stay as they are.",
      ),
  )
  .add(
    HttpApiEndpoint.post("update", "/v1/contacts/update", { payload: UpdateBatch, success: UpdateResults })
      .annotate(OpenApi.Summary, "Update contacts")
      .annotate(
        OpenApi.Description,
        "Updates up to 100 contacts by their ids, each with a result of its own. Keys left out stay as they are, `null` clears.",
      ),
  )
  .add(
    HttpApiEndpoint.post("delete", "/v1/contacts/delete", { payload: DeleteBatch, success: DeleteResults })
      .annotate(OpenApi.Summary, "Delete contacts")
      .annotate(
        OpenApi.Description,
        "Deletes up to 100 contacts by their ids, with their memberships. What blasts have recorded of them stays with the blasts.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("deleteThese", "/v1/contacts", { payload: DeleteBatch, success: DeleteResults })
      .annotate(OpenApi.Summary, "Delete contacts by DELETE")
      .annotate(
        OpenApi.Description,
        "The same as `POST /v1/contacts/delete`, for callers that can send a body with DELETE.",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/contacts/:contact_id", {
      params,
      success: ContactWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a contact")
      .annotate(OpenApi.Description, "One contact with its custom fields; those without a value read null."),
  )
  .add(
    HttpApiEndpoint.patch("patch", "/v1/contacts/:contact_id", {
      params,
      payload: ContactPatch,
      success: ContactWire,
      error: errors(
        "validation_failed",
        "invalid_email",
        "invalid_phone",
        "unknown_custom_field",
        "invalid_custom_field_value",
        "field_not_editable",
        "not_found",
        "conflict",
      ),
    })
      .annotate(OpenApi.Summary, "Edit a contact")
      .annotate(
        OpenApi.Description,
        "Changes the fields that the body names. An empty body changes nothing. It must keep an email or a phone.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("deleteOne", "/v1/contacts/:contact_id", {
      params,
      success: HttpApiSchema.NoContent,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Delete a contact")
      .annotate(
        OpenApi.Description,
        "Deletes one contact with its memberships. What blasts have recorded of it stays with the blasts.",
      ),
  )
  .add(
    HttpApiEndpoint.get("activities", "/v1/contacts/:contact_id/activities", {
      params,
      query: ActivitiesQuery,
      success: ActivitiesAnswer,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a contact's timeline")
      .annotate(
        OpenApi.Description,
        "What happened to the contact and what it did, the newest first unless asked otherwise. Machines that open or click are not in it.",
      ),
  )
