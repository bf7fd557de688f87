// Contact lists: static (chosen members), dynamic (members by rules) and system lists, and the changes of lists.
import { type DateTime, Equal, Result, Schema } from "effect"
import type { Activity } from "../contacts/Activity.ts"
import { contactNotFound } from "../contacts/ContactErrors.ts"
import { type BlastId, type ContactId, ListId } from "../kernel/Ids.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import { existing, Invalid, type NotFound, refusalClass } from "../kernel/Refusal.ts"
import { parseRules } from "../segments/Parse.ts"
import type { RuleFacts } from "../segments/RuleFacts.ts"
import type { RuleTree } from "../segments/RuleTree.ts"
import { fold } from "../kernel/Text.ts"
import type { systemLists } from "../workspaces/SystemLists.ts"
import { freeName, type NameCandidates, type TakenNames } from "./ListName.ts"
import { ListInUse, type ListUses } from "./ListUse.ts"

interface Common {
  readonly id: ListId
  /** Unique in the workspace in folded form. */
  readonly name: string
  readonly slug: string
  readonly description: string | null
  /** Set on the inline audience of a blast. Such a list is in no listing, and is deleted with its blast. */
  readonly ownerBlastId: BlastId | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

export interface StaticList extends Common {
  readonly kind: "static"
  readonly memberCount: number
}

export interface DynamicList extends Common {
  readonly kind: "dynamic"
  /** A dynamic list without rules has no members. */
  readonly rules: RuleTree | null
}

export interface SystemList extends Common {
  readonly kind: "system"
  readonly systemList: (typeof systemLists)[number]["systemList"]
}

export type List = StaticList | DynamicList | SystemList
export type ListKind = List["kind"]

export const listKinds = ["static", "dynamic", "system"] as const satisfies ReadonlyArray<ListKind>

/** The most ids of one request: to create a list with, to add or to remove. */
export const contact_ids_max = 500

export class ListNameExists extends refusalClass<ListNameExists>()("ListNameExists", {
  code: "contact_list_name_exists",
  fields: { name: Schema.String, existingId: Schema.NullOr(ListId) },
  message: ({ name }) => `A list with the name "${name}" already exists. Choose another name`,
  details: existing,
}) {}

export class ListNotStatic extends refusalClass<ListNotStatic>()("ListNotStatic", {
  code: "list_not_static",
  fields: { name: Schema.String },
  message: ({ name }) =>
    `"${name}" is a dynamic list: its rules determine its members. Change the rules or the contacts`,
}) {}

export class SystemListProtected extends refusalClass<SystemListProtected>()("SystemListProtected", {
  code: "system_list_protected",
  fields: { name: Schema.String },
  message: ({ name }) => `"${name}" is a system list and can't be changed. Create another list`,
}) {}

/** A list to create. Its parts are checked. */
export interface NewList {
  readonly id: ListId
  readonly candidates: NameCandidates
  readonly description: string | null
  readonly content:
    | { readonly kind: "static"; readonly contactIds: ReadonlyArray<ContactId> }
    | { readonly kind: "dynamic"; readonly rules: RuleTree | null }
}

/** What a creation depends on, locked. */
export interface CreationFacts {
  readonly taken: TakenNames
  /** The requested contacts that exist. */
  readonly contacts: ReadonlySet<ContactId>
  /** Former ids of merged contacts among the others, each with the contact that has taken it over. */
  readonly merged?: ReadonlyMap<ContactId, ContactId>
}

/** An update of a list. Absent keys stay. */
export interface ListEdit {
  /** Candidates for a new name that the caller gave. */
  readonly candidates?: NameCandidates
  readonly description?: string | null
  /** JSON, not yet parsed; null clears. Dynamic lists only. */
  readonly rules?: unknown
}

/** A locked list, and the candidates for its new name that other lists have. */
export interface ListForUpdate {
  readonly list: List
  readonly taken: TakenNames
}

export interface EditFacts extends ListForUpdate {
  /** The fields and lists that the new rules name, read after the lists were locked. */
  readonly named: RuleFacts
}

interface ListWithChange {
  readonly change: ListChange
  readonly list: StaticList | DynamicList
}

/** What a deletion depends on, locked. */
export interface DeletionFacts {
  readonly list: List
  readonly uses: ListUses
}

/** What a change of members depends on, locked. */
export interface MemberFacts {
  readonly list: List
  /** The requested contacts that exist. */
  readonly contacts: ReadonlySet<ContactId>
  /** The requested contacts that are members. */
  readonly members: ReadonlySet<ContactId>
}

/** The result of adding or removing members. Each contact counts once. */
export interface MembersChanged {
  readonly change: ListChange
  readonly list: StaticList
  readonly changed: number
  readonly unchanged: number
  /** In the order of the request. */
  readonly notFound: ReadonlyArray<ContactId>
}

export const rulesOnStaticList = Invalid.at(
  "rules",
  "are for dynamic lists; a static list has the contacts added to it",
)

const rulesOf = (list: List): RuleTree | null => (list.kind === "dynamic" ? list.rules : null)

const hasSameRules = (left: List, right: List): boolean => Equal.equals(rulesOf(left), rulesOf(right))

const isUnchanged = (left: List, right: List): boolean =>
  left.name === right.name && left.description === right.description && hasSameRules(left, right)

/** Events of the list itself: of those that are in listings all, of inline audiences what flows and jobs wait for. */
const ownEvents = (before: List | null, after: List | null, at: DateTime.Utc): ReadonlyArray<DomainEvent> => {
  const list = after ?? before
  if (list === null) return []
  const event = (type: string): DomainEvent => ({
    type,
    contactId: null,
    at,
    data: { list_id: list.id, ...(list.ownerBlastId === null ? { list_name: list.name } : {}) },
  })
  if (after === null) return [event("list_deleted")]
  const isListed = list.ownerBlastId === null
  if (before === null) return isListed ? [event("list_created")] : []
  return [
    ...(isListed && !isUnchanged(before, after) ? [event("list_updated")] : []),
    ...(hasSameRules(before, after) ? [] : [event("list_rules_changed")]),
  ]
}

export type ListChange = Change<
  "list",
  {
    readonly before: List | null
    /** Null: the list is deleted. Timelines do not record it, because a list may have a million members. */
    readonly after: List | null
    /** The name, slug, description or rules changed. A change of members alone does not write them. */
    readonly edited: boolean
    readonly added: ReadonlyArray<ContactId>
    readonly removed: ReadonlyArray<ContactId>
    readonly at: DateTime.Utc
    readonly activities: ReadonlyArray<Activity>
  }
>

const listChange = changeOf("list")

const changeTo = (
  before: List | null,
  after: List | null,
  at: DateTime.Utc,
  { added = [], removed = [] }: Partial<Pick<ListChange, "added" | "removed">> = {},
): ListChange => {
  const edited = before !== null && after !== null && !isUnchanged(before, after)
  const activity = (type: "list_added" | "list_removed", list: List) => (contactId: ContactId) => ({
    contactId,
    type,
    at,
    metadata: { list_id: list.id, list_name: list.name },
  })
  const activities =
    after === null ? [] : [...added.map(activity("list_added", after)), ...removed.map(activity("list_removed", after))]
  const memberEvents = activities.map(({ metadata, ...event }) => ({ ...event, data: metadata }))
  return listChange(
    { before, after, edited, added, removed, at, activities },
    { events: [...ownEvents(before, after, at), ...memberEvents] },
  )
}

const createList = (
  { id, candidates, content, description }: NewList,
  ownerBlastId: BlastId | null,
  facts: CreationFacts,
  now: DateTime.Utc,
): Result.Result<ListWithChange, ListNameExists | NotFound> => {
  const contactIds = content.kind === "static" ? content.contactIds : []
  const at = contactIds.findIndex((contactId) => !facts.contacts.has(contactId))
  const missing = contactIds[at]
  if (missing !== undefined) {
    return Result.fail(contactNotFound(facts.merged?.get(missing) ?? null).at(`contact_ids.${at}`))
  }
  const added = [...new Set(contactIds)]
  return Result.map(freeNameOf(candidates, facts.taken), (names) => {
    const common = { id, ...names, description, ownerBlastId, createdAt: now, updatedAt: now }
    const list: StaticList | DynamicList =
      content.kind === "static"
        ? { ...common, kind: "static", memberCount: added.length }
        : { ...common, kind: "dynamic", rules: content.rules }
    return { list, change: changeTo(null, list, now, { added }) }
  })
}

const changeMembers =
  (direction: "add" | "remove") =>
  (
    { list: before, contacts, members }: MemberFacts,
    contactIds: ReadonlyArray<ContactId>,
    now: DateTime.Utc,
  ): Result.Result<MembersChanged, ListNotStatic | SystemListProtected> => {
    if (before.kind === "dynamic") return Result.fail(new ListNotStatic({ name: before.name }))
    if (before.kind === "system") return Result.fail(new SystemListProtected({ name: before.name }))
    const each = [...new Set(contactIds)]
    const found = each.filter((id) => contacts.has(id))
    const moved = found.filter((id) => members.has(id) === (direction === "remove"))
    const memberCount = before.memberCount + (direction === "add" ? moved.length : -moved.length)
    const list: StaticList = { ...before, memberCount }
    return Result.succeed({
      list,
      change: changeTo(before, list, now, direction === "add" ? { added: moved } : { removed: moved }),
      changed: moved.length,
      unchanged: found.length - moved.length,
      notFound: each.filter((id) => !contacts.has(id)),
    })
  }

export const ListChange = {
  create: (wanted: NewList, facts: CreationFacts, now: DateTime.Utc) => createList(wanted, null, facts, now),

  /** Creates the inline audience of a blast. The name candidates are derived unless the caller gave a name. */
  createInline: createList,

  /** An edit without effect is no change. Unchanged rules may name fields that are archived by now. */
  update(
    { list: before, taken, named }: EditFacts,
    edit: ListEdit,
    now: DateTime.Utc,
  ): Result.Result<ListWithChange, SystemListProtected | Invalid | ListNameExists> {
    if (before.kind === "system") return Result.fail(new SystemListProtected({ name: before.name }))
    return Result.gen(function* () {
      const description = edit.description === undefined ? before.description : edit.description || null
      const ruled = edit.rules === undefined ? before : yield* withRules(before, edit.rules, named)
      const edited = { ...ruled, ...(yield* nameAfter(before, edit.candidates, taken)), description }
      const list = isUnchanged(before, edited) ? before : { ...edited, updatedAt: now }
      return { list, change: changeTo(before, list, now) }
    })
  },

  /** Deletes the list. Its members stay contacts. */
  delete({ list, uses }: DeletionFacts, now: DateTime.Utc): Result.Result<ListChange, SystemListProtected | ListInUse> {
    if (list.kind === "system") return Result.fail(new SystemListProtected({ name: list.name }))
    if (uses.count > 0) return Result.fail(new ListInUse({ name: list.name, ...uses }))
    return Result.succeed(changeTo(list, null, now))
  },

  addMembers: changeMembers("add"),
  removeMembers: changeMembers("remove"),

  /** Deletes the inline audience of a blast that is deleted or gets another audience. Timelines do not record it. */
  discardInline: (list: List & { readonly ownerBlastId: BlastId }, now: DateTime.Utc) => changeTo(list, null, now),
}

const withRules = (
  list: StaticList | DynamicList,
  rules: unknown,
  named: RuleFacts,
): Result.Result<DynamicList, Invalid> => {
  if (list.kind === "static") return Result.fail(rulesOnStaticList)
  return rules === null
    ? Result.succeed({ ...list, rules })
    : Result.map(parseRules(rules, named), (tree) => ({ ...list, rules: tree }))
}

/** The slug follows the name, unless the new name is another spelling of the old one. */
const nameAfter = (
  before: List,
  candidates: NameCandidates | undefined,
  taken: TakenNames,
): Result.Result<Pick<List, "name" | "slug">, ListNameExists> => {
  const [wanted = before.name] = candidates?.names ?? []
  return candidates === undefined || fold(wanted) === fold(before.name)
    ? Result.succeed({ name: wanted, slug: before.slug })
    : freeNameOf(candidates, taken)
}

const freeNameOf = (
  candidates: NameCandidates,
  taken: TakenNames,
): Result.Result<Pick<List, "name" | "slug">, ListNameExists> => {
  const { name, slug } = freeName(candidates, taken)
  const [first = ""] = candidates.names
  return name === undefined || slug === undefined
    ? Result.fail(new ListNameExists({ name: first, existingId: taken.names.get(fold(first)) ?? null }))
    : Result.succeed({ name, slug })
}
