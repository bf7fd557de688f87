// Tests of the client's retry policy: as a pure function, and with a `fetch` that fails on purpose.
import { ApiError, ConnectionFailed } from "@tentpole/client"
import { toFailure } from "@tentpole/client/Failures"
import { type Attempted, retryLimits, waitBeforeRetry } from "@tentpole/client/Retry"
import { assert, describe, it } from "@effect/vitest"
import { clients } from "../fixtures/Clients.ts"

const now_ms = Date.parse("2026-05-01T00:00:00Z")

const refusal = (status: number, code: string, retryAfter?: string) =>
  toFailure(
    status,
    JSON.stringify({ error: "x", error_code: code, code, message: "m", details: {} }),
    { "retry-after": retryAfter },
    now_ms,
  )

const attempted = (failure: Attempted["failure"], more: Partial<Attempted> = {}): Attempted => ({
  method: "GET",
  keyed: false,
  attempt: 1,
  failure,
  ...more,
})

const waits = (of: Attempted, random = 0) => waitBeforeRetry(of, retryLimits, random)

describe("waitBeforeRetry", () => {
  const none = new ConnectionFailed({ message: "no answer" })

  it("retries reads and POSTs with a key after temporary failures", () => {
    for (const failure of [none, refusal(503, "unavailable"), refusal(429, "rate_limited", "1")]) {
      assert.isNotNull(waits(attempted(failure)))
      assert.isNotNull(waits(attempted(failure, { method: "POST", keyed: true })))
      assert.isNull(waits(attempted(failure, { attempt: retryLimits.attempts_max })))
    }
  })

  it("does not retry a non-idempotent request unless it was rejected before processing", () => {
    for (const method of ["PUT", "PATCH", "DELETE", "POST"]) {
      assert.isNull(waits(attempted(none, { method })), method)
      assert.isNull(waits(attempted(refusal(503, "unavailable", "1"), { method })), method)
      assert.isNotNull(waits(attempted(refusal(429, "rate_limited", "1"), { method })), method)
    }
  })

  it("does not retry permanent refusals, such as missing credits", () => {
    const final = [
      refusal(429, "insufficient_credits"),
      refusal(429, "publish_limit_exceeded"),
      refusal(409, "conflict"),
      refusal(500, "internal_error"),
      refusal(404, "not_found"),
    ]
    for (const failure of final) assert.isNull(waits(attempted(failure)))
  })

  it("retries a POST whose earlier attempt is still running", () => {
    const running = refusal(409, "idempotency_in_progress")
    assert.isNull(waits(attempted(running, { method: "POST", keyed: true })))
    assert.isNotNull(waits(attempted(running, { method: "POST", keyed: true, attempt: 2 })))
  })
})

describe("waitBeforeRetry, the delay", () => {
  it("waits at least for Retry-After, in seconds or as a date, and at most for its limit", () => {
    for (const random of [0, 0.5, 1]) {
      assert.isAtLeast(waits(attempted(refusal(429, "rate_limited", "7")), random) ?? 0, 7000)
      assert.isAtLeast(
        waits(attempted(refusal(503, "unavailable", "Fri, 01 May 2026 00:00:09 GMT")), random) ?? 0,
        9000,
      )
    }
    assert.isNull(waits(attempted(refusal(429, "rate_limited", "31"))))
  })

  it("grows exponentially with jitter without Retry-After", () => {
    const at = (attempt: number, random: number) =>
      waits(attempted(refusal(503, "unavailable"), { attempt }), random) ?? 0
    assert.isBelow(at(1, 1), at(2, 1))
    assert.isBelow(at(2, 1), at(3, 1))
    assert.notStrictEqual(at(1, 0), at(1, 1))
  })
})

/** A `fetch` that returns the given answers in order, and records the requests. */
const answering = (...answers: ReadonlyArray<() => Response | Promise<Response>>) => {
  const sent: Array<{ readonly key: string | null; readonly type: string | null; readonly body: string }> = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const answer = answers[sent.length] ?? (() => assert.fail("unexpected request"))
    sent.push({
      key: request.headers.get("idempotency-key"),
      type: request.headers.get("content-type"),
      body: await request.text(),
    })
    return answer()
  }
  return { sent, fetch }
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

const away = (code: string, status: number, retryAfter = "0") =>
  json(status, { error: "x", error_code: code, code, message: "m", details: {} }, { "retry-after": retryAfter })

