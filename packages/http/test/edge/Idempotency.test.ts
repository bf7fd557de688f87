// Tests of idempotency keys.
import { tagged } from "@tentpole/core/contract"
import { Auth, CurrentWorkspace } from "@tentpole/http/edge/Auth"
import { layer as authLayer } from "@tentpole/http/edge/Authentication"
import { body, errors } from "@tentpole/http/edge/Errors"
import { Idempotent } from "@tentpole/http/edge/Idempotency"
import { layer as idempotentLayer } from "@tentpole/http/edge/RepeatedRequests"
import { layer as validationLayer, Validation } from "@tentpole/http/edge/Validation"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Multipart } from "effect/http"
import { postgresWorld } from "../fixtures/PostgresWorld.ts"
import { type Answered, type Sent, servingOver } from "../fixtures/World.ts"

const Made = Schema.Struct({ number: Schema.Int, secret: Schema.String })

const Toy = HttpApi.make("toy")
  .add(
    HttpApiGroup.make("things")
      .add(
        HttpApiEndpoint.post("make", "/v1/things", {
          payload: Schema.Struct({ name: Schema.NonEmptyString }),
          success: Made.pipe(HttpApiSchema.status(201)),
          error: errors("not_found"),
        }),
      )
      .add(HttpApiEndpoint.post("other", "/v1/others", { success: Made }))
      .add(HttpApiEndpoint.post("large", "/v1/large", { success: Schema.String }))
      .add(HttpApiEndpoint.post("nothing", "/v1/nothing", { success: HttpApiSchema.NoContent }))
      .add(HttpApiEndpoint.put("put", "/v1/put", { success: Made }))
      .add(
        HttpApiEndpoint.post("upload", "/v1/files", {
          payload: Schema.Struct({ file: Multipart.SingleFileSchema }).pipe(HttpApiSchema.asMultipartStream()),
          success: Made,
        }),
      ),
  )
  .middleware(Validation)
  .middleware(Idempotent)
  .middleware(Auth)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})

/** How often the test endpoint was executed, and a gate that stops it. */
interface Toys {
  done: number
  /** The endpoint reports `begun` here and waits for `open`. */
  gate: { readonly begun: Deferred.Deferred<void>; readonly open: Deferred.Deferred<void> } | undefined
}

const handlersOf = (toys: Toys) => {
  const made = () =>
    Effect.map(CurrentWorkspace, ({ workspace }) => ({ number: ++toys.done, secret: `for ${workspace.slug}` }))
  return HttpApiBuilder.group(Toy, "things", (group) =>
    group.handleAll({
      make: ({ payload }) =>
        Effect.gen(function* () {
          if (toys.gate !== undefined) {
            yield* Deferred.succeed(toys.gate.begun, undefined)
            yield* Deferred.await(toys.gate.open)
          }
          const thing = yield* made()
          if (payload.name === "missing") return yield* Effect.fail(body("not_found", "No such thing"))
          if (payload.name === "down") return yield* Effect.die(new Unavailable({ part: "database" }))
          return thing
        }),
      other: made,
      large: () => Effect.map(made(), () => "x".repeat(9 * 2 ** 20)),
      nothing: () => Effect.asVoid(made()),
      put: made,
      upload: ({ payload }) =>
        Effect.andThen(Effect.orDie(payload.pipe(Stream.flatMap(contents), Stream.runDrain)), made()),
    }),
  )
}

const contents = (part: Multipart.Part) => (part._tag === "File" ? part.content : Stream.empty)

const begin = Effect.gen(function* () {
  const toys: Toys = { done: 0, gate: undefined }
  const middlewares = Layer.mergeAll(validationLayer, idempotentLayer, authLayer)
  const { call, context } = yield* servingOver(postgresWorld, Toy, handlersOf(toys).pipe(Layer.provide(middlewares)))
  const post = (path: string, key: string, sent: Sent = {}) =>
    call("POST", path, { ...sent, headers: { "idempotency-key": key, ...sent.headers } })
  return { call, context, post, toys }
})

