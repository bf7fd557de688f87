// A contact list: static (its members were added one by one), dynamic (its rules say who is in it), or one of the two that
// every workspace has. What is to be written of one is decided here.
import { type DateTime, Equal, Result, Schema } from "effect"
import type { Activity } from "../contacts/Activity.ts"
import type { ErrorCode } from "../kernel/ErrorCode.ts"
import type { BlastId, ContactId, ListId } from "../kernel/Ids.ts"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import { Invalid, NotFound } from "../kernel/Refusal.ts"
import { parseRules } from "../segments/Parse.ts"
import type { RuleFacts } from "../segments/RuleFacts.ts"
import type { RuleTree } from "../segments/RuleTree.ts"
import { fold } from "../kernel/Text.ts"
import type { systemLists } from "../workspaces/SystemLists.ts"
import { freeName, type NameCandidates, type TakenNames } from "./ListName.ts"
import { ListInUse, type ListUses } from "./ListUse.ts"

interface Common {
  readonly id: ListId
  /** Unique in the workspace by folded form. */
  readonly name: string
  readonly slug: string
  readonly description: string | null
  /** Set on the inline audience of a blast: such a list is never listed, and goes with its blast. */
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
  /** Without rules it has no members. */
  readonly rules: RuleTree | null
}

export interface SystemList extends Common {
  readonly kind: "system"
  readonly systemList: (typeof systemLists)[number]["systemList"]
}

export type List = StaticList | DynamicList | SystemList
export type ListKind = List["kind"]

export const listKinds = ["static", "dynamic", "system"] as const satisfies ReadonlyArray<ListKind>

/** The most ids that one request may add, remove or begin with. */
export const contact_ids_max = 500

export class ListNameExists extends Schema.TaggedError<ListNameExists>()("ListNameExists", { name: Schema.String }) {
  readonly code = "contact_list_name_exists" satisfies ErrorCode
  override get message(): string {
    return `A list with the name "${this.name}" already exists. Choose another name`
  }
}

export class ListNotStatic extends Schema.TaggedError<ListNotStatic>()("ListNotStatic", { name: Schema.String }) {
  readonly code = "list_not_static" satisfies ErrorCode
  override get message(): string {
    return `"${this.name}" is a dynamic list: its rules determine its members. Change the rules or the contacts`
  }
}

export class SystemListProtected extends Schema.TaggedError<SystemListProtected>()("SystemListProtected", {
  name: Schema.String,
}) {
  readonly code = "system_list_protected" satisfies ErrorCode
  override get message(): string {
    return `"${this.name}" is a system list and can't be changed. Create another list`
  }
}

/** A list to be made; its parts are in their limits already. */
export interface NewList {
  readonly id: ListId
  readonly candidates: NameCandidates
  readonly description: string | null
  readonly content:
    | { readonly kind: "static"; readonly contactIds: ReadonlyArray<ContactId> }
    | { readonly kind: "dynamic"; readonly rules: RuleTree | null }
}

/** What a new list depends on, locked. */
export interface CreationFacts {
  readonly taken: TakenNames
  /** Those of the contacts asked for that there are. */
  readonly contacts: ReadonlySet<ContactId>
}

/** A new list, and the change that makes it. */
export interface ListCreated {
  readonly change: ListChange
  readonly list: StaticList | DynamicList
}

/** What is to change of a list; what is left out stays. */
export interface ListEdit {
  /** A new name's, as given. */
  readonly candidates?: NameCandidates
  readonly description?: string | null
  /** JSON, to be parsed; null clears. Dynamic lists only. */
  readonly rules?: unknown
}

/** The list to be edited, locked, and which of the candidates for its new name other lists have. */
export interface Editable {
  readonly list: List
  readonly taken: TakenNames
}

export interface EditFacts extends Editable {
  /** Of what the new rules name; read once those lists were locked. */
  readonly named: RuleFacts
}

/** A list as an edit leaves it, and the change that does it. */
export interface ListEdited {
  readonly change: ListChange
  readonly list: StaticList | DynamicList
}

/** What a deletion depends on, locked. */
export interface RemovalFacts {
  readonly list: List
  readonly uses: ListUses
}

/** What a change of members depends on, locked. */
export interface MemberFacts {
  readonly list: List
  /** Those of the contacts asked for that there are. */
  readonly contacts: ReadonlySet<ContactId>
  /** Those of them that are members. */
  readonly members: ReadonlySet<ContactId>
}

