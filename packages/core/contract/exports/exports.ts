// Contract tests of `ExportStore`: states of exports, and the rows that they contain.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer, Stream } from "effect"
import { newContact } from "../../src/contacts/ContactPatch.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import type { Export } from "../../src/exports/Export.ts"
import { ExportChange } from "../../src/exports/machine.ts"
import { ExportStore } from "../../src/exports/ExportStore.ts"
import { ContactId, ExportId, ListId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { type List, ListChange } from "../../src/lists/List.ts"
import type { Rooms } from "../blasts/blastWorld.ts"
import type { TopicPorts } from "../topics/topicWorld.ts"
import { exportedRecipients } from "./exportedRecipients.ts"
import { exportedRecords } from "./exportedRecords.ts"
import * as World from "../lists/listWorld.ts"
import { at, cityIs, everyList, given, now, owner } from "../lists/listWorld.ts"

const day = at(Date.UTC(2026, 4, 1))

const some = <A>(value: A | null | undefined): A => {
  if (value === null || value === undefined) throw new Error("a value was expected")
  return value
}

const begin = Effect.gen(function* () {
  const world = yield* World.begin
  const { fresh, transact, workspace, contacts, makeStatic } = world
  const exports = yield* ExportStore

  const begun = Effect.fnUntraced(function* (listId: ListId, excludeUnsubscribed = false) {
    const id = ExportId.make(yield* fresh.id)
    const { change, begun } = ExportChange.begin(
      { id, subject: { kind: "list", listId, excludeUnsubscribed } },
      at(1_234_567),
    )
    assert.isTrue(yield* transact(exports.apply(workspace, change)))
    return begun
  })
  const ofEmptyList = Effect.flatMap(makeStatic("Empty"), ({ id }) => begun(id))

  /** Applies a decision and returns the export after it. */
  const moved = Effect.fnUntraced(function* (change: ExportChange | null) {
    assert.isTrue(yield* transact(exports.apply(workspace, some(change))))
    return some(change?.after)
  })
  const started = (it: Export) => moved(ExportChange.start(it))

  /** This many contacts in one change, with ids in any order. */
  const crowd = Effect.fnUntraced(function* (count: number) {
    const ids = (yield* Effect.all(Array.from({ length: count }, () => fresh.id))).map((id) => ContactId.make(id))
    const made = ids.map((id) => {
      const patch = { email: parseEmail(`${id}@example.com`), customFields: new Map([["note", "é"]]) }
      return { before: null, after: newContact(id, patch, "api", now), at: now }
    })
    yield* transact(contacts.apply(workspace, ContactsChange.of(made)))
    return ids
  })

  const read = (list: List, inside: WorkspaceId = workspace, excludeUnsubscribed = false) =>
    exports.members(inside, world.audience(list), { excludeUnsubscribed })
  const idsOf = (list: List, excludeUnsubscribed = false) =>
    Effect.map(Stream.runCollect(read(list, workspace, excludeUnsubscribed)), (parts) =>
      parts.flat().map((contact) => contact.id),
    )
  return { ...world, exports, begun, ofEmptyList, moved, started, crowd, read, idsOf }
})

type Ports = World.Ports | Rooms | TopicPorts | ExportStore

export const exports = <E>(name: string, live: Layer.Layer<Ports, E>) => {
  exportStates(name, live)
  exportedMembers(name, live)
  exportedRecipients(name, live)
  exportedRecords(name, live)
}

const complete = (it: Export) => ExportChange.complete(it, { stem: "empty", rowCount: 3 }, day)
const fail = (it: Export) => ExportChange.fail(it, "Ä sentence", day)

const exportStates = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ExportStore (${name})`, (it) => {
    it.effect("reads an export in each of its states until it is deleted", () =>
      Effect.gen(function* () {
        const { exports, workspace, transact, makeStatic, begun, moved, started } = yield* begin
        const { id: list } = yield* makeStatic("Exported")
        for (const end of [complete, fail]) {
          const queued = yield* begun(list, end === fail)
          assert.deepStrictEqual(yield* exports.get(workspace, queued.id), queued)
          const running = yield* started(queued)
          assert.deepStrictEqual(yield* exports.get(workspace, queued.id), running)
          const ended = yield* moved(end(running))
          assert.deepStrictEqual(yield* exports.get(workspace, queued.id), ended)
          assert.deepStrictEqual(yield* transact(exports.lock(workspace, queued.id)), ended)
          assert.isTrue(yield* transact(exports.apply(workspace, ExportChange.forget(ended))))
          assert.strictEqual((yield* Effect.flip(exports.get(workspace, queued.id)))._tag, "NotFound")
          assert.strictEqual((yield* Effect.flip(transact(exports.lock(workspace, queued.id))))._tag, "NotFound")
        }
      }),
    )

    it.effect("fails on a change that was decided on another state", () =>
      Effect.gen(function* () {
        const { exports, workspace, transact, ofEmptyList, moved, started } = yield* begin
        const queued = yield* ofEmptyList
        const running = yield* started(queued)
        const completed = yield* moved(complete(running))
        for (const stale of [ExportChange.start(queued), fail(running), fail(queued), ExportChange.forget(running)]) {
          assert.isFalse(yield* transact(exports.apply(workspace, some(stale))))
        }
        assert.deepStrictEqual(yield* exports.get(workspace, queued.id), completed)
      }),
    )

    it.effect("makes the second of two concurrent decisions wait and see the result of the first", () =>
      Effect.gen(function* () {
        const { exports, workspace, transact, ofEmptyList } = yield* begin
        const queued = yield* ofEmptyList
        const [locked, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const first = yield* Effect.gen(function* () {
          const before = yield* exports.lock(workspace, queued.id)
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(go)
          return yield* exports.apply(workspace, some(fail(before)))
        }).pipe(transact, Effect.forkChild)
        yield* Deferred.await(locked)
        const second = yield* Effect.forkChild(transact(exports.lock(workspace, queued.id)))
        yield* Effect.sleep("50 millis")
        yield* Deferred.succeed(go, undefined)
        assert.isTrue(yield* Fiber.join(first))
        assert.strictEqual((yield* Fiber.join(second)).status, "failed")
      }),
    )

    it.effect("leaves the export unchanged when the transaction fails", () =>
      Effect.gen(function* () {
        const { exports, workspace, transact, ofEmptyList } = yield* begin
        const queued = yield* ofEmptyList
        const failing = Effect.andThen(exports.apply(workspace, some(complete(queued))), Effect.fail("no" as const))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(transact(failing))))
        assert.deepStrictEqual(yield* exports.get(workspace, queued.id), queued)
      }),
    )

    it.effect("hides the export of a deleted list and deletes it at its own time", () =>
      Effect.gen(function* () {
        const { exports, workspace, transact, store, make, begun } = yield* begin
        const list = yield* make(given("inline"), { kind: "static", contactIds: [] }, { owner })
        const queued = yield* begun(list.id)
        assert.deepStrictEqual(yield* exports.get(workspace, queued.id), queued)
        yield* transact(store.apply(workspace, ListChange.discardInline({ ...list, ownerBlastId: owner }, now)))
        assert.strictEqual((yield* Effect.flip(exports.get(workspace, queued.id)))._tag, "NotFound")
        const there = yield* transact(exports.lock(workspace, queued.id))
        assert.deepStrictEqual(there, queued)
        assert.isTrue(yield* transact(exports.apply(workspace, ExportChange.forget(there))))
      }),
    )

    it.effect("neither shows nor changes exports of another workspace", () =>
      Effect.gen(function* () {
        const { fresh, store, exports, workspace, transact, crowd, makeStatic, begun, read } = yield* begin
        const other = yield* fresh.workspace()
        const list = yield* makeStatic("Mine", yield* crowd(3))
        const queued = yield* begun(list.id)
        for (const reading of [exports.get(other, queued.id), transact(exports.lock(other, queued.id))]) {
          assert.strictEqual((yield* Effect.flip(reading))._tag, "NotFound")
        }
        for (const change of [fail(queued), ExportChange.forget(queued)]) {
          assert.isFalse(yield* transact(exports.apply(other, some(change))))
        }
        const { items } = yield* store.list(workspace, { ...everyList, kind: "system" })
        for (const each of [list, ...items]) {
          assert.deepStrictEqual((yield* Stream.runCollect(read(each, other))).flat(), [])
        }
        assert.deepStrictEqual(yield* exports.get(workspace, queued.id), queued)
      }),
    )
  })

const exportedMembers = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`Exported members (${name})`, (it) => {
    it.effect("exports the members of each kind of list, by id", () =>
      Effect.gen(function* () {
        const { workspace, store, add, make, makeStatic, idsOf } = yield* begin
        const [ann, bob, eve] = [
          yield* add({ city: "Rome" }),
          yield* add({ city: "Rome", unsubscribed: true }),
          yield* add({ city: "Oslo" }),
        ]
        const inline = yield* make(given("inline"), { kind: "static", contactIds: [eve, bob] }, { owner })
        const dynamic = yield* make(given("Romans"), { kind: "dynamic", rules: cityIs("rome") })
        const noRules = yield* make(given("without rules"), { kind: "dynamic", rules: null })
        const held: ReadonlyArray<readonly [List, ReadonlyArray<ContactId>]> = [
          [yield* makeStatic("Static", [eve, ann]), [ann, eve]],
          [inline, [bob, eve]],
          [dynamic, [ann, bob]],
          [noRules, []],
          [yield* makeStatic("Empty"), []],
        ]
        for (const [list, ids] of held) {
          assert.deepStrictEqual(yield* idsOf(list), [...ids].sort(), list.name)
          const subscribed = ids.filter((id) => id !== bob)
          assert.deepStrictEqual(yield* idsOf(list, true), subscribed.sort(), `${list.name}, subscribed`)
        }
        for (const list of (yield* store.list(workspace, { ...everyList, kind: "system" })).items) {
          const all = list.name === "All contacts"
          assert.deepStrictEqual(yield* idsOf(list), all ? [ann, bob, eve].sort() : [bob])
          assert.deepStrictEqual(yield* idsOf(list, true), all ? [ann, eve].sort() : [])
        }
      }),
    )

    it.effect("exports in chunks, with each contact once and complete", () =>
      Effect.gen(function* () {
        const { workspace, contacts, crowd, makeStatic, read } = yield* begin
        const ids = yield* crowd(600)
        const list = yield* makeStatic("Crowd", ids)
        const parts = yield* Stream.runCollect(read(list))
        assert.isAbove(parts.length, 2)
        assert.isTrue(parts.every((part) => part.length > 0))
        const members = parts.flat()
        assert.deepStrictEqual(
          members.map(({ id }) => id),
          [...ids].sort(),
        )
        for (const member of [some(members[0]), some(members[599])]) {
          assert.deepStrictEqual(member, yield* contacts.get(workspace, member.id))
        }
      }),
    )

    it.effect("exports contacts as they were when reading began", () =>
      Effect.gen(function* () {
        const { workspace, transact, store, contacts, crowd, make, read } = yield* begin
        yield* crowd(600)
        const { items } = yield* store.list(workspace, { ...everyList, kind: "system" })
        const list = some(items.find((each) => each.name === "All contacts"))
        const last = some((yield* Stream.runCollect(read(list))).flat().at(-1))
        const meanwhile = Effect.gen(function* () {
          const renamed = { ...last, firstName: "Later", updatedAt: day }
          yield* transact(contacts.apply(workspace, ContactsChange.of([{ before: last, after: renamed, at: day }])))
          yield* crowd(10)
          yield* make(given("Later"), { kind: "dynamic", rules: null })
        })
        const seen = yield* read(list).pipe(
          Stream.zipWithIndex,
          Stream.tap(([, part]) => (part === 0 ? meanwhile : Effect.void)),
          Stream.flatMap(([part]) => Stream.fromIterable(part)),
          Stream.runCollect,
        )
        assert.strictEqual(seen.length, 600)
        assert.deepStrictEqual(seen.at(-1), last)
        assert.strictEqual((yield* Stream.runCollect(read(list))).flat().length, 610)
      }),
    )

    it.effect("does not block other readers when a reader stops early, fails or is interrupted", () =>
      Effect.gen(function* () {
        const { crowd, makeStatic, read } = yield* begin
        const list = yield* makeStatic("Crowd", yield* crowd(600))
        for (let time = 0; time < 5; time++) {
          assert.strictEqual((yield* read(list).pipe(Stream.take(1), Stream.runCollect)).length, 1)
          const failing = read(list).pipe(Stream.runForEach(() => Effect.fail("enough" as const)))
          assert.strictEqual(yield* Effect.flip(failing), "enough")
          const begun = yield* Deferred.make<void>()
          const reader = yield* read(list).pipe(
            Stream.runForEach(() => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)),
            Effect.forkChild,
          )
          yield* Deferred.await(begun)
          yield* Fiber.interrupt(reader)
        }
        assert.strictEqual((yield* Stream.runCollect(read(list))).flat().length, 600)
      }),
    )

    it.effect("allows a reader to write between two chunks", () =>
      Effect.gen(function* () {
        const { exports, workspace, transact, crowd, makeStatic, ofEmptyList, read } = yield* begin
        const list = yield* makeStatic("Crowd", yield* crowd(600))
        const queued = yield* ofEmptyList
        const rolledBack = transact(
          Effect.andThen(exports.apply(workspace, some(fail(queued))), Effect.fail("no" as const)),
        )
        yield* read(list).pipe(Stream.runForEach(() => Effect.flip(rolledBack)))
        const reading = read(list).pipe(Stream.runForEach(() => exports.get(workspace, queued.id)))
        yield* transact(Effect.andThen(exports.lock(workspace, queued.id), reading))
        assert.deepStrictEqual(yield* exports.get(workspace, queued.id), queued)
      }),
    )
  })
