import { WebhookEndpointId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { eventTypeNames, eventTypes } from "@tentpole/core/webhooks/EventCatalogue"
import { testDelivery } from "@tentpole/core/webhooks/endpoints/TestDelivery"
import type { WebhookEndpoint } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { assert, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const id = "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c09"
const now = DateTime.makeUnsafe(1_000)
const workspace = WorkspaceId.make(id)
const endpointOf = (payload: "full" | "thin") =>
  ({ id: WebhookEndpointId.make(id), settings: { payload } }) as unknown as WebhookEndpoint

it("the test of each type is its example, with the fields that the type declares", () => {
  for (const type of eventTypeNames) {
    const { delivery, pieces } = testDelivery(workspace, endpointOf("full"), type, {
      deliveryId: id,
      eventId: id,
      now,
    })
    assert.deepInclude(delivery, { isTest: true, positions: [], eventType: type, webhookId: id, status: "pending" })
    const [piece] = pieces
    const event = JSON.parse(piece?.json ?? "")
    assert.deepInclude(event, { id, type, test: true, workspace_id: workspace })
    const decode = Schema.decodeUnknownSync(eventTypes[type].data, {
      onExcessProperty: "error",
    })
    assert.deepStrictEqual<unknown>(decode(event.data), event.data)
  }
})

it("a thin test has ids alone", () => {
  for (const type of eventTypeNames) {
    const { pieces } = testDelivery(workspace, endpointOf("thin"), type, { deliveryId: id, eventId: id, now })
    assert.notMatch(pieces[0]?.json ?? "", /ann@example|Ann Lee|Newsletter|Hamburg|Hello/)
  }
})
