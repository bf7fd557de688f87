// Tests of listings with foreign cursors.
import { assert, describe, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect } from "effect"
import { tenants } from "../attacks/AttackFixture.ts"
import { postgresWorld } from "../fixtures/PostgresWorld.ts"
import { world } from "../fixtures/World.ts"

describe.each([
  ["memory", tenants(world)],
  ["PostgreSQL", tenants(postgresWorld)],
] as const)("listings on %s", (_, grounds) => {
  const badCursorTest = tagged(it.live, "attack/bad-cursor")
  badCursorTest("a cursor of another workspace or listing reveals no foreign entries", () =>
    Effect.gen(function* () {
      const { tenant } = yield* grounds
      const [one, two] = [yield* tenant("one"), yield* tenant("two")]
      const make = (side: typeof one, name: string) =>
        side.call("POST", "/v1/emails", { json: { name, html: "<p>x</p>" } })
      for (const name of ["a", "b"]) yield* make(two, `theirs ${name}`)
      for (const name of ["a", "b"]) yield* make(one, `ours ${name}`)
      const { next_cursor } = (yield* two.call("GET", "/v1/emails?limit=1")).json
      assert.isString(next_cursor)
      for (const path of ["/v1/emails", "/v1/email-templates", "/v1/tents"]) {
        const listed = yield* one.call("GET", `${path}?cursor=${next_cursor}`)
        assert.strictEqual(listed.status, 200, listed.text)
        assert.notInclude(listed.text, "theirs", path)
      }
      const page = yield* one.call("GET", "/v1/contact-lists?page=100000000&limit=100")
      assert.deepStrictEqual([page.status, page.json.lists], [200, []])
      assert.strictEqual((yield* one.call("GET", "/v1/contact-lists?page=100000001")).status, 400)
    }).pipe(Effect.scoped),
  )
})
