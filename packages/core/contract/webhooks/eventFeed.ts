// Contract tests of the feed of events: walking in both orders, filters, contacts, and other workspaces.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { newContact } from "../../src/contacts/ContactPatch.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { ContactId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import { EventFeed, type ListedEvents } from "../../src/webhooks/EventFeed.ts"
import { EventId } from "../../src/webhooks/EventId.ts"
import type { EventStore } from "../../src/webhooks/EventStore.ts"
import { Fresh } from "../kernel/fresh.ts"

const at = (ms: number) => DateTime.makeUnsafe(ms)

const begin = Effect.gen(function* () {
  const fresh = yield* Fresh
  const feed = yield* EventFeed
  const outbox = yield* Outbox
  const contacts = yield* ContactStore
  const { transact } = yield* Transactor
  const workspace = yield* fresh.workspace()
  /** Creates a flow's event; its `flow_id` is the name. */
  const write = (name: string, ms = 1_000, of: WorkspaceId = workspace) =>
    transact(outbox.append(of, [{ type: "flow_paused", contactId: null, at: at(ms), data: { flow_id: name } }]))
  const person = Effect.gen(function* () {
    const id = ContactId.make(yield* fresh.id)
    const patch = { email: parseEmail(`${id}@example.com`), displayName: "Ann Lee" }
    const contact = newContact(id, patch, "api", at(5_000))
    yield* transact(contacts.apply(workspace, ContactsChange.of([{ before: null, after: contact, at: at(5_000) }])))
    return contact
  })
  const list = (by: ListedEvents = {}) =>
    Effect.map(feed.list(workspace, by), ({ items, next }) => ({
      names: items.map(({ data }) => data["flow_id"]),
      next: next ?? undefined,
    }))
  return { contacts, feed, fresh, list, outbox, person, transact, workspace, write }
})

type Ports = ContactStore | EventStore | Fresh | Outbox | Transactor

export const eventFeed = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(Layer.provideMerge(EventFeed.layer, live), { excludeTestServices: true })(`EventFeed (${name})`, (it) => {
    it.effect(
      "walks in the order of the sequence, forgets nothing and repeats nothing, and goes on after the end",
      () =>
        Effect.gen(function* () {
          const { list, write } = yield* begin
          const first = yield* list({ order: "asc" })
          assert.deepStrictEqual(first.names, [])
          for (const each of ["a", "b", "c"]) yield* write(each)
          const two = yield* list({ order: "asc", limit: 2, cursor: first.next ?? "" })
          const last = yield* list({ order: "asc", limit: 2, cursor: two.next ?? "" })
          assert.deepStrictEqual([two.names, last.names], [["a", "b"], ["c"]])
          const none = yield* list({ order: "asc", cursor: last.next ?? "" })
          assert.deepStrictEqual(none, { names: [], next: last.next })
          yield* write("d")
          assert.deepStrictEqual((yield* list({ order: "asc", cursor: none.next ?? "" })).names, ["d"])
        }),
    )

    it.effect("lists the newest first, and ends", () =>
      Effect.gen(function* () {
        const { list, write } = yield* begin
        for (const each of ["a", "b", "c"]) yield* write(each)
        const two = yield* list({ limit: 2 })
        assert.deepStrictEqual(two.names, ["c", "b"])
        assert.deepStrictEqual(yield* list({ limit: 2, cursor: two.next ?? "" }), { names: ["a"], next: undefined })
        assert.deepStrictEqual(yield* list({ limit: 3 }), { names: ["c", "b", "a"], next: undefined })
      }),
    )

    it.effect("filters by type, contact and time, and passes over events that are internal", () =>
      Effect.gen(function* () {
        const { feed, list, outbox, person, transact, workspace, write } = yield* begin
        yield* write("early", 1_000)
        yield* write("late", 3_000)
        const { id } = yield* person
        const internal = { type: "list_rules_changed", contactId: null, at: at(1), data: {} }
        yield* transact(outbox.append(workspace, [internal]))
        assert.deepStrictEqual((yield* list({ since: at(3_000), type: "flow.paused" })).names, ["late"])
        assert.deepStrictEqual((yield* list({ until: at(3_000) })).names, ["early"])
        const types = (by: ListedEvents) =>
          Effect.map(feed.list(workspace, by), ({ items }) => items.map(({ type }) => type))
        assert.deepStrictEqual(yield* types({ contactId: id }), ["contact.created"])
        assert.deepStrictEqual(yield* types({ type: "contact.created" }), ["contact.created"])
        assert.deepStrictEqual(yield* types({}), ["contact.created", "flow.paused", "flow.paused"])
        const passed = yield* feed.list(workspace, { order: "asc", type: "list.deleted" })
        assert.deepStrictEqual((yield* feed.list(workspace, { order: "asc", cursor: passed.next ?? "" })).items, [])
      }),
    )

    it.effect("shows the contact as it is now, and its id alone after its deletion", () =>
      Effect.gen(function* () {
        const { contacts, feed, person, transact, workspace } = yield* begin
        const contact = yield* person
        const shown = Effect.map(feed.list(workspace, {}), ({ items }) => items.map(({ data }) => data["contact"]))
        const known = {
          contact_id: contact.id,
          email: contact.email,
          phone: null,
          display_name: "Ann Lee",
        }
        assert.deepStrictEqual(yield* shown, [known])
        yield* transact(contacts.apply(workspace, ContactsChange.of([{ before: contact, after: null, at: at(9_000) }])))
        const unknown = { contact_id: contact.id, email: null, phone: null, display_name: null }
        assert.deepStrictEqual(yield* shown, [unknown, unknown])
      }),
    )

    it.effect("returns one event by its id, and none of another workspace", () =>
      Effect.gen(function* () {
        const { feed, fresh, workspace, write } = yield* begin
        const other = yield* fresh.workspace()
        yield* write("a")
        yield* write("x", 1_000, other)
        const [event] = (yield* feed.list(workspace, {})).items
        const [foreign] = (yield* feed.list(other, {})).items
        assert(event !== undefined && foreign !== undefined)
        assert.notStrictEqual(event.id, foreign.id)
        assert.deepStrictEqual(yield* feed.get(workspace, event.id), event)
        for (const id of [foreign.id, EventId.make(yield* fresh.id)]) {
          assert.strictEqual((yield* Effect.flip(feed.get(workspace, id)))._tag, "NotFound")
        }
      }),
    )

    it.effect("writes the events of a workspace from the first reading on, and refuses a broken cursor", () =>
      Effect.gen(function* () {
        const { feed, fresh, outbox, transact } = yield* begin
        const workspace = yield* fresh.unreadWorkspace
        const write = transact(
          outbox.append(workspace, [{ type: "flow_paused", contactId: null, at: at(1), data: { flow_id: "a" } }]),
        )
        yield* write
        const first = yield* feed.list(workspace, { order: "asc" })
        yield* write
        const next = yield* feed.list(workspace, { order: "asc", cursor: first.next ?? "" })
        assert.deepStrictEqual([first.items.length, next.items.length], [0, 1])
        for (const cursor of ["", "abc", "LTE", "MTIzNDU2Nzg5MDEyMzQ1Njc4OTA"]) {
          assert.strictEqual((yield* Effect.flip(feed.list(workspace, { cursor })))._tag, "BrokenCursor")
        }
      }),
    )
  })
