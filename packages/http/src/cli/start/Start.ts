// The command `tentpole start`: starts the database, an HTTP process and a worker on one machine, restarts processes that end,
// and stops all of them in order.
import { BadConfiguration, type Configuration } from "@tentpole/adapters/Configuration"
import { prepareFolder, storeApiKey } from "@tentpole/adapters/DataFolder"
import { readConfiguration } from "@tentpole/adapters/Launch"
import { prepared } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { isFree } from "@tentpole/adapters/operations/Listening"
import { httpFlags, memoryVariables, workerFlags } from "@tentpole/adapters/operations/MemoryFlags"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { linkUrl } from "@tentpole/core/accounts/SignInLink"
import { Deferred, Effect, Fiber, Redacted, Schema, Scope } from "effect"
import { Command } from "effect/cli"
import { join } from "node:path"
import { builtConsole, consoleFolder } from "../../console/ConsoleBuild.ts"
import { FirstStart, reports_first_start } from "./FirstReport.ts"
import { claimFolder, processList } from "./FolderClaim.ts"
import { supervised } from "./Supervisor.ts"

const mail = (config: Configuration): string => {
  if (config.sending === "held") return "held (SENDING=held): no mail is sent"
  if (config.smtpUrl === null) return `written as files to ${join(config.dataDir, "outbox")} (set SMTP_URL to send it)`
  const { hostname, port, protocol } = new URL(Redacted.value(config.smtpUrl))
  return `${protocol}//${hostname}${port === "" ? "" : `:${port}`}`
}

const pages = (config: Configuration): string => {
  const { protocol, port } = new URL(config.publicPagesUrl)
  return `${protocol}//default.${config.pagesHost}${port === "" ? "" : `:${port}`}`
}

const console = ({ consolePort, publicConsoleUrl }: Configuration, link: string | null): string => {
  if (consolePort === 0) return "off (CONSOLE_PORT=0)"
  return link === null ? publicConsoleUrl : `${linkUrl(publicConsoleUrl, link)}  (works once, for an hour)`
}

const ai = ({ ai: { provider } }: Configuration): string =>
  provider === "fake" ? "sample text; set AI_PROVIDER for real copy" : provider

export const banner = (config: Configuration, { key, link }: FirstStart): string => {
  const api = config.publicApiUrl
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["API", api],
    ["Docs", `${api}/docs`],
    ["Pages", pages(config)],
    ["Console", console(config, link)],
    ["Mail", mail(config)],
    ["AI", ai(config)],
    [
      "API key",
      key === null
        ? "created at the first start (another one: npm run tentpole -- key create --name another)"
        : `${key}  (stored in ${join(config.dataDir, "api-key")})`,
    ],
  ]
  return [
    "",
    "Tentpole is running. Ctrl-C stops it.",
    "",
    ...rows.map(([name, value]) => `  ${name.padEnd(8)} ${value}`),
    "",
    "  Send a first mail:  npm run tentpole -- hello ann@example.test",
    "",
    "",
  ].join("\n")
}

/** Fails if a port is in use. After a crash, old processes may need a moment to end. */
const portsFree = (config: Configuration, attempts: number): Effect.Effect<void, BadConfiguration> =>
  Effect.gen(function* () {
    for (const [variable, port] of [
      ["PORT", config.port],
      ["PAGES_PORT", config.pagesPort],
      ["CONSOLE_PORT", config.consolePort === 0 ? null : config.consolePort],
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

/** Prints what the start does next. */
const step = (text: string): void => {
  process.stdout.write(`${text} …\n`)
}

const start = Effect.gen(function* () {
  const configured = yield* readConfiguration
  yield* prepareFolder(configured)
  const { crashed } = yield* claimFolder(configured.dataDir)
  yield* portsFree(configured, crashed ? 60 : 0)
  // The HTTP process serves the build, and reports why there is none.
  if (configured.consolePort !== 0) yield* builtConsole(consoleFolder).pipe(Effect.ignore, Effect.forkScoped)
  if (configured.databaseUrl === null) step("Starting PostgreSQL")
  const config = { ...configured, ...(yield* databaseOf(configured)) }
  step("Running migrations")
  yield* migrate(config.databaseMigrationUrl)
  const environment = {
    ...memoryVariables,
    ...process.env,
    DATABASE_URL: Redacted.value(config.databaseUrl),
    DATABASE_MIGRATION_URL: Redacted.value(config.databaseMigrationUrl),
  }
  const started = yield* processList(config.dataDir)
  // Children stop in parallel: one after the other could exceed the time limit of a stop.
  const sideBySide = yield* Effect.acquireRelease(Scope.make("parallel"), Scope.close)
  step("Starting the API and the worker")
  const reported = yield* Deferred.make<FirstStart>()
  const child = (name: "http" | "worker", flags: ReadonlyArray<string>, firstArgs: ReadonlyArray<string>) =>
    supervised({
      name,
      module: `@tentpole/${name}/main`,
      flags,
      environment,
      firstArgs,
      onReport: (report) => Deferred.doneUnsafe(reported, Effect.orDie(Schema.decodeUnknownEffect(FirstStart)(report))),
      onStart: started(name),
    }).pipe(Scope.provide(sideBySide), Effect.forkScoped)
  const http = yield* child("http", httpFlags, [reports_first_start])
  // What keeps both from starting is said once, by the first.
  yield* Effect.raceFirst(Deferred.await(reported), Fiber.join(http))
  const worker = yield* child("worker", workerFlags, [])
  const httpUp = yield* Fiber.join(http)
  const first = yield* Deferred.await(reported)
  if (first.key !== null) yield* storeApiKey(config, first.key)
  // Once the API is up, and before the worker is: the log of requests comes after the banner.
  process.stdout.write(banner(config, first))
  yield* Effect.raceAllFirst([httpUp.failed, Effect.flatMap(Fiber.join(worker), ({ failed }) => failed)])
}).pipe(Effect.scoped)

export const startCommand = Command.make("start", {}, () => start).pipe(
  Command.withDescription(
    "Runs the whole service on this machine: API, pages, a worker, and PostgreSQL if none is configured",
  ),
)
