// The endpoints of contact lists, their members and the exports of them, and their schemas.
import { BlastId, ContactId, ListId } from "@tentpole/core/kernel/Ids"
import { contact_ids_max, listKinds, type MembersChanged } from "@tentpole/core/lists/List"
import { ListDescription, ListName } from "@tentpole/core/lists/ListName"
import { type Member, memberSorts } from "@tentpole/core/lists/ListStore"
import type { Lists, ListView } from "@tentpole/core/lists/Lists"
import { list_users_max, type ListUser, type ListUses } from "@tentpole/core/lists/ListUse"
import { RuleInputOrNull, RuleSchema } from "@tentpole/core/segments/RuleSchema"
import { type Effect, Schema, Struct } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import {
  InstantWire,
  iso,
  isoOrNull,
  named,
  namesSomething,
  oneOf,
  orderParameter,
  pageQuery,
  PaginationWire,
  readOnly,
  readOnlyKeys,
  searchParameter,
  toSnakeCase,
} from "../../Wire.ts"
import { ListedContactWire, toListedContact } from "../contacts/ContactWire.ts"
import { exportEndpoints } from "../exports/ExportEndpoints.ts"

export const ListWire = Schema.Struct({
  list_id: ListId,
  name: Schema.String,
  slug: Schema.String,
  description: Schema.NullOr(Schema.String),
  kind: Schema.Literals(listKinds),
  rules: Schema.NullOr(RuleSchema).annotate({ description: "Rules of a dynamic list; null for other lists" }),
  rule_issues: Schema.Array(
    Schema.Struct({ label: Schema.String, provider: Schema.NullOr(Schema.String), api_name: Schema.String }),
  ).annotate({ description: "Archived custom fields in the rules; their conditions match no contact" }),
  member_count: Schema.NullOr(Schema.Int).annotate({ description: "null for dynamic and system lists" }),
  owner_campaign_id: Schema.NullOr(BlastId).annotate({
    description: "Id of the blast if the list is its inline audience",
  }),
  created_at: InstantWire,
  updated_at: InstantWire,
}).annotate({ identifier: "ContactList" })

export const toListWire = ({ list, ruleIssues }: ListView): typeof ListWire.Type => ({
  list_id: list.id,
  ...toSnakeCase(Struct.pick(list, ["name", "slug", "description", "kind", "createdAt", "updatedAt"])),
  rules: list.kind === "dynamic" ? list.rules : null,
  rule_issues: ruleIssues.map(toSnakeCase),
  member_count: list.kind === "static" ? list.memberCount : null,
  owner_campaign_id: list.ownerBlastId,
})

const idsMessage = { message: `must have at most ${contact_ids_max} ids` }
const contactIds = Schema.Array(ContactId).check(Schema.isMaxLength(contact_ids_max, idsMessage))

export const CreateList = Schema.Struct({
  name: ListName,
  kind: oneOf("static", "dynamic"),
  description: Schema.optionalKey(Schema.NullOr(ListDescription)),
  rules: Schema.optionalKey(RuleInputOrNull),
  contact_ids: Schema.optionalKey(contactIds.annotate({ description: "Static lists only" })),
}).annotate({ identifier: "CreateContactList" })

const edited = {
  name: Schema.optionalKey(ListName).annotate({
    description: "The slug changes with it, unless only the spelling changes",
  }),
  description: Schema.optionalKey(Schema.NullOr(ListDescription)).annotate({ description: "null clears it" }),
  rules: Schema.optionalKey(RuleInputOrNull).annotate({
    description: "Dynamic lists only. null clears them, and the list has no members",
  }),
}

export const EditList = Schema.Struct({
  ...edited,
  kind: readOnly("can't change: create another list of that kind"),
  contact_ids: readOnly("can only be set on creation: use /v1/contact-lists/{listId}/contacts"),
  list_id: readOnly(),
  slug: readOnly("is read-only: it is derived from the name"),
  ...readOnlyKeys("rule_issues", "member_count", "owner_campaign_id", "created_at", "updated_at"),
})
  .check(namesSomething(edited))
  .annotate({ identifier: "EditContactList", description: "Omitted fields stay unchanged" })

/** The contacts to add or remove. */
export const MemberIds = Schema.Struct({
  contact_ids: contactIds.check(Schema.isMinLength(1, { message: "must have at least one id" })),
}).annotate({ identifier: "ContactListMemberIds" })

const moved = {
  list_id: ListId,
  unchanged_count: Schema.Int,
  not_found_ids: Schema.Array(ContactId),
  member_count: Schema.Int,
}

export const AddedWire = Schema.Struct({ ...moved, added_count: Schema.Int }).annotate({ identifier: "MembersAdded" })
export const RemovedWire = Schema.Struct({ ...moved, removed_count: Schema.Int }).annotate({
  identifier: "MembersRemoved",
})

export const toMoved =
  <const Count extends "added_count" | "removed_count">(count: Count) =>
  ({ list, changed, unchanged, notFound }: MembersChanged) => ({
    list_id: list.id,
    unchanged_count: unchanged,
    not_found_ids: notFound,
    member_count: list.memberCount,
    ...named(count, changed),
  })

export const MemberWire = Schema.Struct({
  ...ListedContactWire.fields,
  member_added_at: Schema.NullOr(InstantWire).annotate({ description: "null in dynamic and system lists" }),
}).annotate({ identifier: "ContactListMember" })

export const toMember = ({ contact, addedAt }: Member): typeof MemberWire.Type => ({
  ...toListedContact(contact),
  member_added_at: isoOrNull(addedAt),
})

