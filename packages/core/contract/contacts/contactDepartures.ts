// Contract tests of deleting contacts concurrently with other work.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import {
  apiUpsert,
  contactsToUpdate,
  decideUpdates,
  decideUpserts,
  identitiesOf,
} from "../../src/contacts/batch/Batch.ts"
import type { ContactPatch } from "../../src/contacts/ContactPatch.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { ContactId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { ListChange, type StaticList } from "../../src/lists/List.ts"
import {
  at,
  atOnce,
  begin,
  deleting,
  email,
  identitiesOfContact,
  oneAfterTheOther,
  type Ports,
} from "./contactWorld.ts"
import { Fresh } from "../kernel/fresh.ts"
import * as Lists from "../lists/listWorld.ts"
import { sampled } from "../kernel/draws.ts"

const updating = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  ids: ReadonlyArray<ContactId>,
  patch: ContactPatch,
) {
  const store = yield* ContactStore
  const items = ids.map((contactId) => ({ clientItemId: null, update: Result.succeed({ contactId, patch }) }))
  const existing = yield* store.lock(workspace, contactsToUpdate(items))
  const { change, results } = decideUpdates(items, { existing, now: at(4_000) })
  yield* store.apply(workspace, change)
  return results.map((result): string => (result.status === "rejected" ? result.refusal.code : result.status))
})

const upserting = Effect.fnUntraced(function* (workspace: WorkspaceId, patch: ContactPatch) {
  const store = yield* ContactStore
  const id = ContactId.make(yield* (yield* Fresh).id)
  const items = [{ clientItemId: null, patch: Result.succeed(patch) }]
  const existing = yield* store.lock(workspace, identitiesOf(items))
  const { change, results } = decideUpserts(items, { existing, ids: [id], now: at(4_000) }, apiUpsert)
  yield* store.apply(workspace, change)
  return results.map(({ status }): string => status)
})

const rounds = Array.from({ length: sampled(12) }, (_, round) => round)

