// Contract tests of webhook endpoints: their rows, what they read, and their statistics.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { WebhookDeliveryId, WebhookEndpointId, WebhookReplayId } from "../../src/kernel/Ids.ts"
import * as EndpointChange from "../../src/webhooks/endpoints/EndpointChange.ts"
import type { WebhookEndpoint } from "../../src/webhooks/endpoints/WebhookEndpoint.ts"
import { attemptAt, begin, endpointOf, ids, type WebhookPorts } from "./webhookWorld.ts"

/** Everything of it is set. */
const whole = (endpoint: WebhookEndpoint, at: DateTime.Utc): Partial<WebhookEndpoint> => ({
  settings: {
    url: "https://other.example.org/",
    description: "the other one",
    eventTypes: ["contact.*", "email.bounced"],
    filter: { list_ids: [endpoint.id], tags: { plan: "gold" } },
    payload: "thin",
    mode: "ordered",
    batch: { events_max: 100, wait_max_ms: 500 },
    inFlight_max: 5,
  },
  sealedHeaders: new Uint8Array([0, 255, 7]),
  headerNames: ["authorization", "x-team"],
  sealedSecret: new Uint8Array([9]),
  secretPrefix: "whsec_XyZ9",
  previousSecret: { sealed: new Uint8Array([1, 2, 3]), expiresAt: at },
  replay: { id: WebhookReplayId.make(endpoint.id), after: WebhookDeliveryId.make(endpoint.id), position: "7" },
  skipsThrough: "12",
})

export const webhookEndpoints = <E>(name: string, live: Layer.Layer<WebhookPorts, E>) => {
  rows(name, live)
  reading(name, live)
}

