// The endpoints of contact lists.
import { ListId } from "@tentpole/core/kernel/Ids"
import { listKinds } from "@tentpole/core/lists/List"
import { memberSorts } from "@tentpole/core/lists/ListStore"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { oneOf, orderParameter, pageQuery, PaginationWire, searchParameter } from "../../Wire.ts"
import {
  AddedWire,
  CreateList,
  EditList,
  ListWire,
  MemberCountWire,
  MemberIds,
  MemberWire,
  RemovedWire,
} from "./ListWire.ts"

export const ListsQuery = Schema.Struct({
  ...pageQuery,
  search: searchParameter,
  kind: Schema.optionalKey(oneOf(...listKinds)),
})

const flag = Schema.optionalKey(oneOf("1", "true"))

export const MembersQuery = Schema.Struct({
  ...pageQuery,
  search: searchParameter,
  sort: Schema.optionalKey(oneOf(...memberSorts)),
  order: orderParameter,
  exclude_unsubscribed: flag,
  only_unsubscribed: flag,
})

export const ListsAnswer = Schema.Struct({ lists: Schema.Array(ListWire), pagination: PaginationWire }).annotate({
  identifier: "ContactLists",
})

export const MembersAnswer = Schema.Struct({
  contacts: Schema.Array(MemberWire),
  pagination: PaginationWire,
}).annotate({ identifier: "ContactListMembers" })

const params = { listId: ListId }

export const ListsApi = Endpoint.group(
  "lists",
  "Contact lists: static (chosen contacts), dynamic (by rules) and system.",
).add(
  Endpoint.get("list", "/v1/contact-lists", {
    summary: "List contact lists",
    description:
      "Returns the lists of the workspace, the newest first, system lists included. Inline lists of blasts are not included.",
    query: ListsQuery,
    success: ListsAnswer,
  }),
  Endpoint.post("create", "/v1/contact-lists", {
    summary: "Create a contact list",
    description:
      "Creates a static or dynamic list. A static list can start with up to 500 contacts. A dynamic list contains the contacts that match its rules.",
    payload: CreateList,
    success: ListWire.pipe(HttpApiSchema.status(201)),
    errors: ["validation_failed", "not_found", "contact_list_name_exists"],
  }),
  Endpoint.get("find", "/v1/contact-lists/:listId", {
    summary: "Get a contact list",
    description: "Returns one list. Inline lists of blasts can be read, too.",
    params,
    success: ListWire,
    errors: ["not_found"],
  }),
  Endpoint.patch("edit", "/v1/contact-lists/:listId", {
    summary: "Update a contact list",
    description:
      "Changes the fields of the body. New rules apply at once. Rules that are not part of the body are not validated and may reference archived custom fields, which `rule_issues` reports.",
    params,
    payload: EditList,
    success: ListWire,
    errors: ["validation_failed", "not_found", "contact_list_name_exists", "system_list_protected"],
  }),
  Endpoint.delete("remove", "/v1/contact-lists/:listId", {
    summary: "Delete a contact list",
    description:
      "Deletes the list but not its contacts, and records no `list_removed` activity. The call is refused while a scheduled or sending blast, an active flow or the rules of another list use the list. Drafts that use it lose their audience.",
    params,
    success: HttpApiSchema.NoContent,
    errors: ["not_found", "system_list_protected", "contact_list_in_use"],
  }),
  Endpoint.get("members", "/v1/contact-lists/:listId/contacts", {
    summary: "List a contact list's members",
    description: "Returns the current members. For static lists, each has the time at which it was added.",
    params,
    query: MembersQuery,
    success: MembersAnswer,
    errors: ["not_found"],
  }),
  Endpoint.post("addMembers", "/v1/contact-lists/:listId/contacts", {
    summary: "Add members to a static list",
    description:
      "Adds up to 500 contacts. Contacts that are already members count as unchanged. Unknown ids are returned in `not_found_ids`.",
    params,
    payload: MemberIds,
    success: AddedWire,
    errors: ["validation_failed", "not_found", "list_not_static", "system_list_protected"],
  }),
  Endpoint.delete("removeMembers", "/v1/contact-lists/:listId/contacts", {
    summary: "Remove members from a static list",
    description:
      "Removes up to 500 contacts. Contacts that are not members count as unchanged. Unknown ids are returned in `not_found_ids`.",
    params,
    payload: MemberIds,
    success: RemovedWire,
    errors: ["validation_failed", "not_found", "list_not_static", "system_list_protected"],
  }),
  Endpoint.get("memberCount", "/v1/contact-lists/:listId/member-count", {
    summary: "Count a contact list's members",
    description: "Counts the current members of a list of any kind.",
    params,
    success: MemberCountWire,
    errors: ["not_found"],
  }),
)
