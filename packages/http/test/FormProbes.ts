// What is tried on the call on submissions: a tent with a form that somebody has sent, and how all of it reads.
import { Forms } from "@tentpole/core/forms/Forms"
import { TentId } from "@tentpole/core/Ids"
import { Tents } from "@tentpole/core/tents/Tents"
import { Context, Effect } from "effect"
import type { Estate, Room } from "./Assault.ts"

export interface FormsEstate extends Estate {
  readonly tentId: string
}

export const settleForms: Room<FormsEstate>["settle"] = Effect.fnUntraced(function* ({ workspace }, field, context) {
  const tents = Context.get(context, Tents)
  const prompt = "A landing page for a bakery with a sign-up form for first name and email"
  const asked = { name: field, prompt, includeBrand: false, autoPublish: false, assetIds: [] }
  const { id } = yield* tents.create(workspace, asked)
  yield* tents.generate(workspace, id)
  yield* tents.publish(workspace, id, {})
  const form = { tentId: TentId.make(id), formId: "sign-up", fields: ["email", "first_name"], successUrl: null }
  yield* Context.get(context, Forms).submit(workspace, form, [
    ["email", `${field}@example.com`],
    ["first_name", field],
  ])
  return { tentId: id, field }
}, Effect.orDie)

export const formsOf: Room<FormsEstate>["everything"] = Effect.fnUntraced(function* (call, { tentId }) {
  const paths = [
    `/v1/tents/${tentId}/submissions`,
    `/v1/analytics/tent?tentIdOrAlias=${tentId}`,
    "/v1/analytics/workspace",
    "/v1/contacts",
  ]
  const texts = yield* Effect.forEach(paths, (path) => call("GET", path))
  return texts.map(({ status, text }) => `${status} ${text}`).join("\n")
})
