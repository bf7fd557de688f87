// Tests of the log of webhook deliveries, tests and replays over HTTP, on both adapters. No worker runs: the tests end deliveries.
import { WebhookDeliveryId, WebhookEndpointId } from "@tentpole/core/kernel/Ids"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { DeliveryLog } from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import type { WebhookDelivery, WebhookDeliveryStatus } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import { EndpointStore } from "@tentpole/core/webhooks/endpoints/EndpointStore"
import { WebhookReplays } from "@tentpole/core/webhooks/endpoints/WebhookReplays"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { eventTypes } from "@tentpole/core/webhooks/EventCatalogue"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Layer } from "effect"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { type Call, type Json, paths, servingOver, unknownId, world } from "../../fixtures/World.ts"

const root = "/v1/webhook-endpoints"

const create = (call: Call, more: Json = {}) =>
  Effect.map(
    call("POST", root, { json: { url: "https://crm.example.org/hooks", event_types: ["contact.*"], ...more } }),
    ({ json }) => `${root}/${json.endpoint_id}`,
  )

/** Ends a delivery as a worker does. */
const end = Effect.fnUntraced(function* (at: string, id: string, status: Exclude<WebhookDeliveryStatus, "pending">) {
  const log = yield* DeliveryLog
  const { transact } = yield* Transactor
  const { workspace } = yield* Effect.flatMap(Workspaces, ({ bootstrap }) => bootstrap({ apiKey: null }))
  const deliveryId = WebhookDeliveryId.make(id)
  const endpoint = WebhookEndpointId.make(at.slice(root.length + 1))
  const { delivery } = yield* log.get(workspace.id, endpoint, deliveryId)
  const deliveredAt = status === "delivered" ? delivery.createdAt : null
  const ended = { ...delivery, status, deliveredAt, attemptCount: 1, nextAttemptAt: null }
  yield* transact(log.write(workspace.id, deliveryId, ended))
})

type Stores = DeliveryLog | Transactor | Workspaces | EndpointStore | WebhookReplays

