import {
  changedSettings,
  EventPatterns,
  newSettings,
  WebhookBatchSchema,
  WebhookFilterSchema,
  ChangedWebhookHeaders,
  WebhookHeaders,
  withStored,
  WebhookSecret,
} from "@tentpole/core/webhooks/endpoints/EndpointInput"
import { issuesOf } from "@tentpole/core/kernel/Refusal"
import { secretOf } from "@tentpole/core/webhooks/Signature"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const id = "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c02"
const reach = { exceptions: [], own: new Set<string>() }

/** The issues of JSON, as the API reports them. */
const issues = (schema: Schema.Top, json: string): ReadonlyArray<string> => {
  const decode = Schema.decodeUnknownResult(schema as Schema.Codec<unknown>, {
    errors: "all",
    onExcessProperty: "error",
  })
  const decoded = decode(JSON.parse(json))
  return Result.isSuccess(decoded) ? [] : issuesOf(decoded.failure).map(({ message, path }) => `${path} ${message}`)
}
const isTaken = (schema: Schema.Top, value: unknown) => issues(schema, JSON.stringify(value)).length === 0

describe("EndpointInput", () => {
  it("takes one to a hundred types and groups", () => {
    assert.isTrue(isTaken(EventPatterns, ["contact.created", "flow.member.*", "*"]))
    assert.isTrue(
      isTaken(
        EventPatterns,
        Array.from({ length: 100 }, () => "*"),
      ),
    )
    assert.isFalse(
      isTaken(
        EventPatterns,
        Array.from({ length: 101 }, () => "*"),
      ),
    )
    assert.isFalse(isTaken(EventPatterns, []))
    assert.deepStrictEqual(issues(EventPatterns, `["*", "contact.exploded"]`), [
      "1 must be `*`, a type that GET /v1/event-types lists, or a group such as `contact.*`",
    ])
  })

  it("takes a filter of ids and tags", () => {
    assert.isTrue(isTaken(WebhookFilterSchema, { list_ids: [id], topic_ids: [id], tags: { kind: "receipt" } }))
    for (const filter of [
      { list_ids: [] },
      { list_ids: ["a"] },
      { list_ids: Array.from({ length: 101 }, () => id) },
      { contact_ids: [id] },
      { tags: { Kind: "a" } },
      { tags: { kind: "" } },
      { tags: { kind: "x".repeat(101) } },
      { tags: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`t${at}`, "a"])) },
    ]) {
      assert.isFalse(isTaken(WebhookFilterSchema, filter), JSON.stringify(filter))
    }
  })

  it("takes up to ten headers, with names and values that can be sent and that the service does not set", () => {
    assert.isTrue(isTaken(WebhookHeaders, { Authorization: "Bearer x y", "x-a_b": "1" }))
    assert.isTrue(isTaken(WebhookHeaders, { a: "x".repeat(1_000) }))
    for (const [name, value] of [
      ["a", ""],
      ["a", " "],
      ["a", "x".repeat(1_001)],
      ["a", "x\r\ny: z"],
      ["a", "\t"],
      ["a", "é"],
      ["a b", "1"],
      ["a:", "1"],
      ["", "1"],
      ["é", "1"],
      ["x".repeat(101), "1"],
      ..."Host content-type Content-Length webhook-id WEBHOOK-x connection keep-alive transfer-encoding te upgrade trailer expect user-agent"
        .split(" ")
        .map((refused) => [refused, "1"] as const),
    ] as const) {
      assert.isFalse(isTaken(WebhookHeaders, { [name]: value }), `${name}: ${value}`)
    }
    assert.isFalse(isTaken(WebhookHeaders, Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`x${at}`, "a"]))))
    assert.isFalse(isTaken(WebhookHeaders, { a: 1 }))
    assert.isFalse(isTaken(WebhookHeaders, { a: null }))
    assert.isTrue(isTaken(ChangedWebhookHeaders, { a: null, b: "1" }))
    assert.isFalse(isTaken(ChangedWebhookHeaders, { host: null }))
    assert.deepStrictEqual(issues(WebhookHeaders, `{"X-A": "1", "x-a": "2"}`), ["x-a is the same name as another one"])
  })

  it("keeps the stored value of a header that is null, and of no other one", () => {
    const stored = { authorization: "Bearer x", "x-a": "1" }
    const kept = withStored({ Authorization: null, "X-B": "2" }, stored)
    assert.deepStrictEqual(Result.getOrThrow(kept), { authorization: "Bearer x", "x-b": "2" })
    for (const name of ["x-c", "toString"]) {
      const refused = Result.getOrThrow(Result.flip(withStored({ "x-a": null, [name]: null }, stored)))
      assert.deepStrictEqual(
        refused.issues.map(({ path }) => path),
        [`headers.${name}`],
      )
    }
  })

  it("refuses keys that mean more where an object has a prototype", { tags: ["attack/prototype-key"] }, () => {
    for (const key of ["__proto__", "constructor", "prototype"]) {
      assert.deepStrictEqual(issues(WebhookHeaders, `{"${key}": "1"}`), [`${key} is not a possible name`])
      assert.deepStrictEqual(issues(WebhookFilterSchema, `{"tags": {"${key}": "1"}}`), [
        `tags.${key} is not a possible name`,
      ])
      assert.strictEqual(issues(WebhookFilterSchema, `{"${key}": ["${id}"]}`).length, 1, key)
    }
  })

  it("takes batches of 2 to 500 events that wait up to 30 seconds", () => {
    assert.isTrue(isTaken(WebhookBatchSchema, { max_events: 2, max_wait_ms: 0 }))
    assert.isTrue(isTaken(WebhookBatchSchema, { max_events: 500, max_wait_ms: 30_000 }))
    for (const [max_events, max_wait_ms] of [
      [1, 0],
      [501, 0],
      [2.5, 0],
      [2, -1],
      [2, 30_001],
    ]) {
      assert.isFalse(isTaken(WebhookBatchSchema, { max_events, max_wait_ms }))
    }
  })

  it("takes a secret of 24 to 64 bytes", () => {
    for (const [length, taken] of [
      [23, false],
      [24, true],
      [64, true],
      [65, false],
    ] as const) {
      assert.strictEqual(isTaken(WebhookSecret, secretOf(new Uint8Array(length))), taken, String(length))
    }
    assert.isFalse(isTaken(WebhookSecret, "whsec_"))
  })

  it("completes a new endpoint, and changes only what a call names", () => {
    const settings = Result.getOrThrow(newSettings({ url: "https://a.example/x", eventTypes: ["*"] }, reach))
    assert.deepStrictEqual(settings, {
      url: "https://a.example/x",
      eventTypes: ["*"],
      description: null,
      filter: null,
      payload: "full",
      mode: "parallel",
      batch: null,
      inFlight_max: 20,
    })
    const secretive = { url: "https://a.example/x", eventTypes: ["*"] as const, headers: { a: "1" }, secret: "whsec_" }
    assert.notProperty(Result.getOrThrow(newSettings(secretive, reach)), "secret")
    assert.notProperty(Result.getOrThrow(newSettings(secretive, reach)), "headers")
    const changed = Result.getOrThrow(changedSettings(settings, { payload: "thin", headers: { a: "1" } }, reach))
    assert.deepStrictEqual(changed, { ...settings, payload: "thin" })
  })

  it("checks a URL that is set, and not one that stays", () => {
    const settings = Result.getOrThrow(newSettings({ url: "https://a.example/x", eventTypes: ["*"] }, reach))
    const local = { ...settings, url: "http://10.0.0.1/" }
    assert.isTrue(Result.isSuccess(changedSettings(local, { description: "a" }, reach)))
    const refused = changedSettings(settings, { url: "http://10.0.0.1/" }, reach)
    assert.strictEqual(Result.isFailure(refused) ? refused.failure.issues[0]?.path : "", "url")
  })
})
