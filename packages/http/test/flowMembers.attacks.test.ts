// Members of flows, attacked.
import { Api } from "@tentpole/http/Api"
import { OpenApi } from "effect/http-api"
import { assault } from "./Assault.ts"
import { operationsOf } from "./Attacks.ts"
import { flowMemberProbes, isOfMembers, membersOf, settleFlow } from "./FlowMemberProbes.ts"

assault({
  name: "members of flows",
  operations: operationsOf(OpenApi.fromApi(Api), ["/v1/email-flows"]).filter(isOfMembers),
  probes: flowMemberProbes,
  settle: settleFlow,
  everything: membersOf,
  ids: ["contactId"],
  found: (json) => json.members.length,
  // Tokens are called as the caller likes.
  adapted: (attack) => (attack.wrong?.startsWith("tokens.") === true ? { ...attack, expected: "either" } : attack),
  renewed: (side, { field }, context, operation) => settleFlow(side, field, context, operation),
})
