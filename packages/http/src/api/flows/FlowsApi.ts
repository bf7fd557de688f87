// The endpoints of triggered flows.
import { flowStatuses } from "@tentpole/core/flows/definition/Flow"
import { flowSorts } from "@tentpole/core/flows/definition/FlowStore"
import { step_id_length_max } from "@tentpole/core/flows/definition/Step"
import { FlowId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { nothing, oneOf, orderParameter, pageQuery, searchParameter, Text } from "../../Wire.ts"
import { served } from "../documents/ContentWire.ts"
import { SetEmail } from "../emails/EmailChoiceWire.ts"
import {
  CreateFlow,
  InsertStep,
  PatchStep,
  RemoveStep,
  ReplaceSteps,
  ReplaceTriggers,
  Simulate,
  UpdateFlow,
} from "./FlowBodies.ts"
import { FlowDeletedWire, FlowsWire, FlowWire, GraphWire, ReadinessWire, SimulationWire } from "./FlowWire.ts"

const stepParams = { flowId: FlowId, stepId: Text(step_id_length_max, 1) }

const listQuery = {
  ...pageQuery,
  status: Schema.optionalKey(oneOf(...flowStatuses, "any")),
  archived: Schema.optionalKey(
    oneOf("true", "false", "any").annotate({
      description: "Whether to include archived flows. Default: only if `status` asks for them",
    }),
  ),
  search: searchParameter,
  sort_by: Schema.optionalKey(oneOf(...flowSorts)),
  sort_order: orderParameter,
}

const refusedEdit = ["not_found", "validation_failed", "campaign_flow_duplicate_step_id", "invalid_state"] as const

export const FlowsApi = Endpoint.group("flows", "Flows: triggers and steps that contacts go through.").add(
  Endpoint.get("list", "/v1/email-flows", {
    needs: "viewer",
    summary: "List flows",
    description:
      "Returns a page of flows with the counts of their members. Archived flows are included only when `archived` or `status` asks for them.",
    query: listQuery,
    success: FlowsWire,
  }),
  Endpoint.post("create", "/v1/email-flows", {
    needs: "editor",
    summary: "Create a flow",
    description:
      "Creates a draft, which may be incomplete. The parts that are given must be valid. Missing parts are reported when the flow is activated.",
    payload: CreateFlow,
    success: FlowWire.pipe(HttpApiSchema.status(201)),
    errors: ["not_found", "validation_failed", "campaign_flow_duplicate_step_id"],
  }),
  Endpoint.get("find", "/v1/email-flows/:flowId", {
    needs: "viewer",
    summary: "Get a flow",
    description: "Returns the flow with its triggers, steps and counts.",
    success: FlowWire,
  }),
  Endpoint.patch("update", "/v1/email-flows/:flowId", {
    needs: "editor",
    summary: "Update a flow",
    description:
      "Changes the fields of the body. Triggers, steps and the reentry policy can change only while the flow is a draft or paused. New disqualification rules drop matching members of an active flow at once.",
    payload: UpdateFlow,
    success: FlowWire,
    errors: refusedEdit,
  }),
  Endpoint.delete("remove", "/v1/email-flows/:flowId", {
    needs: "editor",
    summary: "Delete a flow",
    description:
      "Deletes a flow with its members and the emails that its steps created. Timelines no longer show its messages as sent and delivered. An active flow must be paused first.",
    success: FlowDeletedWire,
    errors: ["not_found", "invalid_state"],
  }),
  Endpoint.post("activate", "/v1/email-flows/:flowId/activate", {
    needs: "sender",
    summary: "Activate a flow",
    description:
      "Activates a draft or paused flow that is complete. Existing contacts are not enrolled retroactively. Members of a paused flow continue.",
    payload: nothing,
    success: FlowWire,
    errors: [
      "not_found",
      "invalid_state",
      "paid_plan_required",
      "campaign_flow_not_ready",
      "template_api_tokens",
      "create_email_step_order",
    ],
  }),
  Endpoint.post("pause", "/v1/email-flows/:flowId/pause", {
    needs: "sender",
    summary: "Pause a flow",
    description:
      "Pauses the flow: no contact enters and no step runs. Timers that expire during the pause run when the flow is activated again.",
    payload: nothing,
    success: FlowWire,
    errors: ["not_found", "invalid_state"],
  }),
  Endpoint.post("archive", "/v1/email-flows/:flowId/archive", {
    needs: "sender",
    summary: "Archive a flow",
    description: "Archives the flow permanently and drops its members. An active flow must be paused first.",
    payload: nothing,
    success: FlowWire,
    errors: ["not_found", "invalid_state"],
  }),
  Endpoint.put("setTriggers", "/v1/email-flows/:flowId/triggers", {
    needs: "editor",
    summary: "Replace a flow's triggers",
    description: "Replaces all triggers. The flow must be a draft or paused.",
    payload: ReplaceTriggers,
    success: FlowWire,
    errors: refusedEdit,
  }),
  Endpoint.put("setSteps", "/v1/email-flows/:flowId/steps", {
    needs: "editor",
    summary: "Replace a flow's steps",
    description: "Replaces all steps. Members at a removed step are dropped when the flow becomes active again.",
    payload: ReplaceSteps,
    success: FlowWire,
    errors: refusedEdit,
  }),
  Endpoint.post("insertStep", "/v1/email-flows/:flowId/steps", {
    needs: "editor",
    summary: "Add a step to a flow",
    description:
      "Inserts a step at the start, at the end, or next to another step. Edges are not changed: set them with separate calls.",
    payload: InsertStep,
    success: FlowWire.pipe(HttpApiSchema.status(201)),
    errors: refusedEdit,
  }),
  Endpoint.patch("patchStep", "/v1/email-flows/:flowId/steps/:stepId", {
    needs: "editor",
    summary: "Update a step of a flow",
    description: "Merges the given fields into the step. Its id and its type cannot change.",
    params: stepParams,
    payload: PatchStep,
    success: FlowWire,
    errors: refusedEdit,
  }),
  Endpoint.delete("removeStep", "/v1/email-flows/:flowId/steps/:stepId", {
    needs: "editor",
    summary: "Remove a step from a flow",
    description:
      "Removes the step. The call is refused while other steps lead to it, unless `repair_edges` says where they lead instead.",
    params: stepParams,
    payload: [RemoveStep, Schema.Undefined],
    success: FlowWire,
    errors: ["not_found", "validation_failed", "campaign_flow_step_referenced", "invalid_state"],
  }),
  Endpoint.put("setStepEmail", "/v1/email-flows/:flowId/steps/:stepId/email", {
    needs: "editor",
    summary: "Set the email of a step",
    description:
      "Sets the email of a `send_email` step. An inline email is created as a draft: approve it by the step's `email_id`.",
    params: stepParams,
    payload: SetEmail,
    success: FlowWire,
    errors: [
      "not_found",
      "invalid_state",
      "validation_failed",
      "campaign_flow_step_type_invalid",
      "payload_too_large",
      "template_not_approved",
    ],
  }),
  Endpoint.get("graph", "/v1/email-flows/:flowId/graph", {
    needs: "viewer",
    summary: "Get a flow as a graph",
    description: "Returns the steps as nodes with the number of members at each, and the edges between them.",
    success: GraphWire,
  }),
  Endpoint.get("graphImage", "/v1/email-flows/:flowId/graph.svg", {
    needs: "viewer",
    summary: "Get a flow as an image",
    description: "Returns the graph as an SVG image without scripts. It follows the viewer's light or dark mode.",
    success: served("image/svg+xml"),
  }),
  Endpoint.get("readiness", "/v1/email-flows/:flowId/readiness", {
    needs: "viewer",
    summary: "Check a flow's readiness",
    description:
      "Returns what is missing for an activation, without activating the flow: the same parts that a refused activation names. Warnings name steps that no edge leads to.",
    success: ReadinessWire,
  }),
  Endpoint.post("simulate", "/v1/email-flows/:flowId/simulate", {
    needs: "viewer",
    summary: "Simulate a flow",
    description:
      "Returns what would happen to a contact in the flow, computed with a virtual clock. Nothing is sent and nothing is stored. The flow may be a draft.",
    payload: Simulate,
    success: SimulationWire,
    errors: [
      "not_found",
      "validation_failed",
      "invalid_state",
      "campaign_flow_not_ready",
      "template_api_tokens",
      "create_email_step_order",
      "campaign_flow_already_in_flow",
      "campaign_flow_reentry_denied",
      "campaign_flow_contact_disqualified",
      "campaign_flow_trigger_unknown_token",
      "campaign_flow_trigger_invalid_token_type",
      "campaign_flow_trigger_payload_too_large",
    ],
  }),
)
