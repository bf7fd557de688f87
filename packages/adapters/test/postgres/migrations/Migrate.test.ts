// Tests of the migration: by eight processes at once, and of a database of an unreleased version.
import * as PersistedJobs from "@tentpole/adapters/jobs/PersistedJobs"
import { PgClient } from "@effect/sql-pg"
import * as Ids from "@tentpole/adapters/crypto/Ids"
import * as Dns from "@tentpole/adapters/memory/ports/Dns"
import * as Stores from "@tentpole/adapters/postgres/All"
import { migrate, statementsOf } from "@tentpole/adapters/postgres/migrations/Migrate"
import { migrations } from "@tentpole/adapters/postgres/migrations/All"
import * as Postgres from "@tentpole/adapters/postgres/kernel/Postgres"
import { settingsLayer } from "@tentpole/core/contract"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, type Redacted } from "effect"
import { secrets } from "../../fixtures/Stores.ts"
import { empty } from "../../support/TestDatabase.ts"

const settings = settingsLayer()

const starter = (url: Redacted.Redacted) => {
  const options: Postgres.PostgresOptions = {
    url,
    applicationName: "starter",
    connections_max: 2,
    statement_timeout_ms: 60_000,
  }
  const live = Workspaces.layer.pipe(
    Layer.provide(Stores.stores),
    Layer.provide(PersistedJobs.layer()),
    Layer.provide(Postgres.connections(options)),
    Layer.provide(Layer.mergeAll(Ids.layer, Dns.layer(), settings, secrets)),
  )
  return Effect.gen(function* () {
    const applied = yield* migrate(url)
    const { key } = yield* Effect.flatMap(Workspaces, ({ bootstrap }) => bootstrap({ apiKey: null })).pipe(
      Effect.provide(live),
    )
    return { applied, made: key !== null }
  })
}

it("a file is divided at the semicolons between its statements", () => {
  const [quoted, body, named] = [
    "insert into t values ('a;b', 'it''s')",
    "create function f() returns void language plpgsql as $f$ begin perform g($$;$$); end $f$",
    `select ";" from t -- one; two\nwhere true`,
  ]
  const file = `-- A file; its first line.\n${quoted};\n\n${body};\n${named};\n-- The end;\n`
  assert.deepStrictEqual(
    statementsOf(file).map((statement) => statement.replace(/^-- A file.*\n/, "").trim()),
    [quoted, body, named],
  )
})

it.live("eight processes at once on an empty database give one schema, one workspace, one key", () =>
  Effect.gen(function* () {
    const url = yield* empty("migrate")
    const starts = yield* Effect.all(
      Array.from({ length: 8 }, () => starter(url)),
      { concurrency: 8 },
    )
    assert.deepStrictEqual(
      starts.flatMap((start) => start.applied),
      Object.keys(migrations),
    )
    assert.strictEqual(starts.filter((start) => start.made).length, 1)
    const [counts] = yield* Effect.gen(function* () {
      const owner = yield* PgClient.PgClient
      return yield* owner<{ workspaces: number; keys: number }>`
        select (select count(*)::int from workspace) as workspaces, (select count(*)::int from api_key) as keys`
    }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
    assert.deepStrictEqual(counts, { workspaces: 1, keys: 1 })
  }),
)

it.live("a database of an unreleased version is refused and stays as it is", () =>
  Effect.gen(function* () {
    const url = yield* empty("unreleased")
    const owner = PgClient.layer({ url, maxConnections: 1 })
    const run = (statement: string) =>
      Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement).unprepared).pipe(Effect.provide(owner))
    yield* run("create table schema_migration (name text primary key, applied_at timestamptz not null default now())")
    yield* run("insert into schema_migration (name) values ('0001_workspaces'), ('0002_outbox')")
    const refused = yield* Effect.flip(migrate(url))
    assert.match(refused.message, /^This database was created by an unreleased version .* an empty database$/)
    assert.deepStrictEqual(yield* run("select name from schema_migration order by name"), [
      { name: "0001_workspaces" },
      { name: "0002_outbox" },
    ])
    assert.deepStrictEqual(yield* run("select 1 from pg_class where relname = 'workspace'"), [])
  }),
)
