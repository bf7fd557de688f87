// Contract tests of the queue of webhooks: turns and the lease.
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, type Layer } from "effect"
import type { ContactStore } from "../../src/contacts/ContactStore.ts"
import type { SettledDelivery } from "../../src/webhooks/deliveries/WebhookQueue.ts"
import type { WebhookDelivery } from "../../src/webhooks/deliveries/WebhookDelivery.ts"
import { eventually } from "../kernel/eventually.ts"
import { webhookClaims } from "./webhookClaims.ts"
import { webhookFanOut } from "./webhookFanOut.ts"
import { attemptAt, begin, ids, lease_ms, stays, type WebhookPorts } from "./webhookWorld.ts"

export const webhookQueue = <E>(name: string, live: Layer.Layer<WebhookPorts | ContactStore, E>) => {
  turns(name, live)
  leases(name, live)
  webhookFanOut(name, live)
  webhookClaims(name, live)
}

type Live<E> = Layer.Layer<WebhookPorts | ContactStore, E>

const turns = <E>(name: string, live: Live<E>) =>
  layer(live, { excludeTestServices: true })(`WebhookQueue, turns (${name})`, (it) => {
    it.effect("an event wakes a workspace with an endpoint, and no other one", () =>
      Effect.gen(function* () {
        const { create, queue, take, transact, write } = yield* begin
        yield* write(1)
        assert.deepStrictEqual(yield* take(), [])
        yield* create()
        const [first] = yield* take()
        assert(first !== undefined)
        yield* transact(queue.endTurn(first, null))
        assert.deepStrictEqual(yield* take(), [])
        yield* write(1)
        assert.lengthOf(yield* take(), 1)
        assert.deepStrictEqual(yield* take(), [])
      }),
    )

    it.effect("a turn that was not ended comes again, and its end then changes nothing", () =>
      Effect.gen(function* () {
        const { create, queue, take, transact } = yield* begin
        yield* create()
        const [lost] = yield* take(1)
        const [second] = yield* eventually(take(), ({ length }) => length > 0)
        assert(lost !== undefined && second !== undefined)
        assert.notStrictEqual(lost.token, second.token)
        const past = DateTime.makeUnsafe(0)
        yield* transact(queue.endTurn(lost, past))
        assert.deepStrictEqual(yield* take(), [])
        yield* transact(queue.endTurn(second, past))
        assert.lengthOf(yield* take(), 1)
      }),
    )

    it.effect("an event during a turn is followed by another turn, whatever the end of the first one says", () =>
      Effect.gen(function* () {
        const { create, queue, take, transact, write } = yield* begin
        yield* create()
        const [turn] = yield* take()
        assert(turn !== undefined)
        yield* write(1)
        yield* transact(queue.endTurn(turn, null))
        assert.lengthOf(yield* take(), 1)
      }),
    )

    it.effect("tests, replays and enabled endpoints wake a workspace", () =>
      Effect.gen(function* () {
        const { create, disable, enable, log, now, pending, queue, take, transact, workspace } = yield* begin
        const endpoint = yield* create()
        const idle = Effect.flatMap(take(), ([turn]) =>
          turn === undefined ? Effect.die("no turn") : transact(queue.endTurn(turn, null)),
        )
        yield* idle
        const test = yield* pending(endpoint, { isTest: true })
        yield* transact(log.add(workspace, test, [{ position: "0", json: "{}" }]))
        yield* idle
        yield* transact(log.write(workspace, test.id, { ...test, status: "skipped", nextAttemptAt: null }))
        assert.deepStrictEqual(yield* take(), [])
        yield* transact(log.write(workspace, test.id, { ...test, isReplay: true }))
        yield* idle
        const disabled = yield* disable(endpoint)
        yield* idle
        yield* enable(disabled, false, now)
        yield* idle
      }),
    )

    it.effect("returns the time of the next attempt of each endpoint", () =>
      Effect.gen(function* () {
        const { acquired, create, disable, log, now, pending, queue, spread, transact, workspace } = yield* begin
        const lease = yield* acquired()
        const [parallel, ordered, off] = [yield* create(), yield* create({ mode: "ordered" }), yield* create()]
        const later = DateTime.add(now, { hours: 2 })
        for (const endpoint of [parallel, ordered, off]) {
          yield* spread(lease, endpoint, 1, { nextAttemptAt: later })
          yield* spread(lease, endpoint, 1)
        }
        yield* disable(off)
        const due = Effect.map(queue.nextDue(workspace), (found) =>
          [parallel, ordered, off].map(({ id }) => found.get(id)?.epochMilliseconds),
        )
        assert.deepStrictEqual(yield* due, [now.epochMilliseconds, later.epochMilliseconds, undefined])
        const test = yield* pending(off, { isTest: true })
        yield* transact(log.add(workspace, test, []))
        assert.deepStrictEqual((yield* due)[2], now.epochMilliseconds)
      }),
    )
  })