const cut = () => Promise.reject(new TypeError("the connection was cut"))

const contactId = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
const deleted = json(200, { status: "completed", deleted_count: 0, rejected_count: 0, items: [] })
const batch = { payload: { items: [{ contact_id: contactId }] } }

describe.each(Object.entries(clients))("%s with a failing fetch", (_, connect) => {
  const client = (fetch: typeof globalThis.fetch) => connect({ url: "http://service.test", apiKey: "k", fetch })

  it("retries a POST with the same body and key", async () => {
    const { sent, fetch } = answering(away("rate_limited", 429), away("unavailable", 503), deleted)
    const done = await client(fetch).contacts.delete(batch)
    assert.strictEqual(done.deleted_count, 0)
    assert.lengthOf(new Set(sent.map(({ key, body }) => `${key} ${body}`)), 1)
    assert.isNotNull(sent[0]?.key)
  })

  it("retries a form with the same boundary", async () => {
    const asset = {
      actual_tent_id: contactId,
      asset_id: contactId,
      file_name: "n",
      content_type: "text/plain",
      size_bytes: 1,
      created_at: "2026-05-01T00:00:00.000Z",
    }
    const { sent, fetch } = answering(away("unavailable", 503), json(201, asset))
    const form = new FormData()
    form.set("file", new Blob(["x"]), "n")
    await client(fetch).tentAssets.uploadFirst({ payload: form })
    assert.lengthOf(sent, 2)
    assert.lengthOf(new Set(sent.map(({ type, body }) => `${type} ${body}`)), 1)
  })

  it("sends the caller's key, or a new key for each call", async () => {
    const { sent, fetch } = answering(deleted, deleted, deleted)
    const { contacts } = client(fetch)
    await contacts.delete(batch, { idempotencyKey: "mine" })
    await contacts.delete(batch)
    await contacts.delete(batch)
    assert.strictEqual(sent[0]?.key, "mine")
    assert.lengthOf(new Set(sent.map(({ key }) => key)), 3)
  })

  it("does not retry a DELETE after a connection failure, and hides the key in the failure", async () => {
    const { sent, fetch } = answering(cut)
    const outcome = await connect({
      url: "http://service.test",
      apiKey: "very-secret",
      fetch,
    }).contacts.deleteOne.result({ params: { contact_id: contactId } })
    assert(!outcome.ok && outcome.error instanceof ConnectionFailed)
    assert.include(outcome.error.message, "the connection was cut")
    assert.notInclude(
      `${JSON.stringify(outcome)} ${String(outcome.error.stack)} ${String(outcome.error.cause)}`,
      "secret",
    )
    assert.lengthOf(sent, 1)
  })

  it("fails at once if Retry-After exceeds the limit", async () => {
    const { sent, fetch } = answering(away("rate_limited", 429, "3600"))
    const outcome = await client(fetch).contacts.list.result()
    assert(!outcome.ok && outcome.error instanceof ApiError)
    assert.deepStrictEqual([outcome.error.code, outcome.error.retryAfter_s, sent.length], ["rate_limited", 3600, 1])
  })

  it("rejects with the signal's reason during a call and during a wait", async () => {
    const { fetch } = answering(away("rate_limited", 429, "20"))
    const ending = new AbortController()
    const call = client((input, init) => {
      const answered = fetch(input, init)
      void answered.then(() => ending.abort(new Error("enough")))
      return answered
    }).contacts.list({}, { signal: ending.signal })
    assert.strictEqual(String(await call.catch((error: unknown) => error)), "Error: enough")
    const aborted = await client(cut)
      .contacts.list({}, { signal: AbortSignal.abort() })
      .catch((error: unknown) => error)
    assert.strictEqual(aborted instanceof DOMException && aborted.name, "AbortError")
  })

  it("fails an attempt after its timeout", async () => {
    const never: typeof globalThis.fetch = (_input, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)))
    const impatient = connect({
      url: "http://service.test",
      apiKey: "k",
      fetch: never,
      timeout_ms: 5,
      retries: { attempts_max: 1 },
    })
    const outcome = await impatient.contacts.list.result()
    assert(!outcome.ok && outcome.error instanceof ConnectionFailed)
    assert.include(outcome.error.message, "within")
  })
})
