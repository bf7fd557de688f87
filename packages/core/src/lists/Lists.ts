// The use cases of contact lists.
import { Context, DateTime, Effect, Layer, Result } from "effect"
import { type ContactId, Ids, ListId, type WorkspaceId } from "../kernel/Ids.ts"
import type { Paged } from "../kernel/Page.ts"
import { Invalid, NotFound } from "../kernel/Refusal.ts"
import { compileRules, type RuleIssue, ruleIssues } from "../segments/Evaluate.ts"
import { referencesInJson, parseRules } from "../segments/Parse.ts"
import { type RuleField, RuleFactsStore } from "../segments/RuleFacts.ts"
import { referencesIn, type RuleTree } from "../segments/RuleTree.ts"
import { byCodePoint, fold } from "../kernel/Text.ts"
import type { Contact } from "../contacts/Contact.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import type { Explanation } from "../segments/Explain.ts"
import { explainContact } from "../segments/Segments.ts"
import { SegmentStore } from "../segments/SegmentStore.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import {
  contact_ids_max,
  type DynamicList,
  type List,
  ListChange,
  type ListEdit,
  type ListNameExists,
  type ListNotStatic,
  type MemberFacts,
  type MembersChanged,
  type NewList,
  rulesOnStaticList,
  type SystemListProtected,
} from "./List.ts"
import { nameCandidates } from "./ListName.ts"
import { type JoinedList, type ListQuery, ListStore, type Member, type MemberQuery } from "./ListStore.ts"
import type { ListInUse, ListUses } from "./ListUse.ts"

/** A list for output, with the archived fields that its rules name. */
export interface ListView {
  readonly list: List
  readonly ruleIssues: ReadonlyArray<RuleIssue>
}

/** The lists of a contact that are returned, of each kind. */
export const contact_lists_max = 1_000
/** Dynamic lists that are evaluated at a time. */
const evaluated_lists_max = 500

/** A list that a contact is in. `addedAt` is null for dynamic lists. */
export interface ListOfContact {
  readonly list: List
  readonly addedAt: DateTime.Utc | null
}

export interface ListDraft {
  readonly name: string
  readonly kind: "static" | "dynamic"
  readonly description: string | null
  /** JSON; absent and null mean no rules. Dynamic lists only. */
  readonly rules?: unknown
  /** Static lists only. */
  readonly contactIds?: ReadonlyArray<ContactId>
}

/** Input of `update`. Absent keys stay. */
export interface ListPatch {
  readonly name?: string
  /** Null and "" clear. */
  readonly description?: string | null
  /** JSON; null clears. Dynamic lists only. */
  readonly rules?: unknown
}

export class Lists extends Context.Service<
  Lists,
  {
    readonly create: (
      workspace: WorkspaceId,
      draft: ListDraft,
    ) => Effect.Effect<ListView, Invalid | ListNameExists | NotFound>
    readonly update: (
      workspace: WorkspaceId,
      id: ListId,
      patch: ListPatch,
    ) => Effect.Effect<ListView, NotFound | SystemListProtected | Invalid | ListNameExists>
    /** Members stay contacts. Refused while a scheduled or sending blast, an active flow or another list's rules use the list. */
    readonly delete: (
      workspace: WorkspaceId,
      id: ListId,
    ) => Effect.Effect<void, NotFound | SystemListProtected | ListInUse>
    readonly get: (workspace: WorkspaceId, id: ListId) => Effect.Effect<ListView, NotFound>
    /** Whether a contact is in the list; for dynamic lists condition by condition. */
    readonly explain: (workspace: WorkspaceId, id: ListId, contact: ContactId) => Effect.Effect<Explanation, NotFound>
    readonly list: (workspace: WorkspaceId, query: ListQuery) => Effect.Effect<Paged<ListView>>
    /** The static lists of a contact, those it joined last first, then the dynamic lists whose rules match it now, by name. */
    readonly listByContact: (
      workspace: WorkspaceId,
      contact: ContactId,
    ) => Effect.Effect<ReadonlyArray<ListOfContact>, NotFound>
    /** What uses the list now, so that it can't be deleted. */
    readonly uses: (workspace: WorkspaceId, id: ListId) => Effect.Effect<ListUses, NotFound>
    readonly members: (workspace: WorkspaceId, id: ListId, query: MemberQuery) => Effect.Effect<Paged<Member>, NotFound>
    /** Counts now, for lists without a stored count too. */
    readonly memberCount: (
      workspace: WorkspaceId,
      id: ListId,
    ) => Effect.Effect<{ readonly list: List; readonly count: number; readonly countedAt: DateTime.Utc }, NotFound>
    readonly addMembers: (
      workspace: WorkspaceId,
      id: ListId,
      contactIds: ReadonlyArray<ContactId>,
    ) => Effect.Effect<MembersChanged, Invalid | NotFound | ListNotStatic | SystemListProtected>
    readonly removeMembers: (
      workspace: WorkspaceId,
      id: ListId,
      contactIds: ReadonlyArray<ContactId>,
    ) => Effect.Effect<MembersChanged, Invalid | NotFound | ListNotStatic | SystemListProtected>
  }
