// Submissions, attacked.
import { Api } from "@tentpole/http/Api"
import { OpenApi } from "effect/http-api"
import { assault } from "./Assault.ts"
import { operationsOf } from "./Attacks.ts"
import { formsOf, settleForms } from "./FormProbes.ts"

assault({
  name: "submissions",
  operations: operationsOf(OpenApi.fromApi(Api), ["/v1/tents/{tentId}/submissions"]),
  probes: { "GET /v1/tents/{tentId}/submissions": [] },
  settle: settleForms,
  everything: formsOf,
  ids: ["tentId"],
})