/** What became of the contacts that were to be added or removed; each counts once. */
export interface MembersChanged {
  readonly change: ListChange
  readonly list: StaticList
  readonly changed: number
  readonly unchanged: number
  /** In the order asked for. */
  readonly notFound: ReadonlyArray<ContactId>
}

/** What a static list answers to rules. */
export const rulesOfStatic = Invalid.at("rules", "are for dynamic lists; a static list has the contacts added to it")

const rulesOf = (list: List): RuleTree | null => (list.kind === "dynamic" ? list.rules : null)

const sameRules = (left: List, right: List): boolean => Equal.equals(rulesOf(left), rulesOf(right))

const saysTheSame = (left: List, right: List): boolean =>
  left.name === right.name && left.description === right.description && sameRules(left, right)

/** What happened to the list itself; those who ran by its rules, or waited for it, want to know. */
const ownEvents = (before: List | null, after: List | null, at: DateTime.Utc): ReadonlyArray<DomainEvent> => {
  if (before === null || (after !== null && sameRules(before, after))) return []
  const type = after === null ? "list_deleted" : "list_rules_changed"
  return [{ type, contactId: null, at, data: { list_id: before.id } }]
}

/** What is to be written of a list: decided here, and nowhere else. */
export class ListChange {
  readonly #brand = true
  readonly before: List | null
  /** Null: the list goes. The timelines of its members say nothing of it: there may be a million. */
  readonly after: List | null
  /** Name, slug, description or rules are to be written over; members alone leave them. */
  readonly edited: boolean
  readonly added: ReadonlyArray<ContactId>
  readonly removed: ReadonlyArray<ContactId>
  readonly at: DateTime.Utc
  readonly activities: ReadonlyArray<Activity>
  readonly events: ReadonlyArray<DomainEvent>

  private constructor(it: Pick<ListChange, "before" | "after" | "added" | "removed" | "at">) {
    this.before = it.before
    this.after = it.after
    this.edited = it.before !== null && it.after !== null && !saysTheSame(it.before, it.after)
    this.added = it.added
    this.removed = it.removed
    this.at = it.at
    const { after } = it
    const moves =
      after === null
        ? []
        : [
            ...it.added.map((contactId) => ({ contactId, type: "list_added" as const, list: after })),
            ...it.removed.map((contactId) => ({ contactId, type: "list_removed" as const, list: after })),
          ]
    this.activities = moves.map(({ contactId, type, list }) => ({
      contactId,
      type,
      at: it.at,
      metadata: { list_id: list.id, list_name: list.name },
    }))
    this.events = [
      ...moves.map(({ contactId, type, list }) => ({ type, contactId, at: it.at, data: { list_id: list.id } })),
      ...ownEvents(it.before, it.after, it.at),
    ]
  }

  static is(it: unknown): it is ListChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  static create(
    wanted: NewList,
    facts: CreationFacts,
    now: DateTime.Utc,
  ): Result.Result<ListCreated, ListNameExists | NotFound> {
    return ListChange.#new(wanted, null, facts, now)
  }

  /** The inline audience of a blast. Its `NewList.candidates` are derived ones unless the caller gave a name. */
  static createInline(
    wanted: NewList,
    owner: BlastId,
    facts: CreationFacts,
    now: DateTime.Utc,
  ): Result.Result<ListCreated, ListNameExists | NotFound> {
    return ListChange.#new(wanted, owner, facts, now)
  }

