// What is plugged in, by the configuration: the one place where adapters are chosen for a running service.
import { PgClient } from "@effect/sql-pg"
import { Settings } from "@tentpole/core/Settings"
import { Effect, Layer } from "effect"
import { BadConfiguration, type Configuration } from "./Configuration.ts"
import * as Ids from "./crypto/Ids.ts"
import * as Secrets from "./crypto/Secrets.ts"
import { appSecret, prepareFolder } from "./DataFolder.ts"
import * as Dns from "./dns/Dns.ts"
import * as Jobs from "./jobs/PersistedJobs.ts"
import * as Stores from "./postgres/All.ts"
import * as Postgres from "./postgres/Postgres.ts"

export interface Process {
  /** Shown by the database beside its connections. */
  readonly name: string
  readonly connections_max: number
}

const settings = (config: Configuration) =>
  Layer.succeed(
    Settings,
    Settings.of({
      publicApiUrl: config.publicApiUrl,
      publicPagesUrl: config.publicPagesUrl,
      pagesHost: config.pagesHost,
      mailHost: new URL(config.publicPagesUrl).hostname,
      sending: config.sending,
      smtpConnections: config.smtpConnections,
      acceptMeansDelivered: config.acceptMeansDelivered,
      developmentDomains: !config.production,
    }),
  )

const secrets = (config: Configuration) =>
  Layer.unwrap(Effect.map(appSecret(config), (secret) => Secrets.layer({ secret, previous: config.appSecretPrevious })))

/** The database answers, and does so to a role that row-level security holds. */
const checked = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [role] = yield* sql<{ name: string; unbound: boolean }>`
    select rolname as name, rolsuper or rolbypassrls as unbound from pg_roles where rolname = current_user`
  if (role === undefined || role.unbound) {
    return yield* new BadConfiguration({
      reason: `The service refuses to run as ${role?.name ?? "an unknown role"}: it must be neither superuser nor BYPASSRLS, or workspaces would not be fenced from each other.`,
    })
  }
}).pipe(
  Effect.catchTag("SqlError", (error) =>
    Effect.fail(
      new BadConfiguration({
        reason:
          error.reason._tag === "ConnectionError"
            ? "PostgreSQL can't be reached: check DATABASE_URL, and that the server is running and lets this machine in."
            : `PostgreSQL refuses the service: ${error.reason.message}. Check DATABASE_URL, and that \`tentpole migrate\` has run.`,
      }),
    ),
  ),
)

const database = (config: Configuration, { name, connections_max }: Process) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (config.databaseUrl === null) {
        return yield* new BadConfiguration({
          reason:
            "DATABASE_URL is not set: `tentpole start` brings a PostgreSQL of its own, a process by itself needs one.",
        })
      }
      const options: Postgres.PostgresOptions = {
        url: config.databaseUrl,
        applicationName: `tentpole ${name}`,
        connections_max,
        statement_timeout_ms: 15_000,
      }
      return Layer.effectDiscard(checked).pipe(
        Layer.provideMerge(Layer.merge(Postgres.client(options), Postgres.longQueries(options))),
      )
    }),
  )

/** Every port, for a process of the service. */
export const ports = (config: Configuration, process: Process) =>
  Layer.mergeAll(Stores.stores, Jobs.layer()).pipe(
    Layer.provideMerge(Layer.mergeAll(Ids.layer, Dns.layer(), settings(config), secrets(config))),
    Layer.provideMerge(database(config, process)),
    Layer.provide(Layer.effectDiscard(prepareFolder(config))),
  )
