// Contract tests of the queue of webhooks: claims and settlements.
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, type Layer } from "effect"
import type { ServedHealth } from "../../src/webhooks/deliveries/WebhookQueue.ts"
import { attemptAt, begin, ids, stays, type WebhookPorts } from "./webhookWorld.ts"

type Live<E> = Layer.Layer<WebhookPorts, E>

export const webhookClaims = <E>(name: string, live: Live<E>) => {
  claims(name, live)
  settlements(name, live)
}

const claims = <E>(name: string, live: Live<E>) =>
  layer(live, { excludeTestServices: true })(`WebhookQueue, claims (${name})`, (it) => {
    it.effect("returns what is due with its events, in the order of the next attempts, and once", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, now, spread } = yield* begin
        const endpoint = yield* create()
        const lease = yield* acquired()
        const ago = (minutes: number) => ({ nextAttemptAt: DateTime.subtract(now, { minutes }) })
        const [b] = yield* spread(lease, endpoint, 1, ago(1))
        const [a] = yield* spread(lease, endpoint, 1, ago(2))
        const [c] = yield* spread(lease, endpoint, 1)
        yield* spread(lease, endpoint, 1, ago(-10))
        assert(a !== undefined && b !== undefined && c !== undefined)
        const [first, ...others] = yield* claim(lease, endpoint, { limit: 2 })
        assert.deepStrictEqual(first?.delivery, a)
        assert.deepStrictEqual(
          first?.pieces.map(({ json }) => json),
          [`{"at":${a.positions[0]}}`],
        )
        assert.deepStrictEqual(ids(others), [b.id])
        assert.deepStrictEqual(ids(yield* claim(lease, endpoint)), [c.id])
        assert.deepStrictEqual(yield* claim(lease, endpoint), [])
      }),
    )

    it.effect("claims of one endpoint at the same time share what is due", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, spread } = yield* begin
        const endpoint = yield* create()
        const lease = yield* acquired()
        const all = yield* spread(lease, endpoint, 20)
        const claimed = yield* Effect.all(
          Array.from({ length: 5 }, () => claim(lease, endpoint, { limit: 5 })),
          { concurrency: 5 },
        )
        const left = yield* claim(lease, endpoint)
        assert.deepStrictEqual([...ids(claimed.flat()), ...ids(left)].toSorted(), all.map(({ id }) => id).toSorted())
      }),
    )

    it.effect("in order, nothing overtakes a delivery that waits", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, settle, settledAs, spread } = yield* begin
        const endpoint = yield* create({ mode: "ordered" })
        const lease = yield* acquired()
        const [a, b, c] = yield* spread(lease, endpoint, 3)
        assert(a !== undefined && b !== undefined && c !== undefined)
        const ordered = (limit: number) => Effect.map(claim(lease, endpoint, { ordered: true, limit }), ids)
        assert.deepStrictEqual(yield* ordered(1), [a.id])
        yield* settle(lease, [settledAs(a, "delivered")])
        assert.deepStrictEqual(yield* ordered(10), [b.id, c.id])
        yield* settle(lease, [settledAs(b, "later"), { ...stays(c), attempt: null }])
        assert.deepStrictEqual(yield* ordered(10), [])
      }),
    )

    it.effect("in order, a delivery that a caller has locked is waited for", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, log, spread, transact, workspace } = yield* begin
        const endpoint = yield* create({ mode: "ordered" })
        const lease = yield* acquired()
        const [a, b] = yield* spread(lease, endpoint, 2)
        assert(a !== undefined && b !== undefined)
        const [locked, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const caller = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              yield* log.lock(workspace, endpoint.id, a.id)
              yield* Deferred.succeed(locked, undefined)
              yield* Deferred.await(done)
            }),
          ),
        )
        yield* Deferred.await(locked)
        const claiming = yield* Effect.forkChild(claim(lease, endpoint, { ordered: true, limit: 1 }))
        yield* Effect.sleep("100 millis")
        yield* Deferred.succeed(done, undefined)
        yield* Fiber.join(caller)
        assert.deepStrictEqual(ids(yield* Fiber.join(claiming)), [a.id])
      }),
    )

    it.effect("in order, a replayed delivery is before later events, and a test before all", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, log, pending, settle, settledAs, spread, transact, workspace } = yield* begin
        const endpoint = yield* create({ mode: "ordered" })
        const lease = yield* acquired()
        const [a, b] = yield* spread(lease, endpoint, 2)
        assert(a !== undefined && b !== undefined)
        const ordered = (limit: number) => Effect.map(claim(lease, endpoint, { ordered: true, limit }), ids)
        yield* ordered(1)
        yield* settle(lease, [settledAs(a, "failed")])
        yield* transact(log.write(workspace, a.id, { ...a, isReplay: true }))
        const test = yield* pending(endpoint, { isTest: true })
        yield* transact(log.add(workspace, test, []))
        assert.deepStrictEqual(yield* ordered(10), [test.id, a.id, b.id])
      }),
    )

    it.effect("of a disabled endpoint, tests alone", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, disable, log, pending, served, spread, transact, workspace } = yield* begin
        const endpoint = yield* create()
        const lease = yield* acquired()
        yield* spread(lease, endpoint, 1)
        yield* disable(endpoint)
        assert.deepStrictEqual(yield* served(), [])
        const test = yield* pending(endpoint, { isTest: true })
        yield* transact(log.add(workspace, test, [{ position: "0", json: '{"test":true}' }]))
        const [only, ...others] = yield* served()
        assert.deepStrictEqual([only?.endpoint.id, only?.endpoint.status, others], [endpoint.id, "disabled", []])
        const [claimed, ...more] = yield* claim(lease, endpoint, { testsOnly: true })
        assert.deepStrictEqual(claimed, { delivery: test, pieces: [{ position: "0", json: '{"test":true}' }] })
        assert.deepStrictEqual(more, [])
      }),
    )
  })

