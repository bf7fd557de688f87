// Tests of the work on many rows of a webhook endpoint, slice by slice, on both adapters: replays of events without a delivery, what
// an endpoint does without, and its deletion. No worker runs: the tests run its jobs, and stop them between slices.
import { type Ids, WebhookEndpointId, WebhookReplayId } from "@tentpole/core/kernel/Ids"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { DeliveryLog } from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import { enable, remove, type ReplayJob } from "@tentpole/core/webhooks/endpoints/EndpointChange"
import { EndpointStore } from "@tentpole/core/webhooks/endpoints/EndpointStore"
import { WebhookCleanup } from "@tentpole/core/webhooks/endpoints/WebhookCleanup"
import { WebhookReplays } from "@tentpole/core/webhooks/endpoints/WebhookReplays"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, describe, it } from "@effect/vitest"
import { type Context, DateTime, Effect, Layer } from "effect"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { type Call, type Json, servingOver, world } from "../../fixtures/World.ts"

const root = "/v1/webhook-endpoints"
const since = "2020-01-01T00:00:00Z"

const create = (call: Call, json: Json) =>
  Effect.map(call("POST", root, { json: { url: "https://crm.example.org/hooks", ...json } }), (made) => {
    const id: string = made.json.endpoint_id
    return { at: `${root}/${id}`, id: WebhookEndpointId.make(id) }
  })

/** Contacts, whose events the endpoint then has left behind without deliveries. */
const miss = Effect.fnUntraced(function* (call: Call, at: string, count: number) {
  const items = Array.from({ length: count }, () => ({ email: `${crypto.randomUUID()}@example.org` }))
  const made = yield* call("POST", "/v1/contacts", { json: { items } })
  assert.strictEqual(made.json.created_count, count, made.text)
  yield* call("POST", `${at}/disable`)
  yield* call("POST", `${at}/enable`)
})

const listed = (call: Call, at: string) =>
  Effect.map(call("GET", `${at}/deliveries?limit=100`), ({ json }): ReadonlyArray<Json> => json.deliveries)

const workspaceId = Effect.flatMap(Workspaces, ({ bootstrap }) =>
  Effect.map(bootstrap({ apiKey: null }), ({ workspace }) => workspace.id),
)

const started = (call: Call, at: string, more: Json = {}) =>
  Effect.map(call("POST", `${at}/replay`, { json: { since, status: "all", ...more } }), ({ json, status, text }) => {
    assert.strictEqual(status, 202, text)
    return { replay_id: WebhookReplayId.make(json.replay_id), matched_count: json.matched_count as number }
  })

const run = Effect.fnUntraced(function* (
  endpointId: WebhookEndpointId,
  replayId: WebhookReplayId,
  { eventTypes = null, status = "all" }: Partial<Pick<ReplayJob, "eventTypes" | "status">> = {},
) {
  const replays = yield* WebhookReplays
  const job = { type: "webhook_replay", endpointId, replayId, since_ms: 0, until_ms: Date.now() } as const
  yield* replays.run(yield* workspaceId, { ...job, eventTypes, status })
})

type Needs = DeliveryLog | EndpointStore | Ids | Transactor | WebhookReplays | Workspaces

