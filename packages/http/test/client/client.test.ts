// Tests of both clients against the service, with the memory adapter.
import { Api } from "@tentpole/http/Api"
import { ApiError, type Client, connect, type ConnectOptions, UnexpectedAnswer } from "@tentpole/client"
import { make } from "@tentpole/http/client"
import { handlers } from "@tentpole/http/Handlers"
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import { readOnlyFields } from "@tentpole/http/api/contacts/BatchWire"
import { ContactWire } from "@tentpole/http/api/contacts/ContactWire"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { clients } from "../fixtures/Clients.ts"
import { servingOver, testKey, unknownId, world } from "../fixtures/World.ts"

const url = "http://service.test"

/** Discards the request log. */
const quiet = Layer.merge(world, Layer.succeed(References.MinimumLogLevel, "Error"))

/** A `fetch` that calls the service in process, and the recorded requests. */
const served = Effect.map(servingOver(quiet, Api, handlers), ({ handler }) => {
  const seen: Array<Pick<Request, "url" | "headers">> = []
  const fetch: typeof globalThis.fetch = (input, init) => {
    const request = new Request(input, init)
    seen.push(request)
    return handler(request)
  }
  return { seen, fetch }
})

const collected = async <A>(entries: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const entry of entries) all.push(entry)
  return all
}

const people = (count: number) => Array.from({ length: count }, (_, at) => ({ email: `person${at}@example.org` }))

type Connect = (options: ConnectOptions) => Client

const wired = (connectTo: Connect) =>
  Effect.map(served, ({ fetch, seen }) => ({ seen, tentpole: connectTo({ url: `${url}/`, apiKey: testKey, fetch }) }))

interface PlainAnswer {
  readonly body: string
  readonly status?: number
  readonly type?: string
}

const answering = (connectTo: Connect, { body, status = 200, type = "application/json" }: PlainAnswer) =>
  connectTo({
    url,
    apiKey: "k",
    fetch: async () => new Response(body, { status, headers: { "content-type": type, "x-request-id": "r1" } }),
  })