export const MemberCountWire = Schema.Struct({
  list_id: ListId,
  kind: Schema.Literals(listKinds),
  member_count: Schema.Int,
  counted_at: InstantWire,
}).annotate({ identifier: "ContactListMemberCount" })

export const toMemberCount = ({
  list,
  count,
  countedAt,
}: Effect.Success<ReturnType<Lists["Service"]["memberCount"]>>): typeof MemberCountWire.Type => ({
  list_id: list.id,
  kind: list.kind,
  member_count: count,
  counted_at: iso(countedAt),
})

const user = Schema.Struct({ id: Schema.String.annotate({ format: "uuid" }), name: Schema.String })

export const ListUsageWire = Schema.Struct({
  blasts: Schema.Array(user).annotate({ description: "Scheduled and sending blasts with the list as audience" }),
  flows: Schema.Array(user).annotate({ description: "Active flows that use the list" }),
  lists: Schema.Array(user).annotate({ description: "Dynamic lists whose rules name the list" }),
  count: Schema.Int.annotate({ description: `Number of all. At most ${list_users_max} of them are returned` }),
}).annotate({ identifier: "ContactListUsage" })

export const toListUsage = ({ count, users }: ListUses): typeof ListUsageWire.Type => {
  const of = (type: ListUser["type"]) =>
    users.filter((each) => each.type === type).map(({ id, name }) => ({ id, name }))
  return { blasts: of("blast"), flows: of("flow"), lists: of("contact_list"), count }
}

const ListsQuery = Schema.Struct({
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

export const ListsApi = Endpoint.group(
  "lists",
  "Contact lists: static (chosen contacts), dynamic (by rules) and system.",
).add(
  Endpoint.get("list", "/v1/contact-lists", {
    needs: "viewer",
    summary: "List contact lists",
    description:
      "Returns the lists of the workspace, the newest first, system lists included. Inline lists of blasts are not included.",
    query: ListsQuery,
    success: ListsAnswer,
  }),
  Endpoint.post("create", "/v1/contact-lists", {
    needs: "editor",
    summary: "Create a contact list",
    description:
      "Creates a static or dynamic list. A static list can start with up to 500 contacts. A dynamic list contains the contacts that match its rules.",
    payload: CreateList,
    success: ListWire.pipe(HttpApiSchema.status(201)),
    errors: ["validation_failed", "not_found", "contact_list_name_exists"],
  }),
  Endpoint.get("find", "/v1/contact-lists/:listId", {
    needs: "viewer",
    summary: "Get a contact list",
    description: "Returns one list. Inline lists of blasts can be read, too.",
    success: ListWire,
  }),
  Endpoint.patch("edit", "/v1/contact-lists/:listId", {
    needs: "editor",
    summary: "Update a contact list",
    description:
      "Changes the fields of the body. New rules apply at once. Rules that are not part of the body are not validated and may reference archived custom fields, which `rule_issues` reports.",
    payload: EditList,
    success: ListWire,
    errors: ["validation_failed", "not_found", "contact_list_name_exists", "system_list_protected"],
  }),
  Endpoint.delete("remove", "/v1/contact-lists/:listId", {
    needs: "editor",
    summary: "Delete a contact list",
    description:
      "Deletes the list but not its contacts, and records no `list_removed` activity. The call is refused while a scheduled or sending blast, an active flow or the rules of another list use the list. Drafts that use it lose their audience.",
    errors: ["not_found", "system_list_protected", "contact_list_in_use"],
  }),
  Endpoint.get("usage", "/v1/contact-lists/:listId/usage", {
    needs: "viewer",
    summary: "Get a contact list's usage",
    description: "Returns what uses the list now: while something does, the list cannot be deleted.",
    success: ListUsageWire,
  }),
  Endpoint.get("members", "/v1/contact-lists/:listId/contacts", {
    needs: "viewer",
    summary: "List a contact list's members",
    description: "Returns the current members. For static lists, each has the time at which it was added.",
    query: MembersQuery,
    success: MembersAnswer,
  }),
  Endpoint.post("addMembers", "/v1/contact-lists/:listId/contacts", {
    needs: "editor",
    summary: "Add members to a static list",
    description:
      "Adds up to 500 contacts. Contacts that are already members count as unchanged. Unknown ids are returned in `not_found_ids`.",
    payload: MemberIds,
    success: AddedWire,
    errors: ["validation_failed", "not_found", "list_not_static", "system_list_protected"],
  }),
  Endpoint.delete("removeMembers", "/v1/contact-lists/:listId/contacts", {
    needs: "editor",
    summary: "Remove members from a static list",
    description:
      "Removes up to 500 contacts. Contacts that are not members count as unchanged. Unknown ids are returned in `not_found_ids`.",
    payload: MemberIds,
    success: RemovedWire,
    errors: ["validation_failed", "not_found", "list_not_static", "system_list_protected"],
  }),
  Endpoint.get("memberCount", "/v1/contact-lists/:listId/member-count", {
    needs: "viewer",
    summary: "Count a contact list's members",
    description: "Counts the current members of a list of any kind.",
    success: MemberCountWire,
  }),
)

export const BeginListExport = Schema.Struct({
  exclude_unsubscribed: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Excludes unsubscribed contacts. Default: false",
  }),
}).annotate({ identifier: "BeginContactListExport" })

export const ListExportsApi = Endpoint.group("listExports", "Exports of list members as CSV.").add(
  ...exportEndpoints({
    path: "/v1/contact-lists/:listId/export",
    payload: BeginListExport,
    exported: "a list's members",
  }),
)