describe.each([
  ["memory", servingOver(world, Api, handlers)],
  ["PostgreSQL", servingOver(postgresWorld, Api, handlers)],
] as const)("webhook deliveries on %s", (_, serving) => {
  const within = <A, E>(context: Context.Context<Stores>, effect: Effect.Effect<A, E, Stores>) =>
    Effect.orDie(Effect.provide(effect, context))

  it.live("of a test are the example of a type, and are in the log with the body of the request", () =>
    Effect.gen(function* () {
      const { call } = yield* serving
      const at = yield* create(call)
      const sent = yield* call("POST", `${at}/test`)
      assert.strictEqual(sent.status, 202, sent.text)
      const { created_at, delivery_id, event_ids, next_attempt_at, webhook_id, ...rest } = sent.json
      assert.deepStrictEqual(rest, {
        endpoint_id: at.slice(root.length + 1),
        event_type: "webhook.test",
        test: true,
        status: "pending",
        reason: null,
        attempt_count: 0,
        delivered_at: null,
      })
      assert.deepStrictEqual([event_ids, next_attempt_at], [[webhook_id], created_at])
      const { attempts, payload, ...delivery } = (yield* call("GET", `${at}/deliveries/${delivery_id}`)).json
      assert.deepStrictEqual([delivery, attempts], [sent.json, []])
      const { workspace_id, ...envelope } = payload
      assert.isString(workspace_id)
      assert.deepStrictEqual(envelope, {
        id: webhook_id,
        type: "webhook.test",
        timestamp: created_at,
        sequence: "0".repeat(32),
        test: true,
        data: { endpoint_id: rest.endpoint_id },
      })
      assert.strictEqual((yield* call("GET", at)).json.stats.pending_count, 1)
    }).pipe(Effect.scoped),
  )

  it.live("of a test go to a disabled endpoint, too, with the payload that it has chosen", () =>
    Effect.gen(function* () {
      const { call } = yield* serving
      const at = yield* create(call, { payload: "thin" })
      yield* call("POST", `${at}/disable`)
      const { delivery_id } = (yield* call("POST", `${at}/test`, { json: { event_type: "contact.updated" } })).json
      yield* call("POST", `${at}/enable`)
      const { payload, status } = (yield* call("GET", `${at}/deliveries/${delivery_id}`)).json
      const { contact_id } = eventTypes["contact.updated"].example.contact
      assert.deepStrictEqual(
        [status, payload.type, payload.data],
        ["pending", "contact.updated", { contact: { contact_id } }],
      )
      const unknown = yield* call("POST", `${at}/test`, { json: { event_type: "contact.*" } })
      assert.deepStrictEqual(paths(unknown), ["event_type"])
    }).pipe(Effect.scoped),
  )

  it.live("are listed by status, type and time, the newest first", () =>
    Effect.gen(function* () {
      const { call, context } = yield* serving
      const at = yield* create(call)
      const test = (event_type: string) =>
        Effect.map(call("POST", `${at}/test`, { json: { event_type } }), ({ json }): string => json.delivery_id)
      const ids = [yield* test("contact.created"), yield* test("email.sent"), yield* test("contact.created")] as const
      yield* within(context, end(at, ids[1], "delivered"))
      const list = (query: string) =>
        Effect.map(call("GET", `${at}/deliveries?${query}`), ({ json }) =>
          json.deliveries.map((each: Json) => each.delivery_id),
        )
      assert.deepStrictEqual(yield* list(""), [...ids].reverse())
      assert.deepStrictEqual(yield* list("status=delivered"), [ids[1]])
      assert.deepStrictEqual(yield* list("event_type=contact.created"), [ids[2], ids[0]])
      assert.deepStrictEqual(yield* list("since=2020-01-01&until=2020-01-02"), [])
      assert.deepStrictEqual(yield* list("since=2020-01-01&status=pending"), [ids[2], ids[0]])
      const { deliveries, next_cursor } = (yield* call("GET", `${at}/deliveries?limit=2`)).json
      assert.strictEqual(deliveries.length, 2)
      assert.deepStrictEqual(yield* list(`limit=2&cursor=${next_cursor}`), [ids[0]])
      const other = yield* create(call)
      assert.deepStrictEqual((yield* call("GET", `${other}/deliveries`)).json.deliveries, [])
      assert.strictEqual((yield* call("GET", `${other}/deliveries/${ids[0]}`)).status, 404)
      assert.strictEqual((yield* call("GET", `${root}/${unknownId}/deliveries`)).status, 404)
    }).pipe(Effect.scoped),
  )

  it.live("are replayed once they have ended", () =>
    Effect.gen(function* () {
      const { call, context } = yield* serving
      const at = yield* create(call)
      const sent = (yield* call("POST", `${at}/test`)).json
      const replay = call("POST", `${at}/deliveries/${sent.delivery_id}/replay`)
      const early = yield* replay
      assert.deepStrictEqual(
        [early.status, early.json.error_code, early.json.details.status],
        [409, "invalid_state", "pending"],
      )
      yield* within(context, end(at, sent.delivery_id, "delivered"))
      const replayed = yield* replay
      assert.strictEqual(replayed.status, 202, replayed.text)
      assert.deepInclude(replayed.json, { webhook_id: sent.webhook_id, status: "pending", attempt_count: 1 })
      const { status } = (yield* call("GET", `${at}/deliveries/${sent.delivery_id}`)).json
      assert.strictEqual(status, "pending")
      assert.strictEqual((yield* call("POST", `${at}/deliveries/${unknownId}/replay`)).status, 404)
    }).pipe(Effect.scoped),
  )

  it.live("of a time are replayed by a job, one replay at a time", () =>
    Effect.gen(function* () {
      const { call, context } = yield* serving
      const at = yield* create(call)
      const ids: Array<string> = []
      for (const status of ["failed", "delivered", "failed", "failed"] as const) {
        const { delivery_id } = (yield* call("POST", `${at}/test`)).json
        yield* within(context, end(at, delivery_id, status))
        ids.push(delivery_id)
      }
      const start = (json: Json) => call("POST", `${at}/replay`, { json })
      const since = "2020-01-01T00:00:00Z"
      const started = yield* start({ since })
      assert.strictEqual(started.status, 202, started.text)
      assert.strictEqual(started.json.matched_count, 3)
      const { replay_id } = started.json
      const second = yield* start({ since, status: "all" })
      assert.deepInclude(second.json, { error_code: "replay_in_progress", replay_id })

      const { workspace } = yield* within(
        context,
        Effect.flatMap(Workspaces, ({ bootstrap }) => bootstrap({ apiKey: null })),
      )
      const endpointId = WebhookEndpointId.make(at.slice(root.length + 1))
      const job = {
        type: "webhook_replay",
        endpointId,
        replayId: replay_id,
        since_ms: 0,
        until_ms: Date.now() + 60_000,
        eventTypes: null,
        status: "failed",
      } as const
      const run = within(
        context,
        Effect.flatMap(WebhookReplays, (replays) => replays.run(workspace.id, job)),
      )
      yield* run
      const statuses = Effect.map(call("GET", `${at}/deliveries`), ({ json }) =>
        json.deliveries.map((each: Json) => each.status).reverse(),
      )
      assert.deepStrictEqual(yield* statuses, ["pending", "delivered", "pending", "pending"])
      // The job runs again after a kill: the replay is over.
      yield* within(context, end(at, ids[0] ?? "", "failed"))
      yield* run
      assert.deepStrictEqual(yield* statuses, ["failed", "delivered", "pending", "pending"])

      const third = yield* start({ since, status: "all", event_types: ["webhook.*"] })
      assert.deepStrictEqual([third.status, third.json.matched_count], [202, 2])
      const abandoned = { ...job, replayId: third.json.replay_id }
      yield* within(
        context,
        Effect.flatMap(WebhookReplays, (replays) => replays.abandon(workspace.id, abandoned)),
      )
      const none = yield* start({ since, event_types: ["contact.*", "event.batch"] })
      assert.strictEqual(none.json.matched_count, 0, none.text)
    }).pipe(Effect.scoped),
  )
})