describe.each(Object.entries(clients))("%s", (_, connectTo) => {
  it.live("sends wire values and returns the value, or the answer with status, headers and request id", () =>
    Effect.gen(function* () {
      const { seen, tentpole } = yield* wired(connectTo)
      yield* Effect.promise(async () => {
        const made = await tentpole.contacts.create({
          payload: { items: [{ email: "ann@example.org", first_name: "Ann", custom_fields: {} }] },
        })
        assert.strictEqual(made.created_count, 1)
        const [item] = made.items
        if (item?.status !== "created") return assert.fail("not created")
        const contact = await tentpole.contacts.find({ params: { contact_id: item.contact_id } })
        assert.strictEqual(contact.first_name, "Ann")
        const outcome = await tentpole.contacts.patch.result(
          { params: { contact_id: item.contact_id }, payload: { city: "Bern" } },
          { headers: { "x-request-id": "mine" } },
        )
        if (!outcome.ok) return assert.fail(outcome.error.message)
        assert.deepStrictEqual([outcome.value.city, outcome.status, outcome.requestId], ["Bern", 200, "mine"])
        await tentpole.contacts.deleteOne({ params: { contact_id: item.contact_id } })
      })
      const [create, find] = seen
      assert.strictEqual(create?.url, `${url}/v1/contacts`)
      assert.strictEqual(create?.headers.get("authorization"), `Bearer ${testKey}`)
      assert.match(create?.headers.get("idempotency-key") ?? "", /^[0-9a-f-]{36}$/)
      assert.isNull(find?.headers.get("idempotency-key"))
    }),
  )

  it.live("types rules, accepts dates and numbers in queries, and makes optional parts optional", () =>
    Effect.gen(function* () {
      const { seen, tentpole } = yield* wired(connectTo)
      yield* Effect.promise(async () => {
        const list = await tentpole.lists.create({
          payload: {
            name: "Romans",
            kind: "dynamic",
            rules: { kind: "condition", source: "contact", field: "city", operator: "eq", value: "Rome" },
          },
        })
        assert.strictEqual(list.rules?.kind, "group")
        await tentpole.contacts.list({ query: { limit: 5, updated_after: new Date(0) } })
        assert.strictEqual((await tentpole.analytics.workspace()).pageviews, 0)
      })
      assert.strictEqual(
        seen[1]?.url,
        `${url}/v1/contacts?limit=5&updated_after=${encodeURIComponent("1970-01-01T00:00:00.000Z")}`,
      )
    }),
  )

  it.live("iterates listings by page number and by cursor until the last page", () =>
    Effect.gen(function* () {
      const { seen, tentpole } = yield* wired(connectTo)
      yield* Effect.promise(async () => {
        await tentpole.contacts.create({ payload: { items: people(7) } })
        const emails: Array<string | null> = []
        const before = seen.length
        for await (const { email } of tentpole.contacts.list.each({
          query: { limit: 3, sort: "normalized_email", order: "asc" },
        })) {
          emails.push(email)
        }
        assert.deepStrictEqual(
          emails,
          people(7).map(({ email }) => email),
        )
        assert.strictEqual(seen.length - before, 3)
        assert.lengthOf(await collected(tentpole.contacts.list.pages({ query: { email: "person1@example.org" } })), 1)
        for (let at = 0; at < 5; at++) await tentpole.emails.create({ payload: { name: `Email ${at}` } })
        const pages = await collected(tentpole.emails.list.pages({ query: { limit: 2 } }))
        assert.deepStrictEqual(
          pages.map(({ emails: page }) => page.length),
          [2, 2, 1],
        )
        assert.lengthOf(await collected(tentpole.lists.list.each({ query: { search: "no such list" } })), 0)
        const asked = seen.length
        for await (const _ of tentpole.contacts.list.each({ query: { limit: 1 } })) break
        assert.strictEqual(seen.length, asked + 1, "pages after the requested items are not loaded")
      })
    }),
  )

  it.live("returns or throws an ApiError with code, issues and request id", () =>
    Effect.gen(function* () {
      const { tentpole } = yield* wired(connectTo)
      yield* Effect.promise(async () => {
        const missing = await tentpole.lists.find.result({ params: { listId: unknownId } })
        assert(!missing.ok && missing.error instanceof ApiError)
        assert.deepStrictEqual([missing.error.code, missing.error.status], ["not_found", 404])
        assert.isString(missing.error.requestId)
        assert.isTrue(missing.error.is("not_found", "rate_limited"))
        assert.isFalse(missing.error.is("unauthorized"))
        const bad = await tentpole.contacts.list({ query: { limit: 500 } }).catch((error: unknown) => error)
        assert(bad instanceof ApiError)
        assert.deepStrictEqual(
          bad.issues.map(({ path }) => path),
          ["limit"],
        )
        await tentpole.lists.create({ payload: { name: "Taken", kind: "static" } })
        const taken = await tentpole.lists.create.result({ payload: { name: "Taken", kind: "static" } })
        assert(!taken.ok && taken.error instanceof ApiError)
        assert.isTrue(taken.error.is("contact_list_name_exists"))
      })
    }),
  )

  it.live("uploads forms, downloads bytes, and returns pages as text", () =>
    Effect.gen(function* () {
      const { tentpole } = yield* wired(connectTo)
      yield* Effect.promise(async () => {
        const form = new FormData()
        form.set("file", new Blob(["a note"], { type: "text/plain" }), "note.txt")
        const asset = await tentpole.tentAssets.uploadFirst({ payload: form })
        const bytes = await tentpole.tentAssets.content({
          params: { tentId: asset.actual_tent_id, asset_id: asset.asset_id },
        })
        assert.strictEqual(await new Response(bytes).text(), "a note")
        const email = await tentpole.emails.create({ payload: { name: "n", html: "<p>Hello</p>" } })
        const html: string = await tentpole.emails.content({ params: { emailId: email.email_id } })
        assert.include(html, "<p>Hello</p>")
      })
    }),
  )

  it("throws on path parameters that would change the path, without a request", async () => {
    const tentpole = connectTo({ url, apiKey: "k", fetch: () => Promise.reject(new Error("asked")) })
    for (const contact_id of ["", ".", ".."]) {
      const thrown = await tentpole.contacts.find({ params: { contact_id } }).catch((error: unknown) => error)
      assert.instanceOf(thrown, TypeError, contact_id)
    }
  })

  it.live("takes numbers in a path as numbers and as text", () =>
    Effect.gen(function* () {
      const { seen, tentpole } = yield* wired(connectTo)
      yield* Effect.promise(async () => {
        for (const n of [3, "3"]) {
          const outcome = await tentpole.tents.restore.result({ params: { tentId: unknownId, n } })
          assert(!outcome.ok && outcome.error instanceof ApiError && outcome.error.code === "not_found")
        }
      })
      assert.deepStrictEqual(
        seen.map((request) => new URL(request.url).pathname),
        [`/v1/tents/${unknownId}/versions/3/restore`, `/v1/tents/${unknownId}/versions/3/restore`],
      )
    }),
  )

  it("fails with UnexpectedAnswer on an answer of another kind", async () => {
    for (const answer of [
      { body: "<p>no", status: 502, type: "text/html" },
      { body: "no", status: 200, type: "text/plain" },
    ]) {
      const outcome = await answering(connectTo, answer).lists.memberCount.result({ params: { listId: unknownId } })
      assert(!outcome.ok && outcome.error instanceof UnexpectedAnswer, JSON.stringify(outcome))
      assert.strictEqual(outcome.error.requestId, "r1")
    }
  })
})

