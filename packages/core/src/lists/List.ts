// A contact list: static (its members were added one by one), dynamic (its rules say who is in it), or one of the two that
// every workspace has. What is to be written of one is decided here.
import { type DateTime, Result, Schema } from "effect"
import type { Activity } from "../contacts/Activity.ts"
import type { ErrorCode } from "../ErrorCode.ts"
import type { BlastId, ContactId, ListId } from "../Ids.ts"
import type { DomainEvent } from "../Outbox.ts"
import { NotFound } from "../Refusal.ts"
import type { RuleTree } from "../segments/RuleTree.ts"
import type { systemLists } from "../workspaces/SystemLists.ts"
import { freeName, type NameCandidates, type TakenNames } from "./ListName.ts"

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
    return `This workspace has a list called "${this.name}" already. Choose another name`
  }
}

export class ListNotStatic extends Schema.TaggedError<ListNotStatic>()("ListNotStatic", { name: Schema.String }) {
  readonly code = "list_not_static" satisfies ErrorCode
  override get message(): string {
    return `"${this.name}" is a dynamic list: its rules decide who is in it. Change the rules, or the contacts`
  }
}

export class SystemListProtected extends Schema.TaggedError<SystemListProtected>()("SystemListProtected", {
  name: Schema.String,
}) {
  readonly code = "system_list_protected" satisfies ErrorCode
  override get message(): string {
    return `"${this.name}" belongs to the system and can't be changed. Make a list of your own`
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

/** What is to be written of a list: decided here, and nowhere else. */
export class ListChange {
  readonly #brand = true
  readonly before: List | null
  /** Null: the list goes. */
  readonly after: List | null
  readonly added: ReadonlyArray<ContactId>
  readonly removed: ReadonlyArray<ContactId>
  readonly at: DateTime.Utc
  readonly activities: ReadonlyArray<Activity>
  readonly events: ReadonlyArray<DomainEvent>

  private constructor(it: Pick<ListChange, "before" | "after" | "added" | "removed" | "at">) {
    this.before = it.before
    this.after = it.after
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
    this.events = moves.map(({ contactId, type, list }) => ({
      type,
      contactId,
      at: it.at,
      data: { list_id: list.id },
    }))
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
