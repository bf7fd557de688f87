// Contract tests of `BlastStore`: reads return what was written, and of two concurrent writes one wins.
import { eventsOf } from "../contacts/notifications.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer, Result } from "effect"
import type { Blast } from "../../src/blasts/Blast.ts"
import { createBlast, decide, type BlastChange } from "../../src/blasts/machine.ts"
import type { LaunchFacts } from "../../src/blasts/Readiness.ts"
import { BlastId } from "../../src/kernel/Ids.ts"
import type { Outbox } from "../../src/kernel/changes/Outbox.ts"
import type { NotFound } from "../../src/kernel/Refusal.ts"
import { plans } from "../../src/workspaces/Workspace.ts"
import { delivering } from "./blastDeliveries.ts"
import { launching } from "./blastLaunch.ts"
import { reading } from "./blastReading.ts"
import { recipientQuery, everything, furnished, later, noon, type Rooms, supposed } from "./blastWorld.ts"
import { Fresh } from "../kernel/fresh.ts"

type Decide = (blast: Blast, facts: LaunchFacts) => Result.Result<BlastChange, unknown>

const scheduling: Decide = (blast, facts) =>
  decide(blast, { _tag: "schedule", by: "worker", facts, scheduledAt: later(5_001), operational: true }, later(101))

/** Sequences of events that reach every status, and every null that a status allows. */
const lives: { readonly [Name in string]: ReadonlyArray<Decide> } = {
  "scheduled, taken back, and missed": [
    scheduling,
    (blast) => decide(blast, { _tag: "unschedule" }, later(203)),
    scheduling,
    (blast, facts) => decide(blast, { _tag: "fire", facts }, later(5_001 + 86_400_001)),
  ],
  "fired, and cancelled in the middle": [
    scheduling,
    (blast, facts) => decide(blast, { _tag: "fire", facts }, later(6_007)),
    (blast) => decide(blast, { _tag: "pause" }, later(7_011)),
    (blast) => decide(blast, { _tag: "resume" }, later(8_013)),
    (blast) => decide(blast, { _tag: "cancel" }, later(9_017)),
    (blast) =>
      decide(blast, { _tag: "update", fields: { name: "Ärger 😀 'x' \\ %", description: null } }, later(9_500)),
    (blast) => decide(blast, { _tag: "archive" }, later(10_019)),
  ],
  "cancelled before its time": [scheduling, (blast) => decide(blast, { _tag: "cancel" }, later(303))],
  "auto-cancelled on the free plan": [
    scheduling,
    (blast, facts) =>
      decide(
        blast,
        {
          _tag: "fire",
          facts: { ...facts, plan: plans.free, allotment: { contacts: 1, usedToday: 100, qualified: 1 } },
        },
        later(6_007),
      ),
    (blast) => decide(blast, { _tag: "archive" }, later(10_019)),
  ],
  "failed, and archived": [
    (blast, facts) => decide(blast, { _tag: "launch", by: "worker", facts, operational: false }, later(404)),
    (blast) => decide(blast, { _tag: "fail", failure: "authentication_refused" }, later(505)),
    (blast) => decide(blast, { _tag: "archive" }, later(606)),
  ],
  "archived as a draft": [(blast) => decide(blast, { _tag: "archive" }, later(606))],
  "archived while scheduled": [scheduling, (blast) => decide(blast, { _tag: "archive" }, later(606))],
}

export const blasts = <E>(name: string, live: Layer.Layer<Rooms | Outbox, E>) => {
  writing(name, live)
  reading(name, live)
  launching(name, live)
  delivering(name, live)
}

