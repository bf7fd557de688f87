// Contract tests of blasts and their deliveries: intents, the end of recipients, and listings.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import { decide } from "../../src/blasts/machine.ts"
import type { RecipientQuery } from "../../src/blasts/BlastStore.ts"
import { Settlement } from "../../src/sending/Settlement.ts"
import type { BlastId } from "../../src/kernel/Ids.ts"
import { recipientQuery, furnished, later, noon, type Rooms } from "./blastWorld.ts"
import { eventsOf } from "../contacts/notifications.ts"
import { wholeAudience } from "../sending/deliveryScenario.ts"

const lease_ms = 60_000

const begin = Effect.gen(function* () {
  const world = yield* furnished()
  const { store, deliveries, transact, workspace, person } = world
  const people = (...names: ReadonlyArray<string>) => Effect.forEach(names, (each) => person(each))
  const claim = (limit = 100) => transact(deliveries.claim(workspace, { limit, lease_ms }))
  const settle = (settlements: ReadonlyArray<Settlement>) => transact(deliveries.settle(workspace, settlements))
  /** Decides and writes the blast's move while intents wait for it. */
  const hold = (id: BlastId, move: "pause" | "resume" | "cancel") =>
    Effect.gen(function* () {
      const before = yield* store.lockAgainstIntents(workspace, id)
      yield* store.apply(workspace, yield* Effect.fromResult(decide(before, { _tag: move }, later(50))))
    })
  const accepted = (delivery: { readonly id: Settlement["id"]; readonly token: number; readonly attempts: number }) =>
    Settlement.of(
      delivery,
      { _tag: "outcome", outcome: { _tag: "accepted", reply: "250 ok" } },
      { at: later(100), acceptMeansDelivered: true },
    )
  return { ...world, people, claim, settle, hold, accepted }
})

export const delivering = <E>(name: string, live: Layer.Layer<Rooms, E>) => {
  binding(name, live)
  ending(name, live)
  recipients(name, live)
}

const binding = <E>(name: string, live: Layer.Layer<Rooms, E>) =>
  layer(live, { excludeTestServices: true })(`Blasts and workers (${name})`, (it) => {
    for (const [move, answered] of [
      ["pause", "paused"],
      ["cancel", "cancelled"],
    ] as const) {
      it.effect(`grants no intent while a blast is being ${answered}, nor after it`, () =>
        Effect.gen(function* () {
          const { transact, deliveries, workspace, people, sending, claim, hold } = yield* begin
          const id = yield* sending("a", yield* people("ann"))
          const claims = yield* claim()
          assert.strictEqual(claims.length, 1)
          const decided = yield* Deferred.make<void>()
          const go = yield* Deferred.make<void>()
          const holder = yield* Effect.forkChild(
            transact(
              Effect.gen(function* () {
                yield* hold(id, move)
                yield* Deferred.succeed(decided, undefined)
                yield* Deferred.await(go)
              }),
            ),
          )
          yield* Deferred.await(decided)
          const asking = yield* Effect.forkChild(deliveries.grant(workspace, claims, lease_ms))
          yield* Effect.sleep("100 millis")
          assert.isUndefined(asking.pollUnsafe())
          yield* Deferred.succeed(go, undefined)
          yield* Fiber.join(holder)
          assert.deepStrictEqual([...(yield* Fiber.join(asking)).values()], [answered])
        }),
      )
    }

    it.effect("claims nothing of a paused blast; a resumed one is claimed and its workspace is due at once", () =>
      Effect.gen(function* () {
        const { transact, deliveries, workspace, people, sending, claim, hold } = yield* begin
        const id = yield* sending("a", yield* people("ann", "bob"))
        yield* transact(hold(id, "pause"))
        assert.deepStrictEqual(yield* claim(), [])
        yield* transact(deliveries.endTurn(workspace))
        yield* transact(hold(id, "resume"))
        assert.include(yield* deliveries.dueWorkspaces(1_000), workspace)
        assert.strictEqual((yield* claim()).length, 2)
      }),
    )
  })

