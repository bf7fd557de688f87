// Imports, attacked.
import { Api } from "@tentpole/http/Api"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { assault } from "./Assault.ts"
import { type Attack, operationsOf } from "./Attacks.ts"
import { importedIn, importProbes, newSession, settleImports } from "./ImportProbes.ts"

/** The keys of a row are its columns: any may be there. */
const isColumn = ({ what, wrong }: Attack): boolean =>
  /^rows\.\d+\.[^.]*$/.test(wrong ?? "") && what.includes(" has ") && !what.includes("twice")

/** Without its source a body is of no kind, and is refused as a whole. */
const adapted = (attack: Attack): Attack => {
  if (isColumn(attack)) return { ...attack, expected: "either" }
  return attack.wrong === "source" ? { ...attack, wrong: "" } : attack
}

assault({
  name: "imports",
  operations: operationsOf(OpenApi.fromApi(Api), ["/v1/contacts/imports"]),
  probes: importProbes,
  settle: settleImports,
  everything: importedIn,
  ids: ["fieldDefinitionId", "listId", "field"],
  adapted,
  renewed: ({ call }, estate) => Effect.map(newSession(call, "ours"), (session_id) => ({ ...estate, session_id })),
})
