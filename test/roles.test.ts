// Tests that the roles of the deployment have sufficient rights: the owner for migrations, the login for the service.
import { PgClient } from "@effect/sql-pg"
import { setPrograms } from "@tentpole/adapters/embedded/Binaries"
import { start } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { client } from "@tentpole/adapters/postgres/kernel/Postgres"
import { Effect, Redacted } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, inject, it } from "vitest"
import { statement } from "./support/Owner.ts"

/** The statements of docker/roles.sql with other role names, because the test server has its own roles. */
const roles = (): ReadonlyArray<string> =>
  readFileSync(new URL("../docker/roles.sql", import.meta.url), "utf8")
    .replaceAll(/^(--|\\).*$/gm, "")
    .replaceAll(/:'(\w+)'/g, "'secret'")
    .replaceAll(/tentpole_(owner|login)/g, "shipped_$1")
    .replaceAll("database tentpole", "database shipped")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "" && !statement.startsWith("create role tentpole_service"))

it("docker/roles.sql lets the owner migrate, but not the login of the service", async () => {
  const server = inject("pgServer")
  const address = (user: string) => {
    const url = new URL(`${server}/shipped`)
    return Redacted.make(Object.assign(url, { username: `shipped_${user}`, password: "secret" }).href)
  }
  for (const each of roles()) await statement(Redacted.make(`${server}/postgres`), each)

  const early = await Effect.runPromise(Effect.flip(migrate(address("login"))))
  assert.match(
    early.message,
    /^The database lacks migrations of this version \(0001_baseline\), and this login may not make them: run `tentpole migrate` with a DATABASE_MIGRATION_URL/,
  )
  assert.isNotEmpty(await Effect.runPromise(migrate(address("owner"))))
  assert.deepStrictEqual(await Effect.runPromise(migrate(address("login"))), [])

  const options = { url: address("login"), applicationName: "t", connections_max: 1, statement_timeout_ms: 60_000 }
  const asService = <A, E>(asked: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.flatMap(PgClient.PgClient, asked).pipe(Effect.provide(client(options))))
  const rows = await asService(
    (sql) => sql`select current_user::text as name, (select count(*)::int from plan) as plans`,
  )
  assert.deepStrictEqual(rows, [{ name: "tentpole_service", plans: 3 }])
  const refused = await asService((sql) => Effect.flip(sql`alter table public.contact add column mine text`))
  assert.strictEqual(refused.reason._tag, "AuthorizationError")
})

it("an owner without CREATEROLE is refused in one line that names the statement to run", async () => {
  // A server of its own: the shared one has the service's role.
  const folder = mkdtempSync(join(tmpdir(), "tentpole-roles-"))
  const { PG_BIN_DIR } = process.env
  if (PG_BIN_DIR !== undefined) setPrograms(PG_BIN_DIR)
  const attempts = Effect.gen(function* () {
    const { superuserUrl } = yield* start({ folder, durable: false, port: null })
    const ask = (text: string) => Effect.promise(() => statement(superuserUrl, text))
    yield* ask(`create role "Bakery" login password 'secret'`)
    yield* ask(`create database bakery owner "Bakery"`)
    const url = Object.assign(new URL(Redacted.value(superuserUrl)), {
      username: "Bakery",
      password: "secret",
      pathname: "/bakery",
    })
    const refused = yield* Effect.flip(migrate(Redacted.make(url.href)))
    yield* ask(`alter role "Bakery" createrole`)
    return { refused, applied: yield* migrate(Redacted.make(url.href)) }
  })
  const { applied, refused } = await Effect.runPromise(Effect.scoped(attempts)).finally(() =>
    rmSync(folder, { recursive: true, force: true }),
  )
  assert.strictEqual(
    refused.message,
    'The role "Bakery" lacks CREATEROLE, and the migration creates the role tentpole_service: run `alter role "Bakery" createrole` as an administrator of PostgreSQL',
  )
  assert.strictEqual(refused.stack, `MigrationFailed: ${refused.message}`)
  assert.isNotEmpty(applied)
})