describe.each([
  ["memory", servingOver(world, Api, handlers)],
  ["PostgreSQL", servingOver(postgresWorld, Api, handlers)],
] as const)("slices of webhooks on %s", (_, serving) => {
  const within = <A, E>(context: Context.Context<Needs>, effect: Effect.Effect<A, E, Needs>) =>
    Effect.orDie(Effect.provide(effect, context))

  it.live("a replay of all sends events without a delivery that the endpoint wants now, each once", () =>
    Effect.gen(function* () {
      const { call, context } = yield* serving
      const { at, id } = yield* create(call, { event_types: ["list.*"] })
      const list = yield* call("POST", "/v1/contact-lists", { json: { name: "News", kind: "static" } })
      assert.strictEqual(list.status, 201, list.text)
      yield* miss(call, at, 3)
      const replay = (job: Parameters<typeof run>[2] = {}) =>
        Effect.gen(function* () {
          const { eventTypes: event_types, ...more } = job
          const { matched_count, replay_id } = yield* started(call, at, { ...more, event_types })
          yield* within(context, run(id, replay_id, job))
          return matched_count
        })
      assert.strictEqual(yield* replay({ status: "failed" }), 0)
      assert.deepStrictEqual(yield* listed(call, at), [])
      assert.strictEqual(yield* replay(), 1)
      yield* call("PATCH", at, { json: { event_types: ["list.*", "contact.created", "contact.deleted"] } })
      assert.strictEqual(yield* replay({ eventTypes: ["contact.deleted"] }), 0)
      yield* call("PATCH", at, { json: { filter: { list_ids: [crypto.randomUUID()] } } })
      assert.strictEqual(yield* replay(), 0)
      yield* call("PATCH", at, { json: { filter: null } })
      assert.strictEqual(yield* replay(), 3)
      assert.strictEqual(yield* replay(), 0)
      const deliveries = yield* listed(call, at)
      const types = ["contact.created", "contact.created", "contact.created", "list.created"]
      assert.deepStrictEqual(deliveries.map(({ event_type }) => event_type).toSorted(), types)
      assert.strictEqual(new Set(deliveries.map(({ webhook_id }) => webhook_id)).size, 4)
      const { json: feed } = yield* call("GET", "/v1/events?type=contact.created")
      const sent = deliveries.filter(({ event_type }) => event_type === "contact.created")
      assert.sameMembers(
        sent.map(({ webhook_id }) => webhook_id),
        feed.events.map((event: Json) => event.id),
      )
      const { payload } = (yield* call("GET", `${at}/deliveries/${sent[0]?.delivery_id}`)).json
      assert.deepStrictEqual(
        payload,
        feed.events.find(({ id: of }: Json) => of === sent[0]?.webhook_id),
      )
    }).pipe(Effect.scoped),
  )

  it.live("a replay that is killed between slices goes on, and adds each event once, in batches", () =>
    Effect.gen(function* () {
      const { call, context } = yield* serving
      const batch = { max_events: 2, max_wait_ms: 0 }
      const { at, id } = yield* create(call, { event_types: ["contact.*"], batch })
      yield* miss(call, at, 5)
      const { matched_count, replay_id } = yield* started(call, at)
      assert.strictEqual(matched_count, 3)
      let writes = 0
      const small = Layer.effect(
        DeliveryLog,
        Effect.map(DeliveryLog, (log): DeliveryLog["Service"] => ({
          ...log,
          missed: (of, endpoint, selection, slice) => log.missed(of, endpoint, selection, { ...slice, limit: 2 }),
          addMissed: (of, deliveries) =>
            Effect.suspend(() => {
              writes++
              const added = log.addMissed(of, deliveries)
              return writes === 2 ? Effect.andThen(added, Effect.die("the worker was killed")) : added
            }),
        })),
      )
      const inSlices = Layer.fresh(WebhookReplays.layer).pipe(Layer.provide(small))
      const once = within(context, Effect.provide(run(id, replay_id), inSlices))
      yield* Effect.exit(once)
      assert.lengthOf(yield* listed(call, at), 1)
      yield* once
      const deliveries = yield* listed(call, at)
      const ids = deliveries.flatMap(({ event_ids }) => event_ids)
      assert.deepStrictEqual([deliveries.length, ids.length, new Set(ids).size, writes], [3, 5, 5, 4])
      assert.isTrue(deliveries.every(({ event_type, status }) => event_type === "event.batch" && status === "pending"))
      assert.strictEqual((yield* started(call, at)).matched_count, 0)
    }).pipe(Effect.scoped),
  )

  it.live("what an endpoint does without is skipped, and a deleted one's rows are deleted, also after a kill", () =>
    Effect.gen(function* () {
      const { call, context } = yield* serving
      const { at, id } = yield* create(call, { event_types: ["contact.*"] })
      yield* miss(call, at, 5)
      const { replay_id } = yield* started(call, at)
      yield* within(context, run(id, replay_id))
      const statuses = Effect.map(listed(call, at), (all) => all.map(({ status }) => status))
      yield* call("POST", `${at}/disable`)
      const program = Effect.gen(function* () {
        const workspace = yield* workspaceId
        const store = yield* EndpointStore
        const { transact } = yield* Transactor
        let slices = 0
        const killed = Layer.succeed(EndpointStore, {
          ...store,
          skipMissed: (...of) =>
            Effect.suspend(() => (++slices === 2 ? Effect.die("the worker was killed") : store.skipMissed(...of))),
          deleteRows: (...of) =>
            Effect.suspend(() => (++slices === 2 ? Effect.die("the worker was killed") : store.deleteRows(...of))),
        } satisfies EndpointStore["Service"])
        const cleanup = Effect.flatMap(WebhookCleanup, (it) => it.run(workspace, id)).pipe(
          Effect.provide(Layer.fresh(WebhookCleanup.layerOf(2)).pipe(Layer.provide(killed))),
        )
        const lock = store.lock(workspace, id)
        const enabled = Effect.map(lock, (before) => enable(before, { now: DateTime.makeUnsafe(0), skipsMissed: true }))
        yield* transact(
          Effect.flatMap(enabled, (change) => (change === null ? Effect.die("") : store.apply(workspace, change))),
        )
        yield* Effect.exit(cleanup)
        assert.deepStrictEqual((yield* statuses).toSorted(), ["pending", "pending", "pending", "skipped", "skipped"])
        yield* cleanup
        assert.deepStrictEqual(
          yield* statuses,
          Array.from({ length: 5 }, () => "skipped"),
        )

        slices = 0
        const [, , , fourth] = yield* listed(call, at)
        yield* transact(
          Effect.flatMap(lock, (before) => store.apply(workspace, remove(before, DateTime.makeUnsafe(0)))),
        )
        assert.strictEqual((yield* call("GET", `${at}/deliveries/${fourth?.delivery_id}`)).status, 404)
        yield* Effect.exit(cleanup)
        assert.isTrue(yield* transact(store.deleteRows(workspace, id, 1)))
        yield* cleanup
        assert.isFalse(yield* transact(store.deleteRows(workspace, id, 1)))
      })
      yield* within(context, program)
    }).pipe(Effect.scoped),
  )
})