const replayed = ({ headers }: Answered): boolean => headers.get("idempotency-replayed") === "true"
const statusAndCode = ({ status, json }: Answered) => [status, json?.error_code]

const multipart = (text: string): Sent => ({
  headers: { "content-type": "multipart/form-data; boundary=b" },
  body: `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n${text}\r\n--b--\r\n`,
})

describe("idempotency keys", () => {
  it.live("replays the first answer without executing the request again", () =>
    Effect.gen(function* () {
      const { post, toys } = yield* begin
      const first = yield* post("/v1/things", "one", { json: { name: "a" } })
      const second = yield* post("/v1/things", "one", { json: { name: "a" } })
      assert.deepStrictEqual([first.status, replayed(first)], [201, false])
      assert.deepStrictEqual([second.status, replayed(second), second.text], [201, true, first.text])
      assert.strictEqual(second.headers.get("content-type"), first.headers.get("content-type"))
      assert.notStrictEqual(second.headers.get("x-request-id"), first.headers.get("x-request-id"))
      assert.strictEqual(toys.done, 1)
    }).pipe(Effect.scoped),
  )

  it.live("replays an answer without a body", () =>
    Effect.gen(function* () {
      const { post, toys } = yield* begin
      yield* post("/v1/nothing", "one")
      const second = yield* post("/v1/nothing", "one")
      assert.deepStrictEqual([second.status, second.text, replayed(second), toys.done], [204, "", true, 1])
    }).pipe(Effect.scoped),
  )

  const repeatedCallTest = tagged(it.live, "attack/repeated-call")
  repeatedCallTest("refuses the key with another body; path, method and workspace separate keys", () =>
    Effect.gen(function* () {
      const { call, context, post, toys } = yield* begin
      yield* post("/v1/things", "one", { json: { name: "a" } })
      assert.deepStrictEqual(statusAndCode(yield* post("/v1/things", "one", { json: { name: "b" } })), [
        409,
        "idempotency_key_reused",
      ])
      assert.strictEqual(toys.done, 1)
      assert.isFalse(replayed(yield* post("/v1/others", "one")))
      const { create, createKey } = Context.get(context, Workspaces)
      const { id } = yield* create({ name: "another", slug: "another" })
      const authorization = `Bearer ${(yield* createKey(id, { name: "k" })).raw}`
      const theirs = yield* post("/v1/things", "one", { json: { name: "a" }, headers: { authorization } })
      assert.deepStrictEqual([theirs.status, theirs.json.secret], [201, "for another"])
      const headers = { "idempotency-key": "one" }
      assert.isFalse(replayed(yield* call("PUT", "/v1/put", { headers })))
      assert.isFalse(replayed(yield* call("PUT", "/v1/put", { headers })))
    }).pipe(Effect.scoped),
  )

  repeatedCallTest("executes one of fifty concurrent requests", () =>
    Effect.gen(function* () {
      const { post, toys } = yield* begin
      const all = yield* Effect.all(
        Array.from({ length: 50 }, () => post("/v1/things", "one", { json: { name: "a" } })),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(toys.done, 1)
      for (const answered of all) {
        assert.include([201, 409], answered.status)
        if (answered.status === 409) assert.strictEqual(answered.json.error_code, "idempotency_in_progress")
      }
      assert.isTrue(replayed(yield* post("/v1/things", "one", { json: { name: "a" } })))
    }).pipe(Effect.scoped),
  )

  it.live(
    "answers idempotency_in_progress while the first request runs, and idempotency_key_reused to another body",
    () =>
      Effect.gen(function* () {
        const { post, toys } = yield* begin
        const gate = { begun: yield* Deferred.make<void>(), open: yield* Deferred.make<void>() }
        toys.gate = gate
        const first = yield* Effect.forkChild(post("/v1/things", "one", { json: { name: "a" } }))
        yield* Deferred.await(gate.begun)
        const other = yield* post("/v1/things", "one", { json: { name: "b" } })
        assert.deepStrictEqual(statusAndCode(other), [409, "idempotency_key_reused"])
        const again = yield* post("/v1/things", "one", { json: { name: "a" } })
        assert.deepStrictEqual(statusAndCode(again), [409, "idempotency_in_progress"])
        yield* Deferred.succeed(gate.open, undefined)
        assert.strictEqual((yield* Fiber.join(first)).status, 201)
        assert.strictEqual(toys.done, 1)
      }).pipe(Effect.scoped),
  )

  it.live("replays refusals of the endpoint", () =>
    Effect.gen(function* () {
      const { post, toys } = yield* begin
      const first = yield* post("/v1/things", "one", { json: { name: "missing" } })
      const second = yield* post("/v1/things", "one", { json: { name: "missing" } })
      assert.deepStrictEqual(
        [statusAndCode(first), replayed(second), statusAndCode(second)],
        [[404, "not_found"], true, [404, "not_found"]],
      )
      assert.strictEqual(second.json.details.request_id, second.headers.get("x-request-id"))
      assert.strictEqual(toys.done, 1)
      assert.deepStrictEqual(statusAndCode(yield* post("/v1/things", "two", { json: { name: "" } })), [
        400,
        "validation_failed",
      ])
      assert.isTrue(replayed(yield* post("/v1/things", "two", { json: { name: "" } })))
    }).pipe(Effect.scoped),
  )

  repeatedCallTest("does not use up the key for internal errors and refusals before processing", () =>
    Effect.gen(function* () {
      const { post, toys } = yield* begin
      assert.strictEqual((yield* post("/v1/things", "one", { json: { name: "down" } })).status, 503)
      assert.deepStrictEqual(statusAndCode(yield* post("/v1/things", "one", { body: "{" })), [400, "invalid_json"])
      const form = { body: "a=1", headers: { "content-type": "application/x-www-form-urlencoded" } }
      assert.strictEqual((yield* post("/v1/things", "one", form)).status, 415)
      const unknownKey = { json: { name: "a" }, headers: { authorization: "Bearer unknown" } }
      assert.strictEqual((yield* post("/v1/things", "one", unknownKey)).status, 401)
      const good = yield* post("/v1/things", "one", { json: { name: "a" } })
      assert.deepStrictEqual([good.status, replayed(good), toys.done], [201, false, 2])
    }).pipe(Effect.scoped),
  )

  it.live("compares uploaded files by their bytes", () =>
    Effect.gen(function* () {
      const { post, toys } = yield* begin
      const first = yield* post("/v1/files", "one", multipart("one"))
      assert.strictEqual(first.status, 200, first.text)
      const again = yield* post("/v1/files", "one", multipart("one"))
      assert.deepStrictEqual([again.text, replayed(again)], [first.text, true])
      assert.deepStrictEqual(statusAndCode(yield* post("/v1/files", "one", multipart("two"))), [
        409,
        "idempotency_key_reused",
      ])
      assert.strictEqual(toys.done, 1)
    }).pipe(Effect.scoped),
  )

  repeatedCallTest("answers conflict if the stored answer was too large, without executing again", () =>
    Effect.gen(function* () {
      const { post, toys } = yield* begin
      assert.strictEqual((yield* post("/v1/large", "one")).status, 200)
      const again = yield* post("/v1/large", "one")
      assert.deepStrictEqual([statusAndCode(again), toys.done], [[409, "conflict"], 1])
      assert.include(again.json.message, "completed with status 200")
    }).pipe(Effect.scoped),
  )

  repeatedCallTest("accepts keys of 1 to 255 printable characters only", () =>
    Effect.gen(function* () {
      const { post, toys } = yield* begin
      for (const key of ["x".repeat(256), "é", "a\tb"]) {
        const refused = yield* post("/v1/others", key)
        assert.deepStrictEqual(
          [statusAndCode(refused), refused.json.details.issues[0].path],
          [[400, "validation_failed"], "Idempotency-Key"],
        )
      }
      for (const key of ["x".repeat(255), "a b", "~!"]) assert.strictEqual((yield* post("/v1/others", key)).status, 200)
      assert.strictEqual(toys.done, 3)
    }).pipe(Effect.scoped),
  )
})
