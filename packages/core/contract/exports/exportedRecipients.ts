// Contract tests of the recipients that exports contain.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import { decide } from "../../src/blasts/machine.ts"
import { type RecipientCategory, recipientCategories } from "../../src/blasts/BlastStore.ts"
import type { Contact } from "../../src/contacts/Contact.ts"
import { newContact } from "../../src/contacts/ContactPatch.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import { ExportChange } from "../../src/exports/machine.ts"
import { ExportStore } from "../../src/exports/ExportStore.ts"
import { type BlastId, ContactId, ExportId } from "../../src/kernel/Ids.ts"
import { recipientQuery, later, noon, type Rooms } from "../blasts/blastWorld.ts"
import { mailedBlast } from "../sending/mailedBlast.ts"

const begin = Effect.gen(function* () {
  const world = yield* mailedBlast
  const { workspace, fresh, transact, store } = world
  const exports = yield* ExportStore
  const contacts = yield* ContactStore

  /** This many contacts in one change. */
  const crowd = Effect.fnUntraced(function* (count: number) {
    const ids = yield* Effect.all(Array.from({ length: count }, () => fresh.id))
    const made = ids.map((id) =>
      newContact(ContactId.make(id), { email: parseEmail(`${id}@example.test`), displayName: "=é" }, "api", noon),
    )
    yield* transact(
      contacts.apply(workspace, ContactsChange.of(made.map((after) => ({ before: null, after, at: noon })))),
    )
    return made
  })
  const deleted = (gone: ReadonlyArray<Contact>) =>
    transact(
      Effect.gen(function* () {
        yield* contacts.lockForDeletion(
          workspace,
          gone.map(({ id }) => id),
        )
        yield* contacts.apply(workspace, ContactsChange.of(gone.map((before) => ({ before, after: null, at: noon }))))
      }),
    )
  const removed = (id: BlastId) =>
    transact(
      Effect.gen(function* () {
        const sending = yield* store.lockAgainstIntents(workspace, id)
        const cancelled = yield* Effect.fromResult(decide(sending, { _tag: "cancel" }, later(50)))
        yield* store.apply(workspace, cancelled)
        yield* store.apply(
          workspace,
          yield* Effect.fromResult(decide(cancelled.after, { _tag: "delete", lists: [] }, later(60))),
        )
      }),
    )

  const read = (blastId: BlastId, category: RecipientCategory = "recipients") =>
    Effect.map(Stream.runCollect(exports.recipients(workspace, { blastId, category })), (parts) => parts.flat())
  return { ...world, exports, crowd, deleted, removed, read }
})

type Ports = Rooms | ExportStore

const byContact = (left: { readonly contactId: string }, right: { readonly contactId: string }) =>
  left.contactId < right.contactId ? -1 : 1

export const exportedRecipients = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`Exported recipients (${name})`, (it) => {
    it.effect("exports the same recipients as the listing, of each category, with their contacts", () =>
      Effect.gen(function* () {
        const { store, workspace, id, members, deleted, read } = yield* begin
        const [ann] = members
        if (ann === undefined) return assert.fail("the recipient is missing")
        yield* deleted([ann])
        const counts = yield* Effect.forEach(recipientCategories, (category) =>
          Effect.gen(function* () {
            const { items } = yield* store.recipients(workspace, id, { ...recipientQuery, limit: 100, category })
            assert.deepStrictEqual(yield* read(id, category), [...items].sort(byContact), category)
            return [category, items.length]
          }),
        )
        assert.deepStrictEqual(Object.fromEntries(counts), {
          recipients: 5,
          queued: 0,
          deferred: 0,
          sent: 2,
          delivered: 2,
          opened: 0,
          clicked: 0,
          bounced: 1,
          unsubscribed: 0,
          spam: 0,
          failed: 2,
          blocked: 1,
          unconfirmed: 1,
        })
        const statuses = (yield* read(id)).map(
          ({ status, reason, contactDeleted }) => `${status} ${reason} ${contactDeleted}`,
        )
        assert.sameMembers(
          statuses.filter((each) => !each.startsWith("sent")),
          ["blocked unsubscribed false", "failed hard_bounce false", "failed unconfirmed false"],
        )
        assert.strictEqual((yield* read(id)).find(({ contactId }) => contactId === ann.id)?.contactDeleted, true)
      }),
    )

    it.effect(
      "exports recipients as they were when reading began, also when the blast or contacts are deleted meanwhile",
      () =>
        Effect.gen(function* () {
          const { exports, workspace, crowd, sending, deleted, removed, read } = yield* begin
          const people = yield* crowd(600)
          const id = yield* sending("b", people)
          const before = yield* read(id)
          const meanwhile = Effect.andThen(deleted(people.slice(-2)), removed(id))
          const parts = yield* exports.recipients(workspace, { blastId: id, category: "recipients" }).pipe(
            Stream.zipWithIndex,
            Stream.tap(([, part]) => (part === 0 ? meanwhile : Effect.void)),
            Stream.map(([part]) => part),
            Stream.runCollect,
          )
          assert.isAbove(parts.length, 2)
          assert.deepStrictEqual(parts.flat(), before)
          assert.strictEqual(before.length, 600)
          assert.deepStrictEqual(yield* read(id), [])
        }),
    )

    it.effect("hides the export of a deleted blast and deletes it at its own time", () =>
      Effect.gen(function* () {
        const { fresh, exports, workspace, transact, person, sending, removed } = yield* begin
        const blastId = yield* sending("b", [yield* person("fay")])
        const id = ExportId.make(yield* fresh.id)
        const subject = { kind: "blast", blastId, category: "spam" } as const
        const { change, begun } = ExportChange.begin({ id, subject }, noon)
        assert.isTrue(yield* transact(exports.apply(workspace, change)))
        assert.deepStrictEqual(yield* exports.get(workspace, id), begun)
        yield* removed(blastId)
        assert.strictEqual((yield* Effect.flip(exports.get(workspace, id)))._tag, "NotFound")
        const there = yield* transact(exports.lock(workspace, id))
        assert.deepStrictEqual(there, begun)
        assert.isTrue(yield* transact(exports.apply(workspace, ExportChange.forget(there))))
      }),
    )

    it.effect("exports no recipients of another workspace", () =>
      Effect.gen(function* () {
        const { fresh, exports, person, sending, read } = yield* begin
        const blastId = yield* sending("b", [yield* person("fay")])
        const elsewhere = yield* fresh.workspace()
        const there = yield* Stream.runCollect(exports.recipients(elsewhere, { blastId, category: "recipients" }))
        assert.deepStrictEqual(there.flat(), [])
        assert.strictEqual((yield* read(blastId)).length, 1)
      }),
    )
  })
