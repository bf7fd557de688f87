import { WebhookDeliveryId, WebhookEndpointId, WebhookReplayId } from "@tentpole/core/kernel/Ids"
import * as EndpointChange from "@tentpole/core/webhooks/endpoints/EndpointChange"
import type { WebhookEndpoint } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const id = "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c09"
const start = DateTime.makeUnsafe(1_000)
const later = DateTime.makeUnsafe(2_000)
const endpoint: WebhookEndpoint = {
  id: WebhookEndpointId.make(id),
  settings: {
    url: "https://crm.example.org/secret-path?token=secret",
    description: null,
    eventTypes: ["*"],
    filter: null,
    payload: "full",
    mode: "parallel",
    batch: null,
    inFlight_max: 20,
  },
  status: "enabled",
  disabledReason: null,
  disabledAt: null,
  sealedHeaders: null,
  headerNames: [],
  sealedSecret: new Uint8Array([1]),
  secretPrefix: "whsec_AAAA",
  previousSecret: null,
  replay: null,
  skipsThrough: null,
  createdAt: start,
  updatedAt: start,
}
const replayId = WebhookReplayId.make(id)
const job = {
  type: "webhook_replay",
  endpointId: endpoint.id,
  replayId,
  since_ms: 0,
  until_ms: 1,
  eventTypes: null,
  status: "failed",
} as const

/** The endpoint after a change. */
const after = (change: EndpointChange.EndpointChange | null): WebhookEndpoint =>
  change?.after ?? assert.fail("there is no change")

describe("EndpointChange", () => {
  it("disables once, with an event, and enables once", () => {
    const change = EndpointChange.disable(endpoint, "gone", later)
    const disabled = after(change)
    assert.deepInclude(disabled, { status: "disabled", disabledReason: "gone", disabledAt: later, updatedAt: later })
    assert.deepStrictEqual(change?.events, [
      {
        type: "webhook_endpoint_disabled",
        contactId: null,
        at: later,
        data: { endpoint_id: id, disabled_reason: "gone" },
      },
    ])
    assert.isNull(EndpointChange.disable(disabled, "requested", later))
    const enabling = EndpointChange.enable(disabled, { now: later, skipsMissed: true })
    assert.isTrue(enabling?.skipsMissed)
    assert.deepStrictEqual(
      enabling?.jobs.map(({ job }) => job),
      [{ type: "webhook_cleanup", endpointId: endpoint.id }],
    )
    assert.deepStrictEqual({ ...after(enabling), updatedAt: start }, endpoint)
    assert.isNull(EndpointChange.enable(endpoint, { now: later, skipsMissed: true }))
  })

  it("keeps the secret before the last one, and no older one", () => {
    const rotated = (before: WebhookEndpoint, byte: number) =>
      after(
        EndpointChange.rotateSecret(
          before,
          { sealedSecret: new Uint8Array([byte]), secretPrefix: `whsec_${byte}` },
          { now: later, overlapEnd: later },
        ),
      )
    const third = rotated(rotated(endpoint, 2), 3)
    assert.deepStrictEqual([third.sealedSecret[0], third.previousSecret?.sealed[0]], [3, 2])
  })

  it("names an endpoint by its host in the audit log", { tags: ["attack/secret-leak"] }, () => {
    for (const change of [
      EndpointChange.create(endpoint),
      EndpointChange.update(endpoint, {}, later),
      EndpointChange.disable(endpoint, "requested", later),
      EndpointChange.startReplay(endpoint, job, 3),
      EndpointChange.remove(endpoint, later),
    ]) {
      assert.strictEqual(change?.audit.length, 1)
      assert.notInclude(JSON.stringify(change?.audit), "secret")
      assert.include(JSON.stringify(change?.audit), "crm.example.org")
    }
  })

  it("has one replay at a time, which moves on and ends", () => {
    const started = EndpointChange.startReplay(endpoint, job, 3)
    assert.deepStrictEqual(started?.jobs, [{ job, id: `webhook_replay:${id}` }])
    const running = after(started)
    assert.deepStrictEqual(running.replay, { id: replayId, after: null, position: null })
    assert.isNull(EndpointChange.startReplay(running, job, 3))
    const last = WebhookDeliveryId.make(id)
    const cursor = { after: last, position: "7" }
    const moved = after(EndpointChange.continueReplay(running, replayId, cursor))
    assert.deepStrictEqual([moved.replay, moved.updatedAt], [{ id: replayId, ...cursor }, start])
    const other = WebhookReplayId.make("01990a51-4b0f-7d2e-9c11-2f4f6a1b0c0a")
    assert.isNull(EndpointChange.continueReplay(moved, other, null))
    const ended = after(EndpointChange.continueReplay(moved, replayId, null))
    assert.isNull(ended.replay)
    assert.isNull(EndpointChange.continueReplay(ended, replayId, null))
  })
})
