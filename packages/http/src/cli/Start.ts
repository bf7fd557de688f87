// The command `tentpole start`: starts the database, an HTTP process and a worker on one machine, restarts processes that end,
// and stops all of them in order.
import { BadConfiguration, type Configuration } from "@tentpole/adapters/Configuration"
import { prepareFolder } from "@tentpole/adapters/DataFolder"
import { prepared } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { ports } from "@tentpole/adapters/FromConfig"
import { readConfiguration } from "@tentpole/adapters/Launch"
import * as Logging from "@tentpole/adapters/Logging"
import { isFree } from "@tentpole/adapters/operations/Listening"
import { workerFlags } from "@tentpole/adapters/operations/WorkerFlags"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { useCases } from "@tentpole/core/Tentpole"
import { Effect, Layer, Redacted, Scope } from "effect"
import { Command } from "effect/cli"
import { join } from "node:path"
import { firstKey } from "../FirstStart.ts"
import { banner } from "./Banner.ts"
import { claimFolder, processList } from "./FolderClaim.ts"
import { supervised } from "./Supervisor.ts"

/** Fails if a port is in use. After a crash, old processes may need a moment to end. */
const portsFree = (config: Configuration, attempts: number): Effect.Effect<void, BadConfiguration> =>
  Effect.gen(function* () {
    for (const [variable, port] of [
      ["PORT", config.port],
      ["PAGES_PORT", config.pagesPort],
      ["BOUNCE_SMTP_PORT", config.bounceSmtpPort],
      ["WORKER_PORT", config.workerPort],
    ] as const) {
      if (port === null || (yield* isFree(config.host, port))) continue
      if (attempts > 0) return yield* Effect.andThen(Effect.sleep("250 millis"), portsFree(config, attempts - 1))
      return yield* new BadConfiguration({
        reason: `Port ${port} on ${config.host} is in use (or not allowed): stop the process that uses it, or set ${variable} to a free port.`,
      })
    }
  })

/** The configured database, or an embedded one with the lifetime of the scope. */
const databaseOf = Effect.fnUntraced(function* (config: Configuration) {
  if (config.databaseUrl !== null) {
    return { databaseUrl: config.databaseUrl, databaseMigrationUrl: config.databaseMigrationUrl ?? config.databaseUrl }
  }
  const { ownerUrl } = yield* prepared({ folder: join(config.dataDir, "database"), durable: true, port: null })
  return { databaseUrl: ownerUrl, databaseMigrationUrl: ownerUrl }
})

/** The API key of a first start, created here for the banner. */
const keyOfFirstStart = (config: Configuration) =>
  firstKey(config).pipe(
    Effect.provide(useCases.pipe(Layer.provide(ports(config, { name: "start", connections_max: 2 })))),
    Effect.provide(Logging.layer({ level: config.logLevel, format: config.logFormat })),
  )

const start = Effect.gen(function* () {
  const configured = yield* readConfiguration
  yield* prepareFolder(configured)
  const { crashed } = yield* claimFolder(configured.dataDir)
  yield* portsFree(configured, crashed ? 60 : 0)
  const config = { ...configured, ...(yield* databaseOf(configured)) }
  yield* migrate(config.databaseMigrationUrl)
  const key = yield* keyOfFirstStart(config)
  const environment = {
    ...process.env,
    DATABASE_URL: Redacted.value(config.databaseUrl),
    DATABASE_MIGRATION_URL: Redacted.value(config.databaseMigrationUrl),
  }
  const started = yield* processList(config.dataDir)
  // Children stop in parallel: one after the other could exceed the time limit of a stop.
  const sideBySide = yield* Effect.acquireRelease(Scope.make("parallel"), Scope.close)
  const children = yield* Effect.all(
    [
      supervised({ name: "http", module: "@tentpole/http/main", flags: [], environment, onStart: started("http") }),
      supervised({
        name: "worker",
        module: "@tentpole/worker/main",
        flags: workerFlags,
        environment,
        onStart: started("worker"),
      }),
    ],
    { concurrency: 2 },
  ).pipe(Scope.provide(sideBySide))
  process.stdout.write(banner(config, key))
  yield* Effect.raceAllFirst(children.map((child) => child.failed))
}).pipe(Effect.scoped)

export const startCommand = Command.make("start", {}, () => start).pipe(
  Command.withDescription(
    "Runs the whole service on this machine: API, pages, a worker, and PostgreSQL if none is configured",
  ),
)
