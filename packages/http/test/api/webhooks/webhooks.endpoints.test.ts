// Tests of webhook endpoints over HTTP, on both adapters.
import { AuditLog } from "@tentpole/core/kernel/changes/AuditLog"
import { WebhookEndpointId } from "@tentpole/core/kernel/Ids"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { EndpointStore } from "@tentpole/core/webhooks/endpoints/EndpointStore"
import { endpoints_max, purposeOf } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { keyOf } from "@tentpole/core/webhooks/Signature"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect } from "effect"
import { readFileSync } from "node:fs"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { type Json, paths, servingOver, unknownId, world, worldWith } from "../../fixtures/World.ts"

const root = "/v1/webhook-endpoints"
const right = { url: "https://crm.example.org/hooks", event_types: ["contact.*", "email.bounced"] }

describe.each([
  ["memory", servingOver(world, Api, handlers)],
  ["PostgreSQL", servingOver(postgresWorld, Api, handlers)],
] as const)("webhook endpoints on %s", (_, serving) => {
  it.live("are created with defaults, read without the secret, changed field by field, and deleted", () =>
    Effect.gen(function* () {
      const { call } = yield* serving
      const created = yield* call("POST", root, { json: right })
      assert.strictEqual(created.status, 201, created.text)
      const { secret, ...shown } = created.json
      const { created_at, endpoint_id, secret_prefix, updated_at, ...rest } = shown
      assert.strictEqual(keyOf(secret)?.length, 32)
      assert.strictEqual(secret_prefix, secret.slice(0, 10))
      assert.deepStrictEqual(rest, {
        ...right,
        description: null,
        status: "enabled",
        disabled_reason: null,
        disabled_at: null,
        filter: null,
        payload: "full",
        mode: "parallel",
        batch: null,
        max_in_flight: 20,
        headers: {},
        previous_secret_expires_at: null,
        stats: {
          pending_count: 0,
          oldest_pending_at: null,
          delivered_24h: 0,
          failed_24h: 0,
          consecutive_failures: 0,
          last_success_at: null,
          last_failure_at: null,
          last_error_code: null,
        },
      })
      assert.strictEqual(created_at, updated_at)
      const at = `${root}/${endpoint_id}`
      const { hours, ...stats } = (yield* call("GET", at)).json.stats
      assert.deepStrictEqual(stats, shown.stats)
      assert.strictEqual(hours.length, 24)
      assert.strictEqual(Date.parse(hours[23].at) - Date.parse(hours[0].at), 23 * 3_600_000)
      assert.isTrue(hours.every((hour: Json) => hour.delivered_count === 0 && hour.failed_count === 0))
      assert.deepStrictEqual((yield* call("GET", at)).json, { ...shown, stats: { ...stats, hours } })
      assert.deepStrictEqual((yield* call("GET", root)).json, { webhook_endpoints: [shown], next_cursor: null })

      const json = {
        description: "CRM",
        filter: { list_ids: [unknownId.toUpperCase()], tags: { kind: "receipt" } },
        payload: "thin",
        mode: "ordered",
        batch: { max_events: 100, max_wait_ms: 250 },
        max_in_flight: 3,
        headers: { Authorization: "Bearer x", "x-b": "1" },
      }
      const changed = yield* call("PATCH", at, { json })
      assert.strictEqual(changed.status, 200, changed.text)
      const { updated_at: later, ...its } = changed.json
      assert.deepStrictEqual(its, {
        ...json,
        filter: { ...json.filter, list_ids: [unknownId] },
        headers: { authorization: null, "x-b": null },
        ...right,
        ...Object.fromEntries(
          Object.entries(shown).filter(([key]) => !(key in json) && !(key in right) && key !== "updated_at"),
        ),
      })
      assert.isTrue(later >= updated_at)
      const emptied = { description: null, filter: null, batch: null, headers: {}, url: "https://a.example/" }
      const back = yield* call("PATCH", at, { json: emptied })
      assert.deepInclude(back.json, { ...emptied, payload: "thin", mode: "ordered", max_in_flight: 3 })

      assert.strictEqual((yield* call("DELETE", at)).status, 204)
      for (const [method, path] of [
        ["GET", at],
        ["DELETE", at],
        ["POST", `${at}/disable`],
      ] as const) {
        assert.strictEqual((yield* call(method, path)).status, 404)
      }
    }).pipe(Effect.scoped),
  )

  it.live("are disabled and enabled, either on its own state without a change", () =>
    Effect.gen(function* () {
      const { call } = yield* serving
      const { endpoint_id } = (yield* call("POST", root, { json: right })).json
      const at = `${root}/${endpoint_id}`
      const disabled = yield* call("POST", `${at}/disable`)
      assert.deepInclude(disabled.json, { status: "disabled", disabled_reason: "requested" })
      assert.isString(disabled.json.disabled_at)
      assert.deepStrictEqual((yield* call("POST", `${at}/disable`)).json, disabled.json)
      const enabled = yield* call("POST", `${at}/enable`, { json: { from: "stopped" } })
      assert.deepInclude(enabled.json, { status: "enabled", disabled_reason: null, disabled_at: null })
      assert.deepStrictEqual((yield* call("POST", `${at}/enable`)).json, enabled.json)
    }).pipe(Effect.scoped),
  )

  it.live("rotate their secret, with an overlap", () =>
    Effect.gen(function* () {
      const { call } = yield* serving
      const created = (yield* call("POST", root, { json: right })).json
      const rotate = (json?: Json) => call("POST", `${root}/${created.endpoint_id}/rotate-secret`, { json })
      const rotated = yield* rotate()
      assert.strictEqual(rotated.status, 200, rotated.text)
      assert.notStrictEqual(rotated.json.secret, created.secret)
      assert.strictEqual(rotated.json.secret_prefix, rotated.json.secret.slice(0, 10))
      const hours = (Date.parse(rotated.json.previous_secret_expires_at) - Date.now()) / 3_600_000
      assert.closeTo(hours, 24, 1)
      const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
      const chosen = yield* rotate({ overlap_hours: 0, secret })
      assert.deepInclude(chosen.json, { secret, secret_prefix: "whsec_MfKQ", previous_secret_expires_at: null })
      assert.deepStrictEqual(paths(yield* rotate({ overlap_hours: 169 })), ["overlap_hours"])
    }).pipe(Effect.scoped),
  )

  it.live(`are ${endpoints_max} at most, also when they are created at the same time`, () =>
    Effect.gen(function* () {
      const { call } = yield* serving
      const answers = yield* Effect.forEach(
        Array.from({ length: endpoints_max + 2 }),
        () => call("POST", root, { json: right }),
        { concurrency: 8 },
      )
      const refused = answers.filter(({ status }) => status !== 201)
      assert.strictEqual(refused.length, 2)
      for (const { json } of refused) {
        assert.deepInclude(json, { error_code: "webhook_endpoint_limit", limit: endpoints_max, current: endpoints_max })
      }
      const first = (yield* call("GET", `${root}?limit=30`)).json
      assert.strictEqual(first.webhook_endpoints.length, 30)
      const second = (yield* call("GET", `${root}?limit=30&cursor=${first.next_cursor}`)).json
      assert.deepStrictEqual([second.webhook_endpoints.length, second.next_cursor], [20, null])
    }).pipe(Effect.scoped),
  )

  it.live("keep the value of a header that is written back as it was read", () =>
    Effect.gen(function* () {
      const { call, context } = yield* serving
      const headers = { Authorization: "Bearer x", "x-b": "1" }
      const { endpoint_id } = (yield* call("POST", root, { json: { ...right, headers } })).json
      const at = `${root}/${endpoint_id}`
      const { json: read } = yield* call("GET", at)
      const written = { "x-c": "2", ...read.headers, "x-b": undefined }
      const changed = yield* call("PATCH", at, { json: { headers: written } })
      assert.deepStrictEqual(changed.json.headers, { "x-c": null, authorization: null }, changed.text)
      const sent = Effect.gen(function* () {
        const { workspace } = yield* Effect.flatMap(Workspaces, ({ bootstrap }) => bootstrap({ apiKey: null }))
        const store = yield* EndpointStore
        const { endpoint } = yield* store.get(workspace.id, WebhookEndpointId.make(endpoint_id))
        const { open } = yield* Secrets
        return yield* open(purposeOf(endpoint.id), endpoint.sealedHeaders ?? new Uint8Array())
      })
      const opened = yield* Effect.provide(sent, context as Context.Context<EndpointStore | Secrets | Workspaces>)
      assert.deepStrictEqual(JSON.parse(new TextDecoder().decode(opened)), { "x-c": "2", authorization: "Bearer x" })
      const refused = yield* call("PATCH", at, { json: { headers: { "x-b": null } } })
      assert.deepStrictEqual([refused.status, paths(refused)], [400, ["headers.x-b"]])
    }).pipe(Effect.scoped),
  )

  it.live(
    "show secrets where they are new only, and values of headers nowhere; the audit log has neither",
    () =>
      Effect.gen(function* () {
        const { call, context } = yield* serving
        const key = "Bearer mercury-4kTz"
        const post = (path: string, json?: Json) => call("POST", path, json === undefined ? {} : { json })
        const created = yield* post(root, { ...right, headers: { authorization: key } })
        const { endpoint_id, secret } = created.json
        const at = `${root}/${endpoint_id}`
        const rotated = yield* post(`${at}/rotate-secret`, {})
        const sent = yield* post(`${at}/test`, {})
        const answers = [
          yield* call("PATCH", at, { json: { headers: { authorization: `${key}x`, "x-a": "mercury" } } }),
          yield* call("PATCH", at, { json: { headers: { "content-type": "mercury" } } }),
          yield* call("GET", root),
          yield* call("GET", at),
          yield* post(`${at}/disable`),
          yield* post(`${at}/enable`),
          yield* call("GET", `${at}/deliveries`),
          yield* call("GET", `${at}/deliveries/${sent.json.delivery_id}`),
          yield* call("GET", "/v1/events"),
          sent,
        ]
        const log = yield* Effect.provide(AuditLog, context as Context.Context<AuditLog>)
        const { items } = yield* log.list({ after: null, limit: 100 })
        const everything = [...answers.map(({ text }) => text), JSON.stringify(items)].join("\n")
        for (const hidden of [
          secret,
          secret.slice(10),
          rotated.json.secret,
          rotated.json.secret.slice(10),
          "mercury",
        ]) {
          assert.notInclude(everything, hidden)
        }
        for (const { text } of [created, rotated]) assert.notInclude(text, "mercury")
        assert.notInclude(rotated.text, secret)
        // Memory keeps no audit log.
        if (items.length === 0) return
        const actions = items.filter(({ target }) => target === endpoint_id).map(({ action }) => action)
        assert.sameMembers(actions, [
          "webhook_endpoint.created",
          "webhook_endpoint.secret_rotated",
          "webhook_endpoint.updated",
          "webhook_endpoint.disabled",
          "webhook_endpoint.enabled",
        ])
        const of = items.find(({ action }) => action === "webhook_endpoint.created")
        assert.deepStrictEqual(of?.details, { host: "crm.example.org" })
      }).pipe(Effect.scoped),
    { tags: ["attack/secret-leak"] },
  )

  it.live("tell the end of an endpoint as an event", () =>
    Effect.gen(function* () {
      const { call } = yield* serving
      yield* call("GET", "/v1/events")
      const { endpoint_id } = (yield* call("POST", root, { json: right })).json
      yield* call("POST", `${root}/${endpoint_id}/disable`)
      const [event] = (yield* call("GET", "/v1/events")).json.events
      assert.deepInclude(event, {
        type: "webhook_endpoint.disabled",
        data: { endpoint_id, disabled_reason: "requested" },
      })
    }).pipe(Effect.scoped),
  )
})

