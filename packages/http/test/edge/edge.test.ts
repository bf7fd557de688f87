// Tests of the edge: error bodies, validation, authentication and request ids.
import { tagged } from "@tentpole/core/contract"
import { Auth, CurrentWorkspace } from "@tentpole/http/edge/Auth"
import { layer as authLayer } from "@tentpole/http/edge/Authentication"
import { errors, toBody } from "@tentpole/http/edge/Errors"
import { layer as validationLayer, Validation } from "@tentpole/http/edge/Validation"
import { answer, pageQuery } from "@tentpole/http/Wire"
import { Invalid, NotFound, Unavailable } from "@tentpole/core/kernel/Refusal"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { serving, testKey } from "../fixtures/World.ts"

const Thing = Schema.Struct({ name: Schema.NonEmptyString, size: Schema.optionalKey(Schema.Int) })

const Toy = HttpApi.make("toy")
  .add(
    HttpApiGroup.make("things")
      .add(
        HttpApiEndpoint.post("create", "/v1/things/:thingId", {
          params: { thingId: Schema.String.check(Schema.isUUID(undefined, { message: "must be a UUID" })) },
          query: pageQuery,
          payload: Thing,
          success: Schema.Struct({ slug: Schema.String }).pipe(HttpApiSchema.status(201)),
        }),
      )
      .add(HttpApiEndpoint.get("find", "/v1/things/:thingId", { error: errors("not_found"), success: Schema.String }))
      .add(HttpApiEndpoint.get("down", "/v1/down", { success: Schema.String }))
      .add(HttpApiEndpoint.get("broken", "/v1/broken", { success: Schema.String })),
  )
  .middleware(Validation)
  .middleware(Auth)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})

const handlers = HttpApiBuilder.group(
  Toy,
  "things",
  Effect.fn(function* (group) {
    return group.handleAll({
      create: () => Effect.map(CurrentWorkspace, ({ workspace: { slug } }) => ({ slug })),
      find: () => Effect.fail(new NotFound({ resource: "thing" })).pipe(answer((found: string) => found)),
      down: () => Effect.die(new Unavailable({ part: "database" })),
      broken: () => Effect.die(new Error("the password is hunter2")),
    })
  }),
)

const served = Effect.map(
  serving(Toy, handlers.pipe(Layer.provide(Layer.merge(validationLayer, authLayer)))),
  ({ call }) => call,
)

const id = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
const paths = (answered: {
  readonly json: { readonly details: { readonly issues: ReadonlyArray<{ path: string }> } }
}) => answered.json.details.issues.map((issue) => issue.path)

it.live("handles a valid request in the workspace of the key", () =>
  Effect.gen(function* () {
    const call = yield* served
    const made = yield* call("POST", `/v1/things/${id}?page=2`, { body: `{"name":"x"}` })
    assert.deepStrictEqual([made.status, made.json], [201, { slug: "default" }])
  }).pipe(Effect.scoped),
)

it.live("reports all issues of path, query and body, each with its path", () =>
  Effect.gen(function* () {
    const call = yield* served
    const bad = yield* call("POST", "/v1/things/nope?page=0&limt=3&limit=5&limit=6", {
      body: `{"name":"","size":"5","odd":1}`,
    })
    assert.strictEqual(bad.status, 400)
    assert.strictEqual(bad.json.error_code, "invalid_id")
    assert.sameMembers(paths(bad), ["thingId", "page", "limt", "limit", "name", "size", "odd"])
    const inBody = yield* call("POST", `/v1/things/${id}`, { body: `{"odd":1}` })
    assert.strictEqual(inBody.json.error_code, "validation_failed")
    assert.sameMembers(paths(inBody), ["name", "odd"])
    assert.include(
      JSON.stringify((yield* call("POST", `/v1/things/${id}?limt=3`, { body: `{"name":"x"}` })).json),
      "page, limit",
    )
    assert.include(JSON.stringify((yield* call("GET", "/v1/down?x=1")).json), "there are none")
  }).pipe(Effect.scoped),
)