it.live("a replay begins in the past, before its end, and names types", () =>
  Effect.gen(function* () {
    const { call } = yield* servingOver(world, Api, handlers)
    const at = yield* create(call)
    const refused = (json: Json) => Effect.map(call("POST", `${at}/replay`, { json }), paths)
    assert.deepStrictEqual(yield* refused({}), ["since"])
    assert.deepStrictEqual(yield* refused({ since: "2020-01-01" }), ["since"])
    assert.deepStrictEqual(yield* refused({ since: "2999-01-01T00:00:00Z" }), ["since"])
    const backwards = { since: "2020-01-02T00:00:00Z", until: "2020-01-01T00:00:00Z" }
    assert.deepStrictEqual(yield* refused(backwards), ["since"])
    const untyped = { since: "2020-01-01T00:00:00Z", event_types: ["x"], status: "pending" }
    assert.deepStrictEqual(yield* refused(untyped), ["event_types.0", "status"])
  }).pipe(Effect.scoped),
)

it.live("a replay whose worker was killed goes on behind its last slice, and replays each delivery once", () =>
  Effect.gen(function* () {
    const { call, context } = yield* servingOver(world, Api, handlers)
    const at = yield* create(call)
    const endpointId = WebhookEndpointId.make(at.slice(root.length + 1))
    const { delivery_id } = (yield* call("POST", `${at}/test`)).json
    const program = Effect.gen(function* () {
      const log = yield* DeliveryLog
      const { transact } = yield* Transactor
      const { workspace } = yield* Effect.flatMap(Workspaces, ({ bootstrap }) => bootstrap({ apiKey: null }))
      const { delivery, pieces } = yield* log.get(workspace.id, endpointId, WebhookDeliveryId.make(delivery_id))
      yield* end(at, delivery_id, "delivered")
      const idOf = (n: number) => WebhookDeliveryId.make(`${delivery_id.slice(0, -4)}${String(n).padStart(4, "0")}`)
      const ended = { ...delivery, status: "delivered", nextAttemptAt: null, deliveredAt: delivery.createdAt } as const
      for (let n = 0; n < 1_200; n++) yield* transact(log.add(workspace.id, { ...ended, id: idOf(n) }, pieces))
      const json = { since: "2020-01-01T00:00:00Z", status: "all" }
      const { replay_id } = (yield* call("POST", `${at}/replay`, { json })).json

      const replayed = new Map<string, number>()
      let slices = 0
      const noting = Layer.effect(
        DeliveryLog,
        Effect.succeed({
          ...log,
          replay: (of, endpoint, selection, slice) =>
            Effect.suspend(() => {
              if (++slices === 2) return Effect.die("the worker was killed")
              return log.replay(of, endpoint, selection, {
                ...slice,
                replayed: (state) => {
                  const { id } = state as WebhookDelivery
                  replayed.set(id, (replayed.get(id) ?? 0) + 1)
                  return slice.replayed(state)
                },
              })
            }),
        } satisfies DeliveryLog["Service"]),
      )
      const times = { since_ms: 0, until_ms: Date.now() + 60_000 }
      const job = {
        type: "webhook_replay",
        endpointId,
        replayId: replay_id,
        ...times,
        eventTypes: null,
        status: "all",
      } as const
      const run = Effect.flatMap(WebhookReplays, (replays) => replays.run(workspace.id, job)).pipe(
        Effect.provide(Layer.fresh(WebhookReplays.layer).pipe(Layer.provide(noting))),
      )
      yield* Effect.exit(run)
      const { replay } = yield* transact((yield* EndpointStore).lock(workspace.id, endpointId))
      assert.deepStrictEqual([replay?.id, replay?.after], [replay_id, idOf(499)])
      // What has been delivered again meanwhile is not replayed twice.
      yield* end(at, idOf(0), "delivered")
      yield* run
      assert.isNull((yield* transact((yield* EndpointStore).lock(workspace.id, endpointId))).replay)
      return replayed
    })
    const replayed = yield* Effect.orDie(Effect.provide(program, context))
    assert.deepStrictEqual([replayed.size, Math.max(...replayed.values())], [1_201, 1])
  }).pipe(Effect.scoped),
)