it.live("refuses what an endpoint can't be, each issue with its path", () =>
  Effect.gen(function* () {
    const { call } = yield* servingOver(world, Api, handlers)
    const refused = (more: Json) => Effect.map(call("POST", root, { json: { ...right, ...more } }), paths)
    assert.deepStrictEqual(yield* refused({ url: undefined, event_types: undefined }), ["url", "event_types"])
    for (const url of [
      "http://crm.example.org",
      "https://localhost/x",
      "https://10.0.0.1",
      "https://u:p@a.example",
      "x",
    ]) {
      assert.deepStrictEqual(yield* refused({ url }), ["url"], url)
    }
    assert.deepStrictEqual(yield* refused({ event_types: ["contact.*", "x", "contact.x"] }), [
      "event_types.1",
      "event_types.2",
    ])
    assert.deepStrictEqual(yield* refused({ event_types: [] }), ["event_types"])
    assert.deepStrictEqual(yield* refused({ filter: { list_ids: ["x"], contact_ids: [] } }), [
      "filter.contact_ids",
      "filter.list_ids.0",
    ])
    assert.deepStrictEqual(yield* refused({ batch: { max_events: 1, max_wait_ms: 30_001 }, max_in_flight: 101 }), [
      "batch.max_events",
      "batch.max_wait_ms",
      "max_in_flight",
    ])
    assert.deepStrictEqual(yield* refused({ headers: { Host: "a", "x-a": "\n" }, secret: "whsec_AAAA" }), [
      "headers.Host",
      "headers.x-a",
      "secret",
    ])
    assert.deepStrictEqual(yield* refused({ mode: "random", payload: "fat", description: "x".repeat(501) }), [
      "description",
      "payload",
      "mode",
    ])
    const { endpoint_id } = (yield* call("POST", root, { json: right })).json
    const patched = (json: Json) => Effect.map(call("PATCH", `${root}/${endpoint_id}`, { json }), paths)
    assert.deepStrictEqual(yield* patched({ secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }), ["secret"])
    assert.deepStrictEqual(yield* patched({ status: "disabled" }), ["status"])
    assert.deepStrictEqual(yield* patched({ url: "https://127.0.0.1/" }), ["url"])
    assert.deepStrictEqual(yield* patched({}), [""])
  }).pipe(Effect.scoped),
)

