// Contract tests of the log of webhook deliveries: listing, one delivery, tests and replays.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { WebhookDeliveryId } from "../../src/kernel/Ids.ts"
import type { DeliveryLogQuery, MissedSelection, ReplaySelection } from "../../src/webhooks/deliveries/DeliveryLog.ts"
import { attemptAt, begin, ids, type WebhookPorts } from "./webhookWorld.ts"

const everything: DeliveryLogQuery = {
  after: null,
  limit: 100,
  status: null,
  eventType: null,
  since: null,
  until: null,
}

/** Deliveries of an endpoint: delivered, failed and pending ones, each a second after the one before. */
const written = Effect.gen(function* () {
  const world = yield* begin
  const { acquired, claim, create, now, settle, settledAs, spread } = world
  const endpoint = yield* create()
  const lease = yield* acquired()
  const at = (seconds: number) => DateTime.add(now, { seconds })
  const [a] = yield* spread(lease, endpoint, 1, { createdAt: at(0), eventType: "contact.created" })
  const [b] = yield* spread(lease, endpoint, 1, { createdAt: at(1) })
  const [c] = yield* spread(lease, endpoint, 1, { createdAt: at(2) })
  assert(a !== undefined && b !== undefined && c !== undefined)
  yield* claim(lease, endpoint)
  yield* settle(lease, [settledAs(a, "delivered"), settledAs(b, "failed"), settledAs(c, "later")])
  return { ...world, a, at, b, c, endpoint, lease }
})

export const webhookDeliveries = <E>(name: string, live: Layer.Layer<WebhookPorts, E>) => {
  reading(name, live)
  replaying(name, live)
}

const reading = <E>(name: string, live: Layer.Layer<WebhookPorts, E>) =>
  layer(live, { excludeTestServices: true })(`DeliveryLog, reading (${name})`, (it) => {
    it.effect("lists the newest first, in slices", () =>
      Effect.gen(function* () {
        const { a, b, c, endpoint, log, workspace } = yield* written
        const list = (query: Partial<DeliveryLogQuery>) => log.list(workspace, endpoint.id, { ...everything, ...query })
        const first = yield* list({ limit: 2 })
        assert.deepStrictEqual(
          first.items.map(({ id }) => id),
          [c.id, b.id],
        )
        const rest = yield* list({ limit: 2, after: first.next })
        assert.deepStrictEqual([rest.items.map(({ id }) => id), rest.next], [[a.id], null])
        assert.strictEqual((yield* list({ limit: 3 })).next, null)
      }),
    )

    it.effect("filters by status, type and time", () =>
      Effect.gen(function* () {
        const { a, at, b, c, endpoint, log, workspace } = yield* written
        const list = (query: Partial<DeliveryLogQuery>) =>
          Effect.map(log.list(workspace, endpoint.id, { ...everything, ...query }), ({ items }) =>
            items.map(({ id }) => id),
          )
        assert.deepStrictEqual(yield* list({ status: "delivered" }), [a.id])
        assert.deepStrictEqual(yield* list({ status: "pending" }), [c.id])
        assert.deepStrictEqual(yield* list({ status: "skipped" }), [])
        assert.deepStrictEqual(yield* list({ eventType: "flow.paused" }), [c.id, b.id])
        assert.deepStrictEqual(yield* list({ since: at(1) }), [c.id, b.id])
        assert.deepStrictEqual(yield* list({ until: at(1) }), [a.id])
        assert.deepStrictEqual(yield* list({ since: at(1), until: at(2), status: "failed" }), [b.id])
      }),
    )

    it.effect("returns a delivery with its attempts and events, and none of another endpoint or workspace", () =>
      Effect.gen(function* () {
        const { b, create, endpoint, fresh, log, now, seen, transact, workspace } = yield* written
        const found = yield* seen(endpoint, b)
        assert.deepStrictEqual(found.delivery, {
          ...b,
          status: "failed",
          nextAttemptAt: null,
          attemptCount: 1,
          failedCount: 1,
        })
        assert.deepStrictEqual(found.attempts, [attemptAt(now)])
        assert.deepStrictEqual(
          found.pieces.map(({ json }) => json),
          [`{"at":${b.positions[0]}}`],
        )
        assert.deepStrictEqual(yield* transact(log.lock(workspace, endpoint.id, b.id)), found)
        const other = yield* create()
        const elsewhere = yield* fresh.workspace()
        const unknown = WebhookDeliveryId.make(yield* fresh.id)
        for (const look of [
          log.get(workspace, other.id, b.id),
          log.get(elsewhere, endpoint.id, b.id),
          log.get(workspace, endpoint.id, unknown),
          transact(log.lock(elsewhere, endpoint.id, b.id)),
        ]) {
          assert.strictEqual((yield* Effect.flip(look))._tag, "NotFound")
        }
        assert.deepStrictEqual((yield* log.list(elsewhere, endpoint.id, everything)).items, [])
        assert.deepStrictEqual((yield* log.list(workspace, other.id, everything)).items, [])
      }),
    )

    it.effect("adds a test, which is found as it was written", () =>
      Effect.gen(function* () {
        const { create, log, pending, seen, transact, workspace } = yield* begin
        const endpoint = yield* create()
        const test = yield* pending(endpoint, { isTest: true, eventType: "webhook.test", webhookId: "any id" })
        const pieces = [{ position: "0", json: '{"type":"webhook.test"}' }]
        yield* transact(log.add(workspace, test, pieces))
        assert.deepStrictEqual(yield* seen(endpoint, test), { delivery: test, attempts: [], pieces })
      }),
    )

    it.effect("lists attempts in their order", () =>
      Effect.gen(function* () {
        const { claim, create, lease, now, seen, settle, settledAs, spread } = yield* written
        const endpoint = yield* create()
        const [delivery] = yield* spread(lease, endpoint, 1)
        assert(delivery !== undefined)
        const attempts = [1, 2, 3].map((attempt) => attemptAt(now, { attempt, isReplay: attempt === 3 }))
        for (const attempt of attempts) {
          yield* claim(lease, endpoint)
          const { state, ...settled } = settledAs(delivery, "failed", attempt)
          yield* settle(lease, [{ ...settled, state: { ...state, status: "pending", nextAttemptAt: now } }])
        }
        assert.deepStrictEqual((yield* seen(endpoint, delivery)).attempts, attempts)
      }),
    )
  })