>()("tentpole/Lists") {
  static readonly layer = Layer.effect(
    Lists,
    Effect.gen(function* () {
      const store = yield* ListStore
      const facts = yield* RuleFactsStore
      const contacts = yield* ContactStore
      const segments = yield* SegmentStore
      const { transact } = yield* Transactor
      const ids = yield* Ids

      const fieldsOf = (workspace: WorkspaceId, lists: ReadonlyArray<List>) =>
        Effect.map(facts.of(workspace, { fields: lists.flatMap(fieldsNamedBy), lists: [] }), ({ fields }) => fields)

      const audience = Effect.fnUntraced(function* (workspace: WorkspaceId, id: ListId) {
        const list = yield* store.get(workspace, id)
        return { list, fields: yield* fieldsOf(workspace, [list]), now: yield* DateTime.now }
      })

      /** Those of the lists that the contact matches. */
      const matched = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        contact: Contact,
        lists: ReadonlyArray<DynamicList>,
      ) {
        const trees = lists.flatMap(({ rules }) => rules ?? [])
        const context = { fields: yield* fieldsOf(workspace, lists), now: yield* DateTime.now }
        const any: RuleTree = { kind: "group", operator: "or", conditions: trees }
        const [subject] = yield* segments.subjects(workspace, [contact], any)
        if (subject === undefined) return []
        return lists.filter(({ rules }) => rules !== null && compileRules(rules, context)(subject))
      })

      /** Reads the dynamic lists in parts: a workspace may have thousands. */
      const dynamicListsOf = Effect.fnUntraced(function* (workspace: WorkspaceId, contact: Contact) {
        const found: Array<DynamicList> = []
        let after: ListId | null = null
        while (found.length < contact_lists_max) {
          const part: ReadonlyArray<DynamicList> = yield* store.dynamicLists(workspace, {
            after,
            limit: evaluated_lists_max,
          })
          if (part.length > 0) found.push(...(yield* matched(workspace, contact, part)))
          after = part.at(-1)?.id ?? null
          if (part.length < evaluated_lists_max) break
        }
        return found.slice(0, contact_lists_max).sort((left, right) => byCodePoint(fold(left.name), fold(right.name)))
      })

      const contentOf = Effect.fnUntraced(function* (workspace: WorkspaceId, draft: ListDraft) {
        if (draft.kind === "static") return { kind: "static", contactIds: draft.contactIds ?? [] } as const
        const { rules = null } = draft
        if (rules === null) return { kind: "dynamic", rules } as const
        const known = yield* facts.of(workspace, referencesInJson(rules))
        return { kind: "dynamic", rules: yield* Effect.fromResult(parseRules(rules, known)) } as const
      })

      /** Applies a change without a new name. */
      const apply = (workspace: WorkspaceId, change: ListChange) =>
        Effect.catchTag(store.apply(workspace, change), "ListNameExists", Effect.die)

      const changeMembers = (
        decide: (
          facts: MemberFacts,
          contactIds: ReadonlyArray<ContactId>,
          now: DateTime.Utc,
        ) => Result.Result<MembersChanged, ListNotStatic | SystemListProtected>,
      ) =>
        Effect.fnUntraced(function* (workspace: WorkspaceId, id: ListId, contactIds: ReadonlyArray<ContactId>) {
          yield* Effect.fromResult(checkCount(contactIds, 1))
          const locked = yield* store.lockForMembers(workspace, id, contactIds)
          const result = yield* Effect.fromResult(decide(locked, contactIds, yield* DateTime.now))
          yield* apply(workspace, result.change)
          return result
        }, transact)

      return Lists.of({
        create: Effect.fn("Lists.create")(function* (workspace, draft) {
          yield* Effect.fromResult(checkKind(draft))
          const candidates = nameCandidates({ text: draft.name, origin: "given" }, yield* ids.random)
          const contactIds = draft.contactIds ?? []
          const named = referencesInJson(draft.rules).lists
          const locked = yield* store.lockForCreation(workspace, { candidates, contactIds, named })
          const content = yield* contentOf(workspace, draft)
          const id = ListId.make(yield* ids.next)
          const wanted: NewList = { id, candidates, description: draft.description || null, content }
          const missing = contactIds.filter((each) => !locked.contacts.has(each))
          const merged = missing.length === 0 ? new Map() : yield* contacts.findMerged(workspace, missing)
          const { change, list } = yield* Effect.fromResult(
            ListChange.create(wanted, { ...locked, merged }, yield* DateTime.now),
          )
          yield* store.apply(workspace, change)
          // The rules of a new list name active fields only.
          return { list, ruleIssues: [] }
        }, transact),

        update: Effect.fn("Lists.update")(function* (workspace, id, { name, ...rest }) {
          const candidates =
            name === undefined ? undefined : nameCandidates({ text: name, origin: "given" }, yield* ids.random)
          const mentioned = referencesInJson(rest.rules)
          const locked = yield* store.lockForUpdate(workspace, id, { candidates, named: mentioned.lists })
          const named = yield* facts.of(workspace, mentioned)
          const wanted: ListEdit = { ...rest, ...(candidates === undefined ? {} : { candidates }) }
          const { change, list } = yield* Effect.fromResult(
            ListChange.update({ ...locked, named }, wanted, yield* DateTime.now),
          )
          yield* store.apply(workspace, change)
          return toView(list, yield* fieldsOf(workspace, [list]))
        }, transact),

        delete: Effect.fn("Lists.delete")(function* (workspace, id) {
          const locked = yield* store.lockForDelete(workspace, id)
          yield* apply(workspace, yield* Effect.fromResult(ListChange.delete(locked, yield* DateTime.now)))
        }, transact),

        explain: Effect.fn("Lists.explain")(function* (workspace, id, contactId) {
          const contact = yield* contacts.get(workspace, contactId)
          const list = yield* Effect.mapError(
            store.get(workspace, id),
            ({ resource }) => new NotFound({ resource, path: "list_id" }),
          )
          const tree = membershipRules(list)
          if (tree === null) return { matches: isInSystemList(list, contact), conditions: [] }
          const { fields } = yield* facts.of(workspace, referencesIn(tree))
          const segment = { tree, fields, now: yield* DateTime.now }
          const { conditions, matches } = yield* explainContact(segments, workspace, segment, contact)
          return { matches, conditions: list.kind === "static" ? [] : conditions }
        }),

        get: Effect.fn("Lists.get")(function* (workspace, id) {
          const list = yield* store.get(workspace, id)
          return toView(list, yield* fieldsOf(workspace, [list]))
        }),

        list: Effect.fn("Lists.list")(function* (workspace, query) {
          const { items, total } = yield* store.list(workspace, query)
          const fields = yield* fieldsOf(workspace, items)
          return { items: items.map((list) => toView(list, fields)), total }
        }),

        listByContact: Effect.fn("Lists.listByContact")(function* (workspace, contactId) {
          const contact = yield* contacts.get(workspace, contactId)
          const joined: ReadonlyArray<JoinedList> = yield* store.listsOf(workspace, contactId, contact_lists_max)
          const matching = yield* dynamicListsOf(workspace, contact)
          return [...joined, ...matching.map((list): ListOfContact => ({ list, addedAt: null }))]
        }),

        uses: Effect.fn("Lists.uses")(function* (workspace, id) {
          yield* store.get(workspace, id)
          return yield* store.uses(workspace, id)
        }),

        members: Effect.fn("Lists.members")(function* (workspace, id, query) {
          return yield* store.members(workspace, yield* audience(workspace, id), query)
        }),

        memberCount: Effect.fn("Lists.memberCount")(function* (workspace, id) {
          const listAudience = yield* audience(workspace, id)
          return {
            list: listAudience.list,
            count: yield* store.countMembers(workspace, listAudience),
            countedAt: listAudience.now,
          }
        }),

        addMembers: Effect.fn("Lists.addMembers")(changeMembers(ListChange.addMembers)),
        removeMembers: Effect.fn("Lists.removeMembers")(changeMembers(ListChange.removeMembers)),
      })
    }),
  )
}

