// What PostgreSQL stores of single messages, and no port reads.
import { PgClient } from "@effect/sql-pg"
import * as DkimSigner from "@tentpole/adapters/crypto/DkimSigner"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { messageWorld, withMessages } from "@tentpole/core/contract"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresCounted } from "../fixtures/Stores.ts"

const ports = Layer.merge(postgresCounted, DkimSigner.layer)
const live = Layer.merge(withMessages(ports), ports)

layer(live, { excludeTestServices: true })("single messages on PostgreSQL", (it) => {
  it.effect("have the actor of their request, also when they are accepted together", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { send, workspace } = yield* messageWorld()
      const names = Array.from({ length: 10 }, (_, nth) => `key:${nth}` as const)
      yield* Effect.forEach(
        names,
        (name) => Effect.provideService(send({ data: { order: { id: name } } }), Actor, name),
        { concurrency: "unbounded" },
      )
      const rows = yield* fenced(sql)(
        workspace,
        sql<{ readonly actor: string; readonly subject: string }>`select actor, subject from email_message`,
      )
      assert.sameDeepMembers(
        [...rows],
        names.map((actor) => ({ actor, subject: `Your order ${actor}` })),
      )
    }),
  )
})
