// Starts one PostgreSQL for the whole run, with a migrated template database that test files clone. Its data is in memory if
// there is space: a clone then takes 25 to 50 ms, on a disk ten times that. `npm run test:postgres` sets `PG_BIN_DIR` to the
// programs of another version, and `PGBOUNCER_BIN` to a pooler through which the tests connect. `npm run test:citus` sets `CITUS`
// to the programs of a server with Citus, of which a cluster is started.
import { setPrograms } from "@tentpole/adapters/embedded/Binaries"
import { ownerStatements, start } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { Effect, Exit, Redacted, Scope } from "effect"
import { mkdtemp, rm, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { executable } from "./browser/Browser.ts"
import { addDeadNode, closeDatabase, createDistributed, startCluster } from "./citus/Cluster.ts"
import { statement } from "./support/Owner.ts"
import { pooler } from "./support/PgBouncer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The superuser's address, up to and without the database's name. */
    readonly pgServer: string
    readonly pgOwner: string
    readonly pgPooler: string | null
    /** The superuser's addresses of further nodes of a cluster, as `pgServer`. */
    readonly pgWorkers: ReadonlyArray<string>
  }
}

const room_needed_bytes = 2 * 2 ** 30
const template = "template_tentpole"

const home = async (): Promise<string> => {
  const memory = await statfs("/dev/shm").catch(() => undefined)
  const roomy = memory !== undefined && memory.bavail * memory.bsize > room_needed_bytes
  return mkdtemp(join(roomy ? "/dev/shm" : tmpdir(), "tentpole-test-"))
}

/** In `npm test`, a connection plans each prepared statement once, not for each execution. Other runs plan as a service does. */
const settings = process.env["SAMPLE"] === undefined ? [] : ([["plan_cache_mode", "force_generic_plan"]] as const)

const withoutDatabase = (url: Redacted.Redacted): string => Redacted.value(url).replace(/\/[^/]*$/, "")

interface Started {
  readonly server: Parameters<typeof pooler>[2]
  readonly base: string
  readonly ownerBase: string
  readonly workers: ReadonlyArray<string>
}

const startServer = Effect.fnUntraced(function* (folder: string) {
  const server = yield* start({ folder, durable: false, port: null, settings })
  const ownerBase = withoutDatabase(server.ownerUrl)
  const prepared = [...ownerStatements(server.password), `create database ${template} owner ${server.owner}`]
  for (const each of prepared) yield* Effect.promise(() => statement(server.superuserUrl, each))
  yield* migrate(Redacted.make(`${ownerBase}/${template}`))
  return { server, base: withoutDatabase(server.superuserUrl), ownerBase, workers: [] }
})

const startNodes = Effect.fnUntraced(function* (programs: string, folder: string) {
  const cluster = yield* startCluster(programs, folder)
  yield* createDistributed(cluster, template)
  yield* addDeadNode(cluster, template)
  yield* closeDatabase(cluster, template)
  const [base = "", ...workers] = cluster.nodes.map(({ url }) => withoutDatabase(url("postgres")))
  const superuserUrl = cluster.coordinator.url("postgres")
  return {
    server: { ...cluster.coordinator, password: cluster.password, superuserUrl },
    base,
    ownerBase: withoutDatabase(cluster.coordinator.url("postgres", "tentpole_owner")),
    workers,
  }
})

export default async function (project: TestProject) {
  // Test files that unpack it at the same time would start half of it.
  await executable()
  const folder = await home()
  const scope = Scope.makeUnsafe()
  const { CITUS, PG_BIN_DIR, PGBOUNCER_BIN } = process.env
  if (PG_BIN_DIR !== undefined) setPrograms(PG_BIN_DIR)
  const started: Effect.Effect<Started, unknown, Scope.Scope> =
    CITUS === undefined ? startServer(folder) : startNodes(CITUS, folder)
  const stop = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  }
  const { base, ownerBase, server, workers } = await Effect.runPromise(
    started.pipe(Effect.provideService(Scope.Scope, scope)),
  ).catch(async (cause: unknown) => {
    await stop()
    throw cause
  })
  project.provide("pgServer", base)
  project.provide("pgOwner", ownerBase)
  project.provide("pgWorkers", workers)
  const bouncer = PGBOUNCER_BIN === undefined ? null : await pooler(PGBOUNCER_BIN, folder, server)
  project.provide("pgPooler", bouncer?.url ?? null)
  const [{ version } = { version: "?" }] = await statement<{ version: string }>(
    server.superuserUrl,
    "select current_setting('server_version') as version",
  )
  const through = bouncer === null ? "" : ` through ${bouncer.version}`
  process.stdout.write(`PostgreSQL ${version}${CITUS === undefined ? "" : " with Citus"}${through}\n`)
  return async () => {
    bouncer?.stop()
    await stop()
  }
}
