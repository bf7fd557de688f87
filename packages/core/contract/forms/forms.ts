// Contract tests of form submissions.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Result } from "effect"
import { identitiesOf } from "../../src/contacts/batch/Batch.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import type { ContactPatch } from "../../src/contacts/ContactPatch.ts"
import { FormStore } from "../../src/forms/FormStore.ts"
import { SubmissionChange } from "../../src/forms/Submission.ts"
import { ContactId, SubmissionId, TentId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import type { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { TentChange } from "../../src/tents/machine.ts"
import { TentStore } from "../../src/tents/TentStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { deleting, email } from "../contacts/contactWorld.ts"
import { Fresh } from "../kernel/fresh.ts"
import { at, moves } from "../tents/tentMoves.ts"
import { eventsOf } from "../contacts/notifications.ts"

/** Events, without those of the page itself. */
const formEvents = (workspace: WorkspaceId) =>
  Effect.map(eventsOf(workspace), (events) => events.filter(({ type }) => !type.startsWith("tent_")))

const answers = { message: "See you there", email: "Ada@example.com", "": "of no name", constructor: "plain" }

const everything = { after: null, limit: 100 }

const begin = Effect.gen(function* () {
  const store = yield* FormStore
  const contacts = yield* ContactStore
  const { transact } = yield* Transactor
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace()
  const tents = moves(yield* TentStore, transact, fresh)
  const { id: tent } = yield* tents.completed(workspace)
  yield* tents.publishAs(workspace, tent, {})

  /** Does what the use case does. */
  const receive = Effect.fnUntraced(function* (visitor: ContactPatch | null, ms = 1_000, of: WorkspaceId = workspace) {
    const named = visitor === null ? [] : [{ patch: Result.succeed(visitor) }]
    const existing = yield* contacts.lock(of, identitiesOf(named))
    yield* store.lockPublished(of, tent)
    const form = { tentId: tent, formId: "sign-up", fields: Object.keys(answers), successUrl: null }
    const sending = { id: SubmissionId.make(yield* fresh.id), form, answers, visitor }
    const change = SubmissionChange.receive(sending, {
      existing,
      ids: [ContactId.make(yield* fresh.id)],
      now: at(ms),
    })
    yield* store.apply(of, change)
    return change.submission
  })
  const submit = (visitor: ContactPatch | null, ms?: number) => transact(receive(visitor, ms))
  return { store, contacts, transact, fresh, workspace, tent, tents, receive, submit }
})

const ada = { email: email("Ada@example.com"), firstName: "Ada" }

export const forms = <E>(
  name: string,
  live: Layer.Layer<FormStore | ContactStore | TentStore | Outbox | Transactor | Fresh, E>,
) =>
  layer(live, { excludeTestServices: true })(`Form submissions (${name})`, (it) => {
    it.effect("reads submissions as they were sent, newest first, page by page", () =>
      Effect.gen(function* () {
        const { store, workspace, tent, submit } = yield* begin
        const oldest = yield* submit(null, 1)
        const ties = [yield* submit(ada, 2), yield* submit(null, 2)].sort((a, b) => (a.id < b.id ? -1 : 1))
        const newest = yield* submit(null, 3)
        const expected = [newest, ...ties, oldest]
        const all = yield* store.list(workspace, tent, everything)
        assert.deepStrictEqual(all, { items: expected, next: null })
        assert.deepStrictEqual(Object.keys(all.items[0]?.fields ?? {}), Object.keys(answers))
        const first = yield* store.list(workspace, tent, { after: null, limit: 2 })
        const second = yield* store.list(workspace, tent, { after: first.next, limit: 2 })
        assert.deepStrictEqual([...first.items, ...second.items], expected)
        assert.strictEqual(second.next, null)
      }),
    )

    it.effect("turns a visitor into a contact, with a timeline entry and an event after the contact's own", () =>
      Effect.gen(function* () {
        const { contacts, workspace, tent, submit } = yield* begin
        const submission = yield* submit(ada, 5_000)
        const contact = yield* contacts.get(workspace, submission.contactId ?? assert.fail("no contact"))
        assert.deepInclude(contact, { firstName: "Ada", email: "Ada@example.com", originalSource: "form" })
        assert.strictEqual(contact.lastActivityAt?.epochMilliseconds, 5_000)
        const lines = yield* contacts.activities(workspace, contact.id, { page: 1, limit: 10, order: "asc" })
        assert.deepStrictEqual(
          lines.items.map(({ type }) => type),
          ["contact_created", "form_submission"],
        )
        const metadata = { tent_id: tent, form_id: "sign-up", submission_id: submission.id, fields: answers }
        assert.deepStrictEqual(lines.items[1]?.metadata, metadata)
        const events = yield* formEvents(workspace)
        assert.deepStrictEqual(
          events.map(({ type, contactId }) => [type, contactId]),
          [
            ["contact_created", contact.id],
            ["form_submission", contact.id],
          ],
        )
        assert.deepStrictEqual(events[1]?.data, metadata)
      }),
    )

    it.effect("stores a submission without email or phone, with an event that has no contact", () =>
      Effect.gen(function* () {
        const { contacts, workspace, submit } = yield* begin
        assert.strictEqual((yield* submit(null)).contactId, null)
        assert.strictEqual(yield* contacts.count(workspace), 0)
        const [event, ...others] = yield* formEvents(workspace)
        assert.deepStrictEqual([event?.type, event?.contactId, others.length], ["form_submission", null, 0])
      }),
    )

    it.effect("creates one contact for several concurrent submissions and stores all of them", () =>
      Effect.gen(function* () {
        const { store, contacts, workspace, tent, submit } = yield* begin
        const all = yield* Effect.all(
          Array.from({ length: 8 }, () => submit(ada)),
          { concurrency: 4 },
        )
        assert.strictEqual(new Set(all.map(({ contactId }) => contactId)).size, 1)
        assert.strictEqual(yield* contacts.count(workspace), 1)
        assert.strictEqual((yield* store.list(workspace, tent, everything)).items.length, 8)
      }),
    )

    it.effect("refuses submissions to an unpublished page, and stores those that began before", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, tent, tents, receive, submit } = yield* begin
        const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              const submission = yield* receive(null)
              yield* Deferred.succeed(begun, undefined)
              yield* Deferred.await(goOn)
              return submission
            }),
          ),
        )
        yield* Deferred.await(begun)
        const down = yield* Effect.forkChild(
          tents.change(workspace, tent, (before) => TentChange.unpublish(before, at(9))),
        )
        yield* Deferred.succeed(goOn, undefined)
        const kept = yield* Fiber.join(slow)
        yield* Fiber.join(down)
        assert.strictEqual((yield* Effect.flip(submit(null)))._tag, "NotFound")
        assert.deepStrictEqual((yield* store.list(workspace, tent, everything)).items, [kept])
      }),
    )

    it.effect("writes neither submission nor contact nor event when the transaction fails", () =>
      Effect.gen(function* () {
        const { store, contacts, transact, workspace, tent, receive } = yield* begin
        yield* Effect.exit(transact(Effect.andThen(receive(ada), Effect.fail("no"))))
        assert.deepStrictEqual((yield* store.list(workspace, tent, everything)).items, [])
        assert.strictEqual(yield* contacts.count(workspace), 0)
        assert.deepStrictEqual(yield* formEvents(workspace), [])
      }),
    )

    it.effect("removes a deleted contact from its submissions, and deletes submissions with their tent", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, tent, tents, submit } = yield* begin
        const submission = yield* submit(ada)
        yield* transact(deleting(workspace, [submission.contactId ?? assert.fail("no contact")]))
        assert.deepStrictEqual((yield* store.list(workspace, tent, everything)).items, [
          { ...submission, contactId: null },
        ])
        yield* tents.change(workspace, tent, (held) => TentChange.remove({ tent: held, assetIds: [] }, at(60)))
        assert.strictEqual((yield* Effect.flip(store.list(workspace, tent, everything)))._tag, "NotFound")
      }),
    )

    it.effect("neither shows nor accepts submissions of another workspace", () =>
      Effect.gen(function* () {
        const { store, transact, fresh, tent, receive, submit } = yield* begin
        yield* submit(ada)
        const other = yield* fresh.workspace()
        assert.strictEqual((yield* Effect.flip(store.list(other, tent, everything)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(transact(receive(ada, 1, other))))._tag, "NotFound")
        const none = TentId.make(yield* fresh.id)
        assert.strictEqual((yield* Effect.flip(transact(store.lockPublished(other, none))))._tag, "NotFound")
      }),
    )
  })
