// Contract tests of deleting contact lists: effects, uses that prevent it, and concurrent operations.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import type { Blast } from "../../src/blasts/Blast.ts"
import { decide, type BlastChange } from "../../src/blasts/machine.ts"
import { readiness } from "../../src/blasts/Readiness.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { ListId } from "../../src/kernel/Ids.ts"
import { ListChange } from "../../src/lists/List.ts"
import { nameCandidates } from "../../src/lists/ListName.ts"
import { list_users_max } from "../../src/lists/ListUse.ts"
import type { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { RuleFactsStore } from "../../src/segments/RuleFacts.ts"
import { referencesIn, type RuleTree } from "../../src/segments/RuleTree.ts"
import { twoAtOnce } from "../kernel/atOnce.ts"
import { furnished, inCity, later, noon, notOn, type Rooms } from "../blasts/blastWorld.ts"
import { eventsOf } from "../contacts/notifications.ts"

type Needs = Rooms | Outbox | RuleFactsStore

const begin = Effect.gen(function* () {
  const world = yield* furnished()
  const contacts = yield* ContactStore
  const rules = yield* RuleFactsStore
  const { workspace, lists, store, fresh, transact } = world

  const removing = Effect.fnUntraced(function* (id: ListId) {
    const change = yield* Effect.fromResult(ListChange.delete(yield* lists.lockForDelete(workspace, id), later(5)))
    yield* Effect.orDie(lists.apply(workspace, change))
  })
  const remove = (id: ListId) => transact(removing(id))
  /** What a deletion finds under its lock, and what a reader sees. */
  const uses = Effect.fnUntraced(function* (id: ListId) {
    const locked = yield* transact(lists.lockForDelete(workspace, id))
    assert.deepStrictEqual(yield* lists.uses(workspace, id), locked.uses)
    return locked.uses
  })

  const named = (tree: RuleTree) => rules.of(workspace, referencesIn(tree))
  /** Creates a dynamic list of contacts that are not on another list; returns whether its rules could be decoded. */
  const naming = Effect.fnUntraced(function* (other: ListId) {
    const id = ListId.make(yield* fresh.id)
    const candidates = nameCandidates({ text: "naming", origin: "given" }, yield* fresh.id)
    const facts = yield* lists.lockForCreation(workspace, { candidates, contactIds: [], named: [other] })
    if (!(yield* named(notOn(other))).staticLists.has(other)) return false
    const content = { kind: "dynamic", rules: notOn(other) } as const
    const made = ListChange.create({ id, candidates, description: null, content }, facts, noon)
    yield* lists.apply(workspace, (yield* Effect.fromResult(made)).change)
    return true
  }, Effect.orDie)
  /** Replaces the rules of an existing list: contacts that are not on another one. */
  const renaming = Effect.fnUntraced(function* (id: ListId, other: ListId) {
    const locked = yield* lists.lockForUpdate(workspace, id, { candidates: undefined, named: [other] })
    const facts = { ...locked, named: yield* named(notOn(other)) }
    const edited = ListChange.update(facts, { rules: notOn(other) }, later(5))
    if (Result.isSuccess(edited)) yield* lists.apply(workspace, edited.success.change)
    return Result.isSuccess(edited)
  }, Effect.orDie)

  const lockForLaunch = ({ id }: Blast) => Effect.orDie(store.lockForLaunch(workspace, id, { now: noon }))
  const audienceOf = ({ audience }: Blast) => audience?.listId ?? assert.fail("a ready blast has an audience")
  return { ...world, contacts, remove, removing, uses, naming, renaming, lockForLaunch, audienceOf }
})

export const listRemovals = <E>(name: string, live: Layer.Layer<Needs, E>) => {
  removals(name, live)
  races(name, live)
}

const removals = <E>(name: string, live: Layer.Layer<Needs, E>) =>
  layer(live, { excludeTestServices: true })(`ListStore deletion (${name})`, (it) => {
    it.effect(
      "deletes a list with its memberships, keeps the contacts, and writes an event but no timeline entries",
      () =>
        Effect.gen(function* () {
          const { workspace, lists, contacts, person, listOf, list, remove } = yield* begin
          const [ann, bob] = [yield* person("ann"), yield* person("bob")]
          const gone = yield* listOf("Gone", [ann, bob])
          const kept = yield* listOf("Kept", [ann, bob])
          const byRule = yield* list("by rule", { kind: "dynamic", rules: inCity("Bern") })
          yield* remove(gone.id)
          yield* remove(byRule.id)
          for (const { id } of [gone, byRule]) {
            assert.strictEqual((yield* Effect.flip(lists.get(workspace, id)))._tag, "NotFound")
            assert.strictEqual((yield* Effect.flip(remove(id)))._tag, "NotFound")
          }
          assert.deepStrictEqual(yield* lists.get(workspace, kept.id), kept)
          for (const each of [ann, bob]) {
            assert.deepStrictEqual(yield* contacts.get(workspace, each.id), each)
            const query = { page: 1, limit: 9, order: "asc" } as const
            const { items } = yield* contacts.activities(workspace, each.id, query)
            assert.isFalse(items.some(({ type }) => type === "list_removed"))
          }
          const events = yield* eventsOf(workspace)
          assert.isFalse(events.some(({ type }) => type === "list_removed"))
          assert.deepStrictEqual(
            events.flatMap(({ type, contactId, data }) =>
              type === "list_deleted" ? [[contactId, data["list_id"]]] : [],
            ),
            [
              [null, gone.id],
              [null, byRule.id],
            ],
          )
          yield* listOf("GONE", [])
        }),
    )

    it.effect("keeps the list and its members when the transaction fails later", () =>
      Effect.gen(function* () {
        const { workspace, lists, person, listOf, removing, transact } = yield* begin
        const kept = yield* listOf("Kept", [yield* person("ann")])
        yield* Effect.exit(transact(Effect.andThen(removing(kept.id), Effect.fail("no"))))
        assert.deepStrictEqual(yield* lists.get(workspace, kept.id), kept)
        assert.isFalse((yield* eventsOf(workspace)).some(({ type }) => type === "list_deleted"))
      }),
    )

    it.effect("refuses to delete the audience of a blast that is scheduled, sending or paused, and no other", () =>
      Effect.gen(function* () {
        const { workspace, uses, ready, draft, write, store, lockForLaunch, audienceOf, transact } = yield* begin
        const first = yield* ready("b draft", [])
        const listId = audienceOf(first)
        const again = Effect.fnUntraced(function* (name_: string) {
          const blank = yield* draft(name_)
          const to = decide(blank, { _tag: "setAudience", audience: { listId, source: "existing" }, lists: [] }, noon)
          const addressed = yield* Effect.fromResult(to)
          yield* write(addressed)
          const email = first.email ?? assert.fail("a ready blast has an email")
          const written = yield* Effect.fromResult(
            decide(addressed.after, { _tag: "setEmail", email, inlineEmail: null }, noon),
          )
          yield* write(written)
          return written.after
        }, Effect.orDie)
        const apply = <B extends Blast>(change: Result.Result<BlastChange<B>, unknown>) =>
          Effect.map(write(Result.getOrThrow(change)), () => Result.getOrThrow(change).after)
        const facts = (blast: Blast) => Effect.map(transact(lockForLaunch(blast)), (locked) => locked.facts)
        const scheduled = Effect.fnUntraced(function* (name_: string) {
          const blast = yield* again(name_)
          const time = { scheduledAt: later(60_000), operational: false }
          return yield* apply(
            decide(blast, { _tag: "schedule", by: "worker", facts: yield* facts(blast), ...time }, noon),
          )
        })
        const sending = Effect.fnUntraced(function* (name_: string) {
          const blast = yield* again(name_)
          return yield* apply(
            decide(blast, { _tag: "launch", by: "worker", facts: yield* facts(blast), operational: false }, noon),
          )
        })
        const holders = [yield* sending("Ä sends"), yield* scheduled("a waits")]
        const paused = yield* sending("b paused")
        yield* apply(decide(paused, { _tag: "pause" }, noon))
        const cancelled = yield* scheduled("cancelled")
        yield* apply(decide(cancelled, { _tag: "cancel" }, noon))
        const failed = yield* sending("failed")
        yield* apply(decide(failed, { _tag: "fail", failure: "x" }, noon))
        const back = yield* scheduled("unscheduled")
        yield* apply(decide(back, { _tag: "unschedule" }, noon))
        const [sends, waits] = holders
        assert(sends !== undefined && waits !== undefined)
        assert.deepStrictEqual(yield* uses(listId), {
          users: [waits, paused, sends].map((blast) => ({ type: "blast" as const, id: blast.id, name: blast.name })),
          count: 3,
        })
        assert.strictEqual((yield* store.get(workspace, paused.id, noon)).blast.status, "sending")
      }),
    )

    it.effect(
      "refuses to delete a list that rules name at any depth; the refusal names a few users and counts all",
      () =>
        Effect.gen(function* () {
          const { uses, list, listOf, remove, ready, launch } = yield* begin
          const { id } = yield* listOf("named", [])
          assert.deepStrictEqual(yield* uses(id), { users: [], count: 0 })
          yield* list("elsewhere", { kind: "dynamic", rules: notOn((yield* listOf("other", [])).id) })
          yield* list("by city", { kind: "dynamic", rules: inCity(id) })
          const all = Array.from({ length: list_users_max + 2 }, (_, index) => `user ${String(index).padStart(2, "0")}`)
          yield* Effect.forEach(all, (each) => list(each, { kind: "dynamic", rules: notOn(id) }))
          const { users, count } = yield* uses(id)
          assert.deepStrictEqual(
            users.map((user) => user.name),
            all.slice(0, list_users_max),
          )
          assert.isTrue(users.every((user) => user.type === "contact_list"))
          assert.strictEqual(count, all.length)
          const refused = yield* Effect.flip(remove(id))
          assert(refused._tag === "ListInUse")
          assert.deepStrictEqual(refused.extras, { used_by: users, used_by_count: count })
          assert.include(refused.message, `"user 00"`)
          const blast = yield* ready("z", [])
          yield* Effect.orDie(launch(blast.id))
          yield* list("a", { kind: "dynamic", rules: notOn(blast.audience?.listId ?? id) })
          const both = (yield* uses(blast.audience?.listId ?? id)).users
          assert.deepStrictEqual(
            both.map(({ type }) => type),
            ["blast", "contact_list"],
          )
        }),
    )

    it.effect("refuses to launch a draft whose list was deleted", () =>
      Effect.gen(function* () {
        const { workspace, store, ready, remove, launch, audienceOf } = yield* begin
        const blast = yield* ready("a", [])
        yield* remove(audienceOf(blast))
        const shown = yield* store.get(workspace, blast.id, noon)
        assert(shown.blast.status === "draft")
        assert.strictEqual(shown.facts.list, null)
        assert.deepStrictEqual(readiness(shown.blast, shown.facts).missing, ["audience", "schedule"])
        assert.strictEqual((yield* Effect.flip(launch(blast.id)))._tag, "CampaignNotReady")
      }),
    )
  })

const races = <E>(name: string, live: Layer.Layer<Needs, E>) =>
  layer(live, { excludeTestServices: true })(`Concurrent list deletion (${name})`, (it) => {
    const time = { scheduledAt: later(60_000), operational: false }

    it.effect("makes a launch and a schedule wait for the deletion of their audience, and refuses them", () =>
      Effect.gen(function* () {
        const { ready, removing, lockForLaunch, audienceOf } = yield* begin
        for (const goes of ["launch", "schedule"] as const) {
          const blast = yield* ready(goes, [])
          const [removed, gone] = yield* twoAtOnce(
            (held) => Effect.andThen(removing(audienceOf(blast)), held),
            Effect.flatMap(lockForLaunch(blast), ({ facts }) =>
              Effect.fromResult<BlastChange, { readonly _tag: string }>(
                goes === "launch"
                  ? decide(blast, { _tag: "launch", by: "worker", facts, operational: false }, noon)
                  : decide(blast, { _tag: "schedule", by: "worker", facts, ...time }, noon),
              ),
            ),
          )
          assert.isTrue(Result.isSuccess(removed))
          assert.strictEqual(Result.isFailure(gone) && gone.failure._tag, "CampaignNotReady")
        }
      }),
    )

    it.effect("waits for the launch or the schedule of a blast and is refused", () =>
      Effect.gen(function* () {
        const { workspace, store, lists, ready, removing, lockForLaunch, audienceOf } = yield* begin
        for (const goes of ["launch", "schedule"] as const) {
          const blast = yield* ready(goes, [])
          const [, refused] = yield* twoAtOnce(
            (held) =>
              Effect.gen(function* () {
                const { facts } = yield* lockForLaunch(blast)
                yield* held
                const change: Result.Result<BlastChange, unknown> =
                  goes === "launch"
                    ? decide(blast, { _tag: "launch", by: "worker", facts, operational: false }, noon)
                    : decide(blast, { _tag: "schedule", by: "worker", facts, ...time }, noon)
                yield* store.apply(workspace, Result.getOrThrow(change))
              }),
            removing(audienceOf(blast)),
          )
          assert.strictEqual(Result.isFailure(refused) && refused.failure._tag, "ListInUse")
          assert.strictEqual((yield* lists.get(workspace, audienceOf(blast))).id, audienceOf(blast))
        }
      }),
    )

    it.effect("makes rules that name the list wait for its deletion and find no list", () =>
      Effect.gen(function* () {
        const { listOf, list, removing, naming, renaming } = yield* begin
        for (const by of ["create", "edit"] as const) {
          const named = yield* listOf(`named by ${by}`, [])
          const user = yield* list(`user by ${by}`, { kind: "dynamic", rules: null })
          const [removed, read] = yield* twoAtOnce(
            (held) => Effect.andThen(removing(named.id), held),
            by === "create" ? naming(named.id) : renaming(user.id, named.id),
          )
          assert.isTrue(Result.isSuccess(removed))
          assert.deepStrictEqual(read, Result.succeed(false))
        }
      }),
    )

    it.effect("waits for rules that name the list and is refused", () =>
      Effect.gen(function* () {
        const { listOf, list, removing, naming, renaming } = yield* begin
        for (const by of ["create", "edit"] as const) {
          const named = yield* listOf(`named by ${by}`, [])
          const user = yield* list(`user by ${by}`, { kind: "dynamic", rules: null })
          const [read, refused] = yield* twoAtOnce(
            (held) => Effect.tap(by === "create" ? naming(named.id) : renaming(user.id, named.id), () => held),
            removing(named.id),
          )
          assert.deepStrictEqual(read, Result.succeed(true))
          assert.strictEqual(Result.isFailure(refused) && refused.failure._tag, "ListInUse")
        }
      }),
    )

    it.effect("makes an addition of members wait and find no list; deletes members that were being added", () =>
      Effect.gen(function* () {
        const { workspace, lists, listOf, person, removing } = yield* begin
        const ann = yield* person("ann")
        const adding = Effect.fnUntraced(function* (id: ListId) {
          const facts = yield* lists.lockForMembers(workspace, id, [ann.id])
          const { change } = yield* Effect.fromResult(ListChange.addMembers(facts, [ann.id], later(1)))
          yield* Effect.orDie(lists.apply(workspace, change))
        })
        const one = yield* listOf("one", [])
        const [, late] = yield* twoAtOnce((held) => Effect.andThen(removing(one.id), held), adding(one.id))
        assert.strictEqual(Result.isFailure(late) && late.failure._tag, "NotFound")
        const two = yield* listOf("two", [])
        const [added, removed] = yield* twoAtOnce((held) => Effect.andThen(adding(two.id), held), removing(two.id))
        assert.isTrue(Result.isSuccess(added) && Result.isSuccess(removed))
        assert.strictEqual((yield* Effect.flip(lists.get(workspace, two.id)))._tag, "NotFound")
      }),
    )
  })
