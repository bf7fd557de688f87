// The calls on contact lists.
import { ListId } from "@tentpole/core/kernel/Ids"
import { listKinds } from "@tentpole/core/lists/List"
import { memberSorts } from "@tentpole/core/lists/ListStore"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
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

export const ListsApi = HttpApiGroup.make("lists")
  .add(
    HttpApiEndpoint.get("list", "/v1/contact-lists", { query: ListsQuery, success: ListsAnswer })
      .annotate(OpenApi.Summary, "List contact lists")
      .annotate(
        OpenApi.Description,
        "The workspace's lists, the newest first, system lists too. Lists made inline for a blast are not among them.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/contact-lists", {
      payload: CreateList,
      success: ListWire.pipe(HttpApiSchema.status(201)),
      error: errors("validation_failed", "not_found", "contact_list_name_exists"),
    })
      .annotate(OpenApi.Summary, "Create a contact list")
      .annotate(
        OpenApi.Description,
        "Makes a static list, of up to 500 contacts to begin with, or a dynamic one, whose members are whom its rules pick at each moment.",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/contact-lists/:listId", {
      params,
      success: ListWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a contact list")
      .annotate(OpenApi.Description, "One list, inline lists of blasts too."),
  )
  .add(
    HttpApiEndpoint.patch("edit", "/v1/contact-lists/:listId", {
      params,
      payload: EditList,
      success: ListWire,
      error: errors("validation_failed", "not_found", "contact_list_name_exists", "system_list_protected"),
    })
      .annotate(OpenApi.Summary, "Edit a contact list")
      .annotate(
        OpenApi.Description,
        "Changes what the body names. Whom new rules pick is a member at once. Rules that are left out are not looked at: they may go on naming archived custom fields, as `rule_issues` tells.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/contact-lists/:listId", {
      params,
      success: HttpApiSchema.NoContent,
      error: errors("not_found", "system_list_protected", "contact_list_in_use"),
    })
      .annotate(OpenApi.Summary, "Delete a contact list")
      .annotate(
        OpenApi.Description,
        "Deletes the list. Its members stay contacts, and their timelines say nothing of it: there is no `list_removed` for a list that goes. Refused while a scheduled or sending blast is addressed to it, or the rules of a dynamic list name it; a draft that was addressed to it then lacks its audience.",
      ),
  )
  .add(
    HttpApiEndpoint.get("members", "/v1/contact-lists/:listId/contacts", {
      params,
      query: MembersQuery,
      success: MembersAnswer,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "List a contact list's members")
      .annotate(OpenApi.Description, "Who is on the list now, with when they were added to a static one."),
  )
  .add(
    HttpApiEndpoint.post("addMembers", "/v1/contact-lists/:listId/contacts", {
      params,
      payload: MemberIds,
      success: AddedWire,
      error: errors("validation_failed", "not_found", "list_not_static", "system_list_protected"),
    })
      .annotate(OpenApi.Summary, "Add members to a static list")
      .annotate(
        OpenApi.Description,
        "Adds up to 500 contacts. Who is on it already is counted as unchanged; ids of nobody are told in `not_found_ids`.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("removeMembers", "/v1/contact-lists/:listId/contacts", {
      params,
      payload: MemberIds,
      success: RemovedWire,
      error: errors("validation_failed", "not_found", "list_not_static", "system_list_protected"),
    })
      .annotate(OpenApi.Summary, "Remove members from a static list")
      .annotate(
        OpenApi.Description,
        "Removes up to 500 contacts. Who is not on it is counted as unchanged; ids of nobody are told in `not_found_ids`.",
      ),
  )
  .add(
    HttpApiEndpoint.get("memberCount", "/v1/contact-lists/:listId/member-count", {
      params,
      success: MemberCountWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Count a contact list's members")
      .annotate(OpenApi.Description, "Counts who is on the list at this moment, of every kind of list."),
  )
