// Contract tests of the delivery queue: each contact of the audience has one delivery, and each delivery has one claim at a
// time.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { blockReason } from "../../src/sending/Suppression.ts"
import { BlastId } from "../../src/kernel/Ids.ts"
import {
  accepted,
  begin,
  type DeliveryPorts,
  long_ms,
  one,
  people,
  refused,
  settlement,
  type ScenarioContact,
  wholeAudience,
} from "./deliveryScenario.ts"
import { Fresh } from "../kernel/fresh.ts"

export const deliveryQueue = <E>(name: string, live: Layer.Layer<DeliveryPorts, E>) =>
  layer(live, { excludeTestServices: true })(`DeliveryStore queue (${name})`, (it) => {
    it.effect(
      "writes one delivery for each contact of the audience, blocked ones with their reason, and the blast's counts",
      () =>
        Effect.gen(function* () {
          const { scenario, store, transact, workspace } = yield* begin
          const contacts: ReadonlyArray<ScenarioContact> = [
            { email: "fine@example.test" },
            { email: "never-asked@example.test", marketingEmailSubscribed: null },
            { email: null },
            { email: "left@example.test", unsubscribed: true },
            { email: "no@example.test", marketingEmailSubscribed: false },
            { email: "bad@example.test", marketingEmailInvalid: true },
            { email: "bounced@example.test", suppression: "bounce" },
            { email: "complained@example.test", suppression: "complaint" },
            { email: "by-hand@example.test", suppression: "manual" },
            { email: "by-link@example.test", suppression: "unsubscribe" },
            { email: "all@example.test", unsubscribed: true, marketingEmailInvalid: true, suppression: "bounce" },
          ]
          for (const operational of [false, true]) {
            const workspaceId = operational ? yield* (yield* Fresh).workspace() : workspace
            const made = yield* scenario.blast(workspaceId, contacts, { operational })
            const fixed = yield* transact(wholeAudience(store, workspaceId, made.blast))
            const rows = yield* scenario.written(workspaceId, made.blast)
            const expected = contacts.map((contact) =>
              blockReason(
                {
                  emailNormalized: contact.email,
                  unsubscribed: contact.unsubscribed ?? false,
                  marketingEmailSubscribed: contact.marketingEmailSubscribed ?? null,
                  marketingEmailInvalid: contact.marketingEmailInvalid ?? false,
                  suppression: contact.suppression ?? null,
                  topic: null,
                  consentRequired: false,
                },
                operational,
              ),
            )
            for (const [index, id] of made.contacts.entries()) {
              const row = one(rows.filter((each) => each.contactId === id))
              assert.strictEqual(row.reason, expected[index] ?? null, contacts[index]?.email ?? "no email")
              assert.strictEqual(row.state, expected[index] === undefined ? "queued" : "blocked")
            }
            assert.strictEqual(rows.length, contacts.length)
            assert.deepInclude(fixed, {
              recipientCount: contacts.length,
              qualifiedCount: expected.filter((reason) => reason === undefined).length,
              truncated: false,
            })
          }
        }),
    )

    it.effect("adds no delivery and returns the same result when the audience pass is repeated", () =>
      Effect.gen(function* () {
        const { scenario, store, transact, workspace } = yield* begin
        const { blast } = yield* scenario.blast(workspace, people(3))
        const first = yield* transact(wholeAudience(store, workspace, blast))
        const again = yield* Effect.all(
          Array.from({ length: 4 }, () => transact(wholeAudience(store, workspace, blast))),
          { concurrency: "unbounded" },
        )
        for (const each of again) {
          assert.strictEqual(each?.recipientCount, 3)
          assert.strictEqual(each?.at.epochMilliseconds, first?.at.epochMilliseconds)
        }
        assert.strictEqual((yield* scenario.written(workspace, blast)).length, 3)
      }),
    )

    it.effect("writes one delivery for each contact when eight audience passes run at the same time", () =>
      Effect.gen(function* () {
        const { scenario, store, transact, workspace } = yield* begin
        const { blast } = yield* scenario.blast(workspace, people(20))
        yield* Effect.all(
          Array.from({ length: 8 }, () => transact(wholeAudience(store, workspace, blast))),
          { concurrency: "unbounded" },
        )
        assert.strictEqual((yield* scenario.written(workspace, blast)).length, 20)
      }),
    )

    it.effect("refuses the audience of a blast that is not sending, and reports a deleted list", () =>
      Effect.gen(function* () {
        const { scenario, store, transact, workspace } = yield* begin
        const cancelled = yield* scenario.blast(workspace, people(1))
        yield* scenario.setBlast(workspace, cancelled.blast, "cancelled")
        assert.isNull(yield* transact(wholeAudience(store, workspace, cancelled.blast)))
        assert.isNull(yield* transact(wholeAudience(store, workspace, BlastId.make(yield* (yield* Fresh).id))))
        const orphan = yield* scenario.blast(workspace, [{ email: "other@example.test" }])
        yield* scenario.removeList(workspace, orphan.blast)
        assert.strictEqual(
          (yield* Effect.flip(transact(wholeAudience(store, workspace, orphan.blast))))._tag,
          "AudienceGone",
        )
        assert.isEmpty(yield* scenario.written(workspace, orphan.blast))
      }),
    )

    it.effect("makes the workspace due by an audience, also an empty one; a failed transaction writes nothing", () =>
      Effect.gen(function* () {
        const { scenario, store, transact, workspace } = yield* begin
        const { blast } = yield* scenario.blast(workspace, [])
        yield* Effect.exit(transact(Effect.andThen(wholeAudience(store, workspace, blast), Effect.fail("no"))))
        assert.notInclude(yield* store.dueWorkspaces(1000), workspace)
        yield* transact(wholeAudience(store, workspace, blast))
        assert.include(yield* store.dueWorkspaces(1000), workspace)
        assert.include(yield* store.openWorkspaces(1000), workspace)
      }),
    )

    it.effect("returns what a message is rendered from", () =>
      Effect.gen(function* () {
        const { claim, started } = yield* begin
        const { blast, contacts } = yield* started([{ email: "Ann.Müller@Exämple.test" }], { operational: true })
        const claimed = one(yield* claim())
        assert.deepInclude(claimed, { blastId: blast, operational: true, attempts: 0 })
        assert.strictEqual(claimed.address, "Ann.Müller@Exämple.test")
        assert.strictEqual(claimed.contact?.id, contacts[0])
      }),
    )

    it.effect("gives concurrent workers disjoint deliveries, and fencing tokens only grow", () =>
      Effect.gen(function* () {
        const { claim, started, store, transact, workspace } = yield* begin
        yield* started(people(60))
        const claims = yield* Effect.all(
          Array.from({ length: 6 }, () => transact(store.claim(workspace, { limit: 10, lease_ms: long_ms }))),
          { concurrency: "unbounded" },
        )
        const ids = claims.flat().map((each) => each.id)
        assert.strictEqual(new Set(ids).size, ids.length)
        for (const each of claims) assert.isAtMost(each.length, 10)
        for (const batch of claims) assert.isAtMost(new Set(batch.map((each) => each.token)).size, 1)
        const rest = yield* claim()
        assert.strictEqual(ids.length + rest.length, 60)
        const later = rest[0]?.token ?? Infinity
        for (const each of claims.flat()) assert.isBelow(each.token, later)
      }),
    )

    it.effect("gives every sending blast its share of a claim, and a paused or cancelled one none", () =>
      Effect.gen(function* () {
        const { claim, scenario, started, workspace } = yield* begin
        const first = yield* started(people(30))
        const second = yield* started(Array.from({ length: 30 }, (_, index) => ({ email: `b${index}@example.test` })))
        const both = yield* claim(20)
        assert.strictEqual(both.filter((each) => each.blastId === first.blast).length, 10)
        assert.strictEqual(both.filter((each) => each.blastId === second.blast).length, 10)
        yield* scenario.setBlast(workspace, first.blast, "paused")
        assert.deepStrictEqual([...new Set((yield* claim(15)).map((each) => each.blastId))], [second.blast])
        yield* scenario.setBlast(workspace, second.blast, "cancelled")
        assert.isEmpty(yield* claim())
        yield* scenario.setBlast(workspace, first.blast, "sending")
        assert.strictEqual((yield* claim()).length, 20)
      }),
    )

    it.effect("queues an expired claim again under a new token, and grants its old holder nothing", () =>
      Effect.gen(function* () {
        const { claim, grant, settle, started, states, sweep } = yield* begin
        const { blast } = yield* started(people(1))
        const old = one(yield* claim(1, 0))
        assert.isEmpty(yield* claim())
        yield* Effect.sleep("5 millis")
        assert.strictEqual((yield* grant([old])).size, 0, "its lease has run out, swept or not")
        assert.deepStrictEqual(yield* sweep, { queued: 1, unconfirmed: 0, expired: 0 })
        const taken = one(yield* claim())
        assert.isAbove(taken.token, old.token)
        assert.strictEqual((yield* grant([old])).size, 0)
        assert.deepStrictEqual(yield* settle([settlement(old, refused(550, "550 5.1.1 no"))]), [old.id])
        assert.strictEqual((yield* grant([taken])).get(taken.id), "granted")
        assert.deepStrictEqual(yield* states(blast), ["handed_over"])
      }),
    )

    it.effect("marks an expired hand-over as unconfirmed and never queues it again", () =>
      Effect.gen(function* () {
        const { claim, release, grant, rest, scenario, started, states, sweep, workspace } = yield* begin
        const { blast } = yield* started(people(1))
        const claimed = one(yield* claim())
        assert.strictEqual((yield* grant([claimed], 0)).get(claimed.id), "granted")
        yield* Effect.sleep("5 millis")
        assert.deepStrictEqual(yield* sweep, { queued: 0, unconfirmed: 1, expired: 0 })
        assert.deepStrictEqual(yield* sweep, { queued: 0, unconfirmed: 0, expired: 0 })
        assert.deepStrictEqual(yield* states(blast), ["unconfirmed"])
        assert.strictEqual(one(yield* scenario.written(workspace, blast)).reason, "unconfirmed")
        assert.strictEqual(yield* release([claimed]), 0, "its holder came too late")
        assert.isEmpty(yield* claim())
        assert.deepStrictEqual(yield* rest, { dry: true })
      }),
    )

    it.effect("makes a released delivery free at once without counting an attempt", () =>
      Effect.gen(function* () {
        const { claim, release, grant, scenario, started, workspace } = yield* begin
        const { blast } = yield* started(people(2))
        const claimed = yield* claim()
        yield* grant([one(claimed)])
        assert.strictEqual(yield* release(claimed.map((each) => ({ ...each, token: each.token - 1 }))), 0)
        assert.strictEqual(yield* release(claimed), 2)
        assert.strictEqual(yield* release(claimed), 0)
        for (const row of yield* scenario.written(workspace, blast)) {
          assert.deepInclude(row, { state: "queued", token: null, attempts: 0 })
        }
        assert.strictEqual((yield* claim()).length, 2)
      }),
    )

    it.effect("extends the lease of a claimed or handed-over delivery; a lost one cannot be renewed", () =>
      Effect.gen(function* () {
        const { claim, grant, scenario, started, states, store, sweep, transact, workspace } = yield* begin
        const { blast } = yield* started(people(3))
        const claimed = yield* claim(100)
        const [a, b] = claimed
        assert(a !== undefined && b !== undefined)
        yield* grant([a])
        assert.strictEqual(yield* transact(store.renew(workspace, [a, b], 2 * long_ms)), 2)
        yield* scenario.elapse(workspace, 1.5 * long_ms)
        assert.deepStrictEqual(yield* sweep, { queued: 1, unconfirmed: 0, expired: 0 })
        assert.deepStrictEqual(yield* states(blast), ["claimed", "handed_over", "queued"])
        assert.strictEqual(yield* transact(store.renew(workspace, claimed, long_ms)), 2)
      }),
    )

    it.effect("keeps a workspace due until no delivery is open and every blast is finished", () =>
      Effect.gen(function* () {
        const { claim, grant, rest, scenario, settle, started, store, workspace } = yield* begin
        const { blast } = yield* started(people(2))
        const claimed = yield* claim()
        assert.deepStrictEqual(yield* rest, { dry: false })
        assert.notInclude(yield* store.dueWorkspaces(1000), workspace, "nothing to send just now")
        assert.include(yield* store.openWorkspaces(1000), workspace)
        yield* grant(claimed)
        yield* settle(claimed.map((each) => settlement(each, accepted)))
        assert.deepStrictEqual(yield* rest, { dry: true })
        assert.include(yield* store.openWorkspaces(1000), workspace, "its blast is not finished yet")
        yield* scenario.setBlast(workspace, blast, "cancelled")
        assert.deepStrictEqual(yield* rest, { dry: true })
        assert.notInclude(yield* store.openWorkspaces(1000), workspace)
      }),
    )

    it.effect("gives the next turn to the workspace that waited longest", () =>
      Effect.gen(function* () {
        const { claim, fresh, scenario, started, store, transact, workspace } = yield* begin
        const other = yield* fresh.workspace()
        yield* started(people(5))
        yield* Effect.sleep("5 millis")
        yield* transact(wholeAudience(store, other, (yield* scenario.blast(other, people(5))).blast))
        const turns = Effect.map(store.dueWorkspaces(1000), (all) =>
          all.filter((each) => each === workspace || each === other),
        )
        assert.deepStrictEqual(yield* turns, [workspace, other])
        yield* Effect.sleep("5 millis")
        yield* claim(1)
        assert.deepStrictEqual(yield* turns, [other, workspace])
      }),
    )
  })
