// Contract tests of send rate limits: no worker takes more than the limits of the workspace and of the recipient domains
// allow, and a waiting domain delays no other. Time passes by back-dating the buckets; the real time that passes is added.
import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, type Layer } from "effect"
import type { ClaimedDelivery } from "../../src/sending/DeliveryStore.ts"
import * as Pace from "../../src/sending/SendRateLimit.ts"
import type { WorkspaceId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { WorkspaceChange, type WorkspaceFields } from "../../src/workspaces/Workspace.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import {
  begin as beginDeliveries,
  type DeliveryPorts,
  long_ms,
  one,
  people,
  settlement,
  accepted,
} from "./deliveryScenario.ts"

const limited = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  fields: Pick<WorkspaceFields, "sendingPerSecond" | "sendingPerDomainPerSecond">,
) {
  const { transact } = yield* Transactor
  const store = yield* WorkspaceStore
  yield* transact(
    Effect.gen(function* () {
      const change = WorkspaceChange.update(yield* store.lock(workspace), fields, DateTime.makeUnsafe(0))
      yield* store.apply(yield* Effect.fromResult(change))
    }),
  )
}, Effect.orDie)

const at = (domain: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ email: `person${index}@${domain}` }))

const domainOf = ({ address }: ClaimedDelivery): string => address.slice(address.indexOf("@") + 1)

const byDomain = (claimed: ReadonlyArray<ClaimedDelivery>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const each of claimed) counts[domainOf(each)] = (counts[domainOf(each)] ?? 0) + 1
  return counts
}

/** The fixture of `begin`, with a clock that tests move. */
const begin = Effect.gen(function* () {
  const fixture = yield* beginDeliveries
  const { scenario, workspace } = fixture
  const began_ms = yield* Clock.currentTimeMillis
  let added_ms = 0
  return {
    ...fixture,
    limit: (fields: Parameters<typeof limited>[1]) => limited(workspace, fields),
    pass: (by_ms: number) =>
      Effect.andThen(
        Effect.sync(() => (added_ms += by_ms)),
        scenario.elapse(workspace, by_ms),
      ),
    /** How many permits can have been taken by now at this rate: the inflow, and a bucket that was full at the beginning. */
    allowed: (per_second: number) =>
      Effect.map(Clock.currentTimeMillis, (now_ms) => {
        const passed_ms = now_ms - began_ms + added_ms
        return Math.ceil((per_second * passed_ms) / 1000 + Pace.bucketSize(per_second, true))
      }),
  }
})

