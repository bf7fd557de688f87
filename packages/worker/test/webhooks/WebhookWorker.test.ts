// Tests of the worker's webhooks over the memory stores, with receivers that a test scripts.
import * as Cleaner from "@tentpole/adapters/ai/html/SanitizeHtml"
import * as Ids from "@tentpole/adapters/crypto/Ids"
import * as SecretsAdapter from "@tentpole/adapters/crypto/Secrets"
import * as MemoryJobs from "@tentpole/adapters/memory/kernel/Jobs"
import * as Memory from "@tentpole/adapters/memory/All"
import * as Blobs from "@tentpole/adapters/memory/ports/BlobStore"
import { Fresh, settingsLayer, withFewKeyPairs } from "@tentpole/core/contract"
import { Outbox } from "@tentpole/core/kernel/changes/Outbox"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DeliveryLog } from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import { type WebhookAnswer, type WebhookCall, WebhookCaller } from "@tentpole/core/webhooks/deliveries/WebhookCaller"
import { WebhookQueue } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import type { NewEndpoint } from "@tentpole/core/webhooks/endpoints/EndpointInput"
import { WebhookDeliveries } from "@tentpole/core/webhooks/endpoints/WebhookDeliveries"
import { type EndpointWithSecret, WebhookEndpoints } from "@tentpole/core/webhooks/endpoints/WebhookEndpoints"
import { keyOf } from "@tentpole/core/webhooks/Signature"
import { SendingLoad } from "@tentpole/worker/SendingLoad"
import { Receiver as ServedReceiver } from "@tentpole/worker/webhooks/Receiver"
import * as WebhookWorker from "@tentpole/worker/webhooks/WebhookWorker"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { createHmac } from "node:crypto"

const answered = (statusCode: number): WebhookAnswer => ({
  statusCode,
  error: statusCode < 300 ? null : "http_status",
  retryAfter_s: null,
  duration_ms: 1,
  snippet: "",
})

/** A receiver: all calls so far, and the answer to the next one. */
class Receiver {
  readonly calls: Array<WebhookCall> = []
  open = 0
  most_open = 0
  answer: (call: WebhookCall) => Effect.Effect<WebhookAnswer> = () => Effect.succeed(answered(204))

  readonly layer = Layer.succeed(
    WebhookCaller,
    WebhookCaller.of({
      call: (call) =>
        Effect.suspend(() => {
          this.calls.push(call)
          this.most_open = Math.max(this.most_open, ++this.open)
          return Effect.ensuring(
            this.answer(call),
            Effect.sync(() => this.open--),
          )
        }),
    }),
  )

  get types(): ReadonlyArray<string> {
    return this.calls.map(({ body }) => JSON.parse(body).type)
  }
}

const secrets = withFewKeyPairs(
  SecretsAdapter.layer({ secret: Redacted.make("a secret for tests, long enough"), previous: null }),
)

const world = Layer.mergeAll(Fresh.layer, WebhookEndpoints.layer, WebhookDeliveries.layer).pipe(
  Layer.provideMerge(Memory.stores),
  Layer.provideMerge(MemoryJobs.layer()),
  Layer.provideMerge(
    Layer.mergeAll(Memory.database, Ids.layer, secrets, Cleaner.layer, Blobs.layer, settingsLayer({})),
  ),
)

const begin = (fields: Partial<NewEndpoint> = {}) =>
  Effect.gen(function* () {
    const endpoints = yield* WebhookEndpoints
    const workspace = yield* (yield* Fresh).unreadWorkspace
    const url = "https://crm.example.org/hooks"
    const endpoint = yield* endpoints.create(workspace, { url, eventTypes: ["flow.*"], ...fields })
    return { workspace, endpoint }
  })

