// Fixture of the contract tests of lists: a workspace with contacts, in which tests create lists.
import { DateTime, Effect } from "effect"
import { newContact, type ContactPatch } from "../../src/contacts/ContactPatch.ts"
import type { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import { BlastId, ContactId, ListId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { type List, ListChange, type NewList } from "../../src/lists/List.ts"
import { nameCandidates, type WantedName } from "../../src/lists/ListName.ts"
import { type ListAudience, type ListQuery, ListStore, type MemberQuery } from "../../src/lists/ListStore.ts"
import type { Outbox } from "../../src/kernel/changes/Outbox.ts"
import type { RuleFactsStore } from "../../src/segments/RuleFacts.ts"
import { referencesIn, type RuleTree } from "../../src/segments/RuleTree.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"

export type Ports = ListStore | RuleFactsStore | ContactStore | ContactFieldStore | Outbox | Transactor | Fresh

export const at = (ms: number) => DateTime.makeUnsafe(ms)
export const now = at(1_000_000)

export const everyList: ListQuery = { page: 1, limit: 100, search: null, kind: null }
export const memberQuery: MemberQuery = {
  page: 1,
  limit: 100,
  sort: "created_at",
  order: "asc",
  search: null,
  unsubscribed: null,
}
export const given = (text: string): WantedName => ({ text, origin: "given" })

export const cityIs = (city: string): RuleTree => ({
  kind: "group",
  operator: "and",
  conditions: [{ kind: "condition", source: "contact", field: "city", operator: "equals", value: city }],
})

export const begin = Effect.gen(function* () {
  const fresh = yield* Fresh
  const store = yield* ListStore
  const contacts = yield* ContactStore
  const { transact } = yield* Transactor
  const workspace = yield* fresh.workspace()

  const add = Effect.fnUntraced(function* (patch: ContactPatch, when: DateTime.Utc = at(1_234)) {
    const id = ContactId.make(yield* fresh.id)
    const email = parseEmail(`${id}@example.com`)
    const contact = newContact(id, { email, ...patch }, "api", when)
    yield* transact(contacts.apply(workspace, ContactsChange.of([{ before: null, after: contact, at: when }])))
    return id
  })
  const people = (count: number) => Effect.forEach(Array.from({ length: count }), () => add({}))

  const make = (
    name: WantedName,
    content: NewList["content"],
    more: { readonly when?: DateTime.Utc; readonly owner?: BlastId; readonly inside?: WorkspaceId } = {},
  ) =>
    Effect.gen(function* () {
      const candidates = nameCandidates(name, yield* fresh.id)
      const wanted: NewList = { id: ListId.make(yield* fresh.id), candidates, description: null, content }
      const contactIds = content.kind === "static" ? content.contactIds : []
      const named = content.kind === "dynamic" ? referencesIn(content.rules).lists : []
      const inside = more.inside ?? workspace
      const facts = yield* store.lockForCreation(inside, { candidates, contactIds, named })
      const created = yield* Effect.fromResult(
        more.owner === undefined
          ? ListChange.create(wanted, facts, more.when ?? now)
          : ListChange.createInline(wanted, more.owner, facts, more.when ?? now),
      )
      yield* store.apply(inside, created.change)
      return created.list
    }).pipe(transact)
  const makeStatic = (name: string, contactIds: ReadonlyArray<ContactId> = []) =>
    make(given(name), { kind: "static", contactIds })

  const move = (
    decide: typeof ListChange.addMembers,
    list: ListId,
    ids: ReadonlyArray<ContactId>,
    when: DateTime.Utc = now,
  ) =>
    Effect.gen(function* () {
      const facts = yield* store.lockForMembers(workspace, list, ids)
      const moved = yield* Effect.fromResult(decide(facts, ids, when))
      yield* store.apply(workspace, moved.change)
      return moved
    }).pipe(transact)

  const audience = (list: List): ListAudience => ({ list, fields: [], now })
  const idsOf = (list: List, query: Partial<MemberQuery> = {}) =>
    Effect.map(store.members(workspace, audience(list), { ...memberQuery, ...query }), ({ items }) =>
      items.map(({ contact }) => contact.id),
    )
  return { fresh, store, contacts, transact, workspace, add, people, make, makeStatic, move, audience, idsOf }
})

export const sorted = (ids: ReadonlyArray<string>) => [...ids].sort()

/** The blast that inline lists belong to. */
export const owner = BlastId.make("00000000-0000-4000-8000-00000000000b")