export const deliveryPace = <E>(name: string, live: Layer.Layer<DeliveryPorts, E>) =>
  layer(live, { excludeTestServices: true })(`DeliveryStore send rate limits (${name})`, (it) => {
    it.effect("claims as many as requested at once without a limit", () =>
      Effect.gen(function* () {
        const { claim, started } = yield* begin
        yield* started(people(40))
        const claimed = yield* claim(40)
        assert.strictEqual(claimed.length, 40)
        assert.isFalse(claimed.some(({ rateLimited }) => rateLimited))
      }),
    )

    it.effect("claims what the workspace's limit allows, and after any time at most one second's worth", () =>
      Effect.gen(function* () {
        const { allowed, claim, limit, pass, started } = yield* begin
        yield* limit({ sendingPerSecond: 10 })
        yield* started(people(100))
        let taken = 0
        const look = Effect.gen(function* () {
          const claimed = yield* claim(100)
          assert.isTrue(claimed.every(({ rateLimited }) => rateLimited))
          taken += claimed.length
          assert.isAtMost(taken, yield* allowed(10))
          return claimed.length
        })
        assert.isAtLeast(yield* look, 1, "the first goes at once")
        for (const passed_ms of [1000, 500, 100, 700, 250]) {
          yield* pass(passed_ms)
          yield* look
        }
        assert.isAtLeast(taken, 25, "and what was allowed was taken")
        yield* pass(3_600_000)
        assert.isAtMost(yield* look, Pace.bucketSize(10, true), "an hour is no reason for a flood")
      }),
    )

    it.effect("shares one bucket between concurrent claims", () =>
      Effect.gen(function* () {
        const { allowed, claim, limit, pass, started, store, transact, workspace } = yield* begin
        yield* limit({ sendingPerSecond: 20 })
        yield* started(people(100))
        let taken = (yield* claim(100)).length
        for (let round = 0; round < 4; round++) {
          yield* pass(500)
          const claims = yield* Effect.all(
            Array.from({ length: 6 }, () => transact(store.claim(workspace, { limit: 100, lease_ms: long_ms }))),
            { concurrency: "unbounded" },
          )
          taken += claims.flat().length
          assert.isAtMost(taken, yield* allowed(20))
        }
        assert.isAtLeast(taken, 40)
      }),
    )

    it.effect("shares each domain's bucket between concurrent claims", () =>
      Effect.gen(function* () {
        const { allowed, claim, limit, pass, started, store, transact, workspace } = yield* begin
        yield* limit({ sendingPerDomainPerSecond: 4 })
        yield* started([...at("one.test", 60), ...at("two.test", 60)])
        const all = [...(yield* claim(100))]
        for (let round = 0; round < 4; round++) {
          yield* pass(500)
          const claims = yield* Effect.all(
            Array.from({ length: 6 }, () => transact(store.claim(workspace, { limit: 100, lease_ms: long_ms }))),
            { concurrency: "unbounded" },
          )
          all.push(...claims.flat())
          const counts = byDomain(all)
          const most = yield* allowed(4)
          for (const domain of ["one.test", "two.test"]) assert.isAtMost(counts[domain] ?? 0, most)
        }
        const counts = byDomain(all)
        for (const domain of ["one.test", "two.test"]) assert.isAtLeast(counts[domain] ?? 0, 8)
      }),
    )

    it.effect("delays no domain because of another, whatever the number of waiting deliveries", () =>
      Effect.gen(function* () {
        const { allowed, claim, limit, started } = yield* begin
        yield* limit({ sendingPerDomainPerSecond: 1 })
        const others = Array.from({ length: 30 }, (_, index) => `other${index}.test`)
        yield* started([...at("slow.test", 60), ...others.flatMap((domain) => at(domain, 1))])
        const all: Array<ClaimedDelivery> = []
        for (let turn = 0; turn < 6; turn++) all.push(...(yield* claim(8)))
        const counts = byDomain(all)
        for (const domain of others) assert.strictEqual(counts[domain], 1, domain)
        assert.isAtMost(counts["slow.test"] ?? 0, yield* allowed(1))
      }),
    )

    it.effect("applies both limits together", () =>
      Effect.gen(function* () {
        const { allowed, claim, limit, pass, started } = yield* begin
        yield* limit({ sendingPerSecond: 6, sendingPerDomainPerSecond: 2 })
        yield* started(Array.from({ length: 10 }, (_, index) => `d${index}.test`).flatMap((domain) => at(domain, 10)))
        const all: Array<ClaimedDelivery> = []
        for (let second = 0; second < 5; second++) {
          all.push(...(yield* claim(100)))
          yield* pass(1000)
        }
        assert.isAtMost(all.length, yield* allowed(6))
        assert.isAtLeast(all.length, 20)
        const most = yield* allowed(2)
        for (const count of Object.values(byDomain(all))) assert.isAtMost(count, most)
      }),
    )

    it.effect("applies a limit from the next claim on when it is set or removed during a blast", () =>
      Effect.gen(function* () {
        const { claim, limit, started } = yield* begin
        yield* started([...at("one.test", 30), ...at("two.test", 30)])
        assert.strictEqual((yield* claim(10)).length, 10)
        yield* limit({ sendingPerDomainPerSecond: 1 })
        for (const count of Object.values(byDomain(yield* claim(60)))) assert.strictEqual(count, 1)
        yield* limit({ sendingPerDomainPerSecond: null, sendingPerSecond: 1 })
        assert.strictEqual((yield* claim(60)).length, 1)
        yield* limit({ sendingPerSecond: null })
        let rest = 0
        for (let turn = 0; turn < 3; turn++) rest += (yield* claim(60)).length
        assert.strictEqual(rest, 47)
      }),
    )

    it.effect("finds a delivery that returns to the empty queue of a domain", () =>
      Effect.gen(function* () {
        const { claim, release, limit, pass, started } = yield* begin
        yield* limit({ sendingPerDomainPerSecond: 1 })
        yield* started(at("one.test", 1))
        const claimed = yield* claim()
        assert.strictEqual(claimed.length, 1)
        yield* pass(1500)
        assert.isEmpty(yield* claim())
        yield* pass(120_000)
        assert.isEmpty(yield* claim())
        assert.strictEqual(yield* release(claimed), 1)
        yield* pass(5000)
        assert.strictEqual((yield* claim()).length, 1)
      }),
    )

    it.effect("saves no permits during a pause, and serves several blasts in turn", () =>
      Effect.gen(function* () {
        const { claim, limit, pass, scenario, started, workspace } = yield* begin
        yield* limit({ sendingPerSecond: 2, sendingPerDomainPerSecond: 2 })
        const first = yield* started(at("one.test", 20))
        const second = yield* started(Array.from({ length: 20 }, (_, index) => ({ email: `b${index}@one.test` })))
        yield* claim()
        for (const { blast } of [first, second]) yield* scenario.setBlast(workspace, blast, "paused")
        for (const passed_ms of [1000, 60_000, 3_600_000]) {
          yield* pass(passed_ms)
          assert.isEmpty(yield* claim())
        }
        for (const { blast } of [first, second]) yield* scenario.setBlast(workspace, blast, "sending")
        yield* pass(5000)
        const blasts = new Set<string>()
        for (let second = 0; second < 5; second++) {
          const claimed = yield* claim()
          assert.isAtMost(claimed.length, Pace.bucketSize(2, true))
          for (const { blastId } of claimed) blasts.add(blastId)
          yield* pass(1000)
        }
        assert.strictEqual(blasts.size, 2)
      }),
    )

    it.effect("makes a workspace that waits for a permit due when there is one, and does not treat it as empty", () =>
      Effect.gen(function* () {
        const { claim, grant, limit, pass, rest, settle, started, store, workspace } = yield* begin
        yield* limit({ sendingPerSecond: 1 })
        yield* started(people(2))
        const claimed = one(yield* claim())
        yield* pass(-20_000)
        assert.isEmpty(yield* claim())
        assert.deepStrictEqual(yield* rest, { dry: false })
        assert.notInclude(yield* store.dueWorkspaces(1000), workspace)
        assert.include(yield* store.openWorkspaces(1000), workspace)
        yield* grant([claimed])
        assert.isEmpty(yield* settle([settlement(claimed, accepted)]))
        yield* pass(22_000)
        yield* rest
        assert.include(yield* store.dueWorkspaces(1000), workspace)
        assert.notInclude(yield* store.dueWorkspaces(1000, [workspace]), workspace, "unless it is left out")
      }),
    )

    it.effect("takes no permit when the transaction fails", () =>
      Effect.gen(function* () {
        const { claim, limit, started, store, transact, workspace } = yield* begin
        yield* limit({ sendingPerSecond: 1 })
        yield* started(people(2))
        const claiming = store.claim(workspace, { limit: 10, lease_ms: long_ms })
        yield* Effect.exit(transact(Effect.andThen(claiming, Effect.fail("no"))))
        assert.strictEqual((yield* claim()).length, 1)
      }),
    )

    it.effect("claims at most the number that a worker may have, and leaves the others unchanged", () =>
      Effect.gen(function* () {
        const { started, store, states, transact, workspace } = yield* begin
        const { blast } = yield* started(people(40))
        const claiming = transact(store.claim(workspace, { limit: 40, lease_ms: long_ms, bytes_max: 1 }))
        const claimed = yield* claiming
        assert.isAtLeast(claimed.length, 1)
        assert.isBelow(claimed.length, 40)
        const queued = (yield* states(blast)).filter((state) => state === "queued")
        assert.strictEqual(queued.length, 40 - claimed.length)
        const again = yield* claiming
        const ids = [...claimed, ...again].map(({ id }) => id)
        assert.strictEqual(new Set(ids).size, ids.length)
        assert.isNotEmpty(again)
      }),
    )
  })
