// Wire schemas of contact lists and their members.
import { BlastId, ContactId, ListId } from "@tentpole/core/kernel/Ids"
import { contact_ids_max, listKinds, type MembersChanged } from "@tentpole/core/lists/List"
import { ListDescription, ListName } from "@tentpole/core/lists/ListName"
import type { Lists, ListView } from "@tentpole/core/lists/Lists"
import type { Member } from "@tentpole/core/lists/ListStore"
import { RuleInput, RuleSchema } from "@tentpole/core/segments/RuleSchema"
import { type Effect, Schema, Struct } from "effect"
import {
  InstantWire,
  iso,
  isoOrNull,
  named,
  namesSomething,
  oneOf,
  readOnly,
  readOnlyKeys,
  toSnakeCase,
} from "../../Wire.ts"
import { ListedContactWire, toListedContact } from "../contacts/ContactWire.ts"

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
  rules: Schema.optionalKey(RuleInput),
  contact_ids: Schema.optionalKey(contactIds.annotate({ description: "Static lists only" })),
}).annotate({ identifier: "CreateContactList" })

const edited = {
  name: Schema.optionalKey(ListName).annotate({
    description: "The slug changes with it, unless only the spelling changes",
  }),
  description: Schema.optionalKey(Schema.NullOr(ListDescription)).annotate({ description: "null clears it" }),
  rules: Schema.optionalKey(RuleInput).annotate({
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
