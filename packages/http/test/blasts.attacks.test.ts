// Blasts, attacked.
import { Api } from "@tentpole/http/Api"
import { OpenApi } from "effect/http-api"
import { assault } from "./Assault.ts"
import { operationsOf } from "./Attacks.ts"
import { anotherBlast, blastProbes, blastsOf, settleBlasts } from "./BlastProbes.ts"

assault({
  name: "blasts",
  operations: operationsOf(OpenApi.fromApi(Api), ["/v1/email-blasts"]),
  probes: blastProbes,
  settle: settleBlasts,
  everything: blastsOf,
  ids: ["contact_id", "listId", "emailId"],
  // The words of the others are bound to statements that these reach too.
  reaches: ({ method, path }) =>
    method === "GET" || method === "PUT" || method === "PATCH" || path === "/v1/email-blasts",
  found: (json) => (json.blasts ?? json.contacts).length,
  // Which of its forms a body has is told of the body as a whole: the forms are named there.
  adapted: (attack) => (attack.wrong === "source" || attack.wrong === "kind" ? { ...attack, wrong: null } : attack),
  renewed: (side, { field }, context, operation) => anotherBlast(side, field, context, operation),
})
