// Tests of the feed of events over HTTP, on both adapters.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { nextQuery } from "@tentpole/client/Pages"
import { eventTypeNames, eventTypes } from "@tentpole/core/webhooks/EventCatalogue"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { type Json, servingOver, world } from "../../fixtures/World.ts"

describe.each([
  ["memory", servingOver(world, Api, handlers)],
  ["PostgreSQL", servingOver(postgresWorld, Api, handlers)],
] as const)("events on %s", (_, serving) => {
  it.live("changes by the API are events, in order, and an event is read by its id", () =>
    Effect.gen(function* () {
      const { call } = yield* serving
      const start = (yield* call("GET", "/v1/events?order=asc")).json.next_cursor
      const post = (path: string, json: object) => call("POST", path, { json })
      const { items } = (yield* post("/v1/contacts", {
        items: [{ email: "ann@example.org", display_name: "Ann Lee" }],
      })).json
      const { contact_id } = items[0]
      const { list_id } = (yield* post("/v1/contact-lists", {
        name: "News",
        kind: "static",
        contact_ids: [contact_id],
      })).json
      yield* call("PATCH", `/v1/contacts/${contact_id}`, { json: { city: "Hamburg" } })
      yield* call("PATCH", `/v1/contact-lists/${list_id}`, { json: { name: "Letters" } })
      yield* call("DELETE", `/v1/contact-lists/${list_id}`)

      const feed = yield* call("GET", `/v1/events?order=asc&cursor=${start}`)
      assert.strictEqual(feed.status, 200, feed.text)
      const { events } = feed.json
      const contact = { contact_id, email: "ann@example.org", phone: null, display_name: "Ann Lee" }
      assert.deepStrictEqual(
        events.map(({ data, type }: Json) => [type, data]),
        [
          ["contact.created", { contact, original_source: "api" }],
          ["list.created", { list_id, list_name: "News" }],
          ["list.member_added", { contact, list_id, list_name: "News" }],
          ["contact.updated", { contact, changes: [{ field: "city", from: null, to: "Hamburg" }] }],
          ["list.updated", { list_id, list_name: "Letters" }],
          ["list.deleted", { list_id, list_name: "Letters" }],
        ],
      )
      const one = yield* call("GET", `/v1/events/${events[0].id}`)
      assert.deepStrictEqual(one.json, events[0])
      const newest = yield* call("GET", `/v1/events?limit=1&type=list.updated&contact_id=${contact_id}`)
      assert.deepStrictEqual(newest.json, { events: [], next_cursor: null })
    }).pipe(Effect.scoped),
  )
})

it.live("lists the types of events with schemas and examples", () =>
  Effect.gen(function* () {
    const { call } = yield* servingOver(world, Api, handlers)
    const { event_types } = (yield* call("GET", "/v1/event-types")).json
    assert.deepStrictEqual(
      event_types.map(({ type }: Json) => type),
      eventTypeNames,
    )
    for (const { example, schema, type } of event_types) {
      const known: Json = eventTypes[type as (typeof eventTypeNames)[number]]
      assert.deepStrictEqual([schema.type, example], ["object", known.example])
      assert.includeMembers(Object.keys(schema.properties), Object.keys(example))
    }
  }).pipe(Effect.scoped),
)

it("the client's walk ends at the newest event, where the cursor stays the same", () => {
  const paging = { by: "cursor", entries: "events" } as const
  assert.deepStrictEqual(nextQuery(paging, { order: "asc" }, { next_cursor: "a" }), { order: "asc", cursor: "a" })
  assert.isNull(nextQuery(paging, { order: "asc", cursor: "a" }, { next_cursor: "a" }))
})
