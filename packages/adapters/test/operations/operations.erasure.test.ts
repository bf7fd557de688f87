// The order in which a workspace's tables are emptied, and the diagnosis of a database.
import { PgClient } from "@effect/sql-pg"
import { migrations } from "@tentpole/adapters/postgres/migrations/All"
import { diagnose } from "@tentpole/adapters/postgres/operations/Diagnosis"
import { childrenFirst, tables } from "@tentpole/adapters/postgres/operations/Erasure"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"

describe("the order of tables in an erasure", () => {
  const table = (name: string, ...refers_to: ReadonlyArray<string>) => ({ name, refers_to })

  it("empties tables before the tables they refer to", () => {
    const all = [
      table("workspace_like"),
      table("contact", "workspace_like"),
      table("member", "contact", "list"),
      table("list"),
    ]
    const order = childrenFirst(all)
    assert.sameMembers([...order], ["workspace_like", "contact", "member", "list"])
    for (const { name, refers_to } of all) {
      for (const parent of refers_to) assert.isBelow(order.indexOf(name), order.indexOf(parent), `${name} ${parent}`)
    }
  })

  it.live("empties tables before those that they refer to without a foreign key", () =>
    Effect.gen(function* () {
      const order = childrenFirst(yield* tables(yield* PgClient.PgClient))
      for (const [name, parent] of [
        ["delivery", "blast"],
        ["flow_event", "flow_membership"],
      ] as const) {
        assert.isBelow(order.indexOf(name), order.indexOf(parent))
        assert.isAtLeast(order.indexOf(name), 0)
      }
    }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(`${inject("pgOwner")}/template_tentpole`) }))),
  )

  it("empties tables in a reference cycle once each", () => {
    assert.sameMembers([...childrenFirst([table("a", "b"), table("b", "a"), table("c", "a")])], ["a", "b", "c"])
  })
})

describe("diagnose", () => {
  it.live("reports a healthy database", () =>
    Effect.gen(function* () {
      const it = yield* diagnose(Redacted.make(`${inject("pgOwner")}/template_tentpole`))
      assert.isAtLeast(it.version, 150_000)
      assert.deepStrictEqual([it.pending, it.unknown, it.unbound, it.mayBeService], [[], [], false, true])
      assert.isBelow(Math.abs(it.ahead_ms), 60_000)
    }),
  )

  it.live("reports a database without migrations", () =>
    Effect.gen(function* () {
      const it = yield* diagnose(Redacted.make(`${inject("pgServer")}/postgres`))
      assert.deepStrictEqual(it.pending, Object.keys(migrations))
    }),
  )

  it.live("reports a database that can't be reached", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Effect.flip(diagnose(Redacted.make("postgres://u:p@127.0.0.1:1/x"))), "ConnectionError")
    }),
  )
})
