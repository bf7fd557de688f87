// Tests of large answers: the same bytes as the framework's, in steps.
import { assert, describe, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { piece_length } from "@tentpole/core/kernel/runtime/JsonPieces"
import { largeAnswers } from "@tentpole/http/LargeAnswers"
import { messagePage } from "@tentpole/http/tracking/TrackingAnswers"
import { Effect, Exit, Fiber, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"

const Item = Schema.Struct({ name: Schema.String, cells: Schema.Record(Schema.String, Schema.Unknown) })
const Listing = Schema.Struct({
  items: Schema.Array(Item),
  short: Schema.Array(Schema.Int).check(Schema.isMaxLength(3)),
  at: Schema.optionalKey(Schema.NullOr(Schema.String)),
  either: Schema.optionalKey(Schema.Union([Item, Schema.String])),
})

const Toy = HttpApi.make("toy")
  .add(
    HttpApiGroup.make("things")
      .add(HttpApiEndpoint.get("listing", "/listing", { success: Listing.pipe(HttpApiSchema.status(201)) }))
      .add(
        HttpApiEndpoint.get("dated", "/dated", {
          success: Schema.Struct({ at: Schema.DateFromString, text: Schema.String }),
        }),
      )
      .add(HttpApiEndpoint.get("text", "/text", { success: HttpApiSchema.asText()(Schema.String) }))
      .add(
        HttpApiEndpoint.get("file", "/file", {
          success: HttpApiSchema.WithHeaders(HttpApiSchema.asUint8Array()(Schema.Uint8Array), { a: Schema.String }),
        }),
      ),
  )
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })

const answered = largeAnswers(Toy)

const answer = (
  name: keyof typeof Toy.groups.things.endpoints,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
) => {
  const request = HttpServerRequest.fromWeb(new Request("http://a.test/", { headers }))
  return answered({ request, endpoint: Toy.groups.things.endpoints[name] })(value)
}

const sentOf = Effect.fnUntraced(function* (response: unknown) {
  if (!HttpServerResponse.isHttpServerResponse(response)) return assert.fail("it is not large")
  const web = HttpServerResponse.toWeb(response)
  const text = yield* Effect.promise(() => web.text())
  return { status: web.status, type: web.headers.get("content-type"), body: response.body._tag, text }
})

const item = (name: string, cells: Readonly<Record<string, unknown>> = {}) => ({ name, cells })
const long = `x${"\r\n😀".repeat(piece_length)}`
/** Keys are not in the order of the schema. */
const listings = {
  "a long text": { short: [1], items: [item(long)], at: null },
  "many items": {
    items: Array.from({ length: 5_000 }, (_, at) => item(`item ${at}`, { at, more: [at, null] })),
    short: [],
  },
  "large items": { at: "x", short: [], items: Array.from({ length: 3 }, () => item("x", { long, deep: { long } })) },
  "one of several things": { either: { cells: { long }, name: long }, short: [], items: [] },
}

describe("large answers", () => {
  for (const [name, value] of Object.entries(listings)) {
    it.effect(`have the bytes that the framework gives: ${name}`, () =>
      Effect.gen(function* () {
        const whole = JSON.stringify(Schema.encodeUnknownSync(Listing)(value))
        for (const headers of [{}, { "idempotency-key": "a" }]) {
          const { body, status, text, type } = yield* sentOf(yield* answer("listing", value, headers))
          assert.deepStrictEqual([status, type], [201, "application/json"])
          assert.isTrue(text === whole)
          // An answer that may be stored has its bytes.
          assert.strictEqual(body, "idempotency-key" in headers ? "Uint8Array" : "Stream")
        }
      }),
    )
  }

  it.effect("are encoded by their schemas", () =>
    Effect.gen(function* () {
      const { text } = yield* sentOf(yield* answer("dated", { at: new Date(0), text: long }))
      assert.isTrue(text === JSON.stringify({ at: new Date(0).toISOString(), text: long }))
    }),
  )

  it.effect("that do not fit their schema are defects", () =>
    Effect.gen(function* () {
      for (const wrong of [{ more: 1 }, { short: [1, 2, 3, 4] }, { items: [item(long), 1] }, { short: undefined }]) {
        const exit = yield* Effect.exit(answer("listing", { items: [item(long)], short: [], ...wrong }))
        assert.isTrue(Exit.hasDies(exit), JSON.stringify(Object.keys(wrong)))
      }
      assert.isTrue(Exit.hasDies(yield* Effect.exit(answer("listing", { items: [item(long)] }))))
    }),
  )

  it.effect("are objects: the framework answers with short ones, text and files", () =>
    Effect.gen(function* () {
      const file = HttpApiSchema.withHeaders({ body: new Uint8Array(piece_length * 2), headers: { a: "b" } })
      for (const [name, value] of [
        ["listing", { items: [], short: [] }],
        ["text", long],
        ["file", file],
      ] as const) {
        assert.strictEqual(yield* answer(name, value), value)
      }
    }),
  )

  it.effect("of a message in a browser are its HTML", () =>
    Effect.gen(function* () {
      for (const [html, body] of [
        ["<p>x</p>", "Uint8Array"],
        [`${long}\ud83d`, "Stream"],
      ] as const) {
        const sent = yield* sentOf(messagePage(html))
        assert.deepStrictEqual([sent.status, sent.type, sent.body], [200, "text/html; charset=utf-8", body])
        assert.isTrue(sent.text === html.toWellFormed())
      }
    }),
  )

  const slowInputTest = tagged(it.live, "attack/slow-input")
  slowInputTest("stop no other request", () =>
    Effect.gen(function* () {
      let turns_count = 0
      const others = yield* Effect.forkChild(Effect.forever(Effect.map(Effect.yieldNow, () => turns_count++)))
      const { text } = yield* sentOf(yield* answer("listing", listings["large items"]))
      yield* Fiber.interrupt(others)
      assert.isAtLeast(turns_count, text.length / (2 * piece_length) / 2)
    }),
  )
})
