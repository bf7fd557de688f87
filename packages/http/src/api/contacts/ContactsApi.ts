// The endpoints of contacts.
import { contactSorts } from "@tentpole/core/contacts/ContactStore"
import { readDate } from "@tentpole/core/contacts/values/FieldValue"
import { DateTime, Result, Schema, SchemaGetter } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, oneOf, orderParameter, pageQuery, PaginationWire, searchParameter, Text } from "../../Wire.ts"
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
import {
  ListsOfContactWire,
  MailableQuery,
  MailableWire,
  MembershipsAnswer,
  PreferencesLinkBody,
  PreferencesLinkWire,
} from "./ContactStateWire.ts"
import { ActivitiesAnswer, ContactWire, ListedContactWire } from "./ContactWire.ts"
import { MergeBody, MergedContactWire } from "./MergeWire.ts"

const instantMessage = "must be a timestamp with a time zone, such as 2026-05-01T09:30:00Z"

/** A timestamp; a date means its first instant. */
const instantParameter = Schema.String.annotate({ format: "date-time" })
  .check(Schema.makeFilter((text: string) => Result.isSuccess(readDate(text, "json")) || instantMessage))
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
  updated_after: Schema.optionalKey(
    instantParameter.annotate({ description: "Returns only contacts that changed after this time" }),
  ),
}

const lookupParameter = Schema.optionalKey(Text(1000, 1))

/** A lookup by email or phone, or a listing. */
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
          .map((name) => ({ path: [name], issue: `can't be combined with ${by}, which looks up one contact` }))
  }),
)

export const ContactsAnswer = Schema.Struct({
  items: Schema.Array(ListedContactWire),
  pagination: Schema.optionalKey(PaginationWire),
}).annotate({ identifier: "Contacts", description: "Lookups have no `pagination`" })

const ActivitiesQuery = Schema.Struct({ ...pageQuery, order: orderParameter })

export const ContactsApi = Endpoint.group("contacts", "Contacts, identified by email address or phone number.").add(
  Endpoint.get("list", "/v1/contacts", {
    needs: "viewer",
    summary: "List contacts, or look one up",
    description:
      "Returns a page of contacts, the newest first by default. With `email` or `phone`, it returns the one contact that has it, with its custom fields. A value that cannot be parsed matches no contact.",
    query: ContactsQuery,
    success: ContactsAnswer,
  }),
  Endpoint.post("create", "/v1/contacts", {
    needs: "editor",
    summary: "Create contacts",
    description:
      "Creates up to 100 contacts. Items are processed independently and in order, each with its own result. The status is 201 even if every item was rejected.",
    payload: Batch,
    success: CreateResults.pipe(HttpApiSchema.status(201)),
  }),
  Endpoint.post("upsert", "/v1/contacts/upsert", {
    needs: "editor",
    summary: "Create or update contacts",
    description:
      "Looks up each of up to 100 items by email and then by phone. A matching contact is updated, otherwise one is created. Omitted keys stay unchanged.",
    payload: Batch,
    success: UpsertResults,
  }),
  Endpoint.post("update", "/v1/contacts/update", {
    needs: "editor",
    summary: "Update contacts",
    description:
      "Updates up to 100 contacts by id, each with its own result. Omitted keys stay unchanged, `null` clears a value.",
    payload: UpdateBatch,
    success: UpdateResults,
  }),
  Endpoint.post("delete", "/v1/contacts/delete", {
    needs: "editor",
    summary: "Delete contacts",
    description:
      "Deletes up to 100 contacts by id, with their memberships. What blasts recorded about them stays with the blasts.",
    payload: DeleteBatch,
    success: DeleteResults,
  }),
  Endpoint.delete("deleteThese", "/v1/contacts", {
    needs: "editor",
    summary: "Delete contacts with DELETE",
    description: "Does the same as `POST /v1/contacts/delete`, for clients that can send a body with DELETE.",
    payload: DeleteBatch,
    success: DeleteResults,
  }),
  Endpoint.get("find", "/v1/contacts/:contact_id", {
    needs: "viewer",
    summary: "Get a contact",
    description: "Returns one contact with its custom fields. Fields without a value are `null`.",
    success: ContactWire,
  }),
  Endpoint.patch("patch", "/v1/contacts/:contact_id", {
    needs: "editor",
    summary: "Update a contact",
    description:
      "Changes the fields of the body. An empty body changes nothing. The contact must keep an email or a phone.",
    payload: ContactPatch,
    success: ContactWire,
    errors: [
      "validation_failed",
      "invalid_email",
      "invalid_phone",
      "unknown_custom_field",
      "invalid_custom_field_value",
      "field_not_editable",
      "not_found",
      "conflict",
    ],
  }),
  Endpoint.delete("deleteOne", "/v1/contacts/:contact_id", {
    needs: "editor",
    summary: "Delete a contact",
    description: "Deletes one contact with its memberships. What blasts recorded about it stays with the blasts.",
  }),
  Endpoint.post("merge", "/v1/contacts/:contact_id/merge", {
    needs: "editor",
    summary: "Merge two contacts",
    description:
      "Makes another contact part of this one, which takes over its timeline, lists, messages, submissions and memberships. The id of the other one ends. A merge can't be undone: `dry_run` shows its result.",
    payload: MergeBody,
    success: MergedContactWire,
    errors: ["validation_failed", "not_found", "contact_busy", "unavailable"],
  }),
  Endpoint.get("activities", "/v1/contacts/:contact_id/activities", {
    needs: "viewer",
    summary: "List a contact's activities",
    description:
      "Returns the timeline of the contact, the newest activity first by default. Opens and clicks by bots are not included.",
    query: ActivitiesQuery,
    success: ActivitiesAnswer,
  }),
  Endpoint.get("lists", "/v1/contacts/:contact_id/lists", {
    needs: "viewer",
    summary: "List a contact's lists",
    description:
      "Returns the static lists of the contact, those it joined last first, and the dynamic lists whose rules match it now, by name. System lists and inline lists of blasts are not included.",
    success: ListsOfContactWire,
  }),
  Endpoint.get("memberships", "/v1/contacts/:contact_id/memberships", {
    needs: "viewer",
    summary: "List a contact's flow memberships",
    description: "Returns the memberships of the contact in all flows, ended ones too, those that began last first.",
    query: cursorQuery,
    success: MembershipsAnswer,
    errors: ["not_found", "invalid_cursor"],
  }),
  Endpoint.get("mailable", "/v1/contacts/:contact_id/mailable", {
    needs: "viewer",
    summary: "Explain whether a contact is mailed",
    description:
      "Returns everything that keeps mail from the contact: choices of the contact, an invalid address, a suppression. Operational mail ignores choices of the contact.",
    query: MailableQuery,
    success: MailableWire,
  }),
  Endpoint.post("preferencesLink", "/v1/contacts/:contact_id/preferences-link", {
    needs: "editor",
    summary: "Create a link to a contact's preferences",
    description:
      "Returns the address of the page on which the contact changes its subscriptions, for your own app. Who has the address can do so until it expires.",
    payload: [PreferencesLinkBody, Schema.Undefined],
    success: PreferencesLinkWire.pipe(HttpApiSchema.status(201)),
    errors: ["not_found", "validation_failed"],
  }),
)
