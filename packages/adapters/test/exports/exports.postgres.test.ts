// Exports on PostgreSQL: slow readers meet no timeout, and no session or transaction is left open.
import * as PersistedJobs from "@tentpole/adapters/jobs/PersistedJobs"
import { PgClient } from "@effect/sql-pg"
import * as Ids from "@tentpole/adapters/crypto/Ids"
import * as Stores from "@tentpole/adapters/postgres/All"
import { fenced } from "@tentpole/adapters/test/Fenced"
import * as Postgres from "@tentpole/adapters/postgres/kernel/Postgres"
import { assert, layer } from "@effect/vitest"
import { Fresh } from "@tentpole/core/contract"
import { ExportStore } from "@tentpole/core/exports/ExportStore"
import { ListId } from "@tentpole/core/kernel/Ids"
import type { SystemList } from "@tentpole/core/lists/List"
import { DateTime, Deferred, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { inject } from "vitest"
import { secrets } from "../fixtures/Stores.ts"
import { clone, optionsOf } from "../support/TestDatabase.ts"

/** The statement timeout of a long read. */
const limit_ms = 3_000

const clients = Layer.unwrap(
  Effect.map(clone(), (url) => {
    const hurried = Postgres.longReadsOver(limit_ms).pipe(Layer.provide(Postgres.client(optionsOf(url))))
    return Layer.provideMerge(hurried, Postgres.connections(optionsOf(url)))
  }),
)

const world = Fresh.layer.pipe(
  Layer.provideMerge(Stores.stores),
  Layer.provideMerge(PersistedJobs.layer()),
  Layer.provideMerge(clients),
  Layer.provideMerge(Layer.merge(Ids.layer, secrets)),
)

const epoch = DateTime.makeUnsafe(0)
const allContacts: SystemList = {
  id: ListId.make("00000000-0000-4000-8000-000000000001"),
  kind: "system",
  systemList: "all_contacts",
  name: "All contacts",
  slug: "all-contacts",
  description: null,
  ownerBlastId: null,
  createdAt: epoch,
  updatedAt: epoch,
}

layer(world, { excludeTestServices: true })("exported members on PostgreSQL", (it) => {
  const begin = Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const workspace = yield* (yield* Fresh).workspace()
    yield* fenced(sql)(
      workspace,
      sql`
        insert into contact (workspace_id, contact_id, phone, unsubscribed, marketing_email_invalid, created_at, updated_at)
        select ${workspace}, gen_random_uuid(), n::text, false, false, now(), now() from generate_series(1, 1100) n`,
    )
    const exports = yield* ExportStore
    const audience = { list: allContacts, fields: [], now: epoch }
    const members = exports.members(workspace, audience, { excludeUnsubscribed: false })
    const [database] = yield* sql<{ readonly name: string }>`select current_database() as name`
    const owner = PgClient.layer({ url: Redacted.make(`${inject("pgServer")}/${database?.name}`), maxConnections: 1 })
    /** Sessions of the service that are in a transaction. */
    const open = Effect.gen(function* () {
      const ask = yield* PgClient.PgClient
      const [row] = yield* ask<{ readonly open: number }>`
        select count(*)::int as open from pg_stat_activity
        where datname = ${database?.name ?? ""} and application_name = 'tentpole test' and xact_start is not null`
      return row?.open
    }).pipe(Effect.provide(owner))
    return { members, open }
  })

  it.effect("a slow reader is not cut off by the statement timeout", () =>
    Effect.gen(function* () {
      const { members } = yield* begin
      const parts = yield* members.pipe(
        Stream.zipWithIndex,
        Stream.tap(([, index]) => (index === 0 ? Effect.sleep(limit_ms + 100) : Effect.void)),
        Stream.runCollect,
      )
      assert.isAbove(parts.length, 1)
      assert.strictEqual(parts.flatMap(([part]) => part).length, 1_100)
    }),
  )

  it.effect("a long read uses one session until it ends, and none after its reader stops", () =>
    Effect.gen(function* () {
      const { members, open } = yield* begin
      const begun = yield* Deferred.make<void>()
      const reader = yield* members.pipe(
        Stream.runForEach(() => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)),
        Effect.forkChild,
      )
      yield* Deferred.await(begun)
      assert.strictEqual(yield* open, 1)
      yield* Fiber.interrupt(reader)
      assert.strictEqual(yield* open, 0)
      yield* members.pipe(Stream.take(1), Stream.runDrain)
      assert.strictEqual(yield* open, 0)
      yield* Stream.runDrain(members)
      assert.strictEqual(yield* open, 0)
    }),
  )
})
