// Fixtures of the attacks on submissions and traffic: a tent with a form and a submission.
import { Forms } from "@tentpole/core/forms/Forms"
import { TentId } from "@tentpole/core/kernel/Ids"
import { Tents } from "@tentpole/core/tents/Tents"
import { Context, Effect } from "effect"
import type { Estate, Room } from "./AttackSuite.ts"
import { operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"

interface FormsEstate extends Estate {
  readonly tentId: string
}

interface TrafficEstate extends FormsEstate {
  readonly tentIdOrAlias: string
  readonly tent_id: string
  readonly q: string
}

const settleForms: Room<FormsEstate>["settle"] = Effect.fnUntraced(function* ({ workspace }, field, context) {
  const tents = Context.get(context, Tents)
  const prompt = "A landing page for a bakery with a sign-up form for first name and email"
  const asked = { name: field, prompt, includeBrand: false, autoPublish: false, assetIds: [] }
  const {
    tent: { id },
  } = yield* tents.create(workspace, asked, "a key")
  yield* tents.runGeneration(workspace, id)
  yield* tents.publish(workspace, id, {})
  const form = { tentId: TentId.make(id), formId: "sign-up", fields: ["email", "first_name"], successUrl: null }
  yield* Context.get(context, Forms).submit(workspace, form, [
    ["email", `${field}@example.com`],
    ["first_name", field],
  ])
  return { tentId: id, field }
}, Effect.orDie)

const readable = ({ field, tentId }: FormsEstate) => [
  `/v1/tents/${tentId}/submissions`,
  `/v1/analytics/tent?tentIdOrAlias=${tentId}`,
  `/v1/analytics/traffic?tent_id=${tentId}`,
  "/v1/analytics/email",
  "/v1/analytics/contacts",
  "/v1/analytics/credits",
  "/v1/analytics/workspace",
  "/v1/workspace",
  `/v1/search?q=${field}`,
  "/v1/contacts",
]

export const submissions: Room<FormsEstate> = {
  name: "submissions",
  operations: operationsOf(tenants, ["/v1/tents/{tentId}/submissions"]),
  probes: {},
  settle: settleForms,
  readable,
  ids: ["tentId"],
}

/** Traffic, search and the overview of the workspace are read-only in the API. */
export const traffic: Room<TrafficEstate> = {
  name: "traffic",
  operations: operationsOf(tenants, ["/v1/analytics", "/v1/search", "/v1/workspace"]),
  probes: {},
  settle: (side, field, context, operation) =>
    Effect.map(settleForms(side, field, context, operation), (estate) => ({
      ...estate,
      tentIdOrAlias: estate.tentId,
      tent_id: estate.tentId,
      q: field,
    })),
  found: (json) => json.results.length,
  readable,
  ids: ["tentId"],
}
