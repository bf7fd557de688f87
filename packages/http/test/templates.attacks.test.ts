// Templates of both kinds, attacked: in memory all of their operations; on PostgreSQL those whose words reach a statement of
// their own, and all that name another workspace's ids.
import { Api } from "@tentpole/http/Api"
import { OpenApi } from "effect/http-api"
import { assault } from "./Assault.ts"
import { operationsOf } from "./Attacks.ts"
import { emailTemplates, settleTemplates, templateProbes, templatesIn, tentTemplates } from "./TemplateProbes.ts"

for (const [name, root] of [
  ["email templates", emailTemplates],
  ["tent templates", tentTemplates],
] as const) {
  assault({
    name,
    operations: operationsOf(OpenApi.fromApi(Api), [root]),
    probes: templateProbes,
    settle: settleTemplates(root),
    everything: templatesIn(root),
    ids: ["emailId", "tentId"],
    found: (json) => json.templates.length,
    reaches: ({ method, path }) => path === root || method === "PATCH",
  })
}