const writing = <E>(name: string, live: Layer.Layer<Rooms | Outbox, E>) =>
  layer(live, { excludeTestServices: true })(`BlastStore (${name})`, (it) => {
    for (const [life, decisions] of Object.entries(lives)) {
      it.effect(`reads a blast as each decision left it: ${life}`, () =>
        Effect.gen(function* () {
          const { store, workspace, write } = yield* furnished()
          const { facts, listId, emailId } = yield* supposed
          const id = BlastId.make(yield* (yield* Fresh).id)
          const created = yield* Effect.fromResult(createBlast(id, { name: "A", description: "two\nlines" }, later(7)))
          yield* write(created)
          let blast: Blast = created.after
          const attaching: ReadonlyArray<Decide> = [
            (it) => decide(it, { _tag: "setAudience", audience: { listId, source: "inline" }, lists: [] }, later(11)),
            (it) =>
              decide(it, { _tag: "setEmail", email: { emailId, source: "existing" }, inlineEmail: null }, later(13)),
          ]
          for (const decide of [...attaching, ...decisions]) {
            const change: BlastChange = yield* Effect.fromResult(decide(blast, facts))
            yield* write(change)
            assert(change.after !== null)
            blast = change.after
            assert.deepStrictEqual((yield* store.get(workspace, id, noon)).blast, blast)
          }
        }),
      )
    }

    it.effect("writes only a change, and only onto the state that it was decided on", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, write, draft } = yield* furnished()
        const blank = yield* draft("a")
        const archived = yield* Effect.fromResult(decide(blank, { _tag: "archive" }, later(1)))
        const renamed = yield* Effect.fromResult(decide(blank, { _tag: "update", fields: { name: "b" } }, later(2)))
        yield* write(archived)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(transact(store.apply(workspace, renamed)))))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(transact(store.apply(workspace, { ...renamed } as never)))))
        assert.deepStrictEqual((yield* store.get(workspace, blank.id, noon)).blast, archived.after)
      }),
    )

    it.effect("makes the second of two concurrent decisions read what the first one wrote", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, draft } = yield* furnished()
        const blank = yield* draft("a")
        const rename = (letter: string) =>
          transact(
            Effect.gen(function* () {
              const before = yield* store.lock(workspace, blank.id)
              yield* Effect.sleep("20 millis")
              const change = decide(before, { _tag: "update", fields: { name: before.name + letter } }, later(5))
              yield* store.apply(workspace, yield* Effect.fromResult(change))
            }),
          )
        yield* Effect.all([rename("b"), rename("b"), rename("b")], { concurrency: 3 })
        assert.strictEqual((yield* store.get(workspace, blank.id, noon)).blast.name, "abbb")
      }),
    )

    it.effect("writes changes of status to the outbox; a failed transaction leaves neither blast nor event", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, write, draft } = yield* furnished()
        const blank = yield* draft("a")
        const archived = yield* Effect.fromResult(decide(blank, { _tag: "archive" }, later(1)))
        yield* Effect.exit(transact(Effect.andThen(store.apply(workspace, archived), Effect.fail("no"))))
        const writtenEvents = Effect.map(eventsOf(workspace), (events) =>
          events.filter(({ type }) => type.startsWith("blast_")),
        )
        assert.deepStrictEqual(yield* writtenEvents, [])
        assert.strictEqual((yield* store.get(workspace, blank.id, noon)).blast.status, "draft")
        yield* write(archived)
        const [event] = yield* writtenEvents
        assert.deepInclude(event, {
          type: "blast_archived",
          contactId: null,
          at: later(1),
          data: { blast_id: blank.id, name: "a", from: "draft", reason: null },
        })
      }),
    )

    it.effect("deletes a blast with its recipients", () =>
      Effect.gen(function* () {
        const { store, workspace, write, person, sending, launch } = yield* furnished()
        const id = yield* sending("a", [yield* person("ann")])
        const { blast } = yield* store.get(workspace, id, noon)
        const failed = yield* Effect.fromResult(decide(blast, { _tag: "fail", failure: "x" }, later(5)))
        yield* write(failed)
        yield* write(yield* Effect.fromResult(decide(failed.after, { _tag: "delete", lists: [] }, later(6))))
        assert.strictEqual((yield* Effect.flip(store.get(workspace, id, noon)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(store.recipients(workspace, id, recipientQuery)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(launch(id)))._tag, "NotFound")
      }),
    )

    it.effect("hides uncommitted changes from other transactions", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, draft } = yield* furnished()
        const blank = yield* draft("a")
        const written = yield* Deferred.make<void>()
        const looked = yield* Deferred.make<void>()
        const writer = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              const before = yield* store.lock(workspace, blank.id)
              yield* store.apply(
                workspace,
                yield* Effect.fromResult(decide(before, { _tag: "update", fields: { name: "b" } }, later(5))),
              )
              assert.strictEqual((yield* store.get(workspace, blank.id, noon)).blast.name, "b")
              yield* Deferred.succeed(written, undefined)
              yield* Deferred.await(looked)
            }),
          ),
        )
        yield* Deferred.await(written)
        assert.strictEqual((yield* store.get(workspace, blank.id, noon)).blast.name, "a")
        yield* Deferred.succeed(looked, undefined)
        yield* Fiber.join(writer)
        assert.strictEqual((yield* store.get(workspace, blank.id, noon)).blast.name, "b")
      }),
    )

    it.effect("neither shows nor changes blasts of another workspace", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, person, sending } = yield* furnished()
        const id = yield* sending("a", [yield* person("ann")])
        const other = yield* (yield* Fresh).workspace()
        const unseen: ReadonlyArray<Effect.Effect<unknown, NotFound>> = [
          store.get(other, id, noon),
          transact(store.lock(other, id)),
          transact(store.lockAgainstIntents(other, id)),
          transact(store.lockForLaunch(other, id, { now: noon })),
          store.recipients(other, id, recipientQuery),
        ]
        for (const each of unseen) assert.strictEqual((yield* Effect.flip(each))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.list(other, { ...everything, status: "any" }, noon), {
          items: [],
          total: 0,
        })
        assert.strictEqual(yield* transact(store.endOpen(other, id, "cancelled", 10)), 0)
        assert.deepStrictEqual(yield* transact(store.lockFinished(other, 10)), [])
        assert.deepStrictEqual(yield* store.endedWithOpen(other, 10), [])
        const { blast } = yield* store.get(workspace, id, noon)
        const renamed = yield* Effect.fromResult(
          decide(blast, { _tag: "update", fields: { name: "stolen" } }, later(9)),
        )
        assert.isTrue(Exit.isFailure(yield* Effect.exit(transact(store.apply(other, renamed)))))
        assert.strictEqual((yield* store.get(workspace, id, noon)).blast.name, "a")
      }),
    )
  })
