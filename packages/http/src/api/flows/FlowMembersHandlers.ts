// The handlers of flow memberships.
import { Memberships, type ContactReference } from "@tentpole/core/flows/Memberships"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, paged, pageOf } from "../../Wire.ts"
import type { TriggerFlow } from "./FlowMembersApi.ts"
import { toFlowMemberRunWire, toFlowMemberWire } from "./FlowMemberWire.ts"

const member = answer(toFlowMemberWire)

/** The body has exactly one of the three. */
const whoOf = ({ contact_id, email, phone }: typeof TriggerFlow.Type, defaultCountry: string): ContactReference => {
  if (contact_id !== undefined) return { by: "contact_id", id: contact_id, where: "contact_id" }
  return email !== undefined ? { by: "email", email } : { by: "phone", phone: phone ?? "", defaultCountry }
}

export const layer = handlersOf("flowMembers", Memberships, (memberships) => ({
  list: ({ params, query }, { id }) =>
    answer(paged("members", query, toFlowMemberWire))(
      memberships.list(id, params.flowId, {
        ...pageOf(query),
        status: query.status ?? null,
        search: query.search ?? null,
        sort: query.sort ?? "entered_at",
        order: query.order ?? "desc",
      }),
    ),
  find: ({ params }, { id }) => answer(toFlowMemberRunWire)(memberships.get(id, params.flowId, params.membershipId)),
  trigger: ({ params, payload }, { defaultCountry, id }) =>
    member(memberships.trigger(id, params.flowId, whoOf(payload, defaultCountry), payload.tokens)),
  add: ({ params, payload }, { id }) => member(memberships.add(id, params.flowId, params.contactId, payload?.tokens)),
  remove: ({ params }, { id }) =>
    answer((run: Parameters<typeof toFlowMemberWire>[0] | null) => (run === null ? undefined : toFlowMemberWire(run)))(
      memberships.remove(id, params.flowId, params.contactId),
    ),
}))