const write = Effect.fnUntraced(function* (workspace: WorkspaceId, count: number) {
  const { append } = yield* Outbox
  const { transact } = yield* Transactor
  const at = yield* DateTime.now
  const event = { type: "flow_paused", contactId: null, at, data: { flow_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c05" } }
  yield* transact(
    append(
      workspace,
      Array.from({ length: count }, () => event),
    ),
  )
})

const logged = (workspace: WorkspaceId, { endpoint: { id } }: EndpointWithSecret, limit = 100) =>
  Effect.flatMap(DeliveryLog, ({ list }) =>
    Effect.map(
      list(workspace, id, { after: null, limit, status: null, eventType: null, since: null, until: null }),
      ({ items }) => items,
    ),
  )

const statuses = (workspace: WorkspaceId, endpoint: EndpointWithSecret) =>
  Effect.map(logged(workspace, endpoint), (all) => all.map(({ status }) => status))

const until = Effect.fnUntraced(function* <E, R>(what: string, holds: Effect.Effect<boolean, E, R>) {
  for (let tries = 0; tries < 400; tries++) {
    if (yield* holds) return
    yield* Effect.sleep(25)
  }
  assert.fail(`not so in time: ${what}`)
})

const allSent = ({ calls }: Receiver, count: number) =>
  until(
    "all are sent",
    Effect.sync(() => calls.length === count),
  )

/** Runs a worker in a scope of its own; the result ends it. */
const start = Effect.fnUntraced(function* (receiver: Receiver, load = SendingLoad.defaultValue()) {
  const scope = yield* Scope.make()
  const ports = Layer.merge(receiver.layer, Layer.succeed(SendingLoad, load))
  yield* Layer.buildWithScope(Layer.provide(WebhookWorker.layer, ports), scope)
  return Effect.suspend(() => Scope.close(scope, Exit.void))
})

const test = <E>(
  name: string,
  body: (receiver: Receiver) => Effect.Effect<void, E, Layer.Success<typeof world> | Scope.Scope>,
) =>
  it.live(name, () =>
    Effect.scoped(
      Effect.provide(
        Effect.suspend(() => body(new Receiver())),
        world,
      ),
    ),
  )

describe("WebhookWorker", () => {
  test("sends each event once, signed, and logs the attempt", (receiver) =>
    Effect.gen(function* () {
      const { endpoint, workspace } = yield* begin({ headers: { authorization: "Bearer x" } })
      yield* start(receiver)
      yield* write(workspace, 30)
      yield* allSent(receiver, 30)
      yield* until(
        "all are delivered",
        Effect.map(statuses(workspace, endpoint), (all) => all.every((status) => status === "delivered")),
      )
      assert.strictEqual(new Set(receiver.calls.map(({ headers }) => headers["webhook-id"])).size, 30)
      const [call] = receiver.calls
      assert(call !== undefined)
      const { body, headers } = call
      const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
      const expected = createHmac("sha256", keyOf(endpoint.secret) ?? "")
        .update(signed)
        .digest("base64")
      assert.strictEqual(headers["webhook-signature"], `v1,${expected}`)
      assert.strictEqual(headers["authorization"], "Bearer x")
      assert.strictEqual(headers["webhook-id"], JSON.parse(body).id)
      const { get } = yield* DeliveryLog
      const [first] = yield* logged(workspace, endpoint)
      assert(first !== undefined)
      const { attempts } = yield* get(workspace, endpoint.endpoint.id, first.id)
      assert.deepStrictEqual(
        attempts.map(({ attempt, error, statusCode }) => [attempt, error, statusCode]),
        [[1, null, 204]],
      )
    }))

  test("opens no more requests than the endpoint allows", (receiver) =>
    Effect.gen(function* () {
      receiver.answer = () => Effect.as(Effect.sleep(5), answered(204))
      const { workspace } = yield* begin({ inFlight_max: 3 })
      yield* start(receiver)
      yield* write(workspace, 60)
      yield* allSent(receiver, 60)
      assert.strictEqual(receiver.most_open, 3)
    }))

  test("yields to sending: it pauses before a turn", (receiver) =>
    Effect.gen(function* () {
      const { workspace } = yield* begin()
      yield* write(workspace, 3)
      yield* start(receiver, { watch: () => undefined, pause_ms: () => 1_000 })
      yield* Effect.sleep(500)
      assert.strictEqual(receiver.calls.length, 0)
      yield* allSent(receiver, 3)
    }))

  for (const { fields, sent, waiting_max, what } of [
    { what: "events", fields: {}, sent: 550, waiting_max: 400 },
    { what: "batches", fields: { batch: { events_max: 10, wait_max_ms: 100 } }, sent: 20, waiting_max: 16 },
  ]) {
    test(`takes over no more ${what} than an endpoint may send soon`, (receiver) =>
      Effect.gen(function* () {
        receiver.answer = () => (receiver.calls.length > sent ? Effect.never : Effect.succeed(answered(204)))
        const { endpoint, workspace } = yield* begin(fields)
        yield* write(workspace, 2_000)
        yield* start(receiver)
        yield* until(
          "it takes no more",
          Effect.sync(() => receiver.open === 20),
        )
        yield* Effect.sleep(300)
        // 20 requests are open, and at most twice a claim waits.
        assert.isAtMost((yield* logged(workspace, endpoint, 2_000)).length, sent + 20 + waiting_max)
      }))
  }

  test("writes nothing new for an ordered endpoint while it yields to sending and deliveries are due", (receiver) =>
    Effect.gen(function* () {
      const { endpoint, workspace } = yield* begin({ mode: "ordered" })
      yield* write(workspace, 1_100)
      yield* start(receiver, { watch: () => undefined, pause_ms: () => 20 })
      yield* until(
        "half are sent",
        Effect.sync(() => receiver.calls.length >= 550),
      )
      assert.lengthOf(yield* logged(workspace, endpoint, 2_000), 1_000)
      yield* allSent(receiver, 1_100)
    }))

  test("an endpoint whose receiver is slow holds no other one back", (receiver) =>
    Effect.gen(function* () {
      receiver.answer = ({ url }) => (url.endsWith("/slow") ? Effect.never : Effect.succeed(answered(204)))
      const { endpoint, workspace } = yield* begin({ url: "https://crm.example.org/slow", inFlight_max: 1 })
      const endpoints = yield* WebhookEndpoints
      yield* endpoints.create(workspace, { url: "https://crm.example.org/quick", eventTypes: ["*"] })
      const batch = { events_max: 100, wait_max_ms: 50 }
      yield* endpoints.create(workspace, { url: "https://crm.example.org/batches", eventTypes: ["*"], batch })
      yield* start(receiver)
      yield* write(workspace, 1_100)
      const callsTo = (name: string) => receiver.calls.filter(({ url }) => url.endsWith(name))
      yield* until(
        "the others got all",
        Effect.sync(() => {
          const batches = callsTo("/batches").map(({ body }) => JSON.parse(body).data.events.length)
          return callsTo("/quick").length === 1_100 && batches.reduce((sum, count) => sum + count, 0) === 1_100
        }),
      )
      assert.lengthOf(callsTo("/slow"), 1)
      assert.lengthOf(yield* logged(workspace, endpoint, 2_000), 1_100)
    }))

  test("claims again when half of a claim is left, and half as many while mail is sent", () =>
    Effect.gen(function* () {
      const { workspace } = yield* begin()
      const [served] = yield* (yield* WebhookQueue).endpoints(workspace)
      assert(served !== undefined)
      const receiver = new ServedReceiver(served, { keys: () => [], headers: {} })
      const now = yield* DateTime.now
      const counts = (waiting_count: number) => {
        receiver.waiting.length = waiting_count
        return [false, true].map((isBusy) => {
          receiver.plan(now, isBusy)
          return receiver.claim_count(now)
        })
      }
      assert.deepStrictEqual([0, 49, 50, 99, 100].map(counts), [
        [200, 100],
        [200, 100],
        [200, 0],
        [200, 0],
        [0, 0],
      ])
    }))

  test("repeats a failed attempt later, and counts it", (receiver) =>
    Effect.gen(function* () {
      receiver.answer = () => Effect.succeed(answered(500))
      const { endpoint, workspace } = yield* begin()
      yield* start(receiver)
      yield* write(workspace, 1)
      yield* until(
        "it failed once",
        Effect.map(logged(workspace, endpoint), ([first]) => first?.failedCount === 1),
      )
      const [first] = yield* logged(workspace, endpoint)
      assert.strictEqual(first?.status, "pending")
      const delay_ms = (first?.nextAttemptAt?.epochMilliseconds ?? 0) - (yield* DateTime.now).epochMilliseconds
      assert.isAbove(delay_ms, 1_000)
      assert.isBelow(delay_ms, 6_000)
    }))

  test("a dead endpoint is probed by one request at a time, and the rest is not attempted", (receiver) =>
    Effect.gen(function* () {
      receiver.answer = () => Effect.succeed(answered(500))
      const { endpoint, workspace } = yield* begin({ inFlight_max: 2 })
      yield* start(receiver)
      yield* write(workspace, 50)
      yield* until(
        "it is known to be dead",
        Effect.sync(() => receiver.calls.length >= 5),
      )
      yield* Effect.sleep(600)
      assert.isAtMost(receiver.calls.length, 8)
      const attempted = (yield* logged(workspace, endpoint)).filter(({ attemptCount }) => attemptCount > 0)
      assert.strictEqual(attempted.length, receiver.calls.length)
    }))

  test("410 disables the endpoint, and the others get an event", (receiver) =>
    Effect.gen(function* () {
      receiver.answer = ({ url }) => Effect.succeed(answered(url.endsWith("/gone") ? 410 : 204))
      const { endpoint, workspace } = yield* begin({ url: "https://crm.example.org/gone" })
      const endpoints = yield* WebhookEndpoints
      yield* endpoints.create(workspace, { url: "https://crm.example.org/other", eventTypes: ["webhook_endpoint.*"] })
      yield* start(receiver)
      yield* write(workspace, 1)
      yield* until(
        "the other gets it",
        Effect.sync(() => receiver.types.includes("webhook_endpoint.disabled")),
      )
      const { endpoint: now } = yield* endpoints.get(workspace, endpoint.endpoint.id)
      assert.deepStrictEqual([now.status, now.disabledReason], ["disabled", "gone"])
      yield* write(workspace, 3)
      yield* Effect.sleep(400)
      assert.strictEqual(receiver.calls.filter(({ url }) => url.endsWith("/gone")).length, 1)
    }))

  test("in order, a failed attempt holds what follows", (receiver) =>
    Effect.gen(function* () {
      let count = 0
      receiver.answer = () => Effect.sync(() => answered(++count === 3 ? 503 : 204))
      const { endpoint, workspace } = yield* begin({ mode: "ordered" })
      yield* start(receiver)
      yield* write(workspace, 10)
      yield* until(
        "the third failed",
        Effect.sync(() => count === 3),
      )
      yield* Effect.sleep(400)
      assert.strictEqual(count, 3)
      const all = yield* logged(workspace, endpoint)
      assert.deepStrictEqual(all.map(({ status }) => status).toSorted(), [
        "delivered",
        "delivered",
        ...Array.from({ length: 8 }, () => "pending"),
      ])
      const sequences = receiver.calls.map(({ body }) => JSON.parse(body).sequence)
      assert.deepStrictEqual(sequences, sequences.toSorted())
      assert.strictEqual(receiver.most_open, 1)
    }))

  test("puts events into batches", (receiver) =>
    Effect.gen(function* () {
      const { workspace } = yield* begin({ batch: { events_max: 20, wait_max_ms: 100 } })
      yield* start(receiver)
      yield* write(workspace, 45)
      yield* allSent(receiver, 3)
      const counts = receiver.calls.map(({ body }) => JSON.parse(body).data.events.length)
      assert.deepStrictEqual(counts.toSorted(), [20, 20, 5])
    }))

  test("sends a test to a disabled endpoint, once", (receiver) =>
    Effect.gen(function* () {
      receiver.answer = () => Effect.succeed(answered(500))
      const { endpoint, workspace } = yield* begin()
      const { id } = endpoint.endpoint
      yield* (yield* WebhookEndpoints).disable(workspace, id)
      yield* (yield* WebhookDeliveries).test(workspace, id, "webhook.test")
      yield* start(receiver)
      yield* until(
        "it has failed",
        Effect.map(statuses(workspace, endpoint), ([status]) => status === "failed"),
      )
      assert.deepStrictEqual(receiver.types, ["webhook.test"])
    }))

  test("a worker that stops ends its requests, and gives back what it has not sent", (receiver) =>
    Effect.gen(function* () {
      receiver.answer = () => Effect.as(Effect.sleep(300), answered(204))
      const { endpoint, workspace } = yield* begin({ inFlight_max: 2 })
      const stop = yield* start(receiver)
      yield* write(workspace, 10)
      yield* until(
        "two are open",
        Effect.sync(() => receiver.open === 2),
      )
      yield* stop
      const all = yield* logged(workspace, endpoint)
      assert.strictEqual(all.filter(({ status }) => status === "delivered").length, receiver.calls.length)
      const other = new Receiver()
      yield* start(other)
      yield* until(
        "the rest is sent",
        Effect.sync(() => other.calls.length + receiver.calls.length === 10),
      )
      const ids = [...receiver.calls, ...other.calls].map(({ headers }) => headers["webhook-id"])
      assert.strictEqual(new Set(ids).size, 10)
      const attempts = (yield* logged(workspace, endpoint)).map(({ attemptCount }) => attemptCount)
      assert.isTrue(attempts.every((count) => count <= 1))
    }))
})