const ending = <E>(name: string, live: Layer.Layer<Rooms, E>) =>
  layer(live, { excludeTestServices: true })(`End of blasts (${name})`, (it) => {
    it.effect("ends recipients that were not handed over batch by batch; the others end when they settle", () =>
      Effect.gen(function* () {
        const { store, transact, deliveries, workspace, people, sending, claim, settle, hold, accepted } = yield* begin
        const id = yield* sending("a", yield* people("a", "b", "c", "d", "e"))
        const [handed, ...claimed] = yield* claim(2)
        assert(handed !== undefined)
        yield* deliveries.grant(workspace, [handed], lease_ms)
        yield* transact(hold(id, "cancel"))
        const end = (limit: number) => transact(store.endOpen(workspace, id, "cancelled", limit))
        assert.deepStrictEqual(
          (yield* store.endedWithOpen(workspace, 10)).map(({ id: each }) => each),
          [id],
        )
        assert.deepStrictEqual([yield* end(3), yield* end(3), yield* end(3)], [3, 1, 0])
        assert.deepInclude((yield* store.get(workspace, id, noon)).tally, { queued: 1, blocked: 4, sent: 0, failed: 0 })
        assert.deepStrictEqual([...(yield* deliveries.grant(workspace, claimed, lease_ms)).values()], [])
        yield* settle([accepted(handed)])
        assert.deepInclude((yield* store.get(workspace, id, noon)).tally, { queued: 0, blocked: 4, sent: 1, failed: 0 })
        assert.deepStrictEqual(yield* store.endedWithOpen(workspace, 10), [])
        const recorded = (yield* eventsOf(workspace)).filter(({ type }) => type === "email_blocked")
        assert.deepStrictEqual(
          recorded.map(({ data }) => [data["blast_id"], data["reason"]]),
          Array.from({ length: 4 }, () => [id, "cancelled"]),
        )
        const { items } = yield* store.recipients(workspace, id, recipientQuery)
        assert.deepStrictEqual(items.map(({ status, reason }) => `${status} ${reason}`).sort(), [
          "blocked cancelled",
          "blocked cancelled",
          "blocked cancelled",
          "blocked cancelled",
          "sent null",
        ])
      }),
    )

    it.effect("fails the recipients of a failed blast", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, people, sending, write } = yield* begin
        const id = yield* sending("a", yield* people("ann"))
        const { blast } = yield* store.get(workspace, id, noon)
        yield* write(
          yield* Effect.fromResult(decide(blast, { _tag: "fail", failure: "authentication_refused" }, later(50))),
        )
        assert.strictEqual(yield* transact(store.endOpen(workspace, id, "blast_failed", 10)), 1)
        const [only] = (yield* store.recipients(workspace, id, recipientQuery)).items
        assert.deepInclude(only, { status: "failed", reason: "blast_failed" })
      }),
    )

    it.effect("finishes a blast when its audience is complete and no delivery is open", () =>
      Effect.gen(function* () {
        const { store, transact, deliveries, workspace, people, sending, ready, launch, claim, settle, accepted } =
          yield* begin
        const id = yield* sending("a", yield* people("ann"))
        const empty = (yield* ready("empty", [])).id
        yield* Effect.orDie(launch(empty))
        const finished = Effect.map(transact(store.lockFinished(workspace, 10)), (all) => all.map((blast) => blast.id))
        assert.deepStrictEqual(yield* finished, [])
        yield* transact(wholeAudience(deliveries, workspace, empty))
        assert.deepStrictEqual(yield* finished, [empty])
        const claims = yield* claim()
        assert.deepStrictEqual(yield* finished, [empty])
        yield* deliveries.grant(workspace, claims, lease_ms)
        yield* settle(claims.map(accepted))
        assert.deepStrictEqual((yield* finished).sort(), [id, empty].sort())
        const complete = transact(
          Effect.gen(function* () {
            const blasts = yield* store.lockFinished(workspace, 10)
            for (const blast of blasts) {
              yield* store.apply(workspace, yield* Effect.fromResult(decide(blast, { _tag: "complete" }, later(200))))
            }
            return blasts.length
          }),
        )
        // Two concurrent calls complete each blast once.
        const counts = yield* Effect.all([complete, complete], { concurrency: 2 })
        assert.strictEqual(counts[0] + counts[1], 2)
        assert.deepStrictEqual(yield* finished, [])
        const { blast, tally } = yield* store.get(workspace, id, noon)
        assert.deepInclude(blast, { status: "sent", sentAt: later(200) })
        assert.deepInclude(tally, { sent: 1, delivered: 1 })
      }),
    )
  })