it.live("the client for promises throws errors with a short stack that names the caller's file", () =>
  Effect.gen(function* () {
    const { tentpole } = yield* wired(connect)
    yield* Effect.promise(async () => {
      const error = await tentpole.lists.find({ params: { listId: unknownId } }).catch((thrown: unknown) => thrown)
      assert(error instanceof ApiError)
      const stack = error.stack?.split("\n") ?? []
      assert.match(stack[0] ?? "", /^ApiError: /)
      assert.include(error.stack, "client.test.ts")
      // Node's own frames come and go.
      const own = stack.filter((line) => !line.includes("node:internal"))
      assert.isAtMost(own.length, 7, error.stack)
    })
  }),
)

it("the client for promises takes further headers instead of a key, and a relative URL", async () => {
  const requests: Array<readonly [string, Headers]> = []
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    requests.push([typeof input === "string" ? input : "", new Headers(init?.headers)])
    return new Response(JSON.stringify({ lists: [], pagination: { page: 1, limit: 25, total: 0, totalPages: 0 } }))
  }
  const tentpole = connect({ url: "", apiKey: null, headers: { "x-proxied": "yes" }, fetch })
  await tentpole.lists.list({ query: { page: 1 } }, { headers: { "x-request-id": "mine" } })
  const [[url, headers] = ["", new Headers()]] = requests
  assert.strictEqual(url, "/v1/contact-lists?page=1")
  assert.deepStrictEqual(
    [headers.get("authorization"), headers.get("x-proxied"), headers.get("x-request-id")],
    [null, "yes", "mine"],
  )
})

it.live("the Effect client has effects and streams with typed failures", () =>
  Effect.gen(function* () {
    const { fetch } = yield* served
    const program = Effect.gen(function* () {
      const tentpole = yield* make({ url, apiKey: testKey })
      yield* tentpole.contacts.create({ payload: { items: people(5) } })
      const found = yield* Stream.runCollect(tentpole.contacts.list.each({ query: { limit: 2 } }))
      const { status } = yield* tentpole.lists.create.answer({ payload: { name: "n", kind: "static" } })
      const failure = yield* Effect.flip(tentpole.contacts.find({ params: { contact_id: unknownId } }))
      return { found: found.length, status, code: failure._tag === "ApiError" ? failure.code : failure._tag }
    })
    const said = yield* program.pipe(
      Effect.provide(FetchHttpClient.layer),
      Effect.provideService(FetchHttpClient.Fetch, fetch),
    )
    assert.deepStrictEqual(said, { found: 5, status: 201, code: "not_found" })
  }),
)

it("the client for Effect fails with UnexpectedAnswer on a wrong schema, and ignores new fields", async () => {
  const connectEffect = clients["the client for Effect"] ?? assert.fail()
  const query = { params: { listId: unknownId } }
  const count = { list_id: unknownId, kind: "static", member_count: 1, counted_at: "2026-05-01T00:00:00.000Z" }
  const newer = await answering(connectEffect, { body: JSON.stringify({ ...count, more: 1 }) }).lists.memberCount(query)
  assert.deepStrictEqual(Object.keys(newer), Object.keys(count))
  const outcome = await answering(connectEffect, { body: "{}" }).lists.memberCount.result(query)
  assert(!outcome.ok && outcome.error instanceof UnexpectedAnswer)
})

it("the read-only fields of contacts in the client's types match the field definitions", () => {
  const writable = standardFields.filter((field) => field.writable).map(({ apiName }) => apiName)
  const shown = Object.keys(ContactWire.fields).filter((name) => name !== "custom_fields")
  assert.sameMembers(
    shown.filter((name) => !readOnlyFields.some((each) => each === name)),
    writable,
  )
})