const jsonBombTest = tagged(it.live, "attack/json-bomb", "attack/nul", "attack/lone-surrogate")
jsonBombTest("refuses NUL, lone surrogates, too deep nesting, too many values and long keys before schemas run", () =>
  Effect.gen(function* () {
    const call = yield* served
    for (const name of ["\\u0000", "\\ud800"]) {
      const bad = yield* call("POST", `/v1/things/${id}`, { body: `{"name":"a${name}"}` })
      assert.deepStrictEqual([bad.status, bad.json.error_code, paths(bad)], [400, "validation_failed", ["name"]])
    }
    const deep = yield* call("POST", `/v1/things/${id}`, {
      body: `{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    })
    assert.deepStrictEqual([deep.status, deep.json.error_code], [400, "validation_failed"])
    for (const [body, message] of [
      [`{"name":[${Array(150_000).fill("[]").join(",")}]}`, "The body has more than 150000 values"],
      [
        `{${Array.from({ length: 12_001 }, (_, n) => `"k${n}":1`).join(",")}}`,
        "The body has more than 12000 keys in objects with different keys",
      ],
      [`{"name":"x","${"k".repeat(1_001)}":1}`, "The body has a key of more than 1000 characters"],
    ] as const) {
      const refused = yield* call("POST", `/v1/things/${id}`, { body })
      assert.deepStrictEqual([refused.status, refused.json.message], [400, message])
    }
    const text = JSON.stringify({ name: `${"[,:{".repeat(50_000)}\\"` })
    assert.strictEqual((yield* call("POST", `/v1/things/${id}`, { body: text })).status, 201)
  }).pipe(Effect.scoped),
)

jsonBombTest("cuts the paths of issues", () =>
  Effect.gen(function* () {
    const call = yield* served
    const refused = yield* call("POST", `/v1/things/${id}`, { body: `{"name":"x","${"k".repeat(1_000)}":1}` })
    assert.deepStrictEqual([refused.status, paths(refused)], [400, [`${"k".repeat(200)}…`]])
  }).pipe(Effect.scoped),
)

jsonBombTest("cuts what a refusal repeats of the request", () =>
  Effect.sync(() => {
    const { details, message } = toBody(Invalid.at("name", `must not be ${"x".repeat(1_000_000)}`))
    assert.isBelow(message.length, 20_000)
    assert.isBelow(details.issues?.[0]?.message.length ?? Infinity, 2_000)
    const many = new Invalid({ issues: Array.from({ length: 2_000 }, () => ({ path: "name", message: "is wrong" })) })
    assert.lengthOf(toBody(many).details.issues ?? [], 1_000)
  }),
)

const unknownKeyTest = tagged(it.live, "attack/unknown-key", "attack/json-bomb")
unknownKeyTest("refuses more than 1,000 unknown keys before schemas run, without a list", () =>
  Effect.gen(function* () {
    const call = yield* served
    const keys = Array.from({ length: 11_000 }, (_, n) => `"k${n}":1`)
    const refused = yield* call("POST", `/v1/things/${id}`, { body: `{${keys.join(",")}}` })
    assert.deepStrictEqual([refused.status, refused.json.error_code], [400, "validation_failed"])
    assert.notProperty(refused.json.details, "issues")
    assert.include(refused.json.message, "more than 1000 unknown keys")
    const listed = yield* call("POST", `/v1/things/${id}`, { body: `{${keys.slice(0, 1000).join(",")}}` })
    assert.lengthOf(paths(listed), 1000)
  }).pipe(Effect.scoped),
)

it.live("reports the line and column of invalid JSON", () =>
  Effect.gen(function* () {
    const call = yield* served
    const { json } = yield* call("POST", `/v1/things/${id}`, { body: '{\n  "a": 1\n  "b": 2\n}' })
    assert.strictEqual(json.error_code, "invalid_json")
    assert.deepInclude(json.details, { line: 3, column: 3 })
    assert.include(json.message, "line 3, column 3")
  }).pipe(Effect.scoped),
)

it.live("answers 404 to a path with a slash at its end, and no issue of an empty id", () =>
  Effect.gen(function* () {
    const call = yield* served
    for (const method of ["GET", "POST"]) {
      const { json, status } = yield* call(method, "/v1/things/")
      assert.deepStrictEqual([status, json.error_code], [404, "not_found"], method)
      assert.include(json.message, "Remove the slash at its end")
    }
  }).pipe(Effect.scoped),
)

it.live("has a code for invalid JSON, a missing content type, an unknown path and a wrong method", () =>
  Effect.gen(function* () {
    const call = yield* served
    const code = Effect.fnUntraced(function* (...args: Parameters<typeof call>) {
      const answered = yield* call(...args)
      for (const key of ["error", "error_code", "message", "code"]) assert.isString(answered.json[key])
      assert.strictEqual(answered.json.details.request_id, answered.headers.get("x-request-id"))
      return [answered.status, answered.json.error_code]
    })
    assert.deepStrictEqual(yield* code("POST", `/v1/things/${id}`, { body: "{" }), [400, "invalid_json"])
    assert.deepStrictEqual(
      yield* code("POST", `/v1/things/${id}`, {
        body: "a=1",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }),
      [415, "unsupported_media_type"],
    )
    assert.deepStrictEqual(yield* code("GET", "/v1/nothing"), [404, "not_found"])
    assert.deepStrictEqual(yield* code("PUT", `/v1/things/${id}`), [405, "method_not_allowed"])
    assert.deepStrictEqual(yield* code("GET", `/v1/things/${id}`), [404, "not_found"])
    assert.deepStrictEqual(yield* code("GET", "/v1/down"), [503, "unavailable"])
    const broken = yield* call("GET", "/v1/broken")
    assert.strictEqual(broken.status, 500)
    assert.notInclude(JSON.stringify(broken.json), "hunter2")
    assert.strictEqual((yield* call("PUT", `/v1/things/${id}`)).headers.get("allow"), "GET, HEAD, POST")
  }).pipe(Effect.scoped),
)

const malformedCredentialsTest = tagged(it.live, "attack/malformed-credentials")
malformedCredentialsTest("answers every invalid authentication with the same 401", () =>
  Effect.gen(function* () {
    const call = yield* served
    for (const authorization of [
      "",
      "Bearer",
      `Basic ${testKey}`,
      `Bearer ${testKey}x`,
      `Bearer ${testKey}, Bearer ${testKey}`,
      "Bearer é",
    ]) {
      const refused = yield* call("GET", "/v1/down", { headers: { authorization: encodeURI(authorization) } })
      assert.deepStrictEqual([refused.status, refused.json.error_code], [401, "unauthorized"], authorization)
      assert.strictEqual(refused.headers.get("www-authenticate"), "Bearer")
    }
    assert.strictEqual(
      (yield* call("GET", `/v1/things/${id}`, { headers: { authorization: `bearer ${testKey}` } })).status,
      404,
    )
  }).pipe(Effect.scoped),
)

it.live("uses a well-formed request id and replaces others", () =>
  Effect.gen(function* () {
    const call = yield* served
    assert.strictEqual(
      (yield* call("GET", "/v1/x", { headers: { "x-request-id": "abc.1" } })).headers.get("x-request-id"),
      "abc.1",
    )
    const replaced = (yield* call("GET", "/v1/x", { headers: { "x-request-id": "a b" } })).headers.get("x-request-id")
    assert.match(replaced ?? "", /^[0-9a-f-]{36}$/)
  }).pipe(Effect.scoped),
)
