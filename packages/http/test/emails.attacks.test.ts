// Emails, attacked.
import { Api } from "@tentpole/http/Api"
import { OpenApi } from "effect/http-api"
import { assault } from "./Assault.ts"
import { operationsOf } from "./Attacks.ts"
import { emailProbes, emailsOf, settleEmails } from "./EmailProbes.ts"

assault({
  name: "emails",
  operations: operationsOf(OpenApi.fromApi(Api), ["/v1/emails"]),
  probes: emailProbes,
  settle: settleEmails,
  everything: emailsOf,
  ids: ["contact_id"],
  found: (json) => json.emails.length,
})
