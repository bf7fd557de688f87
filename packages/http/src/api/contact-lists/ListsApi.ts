// The calls on contact lists.
import { ListId } from "@tentpole/core/Ids"
import { listKinds } from "@tentpole/core/lists/List"
import { memberSorts } from "@tentpole/core/lists/ListStore"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../Errors.ts"
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
  .add(HttpApiEndpoint.get("list", "/v1/contact-lists", { query: ListsQuery, success: ListsAnswer }))
  .add(
    HttpApiEndpoint.post("create", "/v1/contact-lists", {
      payload: CreateList,
      success: ListWire.pipe(HttpApiSchema.status(201)),
      error: errors("validation_failed", "not_found", "contact_list_name_exists"),
    }),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/contact-lists/:listId", {
      params,
      success: ListWire,
      error: errors("not_found"),
    }),
  )
  .add(
    HttpApiEndpoint.patch("edit", "/v1/contact-lists/:listId", {
      params,
      payload: EditList,
      success: ListWire,
      error: errors("validation_failed", "not_found", "contact_list_name_exists", "system_list_protected"),
    }).annotate(
      OpenApi.Description,
      "Changes what the body names. Whom new rules pick is a member at once. Rules that are left out are not looked at: they may go on naming archived custom fields, as `rule_issues` tells.",
    ),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/contact-lists/:listId", {
      params,
      success: HttpApiSchema.NoContent,
      error: errors("not_found", "system_list_protected", "contact_list_in_use"),
    }).annotate(
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
    }),
  )
  .add(
    HttpApiEndpoint.post("addMembers", "/v1/contact-lists/:listId/contacts", {
      params,
      payload: MemberIds,
      success: AddedWire,
      error: errors("validation_failed", "not_found", "list_not_static", "system_list_protected"),
    }),
  )
  .add(
    HttpApiEndpoint.delete("removeMembers", "/v1/contact-lists/:listId/contacts", {
      params,
      payload: MemberIds,
      success: RemovedWire,
      error: errors("validation_failed", "not_found", "list_not_static", "system_list_protected"),
    }),
  )
  .add(
    HttpApiEndpoint.get("memberCount", "/v1/contact-lists/:listId/member-count", {
      params,
      success: MemberCountWire,
      error: errors("not_found"),
    }),
  )
