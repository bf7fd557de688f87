// Valid bodies of all operations on flow memberships, and the fixtures of the attacks.
import { Flows } from "@tentpole/core/flows/Flows"
import { Context, Effect } from "effect"
import { fresh } from "./AttackFixture.ts"
import type { Estate, Probe as ProbeOf, Room, Side, UseCases } from "./AttackSuite.ts"
import { type Operation, operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"
import type { Json } from "../fixtures/World.ts"

export interface FlowMemberEstate extends Estate {
  readonly flowId: string
  /** A contact outside the flow, or a member if the operation needs one. */
  readonly contactId: string
  readonly membershipId: string
}

const steps = [{ type: "wait", step_id: "rest", duration_amount: 1, duration_unit: "days" }]
const triggers = [{ type: "service_api" }]

/** An active flow with a member, and a contact outside the flow. */
const settleFlow = Effect.fnUntraced(function* (
  { call, workspace }: Side,
  field: string,
  context: Context.Context<UseCases>,
  operation: Operation | null,
) {
  const flows = Context.get(context, Flows)
  const { flow } = yield* flows.create(workspace, { name: `of ${field}`, steps, triggers })
  yield* flows.activate(workspace, flow.id)
  const items = [fresh(), fresh()].map((name) => ({ email: `${field}${name}@example.com`, last_name: field }))
  const { json } = yield* call("POST", "/v1/contacts", { json: { items } })
  const [inside, outside] = json.items.map((item: Json) => item.contact_id)
  const member = yield* call("POST", `/v1/email-flows/${flow.id}/contacts/${inside}`, { json: {} })
  const estate: FlowMemberEstate = {
    flowId: flow.id,
    contactId: operation?.method === "DELETE" ? inside : outside,
    membershipId: member.json.membership_id,
    field,
  }
  return estate
}, Effect.orDie)

const readable = ({ contactId, flowId, membershipId }: FlowMemberEstate) => [
  `/v1/email-flows/${flowId}/members?limit=100`,
  `/v1/email-flows/${flowId}/members/${membershipId}`,
  `/v1/contacts/${contactId}/activities`,
]

type Probe = ProbeOf<FlowMemberEstate>
const tokens = { color: "red", count: 2, yes: true }

const flowMemberProbes: Readonly<Record<string, Probe>> = {
  "POST /v1/email-flows/{flowId}/trigger": [({ contactId }) => ({ contact_id: contactId, tokens })],
  "POST /v1/email-flows/{flowId}/contacts/{contactId}": [() => ({ tokens })],
}

/** The operations on memberships. */
export const isOfMembers = ({ path }: Operation): boolean => /\/(members|trigger|contacts)(\/|$)/.test(path)

export const flowMembers: Room<FlowMemberEstate> = {
  name: "members of flows",
  operations: operationsOf(tenants, ["/v1/email-flows"]).filter(isOfMembers),
  probes: flowMemberProbes,
  settle: settleFlow,
  stateFor: ({ method }) => (method === "DELETE" ? "member" : null),
  readable,
  ids: ["contactId"],
  found: (json) => json.members.length,
  // Flow tokens may have any key.
  adapted: (attack) => (attack.wrong?.startsWith("tokens.") === true ? { ...attack, expected: "either" } : attack),
  renewed: (side, { field }, context, operation) => settleFlow(side, field, context, operation),
}