export const departures = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`Concurrent contact deletion (${name})`, (it) => {
    it.effect("does not deadlock when batches change or delete the same contacts in opposite orders", () =>
      Effect.gen(function* () {
        const { contacts, workspace, people, makeStatic } = yield* Lists.begin
        for (const round of rounds.slice(0, 4)) {
          const ids = yield* people(60)
          yield* makeStatic(`everybody of ${round}`, ids)
          const opposite = ids.toReversed()
          const answers = yield* atOnce([
            updating(workspace, ids, { city: "A" }),
            updating(workspace, opposite, { city: "B" }),
            deleting(workspace, ids),
            deleting(workspace, opposite),
            updating(workspace, opposite.slice(0, 40), { city: "C" }),
            deleting(workspace, ids.slice(20)),
          ])
          assert.isTrue(answers.flat().every((each) => ["updated", "deleted", "NOT_FOUND"].includes(each)))
          assert.strictEqual(answers.flat().filter((each) => each === "deleted").length, ids.length)
          assert.strictEqual(yield* contacts.count(workspace), 0)
        }
      }),
    )

    it.effect("subtracts deleted members from list counts once, whatever else changes there", () =>
      Effect.gen(function* () {
        const { store, workspace, people, makeStatic, audience } = yield* Lists.begin
        for (const _ of rounds) {
          const ids = yield* people(24)
          const names = [0, 1, 2, 3].map((nth) => `list ${nth} of ${ids[0]}`)
          // Each deletion meets the lists in another order because of its contacts.
          const lists = yield* Effect.forEach(names, (each, nth) =>
            makeStatic(
              each,
              ids.filter((__, n) => n % 4 === nth || n % 7 === nth),
            ),
          )
          const moving = (decide: typeof ListChange.addMembers, nth: number, some: ReadonlyArray<ContactId>) =>
            Effect.gen(function* () {
              const id = lists[nth]?.id ?? assert.fail("no list")
              const moved = yield* Effect.fromResult(
                decide(yield* store.lockForMembers(workspace, id, some), some, at(1)),
              )
              yield* store.apply(workspace, moved.change)
            }).pipe(Effect.orDie)
          const leaving = (some: ReadonlyArray<ContactId>) => Effect.asVoid(Effect.orDie(deleting(workspace, some)))
          yield* atOnce([
            leaving(ids.slice(0, 8)),
            leaving(ids.slice(8, 16).toReversed()),
            moving(ListChange.addMembers, 0, ids.toReversed()),
            moving(ListChange.removeMembers, 1, ids),
            moving(ListChange.addMembers, 3, ids),
            leaving(ids.slice(4, 12)),
          ])
          for (const list of lists) {
            const { memberCount } = (yield* store.get(workspace, list.id)) as StaticList
            assert.strictEqual(memberCount, yield* store.countMembers(workspace, audience(list)))
          }
        }
      }),
    )

    it.effect("locks the lists of different contacts in one order", () =>
      Effect.gen(function* () {
        const { store, workspace, people, makeStatic } = yield* Lists.begin
        const ids = yield* people(rounds.length * 6)
        const lists = yield* Effect.forEach(rounds, (round) => makeStatic(`list ${round}`, ids))
        const shares = rounds.map((round) => ids.filter((_, n) => n % rounds.length === round))
        for (const some of [shares.slice(0, 6), shares.slice(6)]) {
          yield* atOnce(some.map((share) => deleting(workspace, share)))
        }
        for (const { id } of lists) {
          assert.strictEqual(((yield* store.get(workspace, id)) as StaticList).memberCount, 0)
        }
      }),
    )

    it.effect("runs an upsert and a deletion of one contact one after the other", () =>
      Effect.gen(function* () {
        const { store, workspace, add } = yield* begin
        for (const round of rounds) {
          const patch = { email: email(`e${round}@x.test`), city: "new" }
          const { id } = yield* add({ email: patch.email })
          const [removed, upserted] = yield* atOnce([deleting(workspace, [id]), upserting(workspace, patch)])
          assert.deepStrictEqual(removed, ["deleted"])
          const found = yield* store.findByIdentity(workspace, { emails: [patch.email.normalized], phones: [] })
          assert.strictEqual(found.length, upserted?.[0] === "created" ? 1 : 0)
          assert.notStrictEqual(found[0]?.id, id)
        }
      }),
    )

    it.effect("finds no contact after waiting for its deletion, and deletes what was added before", () =>
      Effect.gen(function* () {
        const { store, workspace, add } = yield* begin
        for (const [nth, order] of (["upsert", "patch"] as const).entries()) {
          const contact = yield* add({ email: email(`w${nth}@x.test`) })
          const said: Array<string> = []
          const noting = <E2, R2>(body: Effect.Effect<ReadonlyArray<string>, E2, R2>) =>
            Effect.map(body, (answers) => {
              said.push(...answers)
            })
          const removing = noting(deleting(workspace, [contact.id]))
          const altering = noting(
            order === "patch"
              ? updating(workspace, [contact.id], { city: "x" })
              : upserting(workspace, { email: email(`w${nth}@x.test`), city: "x" }),
          )
          yield* oneAfterTheOther(removing, altering)
          assert.deepStrictEqual(said, ["deleted", order === "patch" ? "NOT_FOUND" : "created"])
          const found = yield* store.findByIdentity(workspace, identitiesOfContact(contact))
          assert.strictEqual(found.length, order === "patch" ? 0 : 1)
        }
        const altered = yield* add({ email: email("last@x.test") })
        yield* oneAfterTheOther(
          Effect.asVoid(updating(workspace, [altered.id], { email: email("other@x.test") })),
          Effect.asVoid(deleting(workspace, [altered.id])),
        )
        assert.deepStrictEqual(
          yield* store.findByIdentity(workspace, { emails: ["last@x.test", "other@x.test"], phones: [] }),
          [],
        )
      }),
    )

    it.effect("adds no contact to a list while it is being deleted, and deletes a membership that is being added", () =>
      Effect.gen(function* () {
        const { store, workspace, people, makeStatic } = yield* Lists.begin
        const [first, second] = yield* people(2)
        assert(first !== undefined && second !== undefined)
        const list = yield* makeStatic("crowd")
        const notFound: Array<ContactId> = []
        const joining = (id: ContactId) =>
          Effect.gen(function* () {
            const facts = yield* store.lockForMembers(workspace, list.id, [id])
            const moved = yield* Effect.fromResult(ListChange.addMembers(facts, [id], at(1)))
            yield* store.apply(workspace, moved.change)
            notFound.push(...moved.notFound)
          }).pipe(Effect.orDie)
        const leaving = (id: ContactId) => Effect.asVoid(Effect.orDie(deleting(workspace, [id])))
        yield* oneAfterTheOther(leaving(first), joining(first))
        yield* oneAfterTheOther(joining(second), leaving(second))
        assert.deepStrictEqual(notFound, [first])
        assert.strictEqual(((yield* store.get(workspace, list.id)) as StaticList).memberCount, 0)
      }),
    )
  })
