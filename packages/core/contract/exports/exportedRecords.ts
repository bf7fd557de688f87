// Contract tests of the consent records that exports contain.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import { newContact } from "../../src/contacts/ContactPatch.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import type { ConsentRecords } from "../../src/exports/Export.ts"
import { ExportChange } from "../../src/exports/machine.ts"
import { ExportStore } from "../../src/exports/ExportStore.ts"
import { ContactId, ExportId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import { at, type TopicPorts, topicWorld } from "../topics/topicWorld.ts"

const all = { topicId: null, since: null, until: null } as const

const begin = Effect.gen(function* () {
  const world = yield* topicWorld
  const exports = yield* ExportStore
  const read = (wanted: Partial<Omit<ConsentRecords, "kind">> = {}, inside: WorkspaceId = world.workspace) =>
    Effect.map(Stream.runCollect(exports.consentRecords(inside, { ...all, ...wanted })), (parts) => parts.flat())
  /** This many contacts in one change. */
  const crowd = Effect.fnUntraced(function* (count: number) {
    const ids = (yield* Effect.replicateEffect(world.fresh.id, count)).map((id) => ContactId.make(id))
    const steps = ids.map((id) => {
      const after = newContact(id, { email: parseEmail(`${id}@example.com`) }, "api", at(0))
      return { before: null, after, at: at(0) }
    })
    yield* world.transact(world.contacts.apply(world.workspace, ContactsChange.of(steps)))
    return ids
  })
  return { ...world, exports, read, crowd }
})

export const exportedRecords = <E>(name: string, live: Layer.Layer<TopicPorts | ExportStore, E>) =>
  layer(live, { excludeTestServices: true })(`Exported consent records (${name})`, (it) => {
    it.effect("exports the records of a topic and a time range, each with the address of its contact", () =>
      Effect.gen(function* () {
        const { choose, person, read, topic } = yield* begin
        const [news, offers] = [yield* topic("News"), yield* topic("Offers")]
        const ann = yield* person()
        const phoned = yield* person({ email: null, phone: "+14155550100" })
        const given = yield* choose(news, [ann, phoned], "subscribed")
        yield* choose(offers, [ann], "subscribed")
        const addressed = given.records.map((record) => ({
          ...record,
          email: record.contactId === ann ? `${ann}@example.com` : null,
        }))
        assert.deepStrictEqual(yield* read({ topicId: news.id }), addressed)
        assert.strictEqual((yield* read()).length, 3)
        // The records are of the same instant: the first one of the range is in it, the end is not.
        assert.strictEqual((yield* read({ since: at(5), until: at(6) })).length, 3)
        assert.deepStrictEqual(yield* read({ since: at(6) }), [])
        assert.deepStrictEqual(yield* read({ until: at(5) }), [])
      }),
    )

    it.effect("exports records as they were when reading began, in chunks and by id", () =>
      Effect.gen(function* () {
        const { choose, crowd, exports, topic, workspace } = yield* begin
        const news = yield* topic("News")
        const people = yield* crowd(260)
        const { records } = yield* choose(news, people, "subscribed")
        const parts = yield* exports.consentRecords(workspace, all).pipe(
          Stream.zipWithIndex,
          Stream.tap(([, part]) => (part === 0 ? choose(news, people, "unsubscribed") : Effect.void)),
          Stream.map(([part]) => part),
          Stream.runCollect,
        )
        assert.isAbove(parts.length, 1)
        assert.deepStrictEqual(
          parts.flat().map(({ id }) => id),
          records.map(({ id }) => id).sort(),
        )
      }),
    )

    it.effect("exports no record of another workspace", () =>
      Effect.gen(function* () {
        const { choose, fresh, person, read, topic } = yield* begin
        const news = yield* topic("News")
        yield* choose(news, [yield* person()], "subscribed")
        const elsewhere = yield* fresh.workspace()
        assert.deepStrictEqual(yield* read({}, elsewhere), [])
        assert.deepStrictEqual(yield* read({ topicId: news.id }, elsewhere), [])
        assert.strictEqual((yield* read()).length, 1)
      }),
    )

    it.effect("stores an export with its filter, also when its topic is deleted", () =>
      Effect.gen(function* () {
        const { exports, fresh, remove, topic, transact, workspace } = yield* begin
        const { id: topicId } = yield* topic("News")
        for (const filter of [all, { topicId, since: at(1), until: at(2) }]) {
          const id = ExportId.make(yield* fresh.id)
          const { change, begun } = ExportChange.begin({ id, subject: { kind: "consent", ...filter } }, at(0))
          assert.isTrue(yield* transact(exports.apply(workspace, change)))
          assert.deepStrictEqual(yield* exports.get(workspace, id), begun)
          if (filter.topicId !== null) yield* remove(topicId)
          assert.deepStrictEqual(yield* exports.get(workspace, id), begun)
          assert.isTrue(yield* transact(exports.apply(workspace, ExportChange.forget(begun))))
        }
      }),
    )
  })
