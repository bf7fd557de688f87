// Starts one PostgreSQL for the whole run, with a migrated template database that test files clone. Its data is in memory if
// there is space: a clone then takes 25 to 50 ms, on a disk ten times that. `npm run test:postgres` sets `PG_BIN_DIR` to the
// programs of another version, and `PGBOUNCER_BIN` to a pooler through which the tests connect.
import { setPrograms } from "@tentpole/adapters/embedded/Binaries"
import { ownerStatements, start } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { Effect, Exit, Redacted, Scope } from "effect"
import { mkdtemp, rm, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { statement } from "./support/Owner.ts"
import { pooler } from "./support/PgBouncer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The superuser's address, up to and without the database's name. */
    readonly pgServer: string
    readonly pgOwner: string
    readonly pgPooler: string | null
  }
}

const room_needed_bytes = 2 * 2 ** 30

const home = async (): Promise<string> => {
  const memory = await statfs("/dev/shm").catch(() => undefined)
  const roomy = memory !== undefined && memory.bavail * memory.bsize > room_needed_bytes
  return mkdtemp(join(roomy ? "/dev/shm" : tmpdir(), "tentpole-test-"))
}

export default async function (project: TestProject) {
  const folder = await home()
  const scope = Scope.makeUnsafe()
  const { PG_BIN_DIR, PGBOUNCER_BIN } = process.env
  if (PG_BIN_DIR !== undefined) setPrograms(PG_BIN_DIR)
  const server = await Effect.runPromise(
    start({ folder, durable: false, port: null }).pipe(Effect.provideService(Scope.Scope, scope)),
  )
  const base = Redacted.value(server.superuserUrl).replace(/\/[^/]*$/, "")
  const ownerBase = Redacted.value(server.ownerUrl).replace(/\/[^/]*$/, "")
  const prepared = [...ownerStatements(server.password), `create database template_tentpole owner ${server.owner}`]
  for (const each of prepared) await statement(server.superuserUrl, each)
  await Effect.runPromise(migrate(Redacted.make(`${ownerBase}/template_tentpole`)))
  project.provide("pgServer", base)
  project.provide("pgOwner", ownerBase)
  const bouncer = PGBOUNCER_BIN === undefined ? null : await pooler(PGBOUNCER_BIN, folder, server)
  project.provide("pgPooler", bouncer?.url ?? null)
  const [{ version } = { version: "?" }] = await statement<{ version: string }>(
    server.superuserUrl,
    "select current_setting('server_version') as version",
  )
  process.stdout.write(`PostgreSQL ${version}${bouncer === null ? "" : ` through ${bouncer.version}`}\n`)
  return async () => {
    bouncer?.stop()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  }
}