const rows = <E>(name: string, live: Layer.Layer<WebhookPorts, E>) =>
  layer(live, { excludeTestServices: true })(`EndpointStore, rows (${name})`, (it) => {
    it.effect("returns an endpoint as it was created and changed, locked or not", () =>
      Effect.gen(function* () {
        const { apply, create, endpoints, now, transact, workspace } = yield* begin
        const created = yield* create()
        assert.deepStrictEqual((yield* endpoints.get(workspace, created.id)).endpoint, created)
        const at = DateTime.add(now, { hours: 1 })
        const change = EndpointChange.update(created, whole(created, at), at)
        yield* apply(change)
        assert.deepStrictEqual((yield* endpoints.get(workspace, created.id)).endpoint, change.after)
        assert.deepStrictEqual(yield* transact(endpoints.lock(workspace, created.id)), change.after)
        const disabled = EndpointChange.disable(change.after ?? created, "gone", at)
        yield* apply(disabled)
        assert.deepStrictEqual((yield* endpoints.get(workspace, created.id)).endpoint, disabled?.after)
      }),
    )

    it.effect("lists the newest first, in slices, and none of another workspace", () =>
      Effect.gen(function* () {
        const { create, endpoints, fresh, now, transact, workspace } = yield* begin
        const [a, b, c] = [
          yield* create({}, now),
          yield* create({}, DateTime.add(now, { seconds: 1 })),
          yield* create({}, DateTime.add(now, { seconds: 2 })),
        ]
        const list = (of: typeof workspace, after: Parameters<typeof endpoints.list>[1]["after"] = null) =>
          Effect.map(endpoints.list(of, { after, limit: 2 }), ({ items, next }) => ({
            ids: items.map(({ endpoint }) => endpoint.id),
            next,
          }))
        const first = yield* list(workspace)
        assert.deepStrictEqual(first.ids, [c.id, b.id])
        assert.deepStrictEqual(yield* list(workspace, first.next), { ids: [a.id], next: null })
        const other = yield* fresh.workspace()
        assert.deepStrictEqual(yield* list(other), { ids: [], next: null })
        assert.strictEqual((yield* Effect.flip(endpoints.get(other, a.id)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(transact(endpoints.lock(other, a.id))))._tag, "NotFound")
        assert.strictEqual(yield* transact(endpoints.lockCount(workspace)), 3)
        assert.strictEqual(yield* transact(endpoints.lockCount(other)), 0)
      }),
    )

    it.effect("of transactions that count at the same time, each sees the endpoints of the one before", () =>
      Effect.gen(function* () {
        const { endpoints, fresh, now, transact, workspace } = yield* begin
        const add = Effect.gen(function* () {
          const id = WebhookEndpointId.make(yield* fresh.id)
          return yield* transact(
            Effect.gen(function* () {
              const count = yield* endpoints.lockCount(workspace)
              yield* Effect.sleep("20 millis")
              yield* endpoints.apply(workspace, EndpointChange.create(endpointOf(id, now)))
              return count
            }),
          )
        })
        const counts = yield* Effect.all([add, add, add], { concurrency: 3 })
        assert.deepStrictEqual(counts.toSorted(), [0, 1, 2])
      }),
    )

    it.effect("writes nothing when the transaction fails", () =>
      Effect.gen(function* () {
        const { endpoints, fresh, now, served, take, transact, workspace } = yield* begin
        const endpoint = endpointOf(WebhookEndpointId.make(yield* fresh.id), now)
        const created = endpoints.apply(workspace, EndpointChange.create(endpoint))
        yield* Effect.exit(transact(Effect.andThen(created, Effect.fail("no"))))
        assert.strictEqual((yield* Effect.flip(endpoints.get(workspace, endpoint.id)))._tag, "NotFound")
        assert.deepStrictEqual([yield* served(), yield* take()], [[], []])
      }),
    )

    it.effect("shows what waits, what ended in a day, and how well it works", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, endpoints, now, queue, settledAs, spread, transact, workspace } = yield* begin
        const endpoint = yield* create()
        const other = yield* create()
        const statsOf = (of: WebhookEndpoint) => Effect.map(endpoints.get(workspace, of.id), ({ stats }) => stats)
        const none = yield* statsOf(other)
        assert.deepInclude(none, { pending_count: 0, oldestPendingAt: null, delivered24h_count: 0, failed24h_count: 0 })
        assert.deepInclude(none, { failuresInRow: 0, lastSuccessAt: null, lastFailureAt: null, lastError: null })
        const lease = yield* acquired()
        const [a, b, c, d] = yield* spread(lease, endpoint, 4)
        assert(a !== undefined && b !== undefined && c !== undefined && d !== undefined)
        assert.deepInclude(yield* statsOf(endpoint), { pending_count: 4, oldestPendingAt: now })
        yield* claim(lease, endpoint)
        const failure = attemptAt(now, { statusCode: 500, error: "http_status" })
        const settled = [settledAs(a, "delivered"), settledAs(b, "failed", failure), settledAs(c, "later", failure)]
        const health = { failuresInRow: 2, healthyAt: now, failedAt: now, inFlight_max: 3 }
        const healths = [{ endpointId: endpoint.id, health, lastSuccessAt: now, lastError: "http_status" }]
        yield* transact(queue.settle(lease, { settled, healths }))
        yield* transact(queue.settle(lease, { settled: [settledAs(d, "delivered")], healths: [] }))
        assert.deepStrictEqual(yield* statsOf(endpoint), {
          pending_count: 1,
          oldestPendingAt: now,
          delivered24h_count: 2,
          failed24h_count: 1,
          failuresInRow: 2,
          lastSuccessAt: now,
          lastFailureAt: now,
          lastError: "http_status",
        })
        const since = DateTime.startOf(now, "hour")
        const hours = yield* endpoints.hoursSince(workspace, endpoint.id, since)
        // The test may see the end of an hour.
        assert.deepStrictEqual(
          [hours.reduce((sum, hour) => sum + hour.delivered_count, 0), hours.map((hour) => hour.failed_count)],
          [2, hours.length === 1 ? [1] : [1, 0]],
        )
        assert.isTrue(hours.every(({ at }) => DateTime.Equivalence(at, DateTime.startOf(at, "hour"))))
        const later = DateTime.add(since, { hours: 2 })
        assert.deepStrictEqual(yield* endpoints.hoursSince(workspace, endpoint.id, later), [])
        assert.deepStrictEqual(yield* endpoints.hoursSince(workspace, other.id, since), [])
        const { items } = yield* endpoints.list(workspace, { after: null, limit: 10 })
        assert.deepStrictEqual(items.map(({ stats }) => stats.pending_count).toSorted(), [0, 1])
        assert.deepStrictEqual(yield* statsOf(other), none)
      }),
    )
  })

