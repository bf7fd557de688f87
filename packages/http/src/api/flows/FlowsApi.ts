// The endpoints of triggered flows: what is written of them, and their life.
import { flowStatuses } from "@tentpole/core/flows/definition/Flow"
import { flowSorts } from "@tentpole/core/flows/definition/FlowStore"
import { step_id_length_max } from "@tentpole/core/flows/definition/Step"
import { FlowId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { Nothing, oneOf, orderParameter, pageQuery, searchParameter, Text } from "../../Wire.ts"
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
import { FlowDeletedWire, FlowsWire, FlowWire, GraphWire, SimulationWire } from "./FlowWire.ts"

const params = { flowId: FlowId }
const stepParams = { flowId: FlowId, stepId: Text(step_id_length_max, 1) }

const listQuery = {
  ...pageQuery,
  status: Schema.optionalKey(oneOf(...flowStatuses, "any")),
  archived: Schema.optionalKey(
    oneOf("true", "false", "any").annotate({ description: "Archived flows are hidden unless this or status asks" }),
  ),
  search: searchParameter,
  sort_by: Schema.optionalKey(oneOf(...flowSorts)),
  sort_order: orderParameter,
}

const refusedEdit = errors("not_found", "validation_failed", "campaign_flow_duplicate_step_id", "invalid_state")
const nothing = [Nothing, Schema.Undefined] as const

const definitions = HttpApiGroup.make("flows")
  .add(
    HttpApiEndpoint.get("list", "/v1/email-flows", { query: listQuery, success: FlowsWire })
      .annotate(OpenApi.Summary, "List flows")
      .annotate(
        OpenApi.Description,
        "A page of the workspace's flows with what their members are doing. Archived ones are hidden unless asked for.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/email-flows", {
      payload: CreateFlow,
      success: FlowWire.pipe(HttpApiSchema.status(201)),
      error: errors("not_found", "validation_failed", "campaign_flow_duplicate_step_id"),
    })
      .annotate(OpenApi.Summary, "Create a flow")
      .annotate(
        OpenApi.Description,
        "A draft, which may be incomplete: what is there has to be right, what is missing is told when it is to be activated",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/email-flows/:flowId", {
      params,
      success: FlowWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a flow")
      .annotate(OpenApi.Description, "The flow with its triggers, steps and counters."),
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/email-flows/:flowId", {
      params,
      payload: UpdateFlow,
      success: FlowWire,
      error: refusedEdit,
    })
      .annotate(OpenApi.Summary, "Edit a flow")
      .annotate(
        OpenApi.Description,
        "Triggers, steps and the reentry policy change in a draft and while paused, disqualification rules while active too, and then drop members at once; everything else at any time",
      ),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/email-flows/:flowId", {
      params,
      success: FlowDeletedWire,
      error: errors("not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Delete a flow")
      .annotate(
        OpenApi.Description,
        "Not while it is active. Its members go with it, and the emails that its steps have made",
      ),
  )