const recipients = <E>(name: string, live: Layer.Layer<Rooms, E>) =>
  layer(live, { excludeTestServices: true })(`Blast recipients (${name})`, (it) => {
    it.effect("lists recipients by category and name, sorted, those without the event last, ties by id", () =>
      Effect.gen(function* () {
        const { store, deliveries, workspace, person, sending, claim, settle, accepted } = yield* begin
        const id = yield* sending("a", [
          yield* person("ann", { displayName: "Ärger 50%" }),
          yield* person("bob", { displayName: "ärger_" }),
          yield* person("cyd", { displayName: null }),
          yield* person("dan", { displayName: "Zoe", unsubscribed: true }),
        ])
        const claims = yield* claim()
        yield* deliveries.grant(workspace, claims, lease_ms)
        const settled = claims.filter(({ address }) => address !== "cyd@example.test")
        yield* settle(settled.map(accepted))
        const names = (query: Partial<RecipientQuery>) =>
          Effect.map(store.recipients(workspace, id, { ...recipientQuery, ...query }), ({ items }) =>
            items.map(({ email }) => (email ?? "").slice(0, 3)),
          )
        assert.deepStrictEqual(yield* names({ sort: "email", order: "asc" }), ["ann", "bob", "cyd", "dan"])
        assert.deepStrictEqual(yield* names({ sort: "display_name", order: "asc" }), ["dan", "ann", "bob", "cyd"])
        assert.deepStrictEqual(yield* names({ sort: "display_name", order: "desc" }), ["bob", "ann", "dan", "cyd"])
        assert.deepStrictEqual(yield* names({ category: "sent", sort: "email", order: "desc" }), ["bob", "ann"])
        assert.deepStrictEqual(yield* names({ category: "delivered", sort: "email", order: "asc" }), ["ann", "bob"])
        for (const category of ["opened", "clicked", "bounced", "unsubscribed", "spam"] as const) {
          assert.deepStrictEqual(yield* names({ category }), [])
        }
        assert.deepStrictEqual(yield* names({ search: "ÄRGER", sort: "email", order: "asc" }), ["ann", "bob"])
        assert.deepStrictEqual(yield* names({ search: "%" }), ["ann"])
        assert.deepStrictEqual(yield* names({ page: 2, limit: 3, sort: "email", order: "asc" }), ["dan"])
        for (const order of ["asc", "desc"] as const) {
          const sorted = yield* store.recipients(workspace, id, { ...recipientQuery, sort: "sent_at", order })
          assert.strictEqual(sorted.total, 4)
          assert.deepStrictEqual(
            sorted.items.map(({ sentAt }) => sentAt === null),
            [false, false, true, true],
          )
          for (const [left, right] of [sorted.items.slice(0, 2), sorted.items.slice(2)]) {
            assert.isTrue(left !== undefined && right !== undefined && left.id < right.id)
          }
        }
        const [ann, , cyd, dan] = (yield* store.recipients(workspace, id, {
          ...recipientQuery,
          sort: "email",
          order: "asc",
        })).items
        assert.deepInclude(ann, {
          displayName: "Ärger 50%",
          email: "ann@example.test",
          contactDeleted: false,
          status: "sent",
          reason: null,
          sentAt: later(100),
          deliveredAt: later(100),
          openedAt: null,
        })
        assert.deepInclude(cyd, { status: "queued", reason: null, sentAt: null })
        assert.deepInclude(dan, { status: "blocked", reason: "unsubscribed" })
      }),
    )
  })