const replaying = <E>(name: string, live: Layer.Layer<WebhookPorts, E>) =>
  layer(live, { excludeTestServices: true })(`DeliveryLog, replays (${name})`, (it) => {
    it.effect("writes the state of a delivery, which workers then find", () =>
      Effect.gen(function* () {
        const { b, claim, endpoint, lease, log, now, seen, transact, workspace } = yield* written
        const again = { ...b, status: "pending", isReplay: true, attemptCount: 1, nextAttemptAt: now } as const
        yield* transact(log.write(workspace, b.id, again))
        assert.deepStrictEqual((yield* seen(endpoint, b)).delivery, again)
        assert.deepStrictEqual(ids(yield* claim(lease, endpoint)), [b.id])
      }),
    )

    it.effect("writes nothing of another workspace", () =>
      Effect.gen(function* () {
        const { b, endpoint, fresh, log, seen, transact } = yield* written
        const before = yield* seen(endpoint, b)
        yield* transact(log.write(yield* fresh.workspace(), b.id, { ...b, status: "delivered", nextAttemptAt: null }))
        assert.deepStrictEqual(yield* seen(endpoint, b), before)
      }),
    )

    it.effect("counts and replays a selection slice by slice, and each delivery once", () =>
      Effect.gen(function* () {
        const { a, at, b, c, endpoint, fresh, log, now, seen, transact, workspace } = yield* written
        const all: ReplaySelection = {
          since: at(0),
          until: at(9),
          eventTypes: null,
          statuses: ["delivered", "failed", "skipped"],
        }
        const count = (selection: Partial<ReplaySelection> = {}, limit = 100) =>
          log.count(workspace, endpoint.id, { ...all, ...selection }, limit)
        assert.deepStrictEqual([yield* count(), yield* count({}, 1)], [2, 1])
        assert.strictEqual(yield* count({ statuses: ["failed"] }), 1)
        assert.strictEqual(yield* count({ eventTypes: ["contact.created"] }), 1)
        assert.strictEqual(yield* count({ eventTypes: ["contact.deleted"] }), 0)
        assert.strictEqual(yield* count({ since: at(1) }), 1)
        assert.strictEqual(yield* count({ until: at(1) }), 1)
        assert.strictEqual(yield* log.count(yield* fresh.workspace(), endpoint.id, all, 100), 0)
        const asked: Array<string> = []
        const next = (after: WebhookDeliveryId | null) =>
          transact(
            log.replay(workspace, endpoint.id, all, {
              after,
              limit: 1,
              replayed: (state) => {
                asked.push(state.status)
                if (state.status === "failed") return null
                return { ...state, status: "pending", isReplay: true, nextAttemptAt: now, deliveredAt: null }
              },
            }),
          )
        const first = yield* next(null)
        assert.strictEqual(first, a.id)
        const second = yield* next(first)
        assert.strictEqual(second, b.id)
        assert.strictEqual(yield* next(second), null)
        assert.deepStrictEqual(asked, ["delivered", "failed"])
        assert.deepInclude((yield* seen(endpoint, a)).delivery, { status: "pending", isReplay: true })
        assert.strictEqual((yield* seen(endpoint, b)).delivery.status, "failed")
        assert.strictEqual((yield* seen(endpoint, c)).delivery.isReplay, false)
      }),
    )

    it.effect(
      "finds events without a delivery, slice by slice, up to the position of the reader, and adds theirs",
      () =>
        Effect.gen(function* () {
          const {
            acquired,
            claim,
            create,
            deliveriesOf,
            eventsOf,
            fresh,
            log,
            now,
            queue,
            spread,
            transact,
            workspace,
            write,
          } = yield* begin
          const [endpoint, other] = [yield* create(), yield* create()]
          const lease = yield* acquired()
          yield* write(3)
          const [a, b, c] = yield* eventsOf(endpoint)
          assert(a !== undefined && b !== undefined && c !== undefined)
          const times = { since: now, until: DateTime.add(now, { seconds: 1 }) }
          const missed = (after = "0", limit = 10, selection: Partial<MissedSelection> = {}, of = workspace) =>
            Effect.map(
              log.missed(of, endpoint.id, { ...times, types: ["flow_paused"], ...selection }, { after, limit }),
              ({ events, last }) => [
                events.map(({ event }) => String(BigInt(event.position))),
                last === null ? null : String(BigInt(last)),
              ],
            )
          assert.deepStrictEqual(yield* missed(), [[], null])
          const deliveries = yield* deliveriesOf(endpoint, [[b]])
          yield* transact(queue.fanOut(lease, { deliveries, positions: new Map([[endpoint.id, c]]) }))
          yield* spread(lease, other, 3)
          yield* write(1)
          assert.deepStrictEqual(yield* missed(), [[a, c], null])
          assert.deepStrictEqual(yield* missed("0", 2), [[a], b])
          assert.deepStrictEqual(yield* missed(b, 2), [[c], null])
          assert.deepStrictEqual(yield* missed(a, 1), [[], b])
          assert.deepStrictEqual(yield* missed("0", 10, { types: ["flow_archived"] }), [[], null])
          assert.deepStrictEqual(yield* missed("0", 10, { since: times.until }), [[], null])
          assert.deepStrictEqual(yield* missed("0", 10, { until: now }), [[], null])
          assert.deepStrictEqual(yield* missed("0", 10, {}, yield* fresh.workspace()), [[], null])

          const gone = String(BigInt(c) + 1_000_000n)
          const added = yield* deliveriesOf(endpoint, [[a], [c], [gone]], { nextAttemptAt: times.since })
          yield* transact(log.addMissed(workspace, added))
          assert.deepStrictEqual(yield* missed(), [[], null])
          const positions = (yield* claim(lease, endpoint)).map(({ pieces }) => pieces.map(({ position }) => position))
          assert.sameDeepMembers(
            positions.map((each) => each.map((position) => String(BigInt(position)))),
            [[a], [b], [c]],
          )
        }),
    )

    it.effect("replays nothing that has no event left", () =>
      Effect.gen(function* () {
        const { at, endpoint, log, now, pending, transact, workspace } = yield* written
        const empty = yield* pending(endpoint, { isTest: true })
        yield* transact(log.add(workspace, empty, []))
        const selection = { since: now, until: at(9), eventTypes: null, statuses: ["pending"] } as const
        assert.strictEqual(yield* log.count(workspace, endpoint.id, selection, 100), 1)
      }),
    )
  })
