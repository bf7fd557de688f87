// Tests of the stream of changes.
import { Readiness } from "@tentpole/adapters/operations/Readiness"
import { eventsOf } from "@tentpole/client/Events"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Api } from "@tentpole/http/Api"
import { streams_per_caller_max } from "@tentpole/http/api/changes/ChangesHandlers"
import { watched_max } from "@tentpole/http/api/changes/ChangesApi"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Ref } from "effect"
import { type Json, paths, servingOver, testKey, unknownId, world } from "../../fixtures/World.ts"

/** Reads the events of a stream one by one. */
const readerOf = (body: ReadableStream<Uint8Array>) => {
  const events = eventsOf(body)
  return {
    next: Effect.promise(async (): Promise<Json> => (await events.next()).value ?? "closed"),
    close: Effect.promise(() => events.return()),
  }
}

const begin = Effect.gen(function* () {
  const surroundings = Layer.merge(world, Readiness.layer)
  const { call, context, handler } = yield* servingOver(surroundings, Api, handlers)
  const open = (watch: string, key = testKey) =>
    Effect.promise(() =>
      handler(new Request(`http://x/v1/changes?watch=${watch}`, { headers: { authorization: `Bearer ${key}` } })),
    )
  const watch = Effect.fnUntraced(function* (things: string, key?: string) {
    const { body, headers, status } = yield* open(things, key)
    assert.strictEqual(status, 200)
    assert.match(headers.get("content-type") ?? "", /^text\/event-stream/)
    assert(body !== null)
    return readerOf(body)
  })
  const blast = (yield* call("POST", "/v1/email-blasts", { json: { name: "Spring" } })).json
  return { call, context, open, watch, blast }
})

it.live("sends the present value of each thing, and its new value when it changes", () =>
  Effect.gen(function* () {
    const { blast, call, watch } = yield* begin
    const of = `blast:${blast.blast_id}`
    const events = yield* watch(of)
    const first = yield* events.next
    assert.deepStrictEqual([first.of, first.value.name, first.value.progress.status], [of, "Spring", "draft"])
    yield* call("PATCH", `/v1/email-blasts/${blast.blast_id}`, { json: { name: "Summer" } })
    assert.strictEqual((yield* events.next).value.name, "Summer")
    yield* events.close
  }),
)

it.live("sends a webhook endpoint as the call that gets it, and again when it changes", () =>
  Effect.gen(function* () {
    const { call, watch } = yield* begin
    const json = { url: "https://crm.example.org/hooks", event_types: ["contact.*"] }
    const { endpoint_id } = (yield* call("POST", "/v1/webhook-endpoints", { json })).json
    const at = `/v1/webhook-endpoints/${endpoint_id}`
    const events = yield* watch(`webhook:${endpoint_id}`)
    assert.deepStrictEqual(yield* events.next, { of: `webhook:${endpoint_id}`, value: (yield* call("GET", at)).json })
    yield* call("POST", `${at}/disable`)
    assert.strictEqual((yield* events.next).value.disabled_reason, "requested")
    yield* events.close
  }),
)

it.live("sends null for what does not exist or belongs to others, and what goes on in the workspace", () =>
  Effect.gen(function* () {
    const { blast, context, watch } = yield* begin
    const { create, createKey } = Context.get(context, Workspaces)
    const { raw } = yield* createKey((yield* create({ name: "Others" })).id, { name: "key" })
    const others = yield* watch(`blast:${blast.blast_id}`, raw)
    assert.isNull((yield* others.next).value)
    yield* others.close
    const events = yield* watch(`tent:${unknownId},workspace`)
    const all = [yield* events.next, yield* events.next].sort((left, right) => left.of.localeCompare(right.of))
    assert.deepStrictEqual(all, [
      { of: `tent:${unknownId}`, value: null },
      { of: "workspace", value: { blasts: [], imports: [] } },
    ])
    yield* events.close
  }),
)

it.live("refuses unknown kinds, repeated things, too many things, and exports without the role for them", () =>
  Effect.gen(function* () {
    const { call, context, open } = yield* begin
    const many = Array.from(
      { length: watched_max + 1 },
      (_, index) => `tent:${unknownId.slice(0, -2)}${String(index).padStart(2, "0")}`,
    )
    for (const watch of ["contact:1", "blast:", `blast:${unknownId},blast:${unknownId}`, many.join(",")]) {
      const refused = yield* call("GET", `/v1/changes?watch=${watch}`)
      assert.deepStrictEqual([refused.status, paths(refused)], [400, ["watch"]], watch)
    }
    const { createKey, bootstrap } = Context.get(context, Workspaces)
    const { workspace } = yield* bootstrap({ apiKey: null })
    const { raw } = yield* createKey(workspace.id, { name: "report", role: "viewer" })
    assert.strictEqual((yield* open(`export:${unknownId}`, raw)).status, 403)
  }),
)

it.live("limits the open streams of a key", () =>
  Effect.gen(function* () {
    const { call, watch } = yield* begin
    const opened = yield* Effect.forEach(Array.from({ length: streams_per_caller_max }), () => watch("workspace"))
    for (const { next } of opened) yield* next
    const refused = yield* call("GET", "/v1/changes?watch=workspace")
    assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [429, "15"])
    for (const { close } of opened) yield* close
    const again = yield* watch("workspace")
    assert.strictEqual((yield* again.next).of, "workspace")
    yield* again.close
  }),
)

it.live("ends when the process stops", () =>
  Effect.gen(function* () {
    const { context, watch } = yield* begin
    const events = yield* watch("workspace")
    yield* events.next
    yield* Ref.set(Context.get(context, Readiness), false)
    assert.deepStrictEqual([yield* events.next, yield* events.next], [{ of: "end" }, "closed"])
  }),
)

it.live.skipIf(process.env["SAMPLE"] !== undefined)("ends within 15 seconds when the key is revoked", () =>
  Effect.gen(function* () {
    const { context, watch } = yield* begin
    const { createKey, revokeKey, bootstrap } = Context.get(context, Workspaces)
    const { workspace } = yield* bootstrap({ apiKey: null })
    const { key, raw } = yield* createKey(workspace.id, { name: "screen" })
    const events = yield* watch("workspace", raw)
    yield* events.next
    yield* revokeKey(workspace.id, key.id)
    assert.deepStrictEqual(yield* events.next, { of: "end" })
  }),
)
