// The entry point of the library under the package's name: all use cases of `@tentpole/core`, over memory or your PostgreSQL.
// To use other adapters, provide your own layers to `useCases`, as this file does.
import { commonSettings, Settings } from "@tentpole/core/kernel/Settings"
import { productUseCases, useCases } from "@tentpole/core/Tentpole"
import { Layer, Redacted } from "effect"
import * as Ai from "./ai/FromConfig.ts"
import * as Cleaner from "./ai/html/SanitizeHtml.ts"
import * as DkimSigner from "./crypto/DkimSigner.ts"
import * as Ids from "./crypto/Ids.ts"
import * as PasskeyVerifier from "./crypto/PasskeyVerifier.ts"
import * as PasswordHasher from "./crypto/PasswordHasher.ts"
import * as Secrets from "./crypto/Secrets.ts"
import * as Signatures from "./crypto/Signatures.ts"
import * as Csv from "./csv/CsvReader.ts"
import * as Dns from "./dns/Dns.ts"
import * as Filesystem from "./filesystem/BlobStore.ts"
import * as PersistedJobs from "./jobs/PersistedJobs.ts"
import * as Memory from "./memory/All.ts"
import * as MemoryBlobs from "./memory/ports/BlobStore.ts"
import * as MemoryJobs from "./memory/kernel/Jobs.ts"
import * as OidcProvider from "./oidc/OidcProvider.ts"
import * as Stores from "./postgres/All.ts"
import { migrate } from "./postgres/migrations/Migrate.ts"
import * as Postgres from "./postgres/kernel/Postgres.ts"
import * as Sns from "./sns/Sns.ts"

export { migrate } from "./postgres/migrations/Migrate.ts"

export interface LibraryOptions {
  /** Signs links and seals stored secrets: at least 32 characters, secret, the same at every start. */
  readonly secret: string
  /** Settings that differ from the defaults. The defaults send no mail. */
  readonly settings?: Partial<Settings["Service"]>
  /** The AI that writes pages and emails. The default is a fake that needs no network. */
  readonly ai?: Ai.AiOptions
}

export interface PostgresLibraryOptions extends LibraryOptions {
  /** The database's owner, who may create roles. If set, the schema is migrated to this version first. */
  readonly url: string
  /** The folder of stored files. */
  readonly folder: string
  readonly connections_max?: number
}

const defaults: Settings["Service"] = {
  ...commonSettings,
  publicApiUrl: "http://127.0.0.1:8080",
  publicPagesUrl: "http://127.0.0.1:8081",
  pagesHost: "localhost",
  publicConsoleUrl: "http://localhost:8083",
  mailHost: "localhost",
  sending: "held",
}

const fake: Ai.AiOptions = { provider: "fake", apiKey: null, baseUrl: null, model: null }

const surroundings = ({ secret, settings = {}, ai = fake }: LibraryOptions) => {
  const its = Layer.succeed(Settings, Settings.of({ ...defaults, ...settings }))
  return Layer.mergeAll(
    Ai.layer(ai),
    Cleaner.layer,
    Csv.layer,
    DkimSigner.layer,
    Dns.layer(),
    Ids.layer,
    OidcProvider.layer.pipe(Layer.provide(its)),
    PasskeyVerifier.layer,
    PasswordHasher.layer,
    its,
    Secrets.layer({ secret: Redacted.make(secret), previous: null }),
    Signatures.layer,
    Sns.layer(),
  )
}

/**
 * Everything in memory, lost when the program ends: for tests and first trials. Without administration, privacy, idempotency keys,
 * provider webhooks and traffic.
 */
export const onMemory = (options: LibraryOptions) =>
  productUseCases.pipe(
    Layer.provideMerge(Memory.stores),
    Layer.provideMerge(MemoryJobs.layer()),
    Layer.provideMerge(Layer.merge(MemoryBlobs.layer, surroundings(options))),
    Layer.provideMerge(Memory.database),
  )

/** Everything on PostgreSQL 15 or later, as in the service. Programs and services may share one database. */
export const onPostgres = ({ url, folder, connections_max = 10, ...options }: PostgresLibraryOptions) => {
  const database = Redacted.make(url)
  return useCases.pipe(
    Layer.provideMerge(Stores.stores),
    Layer.provideMerge(PersistedJobs.layer()),
    Layer.provideMerge(Layer.merge(Filesystem.layer({ folder }), surroundings(options))),
    Layer.provideMerge(
      Postgres.connections({
        url: database,
        applicationName: "tentpole library",
        connections_max,
        statement_timeout_ms: Postgres.default_statement_timeout_ms,
      }),
    ),
    Layer.provide(Layer.effectDiscard(migrate(database))),
  )
}