it.live(
  "refuses keys of prototypes where keys are free",
  () =>
    Effect.gen(function* () {
      const { call } = yield* servingOver(world, Api, handlers)
      for (const key of ["__proto__", "constructor", "prototype"]) {
        for (const [at, value] of [
          [`headers.${key}`, `"headers": {"${key}": "x"}`],
          [`filter.tags.${key}`, `"filter": {"tags": {"${key}": "x"}}`],
          [`filter.${key}`, `"filter": {"${key}": ["${unknownId}"]}`],
        ] as const) {
          const body = `{"url": "https://a.example", "event_types": ["*"], ${value}}`
          const answered = yield* call("POST", root, { body })
          assert.deepStrictEqual([answered.status, paths(answered)], [400, [at]], answered.text)
        }
      }
    }).pipe(Effect.scoped),
  { tags: ["attack/prototype-key"] },
)

it.live("takes plain HTTP into the networks of the operator, and never the service's own addresses", () =>
  Effect.gen(function* () {
    const webhooks = {
      allowedNetworks: ["10.0.0.0/8"],
      ownAddresses: ["10.0.0.5:8080"],
      connections: 1,
      timeout_s: 1,
    }
    const { call } = yield* servingOver(worldWith({ webhooks }), Api, handlers)
    const create = (url: string) => call("POST", root, { json: { ...right, url } })
    assert.strictEqual((yield* create("http://10.0.0.5:8081/")).status, 201)
    assert.deepStrictEqual(paths(yield* create("http://10.0.0.5:8080/")), ["url"])
    assert.deepStrictEqual(paths(yield* create("http://192.168.0.1/")), ["url"])
  }).pipe(Effect.scoped),
)