it.live("a replay of more than 100,000 deliveries is refused before anything is written", () =>
  Effect.gen(function* () {
    const { call, context } = yield* servingOver(world, Api, handlers)
    const { at, id } = yield* create(call, { event_types: ["contact.*"] })
    yield* miss(call, at, 1)
    let pages = 0
    const endless = Layer.effect(
      DeliveryLog,
      Effect.map(DeliveryLog, (log): DeliveryLog["Service"] => ({
        ...log,
        missed: (...of) =>
          Effect.map(log.missed(...of), ({ events }) => {
            pages++
            return { events: Array.from({ length: 1_000 }, () => events).flat(), last: "0" }
          }),
      })),
    )
    const refused = yield* Effect.gen(function* () {
      const input = { since: DateTime.makeUnsafe(since), status: "all" } as const
      const replays = yield* WebhookReplays
      return yield* Effect.flip(replays.start(yield* workspaceId, id, input))
    }).pipe(
      Effect.provide(Layer.fresh(WebhookReplays.layer).pipe(Layer.provide(endless))),
      Effect.provide(context as Context.Context<Needs>),
    )
    assert.deepStrictEqual([refused._tag, pages], ["ReplayTooLarge", 101])
    assert.strictEqual((yield* started(call, at)).matched_count, 1)
  }).pipe(Effect.scoped),
)
