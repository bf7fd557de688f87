// The adapters of a running service, selected by the configuration. No other file selects adapters.
import { PgClient } from "@effect/sql-pg"
import type { BlobStore } from "@tentpole/core/ports/BlobStore"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Effect, Layer, Predicate, Redacted } from "effect"
import type { SqlError } from "effect/sql"
import { join } from "node:path"
import * as Ai from "./ai/FromConfig.ts"
import * as Cleaner from "./ai/html/SanitizeHtml.ts"
import { BadConfiguration, type Configuration } from "./Configuration.ts"
import * as DkimSigner from "./crypto/DkimSigner.ts"
import * as Ids from "./crypto/Ids.ts"
import * as PasskeyVerifier from "./crypto/PasskeyVerifier.ts"
import * as PasswordHasher from "./crypto/PasswordHasher.ts"
import * as Secrets from "./crypto/Secrets.ts"
import * as Signatures from "./crypto/Signatures.ts"
import * as Csv from "./csv/CsvReader.ts"
import { appSecret, prepareFolder } from "./DataFolder.ts"
import * as Dns from "./dns/Dns.ts"
import * as Filesystem from "./filesystem/BlobStore.ts"
import * as Jobs from "./jobs/PersistedJobs.ts"
import * as SendJournal from "./journal/SendJournal.ts"
import * as MailFolder from "./mail-log/MailFolder.ts"
import * as MailLog from "./mail-log/MailLog.ts"
import * as Stores from "./postgres/All.ts"
import * as Postgres from "./postgres/kernel/Postgres.ts"
import { lackingSettings, service_role, sessionSettings } from "./postgres/kernel/Session.ts"
import * as OidcProvider from "./oidc/OidcProvider.ts"
import * as ParserPool from "./parsers/ParserPool.ts"
import * as Sns from "./sns/Sns.ts"
import * as Smtp from "./smtp/SmtpConnections.ts"
import { parseSmtpUrl } from "./smtp/SmtpUrl.ts"

export interface Process {
  /** The `application_name` that PostgreSQL shows for the connections. */
  readonly name: string
  readonly connections_max: number
}

export const secrets = (config: Configuration) =>
  Layer.unwrap(Effect.map(appSecret(config), (secret) => Secrets.layer({ secret, previous: config.appSecretPrevious })))

/** Files: in S3 (with the credentials that AWS clients find), else below the data folder. Only S3 loads its client, which is large. */
export const blobs = (config: Configuration) => {
  if (config.s3 !== null) {
    const { bucket, region, endpoint } = config.s3
    const options = { bucket, region, endpoint: endpoint ?? undefined, credentials: undefined }
    return Layer.unwrap(Effect.promise(async () => (await import("./s3/BlobStore.ts")).layer(options)))
  }
  const folder = join(config.dataDir, "assets")
  return Filesystem.layer({ folder }).pipe(
    Layer.catchTag("BlobUnavailable", () =>
      Layer.effectContext<BlobStore, BadConfiguration, never>(
        Effect.fail(
          new BadConfiguration({ reason: `${folder} can't be written: let this user write it, or set S3_BUCKET.` }),
        ),
      ),
    ),
  )
}

const refusal = (reason: string) => new BadConfiguration({ reason })

/** Checks that the database answers, with the session's settings and a role that row-level security applies to. */
const checked = (config: Configuration) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const lacking = yield* lackingSettings(sql, sessionSettings(Postgres.default_statement_timeout_ms))
    if (lacking.length > 0) {
      return yield* refusal(
        config.databaseDirectUrl === null
          ? "DATABASE_URL names a pooler that drops settings of the session: set DATABASE_DIRECT_URL to the server itself."
          : `The login of DATABASE_URL lacks defaults, and the pooler passes no settings on. Run: ${lacking.join(" ")} Then run RECONNECT in the pooler's console.`,
      )
    }
    const [role] = yield* sql<{ name: string; unbound: boolean }>`
      select rolname as name, rolsuper or rolbypassrls as unbound from pg_roles where rolname = ${service_role}`
    if (role === undefined || role.unbound) {
      return yield* refusal(
        `The service refuses to run as ${role?.name ?? "an unknown role"}: it must be neither superuser nor BYPASSRLS, or workspaces would not be fenced from each other.`,
      )
    }
  }).pipe(Effect.catchTag("SqlError", ({ reason }) => Effect.fail(refusal(sentenceOf(reason)))))

const sentenceOf = ({ _tag, message, cause }: SqlError.SqlError["reason"]): string => {
  if (Predicate.hasProperty(cause, "message") && String(cause.message).includes("startup parameter"))
    return "DATABASE_URL names a pooler: set DATABASE_DIRECT_URL to the server itself."
  return _tag === "ConnectionError"
    ? "PostgreSQL can't be reached: check DATABASE_URL, and that the server is running and lets this machine in."
    : `PostgreSQL refuses the service: ${message}. Check DATABASE_URL, and that \`tentpole migrate\` has run.`
}

const database = (config: Configuration, { name, connections_max }: Process) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (config.databaseUrl === null) {
        return yield* refusal(
          "DATABASE_URL is not set: `tentpole start` brings a PostgreSQL of its own, a process by itself needs one.",
        )
      }
      const options: Postgres.PostgresOptions = {
        url: config.databaseUrl,
        directUrl: config.databaseDirectUrl,
        applicationName: `tentpole ${name}`,
        connections_max,
        statement_timeout_ms: Postgres.default_statement_timeout_ms,
      }
      return Layer.effectDiscard(checked(config)).pipe(Layer.provideMerge(Postgres.connections(options)))
    }),
  )

/** Mail: to the configured server, else into files. */
export const mail = ({ smtpUrl, dataDir }: Configuration) =>
  smtpUrl === null
    ? MailLog.layer(join(dataDir, "outbox"))
    : Layer.unwrap(Effect.map(Effect.fromResult(parseSmtpUrl(Redacted.value(smtpUrl))), Smtp.layer))

/** Local mail can be read and answered outside of production. */
const mailFolder = ({ dataDir, production, smtpUrl }: Configuration) =>
  smtpUrl === null && !production ? MailFolder.layer(join(dataDir, "outbox")) : Layer.empty

/** All ports of a service process. */
export const ports = (config: Configuration, process: Process) =>
  Layer.mergeAll(
    Stores.stores,
    Ai.layer(config.ai),
    SendJournal.layer({ on: config.sendJournal }).pipe(Layer.provideMerge(blobs(config))),
    Cleaner.layer,
    Csv.layer,
    DkimSigner.layer,
    OidcProvider.layer,
    PasskeyVerifier.layer,
    PasswordHasher.layer,
    Signatures.layer,
    Sns.layer(),
    mail(config),
    mailFolder(config),
  ).pipe(
    Layer.provideMerge(Jobs.layer()),
    Layer.provideMerge(
      Layer.mergeAll(
        Ids.layer,
        Dns.layer({ servers: config.dnsServers }),
        Layer.succeed(Settings, config),
        secrets(config),
        ParserPool.layer(config.parsers),
      ),
    ),
    Layer.provideMerge(database(config, process)),
    Layer.provide(Layer.effectDiscard(prepareFolder(config))),
  )
