// The world in which emails are called, through the web handler over memory.
import { Emails } from "@tentpole/core/emails/Emails"
import { EmailId, GenerationId } from "@tentpole/core/Ids"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { Context, Effect } from "effect"
import { type Json, serving, testKey } from "./World.ts"

export const at = (json: Json, tail = "") => `/v1/emails/${json.email_id}${tail}`

export const started = Effect.gen(function* () {
  const { call, context } = yield* serving(Api, handlers)
  const { workspace } = yield* Context.get(context, Workspaces).authenticate(testKey)
  const emails = Context.get(context, Emails)
  return {
    call,
    context,
    workspace: workspace.id,
    make: (over: Record<string, unknown> = {}) =>
      call("POST", "/v1/emails", {
        json: {
          name: "An email",
          subject: "Hello",
          from_name: "Acme",
          from_address: "news@example.test",
          reply_to_email: "reply@example.test",
          html: "<p>one</p>",
          ...over,
        },
      }),
    /** What the worker does with the job of a generation. */
    written: ({ email_id, generation_id }: Json) =>
      emails.generate(workspace.id, EmailId.make(email_id), GenerationId.make(generation_id)),
  }
})
