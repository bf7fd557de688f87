// Tests of roles: every operation, called with a key of every role. The operations come from the values of the APIs.
import { AdminApi } from "@tentpole/http/admin/AdminApi"
import { Api } from "@tentpole/http/Api"
import { Needs } from "@tentpole/http/Endpoint"
import { handlers } from "@tentpole/http/Handlers"
import { roles } from "@tentpole/core/workspaces/Role"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { tagged } from "@tentpole/core/contract"
import { operationsOf } from "../fixtures/Operations.ts"
import { serving, unknownId } from "../fixtures/World.ts"

const operations = operationsOf(Api)

/** One key of each role, in the workspace of the test key. */
const keysOfRoles = Effect.gen(function* () {
  const workspaces = yield* Workspaces
  const { workspace } = yield* workspaces.bootstrap({ apiKey: null })
  const keys = yield* Effect.forEach(roles, (role) => workspaces.createKey(workspace.id, { name: role, role }))
  return keys.map(({ key, raw }) => ({ role: key.role, authorization: `Bearer ${raw}` }))
})

describe("roles", () => {
  it("are declared by every operation", () => {
    for (const { endpoint, name } of [...operations, ...operationsOf(AdminApi)]) {
      assert.isTrue(Option.isSome(Context.getOption(endpoint.annotations, Needs)), `${name} names no role`)
    }
  })

  it("let viewers read only: these operations change nothing although they are no GET", () => {
    const writing = operations.filter(({ endpoint, needs }) => needs === "viewer" && endpoint.method !== "GET")
    assert.deepStrictEqual(writing.map(({ name }) => name).sort(), [
      "blasts.dryRun",
      "emails.previewUnsaved",
      "flows.simulate",
      "segments.explain",
      "segments.preview",
      "segments.search",
    ])
  })

  tagged(it.live, "attack/roles")("decide for every key which operations it can call", () =>
    Effect.gen(function* () {
      const { call, context } = yield* serving(Api, handlers)
      const wrong: Array<string> = []
      for (const { authorization, role } of yield* Effect.provide(keysOfRoles, context)) {
        for (const { endpoint, name, needs, path } of operations) {
          const { json, status } = yield* call(endpoint.method, path, { headers: { authorization } })
          const isRefused = status === 403 && json?.error_code === "role_too_low" && json.needs === needs
          const isTooLow = roles.indexOf(role) < roles.findIndex((each) => each === needs)
          if (isRefused !== isTooLow) wrong.push(`${role} ${name}: ${status}`)
        }
      }
      assert.deepStrictEqual(wrong, [])
    }).pipe(Effect.scoped),
  )

  it.live("are checked before the body is read", () =>
    Effect.gen(function* () {
      const { call, context } = yield* serving(Api, handlers)
      const [viewer] = yield* Effect.provide(keysOfRoles, context)
      const headers = { authorization: viewer?.authorization ?? "" }
      const refused = yield* call("POST", "/v1/contacts", { body: "{", headers })
      assert.deepStrictEqual([refused.status, refused.json.error_code], [403, "role_too_low"])
    }).pipe(Effect.scoped),
  )

  tagged(it.live, "attack/roles")("do not let editors publish by creating a tent", () =>
    Effect.gen(function* () {
      const { call, context } = yield* serving(Api, handlers)
      const [, editor, sender] = yield* Effect.provide(keysOfRoles, context)
      const bulk = { template_id: unknownId, items: [{ prompt: "A page of a bakery" }] }
      for (const [path, json] of [
        ["/v1/tents", { html: "<h1>Bakery</h1>", name: "Bakery" }],
        ["/v1/tents/bulk", bulk],
      ] as const) {
        const status = (auto_publish: boolean, authorization = "") =>
          Effect.map(
            call("POST", path, { json: { ...json, auto_publish }, headers: { authorization } }),
            ({ json: answered, status }) => (status === 403 ? answered.error_code : "taken"),
          )
        assert.strictEqual(yield* status(true, editor?.authorization), "role_too_low", path)
        assert.strictEqual(yield* status(false, editor?.authorization), "taken", path)
        assert.strictEqual(yield* status(true, sender?.authorization), "taken", path)
      }
    }).pipe(Effect.scoped),
  )
})
