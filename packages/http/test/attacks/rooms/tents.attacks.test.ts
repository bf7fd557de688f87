// Attacks on tents, their files and bulk jobs.
import { tagged } from "@tentpole/core/contract"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { assault } from "../AttackSuite.ts"
import { tents } from "../TentProbes.ts"
import { serving } from "../../fixtures/World.ts"

assault(tents)

const aliasTraversalTest = tagged(it.live, "attack/alias-traversal")
aliasTraversalTest("answers 400 or 404 to path traversal in an alias, for DELETE and publish", () =>
  Effect.gen(function* () {
    const { call } = yield* serving(Api, handlers)
    const { json } = yield* call("POST", "/v1/tents", { json: { name: "n", prompt: "Create a page for chairs" } })
    const tricks = [
      "%2e%2e",
      "%252e%252e",
      "%2e",
      "a%2f..%2fb",
      "a%5cb",
      ".well-known",
      "%2fetc%2fpasswd",
      "%E0%A4%A",
      "a%00b",
      "A",
      "x".repeat(101),
      "%D0%B0",
    ]
    for (const trick of tricks) {
      const { status } = yield* call("DELETE", `/v1/tents/${trick}`)
      assert.include([400, 404], status, trick)
    }
    const aliases = ["..", ".", "a/../b", "%2e%2e", "%252e", "a\\b", ".well-known", json.id, "A", "x".repeat(101), "а"]
    for (const alias of aliases) {
      const { status } = yield* call("POST", `/v1/tents/${json.id}/publish`, { json: { custom_page_alias: alias } })
      assert.strictEqual(status, 400, alias)
    }
    assert.strictEqual((yield* call("GET", `/v1/tents/${json.id}`)).json.status, "queued")
  }),
)
