// The API of webhook endpoints.
import { endpoints_max } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, nothing } from "../../Wire.ts"
import {
  CreateWebhookEndpoint,
  DeliveryWire,
  EditWebhookEndpoint,
  EnableEndpoint,
  EndpointsWire,
  EndpointWire,
  EndpointWithHoursWire,
  EndpointWithSecretWire,
  RotateSecret,
  TestEndpoint,
} from "./WebhookWire.ts"

const one = "/v1/webhook-endpoints/:endpointId"

export const WebhookEndpointsApi = Endpoint.group(
  "webhookEndpoints",
  "Programs that get events of the workspace as signed HTTP requests.",
).add(
  Endpoint.get("list", "/v1/webhook-endpoints", {
    needs: "viewer",
    summary: "List webhook endpoints",
    description: "Returns the webhook endpoints of the workspace, the newest first.",
    query: cursorQuery,
    success: EndpointsWire,
    errors: ["invalid_cursor"],
  }),
  Endpoint.post("create", "/v1/webhook-endpoints", {
    needs: "owner",
    summary: "Create a webhook endpoint",
    description: `Sends events to a URL from now on: those whose type \`event_types\` names, and which pass \`filter\`. \`secret\` is the key of the signatures: it is returned only in this response. A workspace can have ${endpoints_max} endpoints.`,
    payload: CreateWebhookEndpoint,
    success: EndpointWithSecretWire.pipe(HttpApiSchema.status(201)),
    errors: ["validation_failed", "webhook_endpoint_limit"],
  }),
  Endpoint.get("find", one, {
    needs: "viewer",
    summary: "Get a webhook endpoint",
    description:
      "Returns the settings of the endpoint, its status, and how it works, with the figures of each hour of a day.",
    success: EndpointWithHoursWire,
  }),
  Endpoint.patch("edit", one, {
    needs: "owner",
    summary: "Update a webhook endpoint",
    description:
      "Changes the fields of the body. Events that wait are sent to the new URL, with the new headers; their payload stays.",
    payload: EditWebhookEndpoint,
    success: EndpointWire,
    errors: ["validation_failed", "not_found"],
  }),
  Endpoint.delete("remove", one, {
    needs: "owner",
    summary: "Delete a webhook endpoint",
    description: "Deletes the endpoint and its log. What waits is not sent.",
  }),
  Endpoint.post("rotateSecret", `${one}/rotate-secret`, {
    needs: "owner",
    summary: "Rotate the secret of a webhook endpoint",
    description:
      "Sets a new secret, which is returned only in this response. Until the overlap ends, requests have two signatures: of the new secret, and of the one before. If there are two already, the older one signs no longer.",
    payload: [RotateSecret, Schema.Undefined],
    success: EndpointWithSecretWire,
    errors: ["validation_failed", "not_found"],
  }),
  Endpoint.post("enable", `${one}/enable`, {
    needs: "owner",
    summary: "Enable a webhook endpoint",
    description:
      "Sends events again: new ones, or with `from: stopped` also those that the endpoint missed. An enabled endpoint stays as it is.",
    payload: [EnableEndpoint, Schema.Undefined],
    success: EndpointWire,
    errors: ["validation_failed", "not_found"],
  }),
  Endpoint.post("disable", `${one}/disable`, {
    needs: "owner",
    summary: "Disable a webhook endpoint",
    description: "Sends no events until the endpoint is enabled. A disabled endpoint stays as it is.",
    payload: nothing,
    success: EndpointWire,
  }),
  Endpoint.post("test", `${one}/test`, {
    needs: "owner",
    summary: "Test a webhook endpoint",
    description:
      "Sends an example with `test: true`, once, whatever `event_types` and `filter` are, and also to a disabled endpoint. `GET …/deliveries/{deliveryId}` shows the answer.",
    payload: [TestEndpoint, Schema.Undefined],
    success: DeliveryWire.pipe(HttpApiSchema.status(202)),
    errors: ["validation_failed", "not_found"],
  }),
)