const fieldsNamedBy = (list: List) =>
  list.kind === "dynamic" && list.rules !== null ? referencesIn(list.rules).fields : []

const toView = (list: List, fields: ReadonlyArray<RuleField>): ListView => ({
  list,
  ruleIssues: list.kind === "dynamic" && list.rules !== null ? ruleIssues(list.rules, fields) : [],
})

/** Counts the array as sent, repeated ids included. */
const checkCount = (contactIds: ReadonlyArray<ContactId>, minimum: number): Result.Result<void, Invalid> =>
  contactIds.length < minimum || contactIds.length > contact_ids_max
    ? Result.fail(Invalid.at("contact_ids", `must have ${minimum} to ${contact_ids_max} ids, got ${contactIds.length}`))
    : Result.void

const checkKind = ({ kind, rules, contactIds }: ListDraft): Result.Result<void, Invalid> => {
  if (kind === "static" && rules !== undefined && rules !== null) {
    return Result.fail(rulesOnStaticList)
  }
  if (kind === "dynamic" && contactIds !== undefined) {
    return Result.fail(
      Invalid.at("contact_ids", "are for static lists; the rules of a dynamic list determine its members"),
    )
  }
  return checkCount(contactIds ?? [], 0)
}

/** The rules that decide who is in a list; null for system lists and for dynamic lists without rules. */
const membershipRules = (list: List): RuleTree | null => {
  if (list.kind === "system") return null
  if (list.kind === "dynamic") return list.rules
  const isMember = { kind: "condition", source: "list_membership", listId: list.id, operator: "is_member" } as const
  return { kind: "group", operator: "and", conditions: [isMember] }
}

const isInSystemList = (list: List, contact: Contact): boolean =>
  list.kind === "system" && (list.systemList === "all_contacts" || contact.unsubscribed)
