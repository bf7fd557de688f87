// Flows, attacked.
import { Api } from "@tentpole/http/Api"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { assault } from "./Assault.ts"
import { operationsOf } from "./Attacks.ts"
import { isOfMembers } from "./FlowMemberProbes.ts"
import { adaptedFlows, anotherFlow, flowProbes, flowsOf, settleFlows } from "./FlowProbes.ts"

assault({
  name: "flows",
  operations: operationsOf(OpenApi.fromApi(Api), ["/v1/email-flows"]).filter((each) => !isOfMembers(each)),
  probes: flowProbes,
  settle: settleFlows,
  everything: flowsOf,
  ids: ["contact_id", "listId", "emailId", "emailTemplateId", "tentTemplateId", "tentId", "fieldDefinitionId"],
  // The words of the others are bound to statements that these reach too.
  reaches: ({ method, path }) => method === "GET" || path === "/v1/email-flows" || path.endsWith("/simulate"),
  found: (json) => json.flows.length,
  adapted: adaptedFlows,
  renewed: (side, estate, _, operation) => Effect.orDie(anotherFlow(side, operation, estate)),
})
