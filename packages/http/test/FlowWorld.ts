// A workspace on the wire in which flows can be written and run: what they name, made by the calls that make it.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Context, Effect } from "effect"
import { type Answered, type Json, serving } from "./World.ts"

export const F = "/v1/email-flows"

export const send = (step_id: string, email_id: string | null, next_step_id: string | null = null) => ({
  type: "send_email",
  step_id,
  email_id,
  next_step_id,
})
export const days = (step_id: string, duration_amount: number, next_step_id: string | null = null) => ({
  type: "wait",
  step_id,
  duration_amount,
  duration_unit: "days",
  next_step_id,
})
export const onList = (listId: string) => ({
  kind: "condition",
  source: "list_membership",
  listId,
  operator: "is_member",
})

export const code = ({ status, json }: Answered) => [status, json.error_code]
export const missing = ({ json }: Answered) => json.details.missing.map((piece: Json) => `${piece.code} ${piece.path}`)

/** The verified domain `example.test` is the workspace's. */
export const flowWorld = Effect.gen(function* () {
  const { call, context } = yield* serving(Api, handlers)
  const [workspace] = yield* Context.get(context, WorkspaceStore).all
  const id = workspace?.id ?? (yield* Effect.die("a bootstrapped world has its workspace"))
  const get = (path: string) => Effect.map(call("GET", path), ({ json }) => json)
  const post = (path: string, json: Json = {}) => Effect.map(call("POST", path, { json }), (answered) => answered.json)
  const flow = (body: object = {}) => post(F, { name: "Welcome", ...body })
  const at = (it: Json, tail = "") => `${F}/${it.flow_id}${tail}`
  const person = (fields: object) => Effect.map(post("/v1/contacts", { items: [fields] }), ({ items }) => items[0])
  const list = (name: string, ...contact_ids: ReadonlyArray<string>) =>
    Effect.map(post("/v1/contact-lists", { name, kind: "static", contact_ids }), ({ list_id }): string => list_id)
  const email = (subject: string, approved = true) =>
    Effect.gen(function* () {
      const { email_id } = yield* post("/v1/emails", {
        name: subject,
        subject,
        from_name: "Acme",
        from_address: "news@example.test",
        reply_to_email: "reply@example.test",
        html: "<p>Hi</p>",
      })
      if (approved) yield* post(`/v1/emails/${email_id}/approve`)
      return String(email_id)
    })
  return { call, context, workspace: id, get, post, flow, at, person, list, email }
})