const lifecycle = definitions
  .add(
    HttpApiEndpoint.post("activate", "/v1/email-flows/:flowId/activate", {
      params,
      payload: nothing,
      success: FlowWire,
      error: errors(
        "not_found",
        "invalid_state",
        "paid_plan_required",
        "campaign_flow_not_ready",
        "template_api_tokens",
        "create_email_step_order",
      ),
    })
      .annotate(OpenApi.Summary, "Activate a flow")
      .annotate(
        OpenApi.Description,
        "From a draft or from paused, when nothing is missing. Nobody enters in retrospect; whoever was in it goes on",
      ),
  )
  .add(
    HttpApiEndpoint.post("pause", "/v1/email-flows/:flowId/pause", {
      params,
      payload: nothing,
      success: FlowWire,
      error: errors("not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Pause a flow")
      .annotate(
        OpenApi.Description,
        "Nobody enters and no step runs. Timers that run out meanwhile run when it is activated again",
      ),
  )
  .add(
    HttpApiEndpoint.post("archive", "/v1/email-flows/:flowId/archive", {
      params,
      payload: nothing,
      success: FlowWire,
      error: errors("not_found", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Archive a flow")
      .annotate(OpenApi.Description, "For good, and not while it is active: whoever is in it is dropped"),
  )

const structure = lifecycle
  .add(
    HttpApiEndpoint.put("setTriggers", "/v1/email-flows/:flowId/triggers", {
      params,
      payload: ReplaceTriggers,
      success: FlowWire,
      error: refusedEdit,
    })
      .annotate(OpenApi.Summary, "Replace a flow's triggers")
      .annotate(OpenApi.Description, "All of them at once, in a draft or while it is paused."),
  )
  .add(
    HttpApiEndpoint.put("setSteps", "/v1/email-flows/:flowId/steps", {
      params,
      payload: ReplaceSteps,
      success: FlowWire,
      error: refusedEdit,
    })
      .annotate(OpenApi.Summary, "Replace a flow's steps")
      .annotate(
        OpenApi.Description,
        "Members at a step that is not there any more are dropped as soon as the flow is active again",
      ),
  )
  .add(
    HttpApiEndpoint.post("insertStep", "/v1/email-flows/:flowId/steps", {
      params,
      payload: InsertStep,
      success: FlowWire.pipe(HttpApiSchema.status(201)),
      error: refusedEdit,
    })
      .annotate(OpenApi.Summary, "Add a step to a flow")
      .annotate(
        OpenApi.Description,
        "At the start, at the end, or beside another step; edges are the caller's to wire.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("patchStep", "/v1/email-flows/:flowId/steps/:stepId", {
      params: stepParams,
      payload: PatchStep,
      success: FlowWire,
      error: refusedEdit,
    })
      .annotate(OpenApi.Summary, "Edit a step of a flow")
      .annotate(OpenApi.Description, "Fields that are given are merged into the step; its id and its type stay."),
  )
  .add(
    HttpApiEndpoint.delete("removeStep", "/v1/email-flows/:flowId/steps/:stepId", {
      params: stepParams,
      payload: [RemoveStep, Schema.Undefined],
      success: FlowWire,
      error: errors("not_found", "validation_failed", "campaign_flow_step_referenced", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Remove a step from a flow")
      .annotate(
        OpenApi.Description,
        "Refused while other steps point at it, unless `repair_edges` says where they shall lead.",
      ),
  )
  .add(
    HttpApiEndpoint.put("setStepEmail", "/v1/email-flows/:flowId/steps/:stepId/email", {
      params: stepParams,
      payload: SetEmail,
      success: FlowWire,
      error: errors(
        "not_found",
        "invalid_state",
        "validation_failed",
        "campaign_flow_step_type_invalid",
        "payload_too_large",
        "template_not_approved",
      ),
    })
      .annotate(OpenApi.Summary, "Set the email of a step")
      .annotate(
        OpenApi.Description,
        "Of a `send_email` step. An inline email begins as a draft: approve it by the `email_id` that the step has then",
      ),
  )

export const FlowsApi = structure
  .add(
    HttpApiEndpoint.get("graph", "/v1/email-flows/:flowId/graph", {
      params,
      success: GraphWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a flow as a graph")
      .annotate(OpenApi.Description, "Its steps as nodes with the members who are there, and the edges between them."),
  )
  .add(
    HttpApiEndpoint.get("graphImage", "/v1/email-flows/:flowId/graph.svg", {
      params,
      success: served("image/svg+xml"),
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a flow as a picture")
      .annotate(OpenApi.Description, "The graph, drawn: light or dark as the reader prefers it, without scripts"),
  )
  .add(
    HttpApiEndpoint.post("simulate", "/v1/email-flows/:flowId/simulate", {
      params,
      payload: Simulate,
      success: SimulationWire,
      error: errors(
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
      ),
    })
      .annotate(OpenApi.Summary, "Try out a flow")
      .annotate(
        OpenApi.Description,
        "What would happen to a contact, by the rules that run the flow, on a clock of its own: nothing is sent, nothing is written, and the flow may be a draft",
      ),
  )
