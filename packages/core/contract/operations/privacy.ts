// Contract tests of access to and erasure of personal data: everything about a contact is found, and nothing of it remains.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import type { ClaimedDelivery } from "../../src/sending/DeliveryStore.ts"
import { newContact, patchContact } from "../../src/contacts/ContactPatch.ts"
import { mergedContact } from "../../src/contacts/Merge.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { ContactId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { PrivacyStore } from "../../src/operations/privacy/PrivacyStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { at, email, type Ports } from "../contacts/contactWorld.ts"
import { eventsOf } from "../contacts/notifications.ts"
import * as Deliveries from "../sending/deliveryScenario.ts"

/** Does what the use case does. */
export const erasing = Effect.fnUntraced(function* (workspace: WorkspaceId, id: ContactId) {
  const store = yield* PrivacyStore
  const contacts = yield* ContactStore
  const { transact } = yield* Transactor
  const traces = yield* store.identifierPatterns(workspace, id)
  const erase = Effect.gen(function* () {
    const existing = yield* contacts.lockForDeletion(workspace, [id])
    yield* store.erase(workspace, id, traces)
    const steps = existing.map((before) => ({ before, after: null, at: at(9_000), erased: true }) as const)
    yield* contacts.apply(workspace, ContactsChange.of(steps))
  })
  return yield* transact(erase)
})

/** All rows of a workspace as a text. */
export const kept = (workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const rows = yield* Stream.runCollect((yield* PrivacyStore).rows(workspace))
    return rows.flat().map(({ row, table }) => `${table} ${JSON.stringify(row)}`)
  })

export const about = (lines: ReadonlyArray<string>, text: string) =>
  lines.filter((line) => line.toLowerCase().includes(text))

/** Ann, who is deleted and suppressed, and Joann, both with messages. Then Ann gets another address. */
const mailed = Effect.gen(function* () {
  const world = yield* Deliveries.begin
  const { claim, grant, scenario, settle, started, transact, workspace } = world
  const contacts = yield* ContactStore
  const sent = yield* started([{ email: "Ann@x.test" }, { email: "joann@x.test" }])
  const claimed = yield* claim()
  yield* grant(claimed)
  const said = ({ address }: ClaimedDelivery) => ({ _tag: "accepted", reply: `250 <${address}> is here` }) as const
  yield* settle(claimed.map((each) => Deliveries.settlement(each, said(each))))
  const [ann, joann] = sent.contacts
  if (ann === undefined || joann === undefined) return assert.fail("a contact is missing")
  const before = yield* contacts.get(workspace, ann)
  const after = patchContact(before, { email: email("ann-new@x.test"), phone: "+14152000001" }, at(8_000))
  yield* transact(contacts.apply(workspace, ContactsChange.of([{ before, after, at: at(8_000) }])))
  yield* scenario.suppress(workspace, "ann@x.test", "unsubscribe")
  const again = [{ email: "Ann-New@x.test" }, { email: "joann@x.test" }]
  return { ...world, privacy: yield* PrivacyStore, contacts, sent, again, ann, joann }
})

