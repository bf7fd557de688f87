// The endpoints of flow memberships.
import { memberStatuses } from "@tentpole/core/flows/members/Membership"
import { flowMemberSorts } from "@tentpole/core/flows/members/MembershipStore"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { oneOf, orderParameter, pageQuery, searchParameter, Text } from "../../Wire.ts"
import { FlowMemberRunWire, FlowMembersWire, FlowMemberWire } from "./FlowMemberWire.ts"

const query = {
  ...pageQuery,
  status: Schema.optionalKey(oneOf(...memberStatuses)),
  search: searchParameter,
  sort: Schema.optionalKey(oneOf(...flowMemberSorts)),
  order: orderParameter,
}

const tokens = Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)).annotate({
  description:
    "Strings, numbers and booleans for `{{campaign.dynamic.<key>}}`. A key starts with a letter and contains letters, digits and underscores; `trigger` is reserved",
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

export const FlowMembersApi = Endpoint.group("flowMembers", "Contacts in a flow, and their progress.").add(
  Endpoint.get("list", "/v1/email-flows/:flowId/members", {
    needs: "viewer",
    summary: "List a flow's members",
    description: "Returns every membership of the flow, including ended ones, sorted by `entered_at` by default.",
    query,
    success: FlowMembersWire,
  }),
  Endpoint.get("find", "/v1/email-flows/:flowId/members/:membershipId", {
    needs: "viewer",
    summary: "Get a flow membership",
    description:
      "Returns the membership with its timeline. The timeline holds at most the newest 1,000 entries. An installation may delete old entries; the membership stays.",
    success: FlowMemberRunWire,
  }),
  Endpoint.post("trigger", "/v1/email-flows/:flowId/trigger", {
    needs: "sender",
    summary: "Trigger a flow for a contact",
    description:
      "Fires the flow's `service_api` trigger for an existing contact. If the trigger declares `fields`, the tokens must match their names and types.",
    payload: TriggerFlow,
    success: FlowMemberWire.pipe(HttpApiSchema.status(201)),
    errors: [...refusedEntry, ...refusedTokens, "flow_api_trigger_not_configured"],
  }),
  Endpoint.post("add", "/v1/email-flows/:flowId/contacts/:contactId", {
    needs: "sender",
    summary: "Add a contact to a flow",
    description: "Adds a contact to a flow that has `manual_membership_enabled`.",
    payload: [AddFlowMember, Schema.Undefined],
    success: FlowMemberWire.pipe(HttpApiSchema.status(201)),
    errors: [...refusedEntry, ...refusedTokens, "campaign_flow_manual_membership_disabled"],
  }),
  Endpoint.delete("remove", "/v1/email-flows/:flowId/contacts/:contactId", {
    needs: "sender",
    summary: "Remove a contact from a flow",
    description:
      "Drops the contact's current membership, also while the flow is paused. Messages that were not sent yet are not sent. Returns 204 if the contact has no current membership.",
    success: [FlowMemberWire, HttpApiSchema.NoContent],
  }),
)
