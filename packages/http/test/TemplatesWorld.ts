// The world in which templates of both kinds are called, through the web handler over memory.
import { EmailTemplateId, GenerationId, TentId, TentTemplateId } from "@tentpole/core/Ids"
import { EmailTemplates } from "@tentpole/core/templates/EmailTemplates"
import { TentTemplates } from "@tentpole/core/templates/TentTemplates"
import { Tents } from "@tentpole/core/tents/Tents"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Json, serving } from "./World.ts"

export const emails = "/v1/email-templates"
export const tents = "/v1/tent-templates"
export const both = [emails, tents] as const

export const served = Effect.gen(function* () {
  const { call, context } = yield* serving(Api, handlers)
  const [workspace] = yield* Context.get(context, WorkspaceStore).all
  const id = workspace?.id ?? assert.fail("the first workspace is there")
  const post = (path: string, json: Json = {}) => call("POST", path, { json })
  const make = (root: string, over: Json = {}) => post(root, { name: "A template", html: "<p>one</p>", ...over })
  /** What a worker does. */
  const written = (root: string, { template_id, generation_id }: Json) => {
    const generation = GenerationId.make(generation_id)
    return root === emails
      ? Context.get(context, EmailTemplates).runGeneration(id, EmailTemplateId.make(template_id), generation)
      : Context.get(context, TentTemplates).runGeneration(id, TentTemplateId.make(template_id), generation)
  }
  const generatedTent = (tent: string) => Context.get(context, Tents).generate(id, TentId.make(tent))
  return { call, post, make, written, generatedTent }
})

export const codeOf = ({ status, json }: { readonly status: number; readonly json: Json }) => [status, json.error_code]