const reading = <E>(name: string, live: Layer.Layer<WebhookPorts, E>) =>
  layer(live, { excludeTestServices: true })(`EndpointStore, events (${name})`, (it) => {
    it.effect("an endpoint reads the events after its creation", () =>
      Effect.gen(function* () {
        const { create, eventsOf, write } = yield* begin
        yield* write(1)
        const first = yield* create()
        assert.lengthOf(yield* eventsOf(first), 0)
        yield* write(2)
        const second = yield* create()
        yield* write(1)
        assert.deepStrictEqual([(yield* eventsOf(first)).length, (yield* eventsOf(second)).length], [3, 1])
      }),
    )

    it.effect("an endpoint goes on where it stopped, or does without what it missed but for tests", () =>
      Effect.gen(function* () {
        const world = yield* begin
        const { acquired, create, disable, enable, eventsOf, log, now, pending, seen, spread, transact, workspace } =
          world
        const lease = yield* acquired()
        const endpoint = yield* create()
        const [delivery] = yield* spread(lease, endpoint, 1)
        assert(delivery !== undefined)
        const test = yield* pending(endpoint, { isTest: true, eventType: "webhook.test" })
        const disabled = yield* disable(endpoint)
        yield* transact(log.add(workspace, test, [{ position: "0", json: "{}" }]))
        yield* world.write(2)
        yield* enable(disabled, false)
        // That it was disabled is an event too.
        assert.lengthOf(yield* eventsOf(endpoint), 3)
        assert.strictEqual((yield* seen(endpoint, delivery)).delivery.status, "pending")
        yield* enable(yield* disable(endpoint), true)
        assert.lengthOf(yield* eventsOf(endpoint), 0)
        assert.deepStrictEqual((yield* seen(endpoint, delivery)).delivery, {
          ...delivery,
          status: "skipped",
          reason: "disabled",
          nextAttemptAt: null,
        })
        assert.deepInclude((yield* seen(endpoint, test)).delivery, { status: "pending", nextAttemptAt: now })
        yield* world.write(1)
        assert.lengthOf(yield* eventsOf(endpoint), 1)
      }),
    )

    it.effect("skips what it missed in slices; until it is done only tests are sent, and then later events", () =>
      Effect.gen(function* () {
        const world = yield* begin
        const { acquired, claim, create, disable, enable, endpoints, log, now, pending, queue } = world
        const { seen, skipMissed, spread, transact, workspace } = world
        const lease = yield* acquired()
        const endpoint = yield* create()
        const old = yield* spread(lease, endpoint, 3)
        const test = yield* pending(endpoint, { isTest: true, eventType: "webhook.test" })
        yield* transact(log.add(workspace, test, [{ position: "0", json: "{}" }]))
        const enabling = EndpointChange.enable(yield* disable(endpoint), { now, skipsMissed: true })
        yield* world.apply(enabling)
        const isSkipping = Effect.map(endpoints.get(workspace, endpoint.id), (it) => it.endpoint.skipsThrough !== null)
        assert.isTrue(yield* isSkipping)
        const [later] = yield* spread(lease, endpoint, 1)
        assert(later !== undefined && old[0] !== undefined)
        // Whatever the worker still believes of the endpoint.
        assert.deepStrictEqual(ids(yield* claim(lease, endpoint)), [test.id])
        assert.deepStrictEqual((yield* queue.nextDue(workspace)).get(endpoint.id), now)
        assert.isTrue(yield* skipMissed(endpoint, 2))
        const statuses = Effect.forEach([...old, later], (each) =>
          Effect.map(seen(endpoint, each), ({ delivery: { status } }) => status),
        )
        assert.deepStrictEqual(yield* statuses, ["skipped", "skipped", "pending", "pending"])
        assert.isFalse(yield* skipMissed(endpoint, 2))
        assert.deepStrictEqual(yield* statuses, ["skipped", "skipped", "skipped", "pending"])
        assert.isFalse(yield* isSkipping)
        assert.deepStrictEqual(ids(yield* claim(lease, endpoint)), [later.id])
        yield* enable(yield* disable(endpoint), false)
        assert.isFalse(yield* isSkipping)
        assert.isFalse(yield* skipMissed(endpoint, 2))
        assert.strictEqual((yield* seen(endpoint, later)).delivery.status, "pending")
      }),
    )

    it.effect("enabling ends the failures before, also for a worker that has not seen it yet", () =>
      Effect.gen(function* () {
        const { acquired, create, disable, enable, now, queue, served, transact } = yield* begin
        const endpoint = yield* create()
        const lease = yield* acquired()
        const health = { failuresInRow: 20, healthyAt: now, failedAt: now, inFlight_max: 1 }
        const healths = [{ endpointId: endpoint.id, health, lastSuccessAt: null, lastError: "timeout" }]
        yield* transact(queue.settle(lease, { settled: [], healths }))
        assert.deepStrictEqual((yield* served())[0]?.health, health)
        const later = DateTime.add(now, { seconds: 1 })
        yield* enable(yield* disable(endpoint), false, later)
        const renewed = { failuresInRow: 0, healthyAt: later, inFlight_max: 20 }
        assert.deepInclude((yield* served())[0]?.health, renewed)
        yield* transact(queue.settle(lease, { settled: [], healths }))
        assert.deepInclude((yield* served())[0]?.health, renewed)
      }),
    )

    it.effect("a deleted endpoint leaves nothing, and the others stay", () =>
      Effect.gen(function* () {
        const { acquired, apply, claim, create, endpoints, log, now, spread, transact, workspace } = yield* begin
        const [gone, stays] = [yield* create(), yield* create()]
        const lease = yield* acquired()
        const [lost] = yield* spread(lease, gone, 2)
        const [kept] = yield* spread(lease, stays, 1)
        assert(lost !== undefined && kept !== undefined)
        yield* apply(EndpointChange.remove(gone, now))
        assert.strictEqual((yield* Effect.flip(endpoints.get(workspace, gone.id)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(log.get(workspace, gone.id, lost.id)))._tag, "NotFound")
        assert.deepStrictEqual(yield* claim(lease, gone), [])
        assert.isTrue(yield* transact(endpoints.deleteRows(workspace, gone.id, 1)))
        while (yield* transact(endpoints.deleteRows(workspace, gone.id, 1)));
        // The same id again: nothing of the one before is left.
        yield* apply(EndpointChange.create({ ...gone, replay: null }))
        const all = { after: null, limit: 9, status: null, eventType: null, since: null, until: null }
        assert.deepStrictEqual((yield* log.list(workspace, gone.id, all)).items, [])
        assert.isAbove((yield* log.get(workspace, stays.id, kept.id)).pieces.length, 0)
      }),
    )

    it.effect("a workspace without endpoints writes no events and has no turns, and may begin again", () =>
      Effect.gen(function* () {
        const { apply, create, eventsOf, now, queue, take, workspace, write } = yield* begin
        const [first, second] = [yield* create(), yield* create()]
        yield* apply(EndpointChange.remove(first, now))
        yield* write(1)
        assert.lengthOf(yield* eventsOf(second), 1)
        yield* apply(EndpointChange.remove(second, now))
        yield* write(1)
        assert.lengthOf(yield* queue.eventsAfter(workspace, "0", 10), 1)
        assert.deepStrictEqual(yield* take(), [])
        const third = yield* create()
        yield* write(1)
        assert.lengthOf(yield* eventsOf(third), 1)
        assert.lengthOf(yield* take(), 1)
      }),
    )
  })