const settlements = <E>(name: string, live: Live<E>) =>
  layer(live, { excludeTestServices: true })(`WebhookQueue, settlements (${name})`, (it) => {
    it.effect("writes states and attempts, and frees the claims", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, now, seen, settle, settledAs, spread } = yield* begin
        const endpoint = yield* create()
        const lease = yield* acquired()
        const [a, b, c] = yield* spread(lease, endpoint, 3)
        assert(a !== undefined && b !== undefined && c !== undefined)
        yield* claim(lease, endpoint)
        const refused = attemptAt(now, { statusCode: null, error: "connect_failed", snippet: null, duration_ms: 3 })
        const settled = [settledAs(a, "delivered"), settledAs(b, "later", refused), stays(c)]
        yield* settle(lease, settled)
        for (const [index, delivery] of [a, b, c].entries()) {
          const { attempts, delivery: found } = yield* seen(endpoint, delivery)
          assert.deepStrictEqual(found, { ...delivery, ...settled[index]?.state })
          assert.deepStrictEqual(attempts, [settled[index]?.attempt ?? []].flat())
        }
        assert.deepStrictEqual(ids(yield* claim(lease, endpoint)), [c.id])
        // A repeated settlement changes nothing.
        yield* settle(lease, [settledAs(a, "failed", attemptAt(now, { attempt: 2 }))])
        assert.strictEqual((yield* seen(endpoint, a)).delivery.status, "delivered")
        assert.lengthOf((yield* seen(endpoint, a)).attempts, 1)
      }),
    )

    it.effect(
      "leaves a delivery that was skipped or replayed meanwhile, and the others of the settlement are written",
      () =>
        Effect.gen(function* () {
          const { acquired, claim, create, log, seen, settle, settledAs, spread, transact, workspace } = yield* begin
          const endpoint = yield* create()
          const lease = yield* acquired()
          const [a, b] = yield* spread(lease, endpoint, 2)
          assert(a !== undefined && b !== undefined)
          yield* claim(lease, endpoint)
          const skipped = { ...a, status: "skipped", reason: "erased", nextAttemptAt: null } as const
          yield* transact(log.write(workspace, a.id, skipped))
          yield* settle(lease, [settledAs(a, "delivered"), settledAs(b, "delivered")])
          assert.deepStrictEqual(
            [(yield* seen(endpoint, a)).delivery, (yield* seen(endpoint, a)).attempts],
            [skipped, []],
          )
          assert.strictEqual((yield* seen(endpoint, b)).delivery.status, "delivered")
        }),
    )

    it.effect("writes the health of endpoints, and keeps what a worker does not know", () =>
      Effect.gen(function* () {
        const { acquired, create, endpoints, now, queue, served, transact, workspace } = yield* begin
        const endpoint = yield* create()
        const lease = yield* acquired()
        const later = DateTime.add(now, { seconds: 5 })
        const failed = { failuresInRow: 3, healthyAt: now, failedAt: later, inFlight_max: 2 }
        const write = (health: Omit<ServedHealth, "endpointId">) =>
          transact(queue.settle(lease, { settled: [], healths: [{ endpointId: endpoint.id, ...health }] }))
        yield* write({ health: failed, lastSuccessAt: null, lastError: "timeout" })
        assert.deepStrictEqual((yield* served())[0]?.health, failed)
        const again = { failuresInRow: 0, healthyAt: later, failedAt: null, inFlight_max: 3 }
        yield* write({ health: again, lastSuccessAt: later, lastError: null })
        assert.deepStrictEqual((yield* served())[0]?.health, {
          failuresInRow: 0,
          healthyAt: later,
          failedAt: later,
          inFlight_max: 3,
        })
        assert.deepInclude((yield* endpoints.get(workspace, endpoint.id)).stats, {
          failuresInRow: 0,
          lastSuccessAt: later,
          lastFailureAt: later,
          lastError: "timeout",
        })
      }),
    )
  })
