// Contacts, their fields and their lists, attacked.
import { Api } from "@tentpole/http/Api"
import { OpenApi } from "effect/http-api"
import { assault } from "./Assault.ts"
import { operationsOf } from "./Attacks.ts"
import { audienceProbes, everythingOf, settleAudience } from "./AudienceProbes.ts"

/** Imports are a room of their own, with files and runs of their own. */
const elsewhere = "/v1/contacts/imports"

assault({
  name: "the audience",
  operations: operationsOf(OpenApi.fromApi(Api), ["/v1/contacts", "/v1/contact-fields", "/v1/contact-lists"]).filter(
    ({ path }) => !path.startsWith(elsewhere),
  ),
  probes: audienceProbes,
  settle: settleAudience,
  everything: everythingOf,
  ids: ["contact_id", "fieldDefinitionId", "listId"],
  found: (json) => json.pagination.total,
})