  static #new(
    wanted: NewList,
    ownerBlastId: BlastId | null,
    facts: CreationFacts,
    now: DateTime.Utc,
  ): Result.Result<ListCreated, ListNameExists | NotFound> {
    const { content, candidates } = wanted
    const asked = content.kind === "static" ? content.contactIds : []
    const missing = asked.findIndex((id) => !facts.contacts.has(id))
    if (missing >= 0) {
      return Result.fail(new NotFound({ resource: "contact", path: `contact_ids.${missing}` }))
    }
    const { name, slug } = freeName(candidates, facts.taken)
    if (name === undefined || slug === undefined) {
      return Result.fail(new ListNameExists({ name: candidates.names[0] ?? "" }))
    }
    const added = [...new Set(asked)]
    const common = {
      id: wanted.id,
      name,
      slug,
      description: wanted.description,
      ownerBlastId,
      createdAt: now,
      updatedAt: now,
    }
    const list: StaticList | DynamicList =
      content.kind === "static"
        ? { ...common, kind: "static", memberCount: added.length }
        : { ...common, kind: "dynamic", rules: content.rules }
    return Result.succeed({
      change: new ListChange({ before: null, after: list, added, removed: [], at: now }),
      list,
    })
  }

  /** An edit that says nothing new is no change. Rules that are left alone may name what is archived by now. */
  static edit(
    { list: before, taken, named }: EditFacts,
    edit: ListEdit,
    now: DateTime.Utc,
  ): Result.Result<ListEdited, SystemListProtected | Invalid | ListNameExists> {
    if (before.kind === "system") return Result.fail(new SystemListProtected({ name: before.name }))
    return Result.gen(function* () {
      const description = edit.description === undefined ? before.description : edit.description || null
      const ruled = edit.rules === undefined ? before : yield* withRules(before, edit.rules, named)
      const edited = { ...ruled, ...(yield* nameAfter(before, edit.candidates, taken)), description }
      const list = saysTheSame(before, edited) ? before : { ...edited, updatedAt: now }
      return { change: new ListChange({ before, after: list, added: [], removed: [], at: now }), list }
    })
  }

  /** Its members stay contacts. */
  static remove(
    { list, uses }: RemovalFacts,
    now: DateTime.Utc,
  ): Result.Result<ListChange, SystemListProtected | ListInUse> {
    if (list.kind === "system") return Result.fail(new SystemListProtected({ name: list.name }))
    if (uses.count > 0) return Result.fail(new ListInUse({ name: list.name, ...uses }))
    return Result.succeed(new ListChange({ before: list, after: null, added: [], removed: [], at: now }))
  }

  static addMembers(
    facts: MemberFacts,
    asked: ReadonlyArray<ContactId>,
    now: DateTime.Utc,
  ): Result.Result<MembersChanged, ListNotStatic | SystemListProtected> {
    return ListChange.#move(facts, asked, "add", now)
  }

  static removeMembers(
    facts: MemberFacts,
    asked: ReadonlyArray<ContactId>,
    now: DateTime.Utc,
  ): Result.Result<MembersChanged, ListNotStatic | SystemListProtected> {
    return ListChange.#move(facts, asked, "remove", now)
  }

  static #move(
    { list: before, contacts, members }: MemberFacts,
    asked: ReadonlyArray<ContactId>,
    direction: "add" | "remove",
    now: DateTime.Utc,
  ): Result.Result<MembersChanged, ListNotStatic | SystemListProtected> {
    if (before.kind === "dynamic") return Result.fail(new ListNotStatic({ name: before.name }))
    if (before.kind === "system") return Result.fail(new SystemListProtected({ name: before.name }))
    const each = [...new Set(asked)]
    const found = each.filter((id) => contacts.has(id))
    const moved = found.filter((id) => members.has(id) === (direction === "remove"))
    const memberCount = before.memberCount + (direction === "add" ? moved.length : -moved.length)
    const after: StaticList = { ...before, memberCount }
    const added = direction === "add" ? moved : []
    const removed = direction === "remove" ? moved : []
    return Result.succeed({
      change: new ListChange({ before, after, added, removed, at: now }),
      list: after,
      changed: moved.length,
      unchanged: found.length - moved.length,
      notFound: each.filter((id) => !contacts.has(id)),
    })
  }

  /** An inline audience goes when its blast gets another one, or goes itself. Its members' timelines say nothing of it. */
  static discardInline(list: List & { readonly ownerBlastId: BlastId }, now: DateTime.Utc): ListChange {
    return new ListChange({ before: list, after: null, added: [], removed: [], at: now })
  }
}

const withRules = (
  list: StaticList | DynamicList,
  rules: unknown,
  named: RuleFacts,
): Result.Result<DynamicList, Invalid> => {
  if (list.kind === "static") return Result.fail(rulesOfStatic)
  return rules === null
    ? Result.succeed({ ...list, rules })
    : Result.map(parseRules(rules, named), (tree) => ({ ...list, rules: tree }))
}

/** The slug follows the name, unless it is another spelling of the same one. */
const nameAfter = (
  before: List,
  candidates: NameCandidates | undefined,
  taken: TakenNames,
): Result.Result<Pick<List, "name" | "slug">, ListNameExists> => {
  const [wanted = before.name] = candidates?.names ?? []
  if (candidates === undefined || fold(wanted) === fold(before.name)) {
    return Result.succeed({ name: wanted, slug: before.slug })
  }
  const { name, slug } = freeName(candidates, taken)
  return name === undefined || slug === undefined
    ? Result.fail(new ListNameExists({ name: wanted }))
    : Result.succeed({ name, slug })
}