export const privacy = <E>(name: string, live: Layer.Layer<PrivacyStore | Ports, E>) =>
  layer(live, { excludeTestServices: true })(`Privacy (${name})`, (it) => {
    it.effect("exports everything about a contact and nothing about another", () =>
      Effect.gen(function* () {
        const { ann, fresh, privacy, workspace } = yield* mailed
        const rows = yield* privacy.rowsOf(workspace, ann)
        const tables = new Set(rows.map(({ table }) => table))
        for (const table of ["activity", "contact", "delivery", "list_member", "suppression"]) assert(tables.has(table))
        const text = JSON.stringify(rows)
        for (const each of ["Ann@x.test", "ann-new@x.test", "+14152000001"]) assert.include(text, each)
        assert.notInclude(text, "joann")
        const elsewhere = yield* fresh.workspace()
        assert.strictEqual((yield* Effect.flip(privacy.rowsOf(elsewhere, ann)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(privacy.identifierPatterns(elsewhere, ann)))._tag, "NotFound")
      }),
    )

    it.effect("erases a contact and all former addresses from every row, and keeps the counts of sent messages", () =>
      Effect.gen(function* () {
        const { ann, scenario, sent, started, again, joann, workspace } = yield* mailed
        const next = yield* started(again, { again: sent.contacts })
        assert.isAbove(about(yield* kept(workspace), "ann-new@x.test").length, 0)
        const others = about(yield* kept(workspace), "joann@x.test").length
        yield* erasing(workspace, ann)
        const left = yield* kept(workspace)
        for (const trace of ["ann-new@x.test", "+14152000001", '"ann@x.test', "<ann@x.test"]) {
          assert.deepStrictEqual(about(left, trace), [])
        }
        assert.strictEqual(about(left, "joann@x.test").length, others)
        const recorded = (yield* eventsOf(workspace)).filter(({ contactId }) => contactId === ann)
        assert.deepStrictEqual(
          recorded.map(({ data, type }) => [type, data]),
          [["contact_deleted", { erased: true }]],
        )
        const states = (blast: typeof sent.blast) =>
          Effect.map(scenario.written(workspace, blast), (rows) =>
            [ann, joann].map((id) => rows.find(({ contactId }) => contactId === id)?.state),
          )
        assert.deepStrictEqual(yield* states(sent.blast), ["sent", "sent"])
        assert.deepStrictEqual(yield* states(next.blast), ["blocked", "queued"])
        assert.strictEqual((yield* Effect.flip(erasing(workspace, ann)))._tag, "NotFound")
      }),
    )

    it.effect("exports and erases what merged contacts have left, their former addresses too", () =>
      Effect.gen(function* () {
        const { ann, contacts, fresh, joann, privacy, sent, scenario, transact, workspace } = yield* mailed
        const merge = Effect.fnUntraced(function* (id: ContactId) {
          const source = yield* contacts.get(workspace, id)
          const target = yield* contacts.get(workspace, ann)
          const after = mergedContact({ source, target }, { prefer: "target", fields: new Map() }, at(8_500))
          const change = ContactsChange.merge({ source, target }, after, at(8_500))
          yield* transact(
            Effect.andThen(contacts.lockForDeletion(workspace, [ann, id]), contacts.apply(workspace, change)),
          )
        })
        const unmailed = newContact(ContactId.make(yield* fresh.id), { email: email("third@x.test") }, "api", at(8_400))
        const adding = ContactsChange.of([{ before: null, after: unmailed, at: at(8_400) }])
        yield* transact(contacts.apply(workspace, adding))
        yield* scenario.suppress(workspace, "third@x.test", "unsubscribe")
        yield* merge(joann)
        yield* merge(unmailed.id)
        const rows = yield* privacy.rowsOf(workspace, ann)
        assert.include(JSON.stringify(rows), "joann@x.test")
        assert.includeMembers(
          rows.map(({ table }) => table),
          ["contact_former_id"],
        )
        assert.include((yield* privacy.identifierPatterns(workspace, ann)).emails, "joann@x.test")
        yield* erasing(workspace, ann)
        const left = yield* kept(workspace)
        for (const trace of ["ann@x.test", "ann-new@x.test", "third@x.test"])
          assert.deepStrictEqual(about(left, trace), [])
        assert.deepStrictEqual(
          left.filter((line) => line.startsWith("contact_former_id")),
          [],
        )
        const states = yield* scenario.written(workspace, sent.blast)
        assert.deepStrictEqual(
          states.map(({ state }) => state),
          ["sent", "sent"],
        )
        assert.isTrue((yield* eventsOf(workspace)).every(({ type }) => type === "contact_deleted"))
      }),
    )

    it.effect("keeps an address that belongs to another contact by now", () =>
      Effect.gen(function* () {
        const { ann, contacts, fresh, privacy, transact, workspace } = yield* mailed
        const heir = newContact(ContactId.make(yield* fresh.id), { email: email("ann@x.test") }, "api", at(8_500))
        yield* transact(contacts.apply(workspace, ContactsChange.of([{ before: null, after: heir, at: at(8_500) }])))
        assert.deepStrictEqual((yield* privacy.identifierPatterns(workspace, ann)).emails, ["ann-new@x.test"])
        yield* erasing(workspace, ann)
        const left = yield* privacy.rowsOf(workspace, heir.id)
        assert.includeMembers(
          left.map(({ table }) => table),
          ["contact", "suppression"],
        )
      }),
    )

    it.effect("refuses to erase a contact while a worker has claimed a message; a released message is never sent", () =>
      Effect.gen(function* () {
        const { again, ann, claim, contacts, release, grant, scenario, sent, started, workspace } = yield* mailed
        const next = yield* started(again, { again: sent.contacts })
        const held = yield* claim()
        const refused = yield* Effect.flip(erasing(workspace, ann))
        assert.deepStrictEqual([refused._tag, "because" in refused && refused.because], ["ContactBusy", "message"])
        assert.strictEqual((yield* contacts.get(workspace, ann)).id, ann)
        yield* release(held)
        yield* erasing(workspace, ann)
        const mine = (yield* claim()).filter(({ contact }) => contact?.id === ann || contact === null)
        assert.deepStrictEqual([mine.length, (yield* grant(mine)).size], [0, 0])
        const row = (yield* scenario.written(workspace, next.blast)).find(({ contactId }) => contactId === ann)
        assert.deepStrictEqual([row?.state, row?.reason], ["blocked", "contact_deleted"])
      }),
    )

    it.effect("exports a whole workspace without secrets and without data of another", () =>
      Effect.gen(function* () {
        const { fresh, workspace } = yield* mailed
        const lines = yield* kept(workspace)
        const tables = new Set(lines.map((line) => line.slice(0, line.indexOf(" "))))
        for (const table of ["activity", "blast", "contact", "delivery", "list", "list_member"])
          assert(tables.has(table))
        for (const table of ["api_key", "idempotency_key", "outbox_event"]) assert(!tables.has(table), table)
        assert.deepStrictEqual(about(yield* kept(yield* fresh.workspace()), "x.test"), [])
      }),
    )
  })
