// Tests of the choice of the primary among several servers. `npm run test:faults failover` kills a real one.
import { PgClient } from "@effect/sql-pg"
import * as Primary from "@tentpole/adapters/postgres/kernel/Primary"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { clone } from "@tentpole/adapters/test/TestDatabase"

it("serversOf makes one URL for each server", () => {
  assert.deepStrictEqual(Primary.serversOf("postgres://a:b@db1:5432,[::1]:5433,db3/x?sslmode=require"), [
    "postgres://a:b@db1:5432/x?sslmode=require",
    "postgres://a:b@[::1]:5433/x?sslmode=require",
    "postgres://a:b@db3/x?sslmode=require",
  ])
  assert.deepStrictEqual(Primary.serversOf("postgres://db/x"), ["postgres://db/x"])
})

const answerOf = (url: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql`select 1 as one`).pipe(
    Effect.provide(Primary.layer({ url: Redacted.make(url), maxConnections: 1 })),
  )

it.live("a pool connects to the server that takes writes", () =>
  Effect.gen(function* () {
    const url = Redacted.value(yield* clone())
    const { host } = new URL(url)
    // No server listens on port 9.
    assert.deepStrictEqual(yield* answerOf(url.replace(host, `127.0.0.1:9,${host}`)), [{ one: 1 }])
    assert.deepStrictEqual(yield* answerOf(url), [{ one: 1 }])
    const servers = [`${url}?options=-c%20default_transaction_read_only%3Don`, url].map((each) => Redacted.make(each))
    assert.strictEqual(yield* Primary.findPrimary(servers), servers[1])
  }),
)
