// Fixtures of sending: a workspace with a verified domain, an approved email, a blast to a list, an active flow.
import { Flows } from "@tentpole/core/flows/Flows"
import type { FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect } from "effect"
import type { Inside, OpenWorkspace } from "./Inside.ts"
import type { Call, Callable } from "./Service.ts"

/** A running service with direct access to its stores. */
export interface Running extends Callable {
  readonly inside: Inside
}

/** A workspace without a message limit and with a verified domain. */
export const sendingWorkspace = async (
  service: Running,
  name: string,
  domain = `${name}.test`,
): Promise<OpenWorkspace> => {
  const { inside } = service
  const workspace = await inside.workspace(service, name)
  await inside.asOwner("update workspace set plan = 'max' where workspace_id = $1::uuid", [workspace.id])
  await inside.run(
    Effect.gen(function* () {
      const workspaces = yield* Workspaces
      const added = yield* workspaces.addDomain(workspace.id, domain)
      yield* workspaces.verifyDomain(workspace.id, added.domain.id)
    }),
  )
  return workspace
}

export interface Letter {
  readonly subject: string
  readonly html: string
  readonly from_name: string
  readonly from_address: string
  readonly reply_to_email: string
}

export const letterFrom = (address: string, letter: Partial<Letter> = {}): Letter => ({
  subject: "Hello {{contact.first_name}}",
  html: `<html><body><h1>Hello {{contact.first_name|friend}}</h1>
<p>There is <a href="https://example.com/news?from=mail&amp;n=1">news</a> from {{contact.city}}.</p></body></html>`,
  from_name: "News",
  from_address: address,
  reply_to_email: address,
  ...letter,
})

/** A blast to a list whose email is approved; returns its id. */
export const draftBlast = async (call: Call, listId: string, letter: Letter): Promise<string> => {
  const { blast_id } = await call("POST", "/v1/email-blasts", { name: "Hello" })
  await call("PUT", `/v1/email-blasts/${blast_id}/audience`, { source: "existing", list_id: listId })
  const { email } = await call("PUT", `/v1/email-blasts/${blast_id}/email`, { source: "inline", ...letter })
  await call("POST", `/v1/emails/${email.email_id}/approve`, {})
  return blast_id
}

/** The same, launched. */
export const startBlast = async (
  call: Call,
  listId: string,
  letter = letterFrom("hello@example.test"),
): Promise<string> => {
  const blastId = await draftBlast(call, listId, letter)
  await call("POST", `/v1/email-blasts/${blastId}/send-now`, {})
  return blastId
}

export const approvedEmail = async (call: Call, letter: Letter, name = "Welcome"): Promise<string> => {
  const { email_id } = await call("POST", "/v1/emails", { name, ...letter })
  await call("POST", `/v1/emails/${email_id}/approve`, {})
  return email_id
}

export const activeFlow = (
  { inside }: Running,
  workspace: WorkspaceId,
  steps: ReadonlyArray<object>,
  more: object = {},
): Promise<FlowId> =>
  inside.run(
    Effect.gen(function* () {
      const flows = yield* Flows
      const { flow } = yield* flows.create(workspace, { name: "Welcome", steps, ...more })
      yield* flows.activate(workspace, flow.id)
      return flow.id
    }),
  )
