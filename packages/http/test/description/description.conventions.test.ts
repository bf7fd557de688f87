// Tests of the conventions in the OpenAPI document.
import { Api } from "@tentpole/http/Api"
import { assert, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import type { Json } from "../fixtures/World.ts"

const description: Json = OpenApi.fromApi(Api)

const operations = Object.entries<Json>(description.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => ({ name: `${method} ${path}`, method, operation })),
)

it("only POSTs have the Idempotency-Key parameter", () => {
  assert.isAbove(operations.length, 40)
  for (const { method, name, operation } of operations) {
    const named = (operation.parameters ?? []).filter((each: Json) => each.name === "Idempotency-Key")
    assert.strictEqual(named.length, method === "post" ? 1 : 0, name)
    if (method === "post") assert.isDefined(operation.responses["409"], name)
  }
})

it("every response has the rate limit headers, and every operation declares 429", () => {
  for (const { name, operation } of operations) {
    assert.isDefined(operation.responses["429"], name)
    for (const [status, response] of Object.entries<Json>(operation.responses)) {
      const reported = Object.keys(response.headers ?? {}).filter((header) => header.startsWith("RateLimit-"))
      assert.strictEqual(reported.length, status === "401" ? 0 : 3, `${name} ${status}`)
    }
  }
})
