import { PgClient } from "@effect/sql-pg"
import * as Postgres from "@tentpole/adapters/postgres/Postgres"
import { DeliveryStore } from "@tentpole/core/deliveries/DeliveryStore"
import { Settlement } from "@tentpole/core/deliveries/Settlement"
import { Transactor } from "@tentpole/core/Transactor"
import { layer } from "@effect/vitest"
import { write } from "@tentpole/adapters/postgres/DeliverySettle"
import { inject } from "vitest"
import { Redacted } from "effect"
import { DateTime, Effect } from "effect"
import { sendingBlast, workspace, world } from "./World.ts"
layer(world, { timeout: "120 seconds", excludeTestServices: true })("lat", (it) => {
  it.effect("lat", () => Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const ws = yield* workspace
    const lat = Effect.gen(function* () { const t = performance.now(); for (let i = 0; i < 100; i++) yield* sql`select 1`; return ((performance.now() - t) / 100).toFixed(2) })
    console.log("LAT select 1:", yield* lat)
    let t = performance.now()
    const blast = yield* sendingBlast(ws, 5000)
    console.log("LAT seed+audience", (performance.now() - t).toFixed(0))
    const [db] = yield* sql<{ n: string }>`select current_database() as n`
    if (process.env["ANALYZE"]) yield* Effect.provide(Effect.flatMap(PgClient.PgClient, (su) => su`analyze`), PgClient.layer({ url: Redacted.make(inject("pgServer") + "/" + db?.n), maxConnections: 1 }))
    const store = yield* DeliveryStore
    const { transact } = yield* Transactor
    for (let r = 0; r < 3; r++) {
      t = performance.now()
      const claimed = yield* transact(store.claim(ws, { limit: 500, lease_ms: 60000 }))
      const tc = performance.now() - t
      t = performance.now()
      for (let i = 0; i < 20; i++) yield* store.grant(ws, claimed.slice(i * 16, i * 16 + 16), 60000)
      const tg = (performance.now() - t) / 20
      t = performance.now()
      for (let i = 0; i < 20; i++) yield* transact(store.settle(ws, claimed.slice(i * 16, i * 16 + 16).map((c) => Settlement.of(c, { _tag: "outcome", outcome: { _tag: "accepted", reply: "250 ok" } }, { at: DateTime.makeUnsafe(0), acceptMeansDelivered: true }))))
      const tS = (performance.now() - t) / 20
      console.log(`LAT claim500 ${tc.toFixed(1)} grant16 ${tg.toFixed(1)} settle16 ${tS.toFixed(1)} select1 ${yield* lat}`)
    }
    const explain = (label: string, q: Effect.Effect<ReadonlyArray<Record<string, unknown>>, unknown>) => Effect.map(q, (rows) => console.log(label, rows.map((r) => Object.values(r)[0]).join("\n")))
    const ids = (yield* transact(store.claim(ws, { limit: 16, lease_ms: 60000 })))
    const arr = `array[${ids.map((i) => `'${i.id}'`).join(",")}]::uuid[]`, tok = `array[${ids.map((i) => i.token).join(",")}]::bigint[]`
    yield* store.grant(ws, ids, 60000)
    const stmt = write(sql, ws, ids.map((c) => Settlement.of(c, { _tag: "outcome", outcome: { _tag: "accepted", reply: "250 ok" } }, { at: DateTime.makeUnsafe(0), acceptMeansDelivered: true })))
    const [text, params] = stmt.compile()
    yield* sql.withTransaction(Effect.gen(function* () {
      yield* sql`select set_config('tentpole.workspace_id', ${ws}, true)`
      yield* explain("SETTLE", sql.unsafe("explain (analyze, buffers) " + text, params as never) as never)
    }))
    void Postgres; void blast
  }).pipe(Effect.scoped), 120_000)
})