const leases = <E>(name: string, live: Live<E>) =>
  layer(live, { excludeTestServices: true })(`WebhookQueue, lease (${name})`, (it) => {
    it.effect("one worker at a time has it, and the tokens grow", () =>
      Effect.gen(function* () {
        const { acquired, create, queue, transact, workspace } = yield* begin
        yield* create()
        const acquire = transact(queue.acquire(workspace, { lease_ms, expired: stays }))
        const all = yield* Effect.all([acquire, acquire, acquire], { concurrency: 3 })
        const [first, ...others] = all.filter((lease) => lease !== null)
        assert(first !== undefined)
        assert.lengthOf(others, 0)
        assert.isTrue(yield* transact(queue.renew(first, lease_ms)))
        assert.strictEqual(yield* acquire, null)
        yield* transact(queue.release(first))
        const second = yield* acquired()
        assert.isAbove(Number(second.token), Number(first.token))
        assert.isFalse(yield* transact(queue.renew(first, lease_ms)))
        yield* transact(queue.release(first))
        assert.strictEqual(yield* acquire, null)
      }),
    )

    it.effect("the end of a lease frees what was claimed, as its attempts expired", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, now, queue, seen, spread, transact, workspace } = yield* begin
        const endpoint = yield* create()
        const lost = yield* acquired()
        const [a, b] = yield* spread(lost, endpoint, 2)
        assert(a !== undefined && b !== undefined)
        yield* claim(lost, endpoint, { limit: 1 })
        yield* transact(queue.release(lost))
        const attempt = attemptAt(now, { duration_ms: null, statusCode: null, error: "unknown_outcome", snippet: null })
        const asked: Array<WebhookDelivery> = []
        const expired = (delivery: WebhookDelivery): SettledDelivery => {
          asked.push(delivery)
          const { endpointId, id, ...state } = delivery
          return { endpointId, id, state: { ...state, attemptCount: 1 }, attempt }
        }
        const lease = yield* acquired(expired)
        assert.deepStrictEqual(asked, [a])
        assert.deepStrictEqual(yield* seen(endpoint, a), {
          delivery: { ...a, attemptCount: 1 },
          attempts: [attempt],
          pieces: (yield* seen(endpoint, a)).pieces,
        })
        assert.deepStrictEqual((yield* seen(endpoint, b)).attempts, [])
        assert.sameMembers([...ids(yield* claim(lease, endpoint))], [a.id, b.id])
        assert.strictEqual(yield* transact(queue.acquire(workspace, { lease_ms, expired })), null)
      }),
    )

    it.effect("expires", () =>
      Effect.gen(function* () {
        const { acquired, create, queue, transact, workspace } = yield* begin
        yield* create()
        const first = yield* acquired(stays, 1)
        const acquire = transact(queue.acquire(workspace, { lease_ms, expired: stays }))
        const second = yield* eventually(acquire, (lease) => lease !== null)
        assert.notStrictEqual(second?.token, first.token)
      }),
    )

    it.effect("a worker without it writes nothing", () =>
      Effect.gen(function* () {
        const world = yield* begin
        const { acquired, claim, create, deliveriesOf, eventsOf, queue, seen, settle, settledAs, spread, transact } =
          world
        const endpoint = yield* create()
        const lost = yield* acquired()
        const [delivery] = yield* spread(lost, endpoint, 1)
        assert(delivery !== undefined)
        yield* claim(lost, endpoint)
        yield* transact(queue.release(lost))
        const lease = yield* acquired()
        assert.deepStrictEqual(yield* claim(lost, endpoint), [])
        assert.lengthOf(yield* claim(lease, endpoint), 1)
        yield* settle(lost, [settledAs(delivery, "delivered")])
        assert.deepStrictEqual((yield* seen(endpoint, delivery)).delivery.status, "pending")
        yield* world.write(1)
        const positions = yield* eventsOf(endpoint)
        const deliveries = yield* deliveriesOf(endpoint, [positions])
        const written = { deliveries, positions: new Map([[endpoint.id, positions.at(-1) ?? "0"]]) }
        assert.isNull(yield* transact(queue.fanOut(lost, written)))
        assert.deepStrictEqual(yield* eventsOf(endpoint), positions)
        const health = { failuresInRow: 9, healthyAt: DateTime.makeUnsafe(9e12), failedAt: null, inFlight_max: 1 }
        const healths = [{ endpointId: endpoint.id, health, lastSuccessAt: null, lastError: null }]
        yield* transact(queue.settle(lost, { settled: [], healths }))
        assert.strictEqual((yield* world.served())[0]?.health.failuresInRow, 0)
        yield* settle(lease, [settledAs(delivery, "delivered")])
        assert.deepStrictEqual((yield* seen(endpoint, delivery)).delivery.status, "delivered")
      }),
    )

    it.effect("a worker that takes it while the one before writes an end does not expire that attempt", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, queue, seen, settledAs, spread, transact, workspace } = yield* begin
        const endpoint = yield* create()
        const lost = yield* acquired()
        const [delivery] = yield* spread(lost, endpoint, 1)
        assert(delivery !== undefined)
        yield* claim(lost, endpoint)
        yield* transact(queue.release(lost))
        const [written, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const settling = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              yield* queue.settle(lost, { settled: [settledAs(delivery, "delivered")], healths: [] })
              yield* Deferred.succeed(written, undefined)
              yield* Deferred.await(done)
            }),
          ),
        )
        yield* Deferred.await(written)
        const asked: Array<WebhookDelivery> = []
        const expired = (each: WebhookDelivery) => {
          asked.push(each)
          return stays(each)
        }
        const acquiring = yield* Effect.forkChild(transact(queue.acquire(workspace, { lease_ms, expired })))
        yield* Effect.sleep("100 millis")
        yield* Deferred.succeed(done, undefined)
        yield* Fiber.join(settling)
        assert.notStrictEqual(yield* Fiber.join(acquiring), null)
        assert.deepStrictEqual(asked, [])
        assert.strictEqual((yield* seen(endpoint, delivery)).delivery.status, "delivered")
      }),
    )

    it.effect("is of one workspace: with it, no other one's deliveries are claimed, written or added", () =>
      Effect.gen(function* () {
        const mine = yield* begin
        const theirs = yield* begin
        const lease = yield* mine.acquired()
        yield* mine.create()
        const endpoint = yield* theirs.create()
        const [delivery] = yield* theirs.spread(yield* theirs.acquired(), endpoint, 1)
        assert(delivery !== undefined)
        assert.deepStrictEqual(yield* mine.claim(lease, endpoint), [])
        yield* mine.settle(lease, [mine.settledAs(delivery, "delivered")])
        yield* theirs.write(1)
        const positions = yield* theirs.eventsOf(endpoint)
        const deliveries = yield* theirs.deliveriesOf(endpoint, [positions])
        yield* mine.transact(mine.queue.fanOut(lease, { deliveries, positions: new Map([[endpoint.id, "9"]]) }))
        assert.deepStrictEqual((yield* theirs.seen(endpoint, delivery)).delivery, delivery)
        assert.deepStrictEqual(yield* theirs.eventsOf(endpoint), positions)
        for (const each of [delivery, ...deliveries.map((added) => added.delivery)]) {
          assert.strictEqual((yield* Effect.flip(mine.seen(endpoint, each)))._tag, "NotFound")
        }
        assert.notInclude(
          (yield* mine.served()).map((each) => each.endpoint.id),
          endpoint.id,
        )
        assert.strictEqual((yield* mine.queue.nextDue(mine.workspace)).get(endpoint.id), undefined)
      }),
    )
  })
