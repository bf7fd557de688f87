// The form of a webhook endpoint as requests.
import type { WebhookEndpoint } from "@tentpole/client"
import { assert, describe, it } from "vitest"
import { blank, changesOf, creationOf, fieldOf, isReady, valuesOf } from "../../src/webhooks/form/draft.ts"

const endpoint: WebhookEndpoint = {
  endpoint_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c09",
  url: "https://crm.example.org/hooks",
  description: null,
  status: "enabled",
  disabled_reason: null,
  disabled_at: null,
  event_types: ["contact.*"],
  filter: { tags: { plan: "pro" }, list_ids: ["01990a51-4b0f-7d2e-9c11-2f4f6a1b0c02"] },
  payload: "full",
  mode: "parallel",
  batch: null,
  max_in_flight: 20,
  headers: { authorization: null },
  secret_prefix: "whsec_MfKQ",
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
  created_at: "2026-05-01T09:30:00.000Z",
  updated_at: "2026-05-01T09:30:00.000Z",
}

describe("the form of an endpoint", () => {
  it("creates one with what differs from the defaults", () => {
    const url = "https://crm.example.org/hooks"
    assert.deepStrictEqual(creationOf({ ...blank, url: ` ${url} ` }), { url, event_types: ["*"] })
    const values = {
      ...blank,
      url,
      event_types: ["contact.*"],
      payload: "thin" as const,
      isBatched: true,
      max_events: 50,
      wait_s: 0.25,
      headers: [
        { name: "authorization", value: "Bearer x" },
        { name: "", value: "" },
      ],
    }
    assert.deepStrictEqual(creationOf(values), {
      url,
      event_types: ["contact.*"],
      payload: "thin",
      batch: { max_events: 50, max_wait_ms: 250 },
      headers: { authorization: "Bearer x" },
    })
  })

  it("changes nothing if nothing was changed", () => {
    assert.deepStrictEqual(changesOf(valuesOf(endpoint), endpoint), {})
    const without = { ...endpoint, headers: {}, filter: null }
    assert.deepStrictEqual(changesOf(valuesOf(without), without), {})
  })

  it("sends headers only if they are changed or removed; an empty value keeps the stored one", () => {
    const values = valuesOf(endpoint)
    assert.isNull(values.headers)
    assert.deepStrictEqual(changesOf({ ...values, headers: [] }, endpoint), { headers: {} })
    const headers = [
      { name: "x-key", value: "a" },
      { name: "Authorization", value: "" },
      { name: "x-new", value: "" },
    ]
    assert.deepStrictEqual(changesOf({ ...values, headers }, endpoint), {
      headers: { "x-key": "a", Authorization: null, "x-new": "" },
    })
  })

  it("leaves the parts of the filter that it does not show", () => {
    const values = valuesOf(endpoint)
    assert.deepStrictEqual(changesOf({ ...values, filter: { ...values.filter, list_ids: [] } }, endpoint), {
      filter: { tags: { plan: "pro" } },
    })
    assert.deepStrictEqual(changesOf({ ...values, filter: { list_ids: [] } }, endpoint), { filter: null })
  })

  it("is ready with a URL and an event type", () => {
    assert.isFalse(isReady(blank))
    assert.isTrue(isReady({ ...blank, url: "https://a.example.org" }))
    assert.isFalse(isReady({ ...blank, url: "https://a.example.org", event_types: [] }))
  })

  it("shows the issue of a header, and of a batch, at its field", () => {
    assert.strictEqual(fieldOf("headers.x.key"), "headers.x.key")
    assert.strictEqual(fieldOf("headers"), "headers")
    assert.strictEqual(fieldOf("batch.max_wait_ms"), "wait_s")
    assert.strictEqual(fieldOf("event_types.0"), "event_types")
  })
})
