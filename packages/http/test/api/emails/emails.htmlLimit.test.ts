// Tests of the configured HTML limit for emails, templates, blasts and generations.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { TentId } from "@tentpole/core/kernel/Ids"
import { Tents } from "@tentpole/core/tents/Tents"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { servingOver, worldWith } from "../../fixtures/World.ts"

const html_bytes_max = 2_000

const over = worldWith({ html_bytes_max })

it.effect("accepts HTML up to the limit, and refuses one byte more with the limit in the message", () =>
  Effect.gen(function* () {
    const { call, context } = yield* servingOver(over, Api, handlers)
    const { json: blast } = yield* call("POST", "/v1/email-blasts", { json: { name: "b" } })
    const inline = (html: string) => ({ source: "inline", html })
    for (const [method, path, body] of [
      ["POST", "/v1/emails", (html: string) => ({ name: "e", html })],
      ["POST", "/v1/email-templates", (html: string) => ({ name: "t", html })],
      ["POST", "/v1/tent-templates", (html: string) => ({ name: "t", html })],
      ["PUT", `/v1/email-blasts/${blast.blast_id}/email`, inline],
    ] as const) {
      const taken = yield* call(method, path, { json: body(`<p>${"x".repeat(html_bytes_max - 7)}</p>`) })
      assert.isBelow(taken.status, 300, `${path}: ${taken.text}`)
      const refused = yield* call(method, path, { json: body(`<p>${"x".repeat(html_bytes_max - 6)}</p>`) })
      assert.deepStrictEqual([refused.status, refused.json.error_code], [413, "payload_too_large"], path)
      assert.include(refused.json.message, String(html_bytes_max))
    }
    const { json: tent } = yield* call("POST", "/v1/tents", { json: { name: "n", prompt: "Build a website" } })
    const workspace = yield* Context.get(context, WorkspaceStore).findFirst
    const tents = Context.get(context, Tents)
    if (workspace !== null) yield* tents.runGeneration(workspace.id, TentId.make(tent.id))
    const { json: failed } = yield* call("GET", `/v1/tents/${tent.id}`)
    assert.strictEqual(failed.status, "failed")
    assert.match(JSON.stringify(failed), /larger than/)
  }).pipe(Effect.scoped),
)
