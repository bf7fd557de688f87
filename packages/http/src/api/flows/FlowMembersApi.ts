// The endpoints of the members of flows.
import { memberStatuses } from "@tentpole/core/flows/members/Membership"
import { flowMemberSorts } from "@tentpole/core/flows/members/MembershipStore"
import { ContactId, FlowId, MembershipId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { oneOf, orderParameter, pageQuery, searchParameter, Text } from "../../Wire.ts"
import { FlowMemberRunWire, FlowMembersWire, FlowMemberWire } from "./FlowMemberWire.ts"

const params = { flowId: FlowId }
const contactParams = { flowId: FlowId, contactId: ContactId }

const query = {
  ...pageQuery,
  status: Schema.optionalKey(oneOf(...memberStatuses)),
  search: searchParameter,
  sort: Schema.optionalKey(oneOf(...flowMemberSorts)),
  order: orderParameter,
}

const tokens = Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)).annotate({
  description:
    "Strings, numbers and booleans, by names that begin with a letter and go on with letters, digits and underscores; `trigger` is reserved. They become `{{campaign.dynamic.<key>}}`",
  examples: [{ plan: "pro", seats: 5, trial: true }],
})

export const AddFlowMember = Schema.Struct({ tokens }).annotate({ identifier: "AddFlowMember" })

const identities = ["contact_id", "email", "phone"] as const

export const TriggerFlow = Schema.Struct({
  contact_id: Schema.optionalKey(ContactId),
  email: Schema.optionalKey(Text(320, 1)),
  phone: Schema.optionalKey(Text(40, 1)),
  tokens,
})
  .check(
    Schema.makeFilter(
      (body) =>
        identities.filter((each) => body[each] !== undefined).length === 1 ||
        `must have exactly one of ${identities.join(", ")}`,
    ),
  )
  .annotate({ identifier: "TriggerFlow" })

const refusedTokens = [
  "validation_failed",
  "campaign_flow_trigger_unknown_token",
  "campaign_flow_trigger_invalid_token_type",
  "campaign_flow_trigger_payload_too_large",
] as const

const refusedEntry = [
  "not_found",
  "invalid_state",
  "campaign_flow_already_in_flow",
  "campaign_flow_reentry_denied",
  "campaign_flow_contact_disqualified",
] as const

export const FlowMembersApi = HttpApiGroup.make("flowMembers")
  .add(
    HttpApiEndpoint.get("list", "/v1/email-flows/:flowId/members", {
      params,
      query,
      success: FlowMembersWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "List members of a flow")
      .annotate(
        OpenApi.Description,
        "Everybody who has ever entered, on the way or not; by `entered_at` unless it is said",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/email-flows/:flowId/members/:membershipId", {
      params: { flowId: FlowId, membershipId: MembershipId },
      success: FlowMemberRunWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a member of a flow")
      .annotate(
        OpenApi.Description,
        "With the timeline: how the member came to be where they are, of what is long the newest 1,000 lines",
      ),
  )
  .add(
    HttpApiEndpoint.post("trigger", "/v1/email-flows/:flowId/trigger", {
      params,
      payload: TriggerFlow,
      success: FlowMemberWire.pipe(HttpApiSchema.status(201)),
      error: errors(...refusedEntry, ...refusedTokens, "flow_api_trigger_not_configured"),
    })
      .annotate(OpenApi.Summary, "Bring a contact into a flow by its trigger")
      .annotate(
        OpenApi.Description,
        "Fires the flow's `service_api` trigger for a contact who is there. Where the trigger declares `fields`, tokens have to be among them, with those types",
      ),
  )
  .add(
    HttpApiEndpoint.post("add", "/v1/email-flows/:flowId/contacts/:contactId", {
      params: contactParams,
      payload: [AddFlowMember, Schema.Undefined],
      success: FlowMemberWire.pipe(HttpApiSchema.status(201)),
      error: errors(...refusedEntry, ...refusedTokens, "campaign_flow_manual_membership_disabled"),
    })
      .annotate(OpenApi.Summary, "Add a contact to a flow")
      .annotate(OpenApi.Description, "Adds a contact by hand, where the flow lets hands do it"),
  )
  .add(
    HttpApiEndpoint.delete("remove", "/v1/email-flows/:flowId/contacts/:contactId", {
      params: contactParams,
      success: [FlowMemberWire, HttpApiSchema.NoContent],
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Remove a contact from a flow")
      .annotate(
        OpenApi.Description,
        "Drops the contact's membership, also while the flow is paused; 204 when the contact was not on the way. A message that has not left will not",
      ),
  )
