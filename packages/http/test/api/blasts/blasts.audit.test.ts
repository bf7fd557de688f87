// Tests of the audit of a blast, over PostgreSQL: its facts come from one statement.
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Json, servingOver } from "../../fixtures/World.ts"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"

const B = "/v1/email-blasts"

it.live("an audit accounts for every recipient of a blast, with the reason of those that are blocked", () =>
  Effect.gen(function* () {
    const { call, context } = yield* servingOver(postgresWorld, Api, handlers)
    const post = (path: string, json: object) => Effect.map(call("POST", path, { json }), (answered) => answered.json)
    const items = ["ann", "bob", "cyd"].map((name) => ({ email: `${name}@a.test`, unsubscribed: name === "cyd" }))
    const contact_ids = (yield* post("/v1/contacts", { items })).items.map((each: Json) => each.contact_id)
    const { blast_id } = yield* post(B, { name: "News" })
    yield* call("PUT", `${B}/${blast_id}/audience`, { json: { source: "inline", kind: "static", contact_ids } })
    const email = { source: "inline", subject: "Hi", html: "<p>Hi</p>" }
    const { json } = yield* call("PUT", `${B}/${blast_id}/email`, { json: email })
    yield* post(`/v1/emails/${json.email_id}/approve`, {})
    yield* post(`${B}/${blast_id}/send-now`, {})
    const workspace = WorkspaceId.make((yield* Context.get(context, WorkspaceStore).findFirst)?.id ?? "")
    yield* Effect.orDie(Context.get(context, Deliveries).fixAudience(workspace, BlastId.make(blast_id)))

    const audited = yield* call("GET", `${B}/${blast_id}/audit`)
    assert.deepStrictEqual([audited.status, audited.json.ok], [200, true])
    assert.deepStrictEqual(audited.json.recipients, [
      { state: "blocked", reason: "unsubscribed", count: 1 },
      { state: "queued", reason: null, count: 2 },
    ])
    const counts = audited.json.checks.find(({ name }: Json) => name === "counts")
    assert.deepInclude(counts, {
      ok: true,
      says: "3 when the audience was fixed, 3 now: 0 sent, 0 failed, 1 blocked, 2 open",
    })
    const unknown = yield* call("GET", `${B}/${contact_ids[0]}/audit`)
    assert.deepStrictEqual([unknown.status, unknown.json.error_code], [404, "not_found"])
  }).pipe(Effect.scoped),
)