it.live("takes the examples of docs/webhooks.md", () =>
  Effect.gen(function* () {
    const { call } = yield* servingOver(world, Api, handlers)
    const page = readFileSync(new URL("../../../../../docs/webhooks.md", import.meta.url), "utf8")
    const bodies = [...page.matchAll(/^```json\n([^]*?)^```/gm)].map(([, text = ""]) => text)
    assert.strictEqual(bodies.length, 6)
    const [simple = "", testing = "", whole = "", enabling = "", replaying = "", rotating = ""] = bodies
    yield* call("POST", root, { body: whole })
    const { endpoint_id } = (yield* call("POST", root, { body: simple })).json
    for (const [name, body] of [
      ["", whole],
      [`/${endpoint_id}/test`, testing],
      [`/${endpoint_id}/enable`, enabling],
      [`/${endpoint_id}/replay`, replaying],
      [`/${endpoint_id}/rotate-secret`, rotating],
    ] as const) {
      const answered = yield* call("POST", `${root}${name}`, { body })
      assert.isBelow(answered.status, 300, answered.text)
    }
  }).pipe(Effect.scoped),
)

it.live("returns the same endpoint and secret for a repeated request with an idempotency key", () =>
  Effect.gen(function* () {
    const { call } = yield* servingOver(postgresWorld, Api, handlers)
    const create = call("POST", root, { json: right, headers: { "idempotency-key": "a" } })
    const [first, second] = [yield* create, yield* create]
    assert.deepStrictEqual([first.status, second.status, second.text], [201, 201, first.text])
    assert.strictEqual((yield* call("GET", root)).json.webhook_endpoints.length, 1)
  }).pipe(Effect.scoped),
)
