// What the commands share: the use cases over the configured database (or the one that `tentpole start` runs), and how
// answers are shown.
import { BadConfiguration, type Configuration } from "@tentpole/adapters/Configuration"
import { ports } from "@tentpole/adapters/FromConfig"
import { readConfiguration } from "@tentpole/adapters/Launch"
import * as Logging from "@tentpole/adapters/Logging"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { runningUrl } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { Actor } from "@tentpole/core/kernel/Actor"
import type { Listed, ListedBy } from "@tentpole/core/operations/administration/Administration"
import { page_limit_max } from "@tentpole/core/kernel/Page"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { useCases } from "@tentpole/core/Tentpole"
import type { Workspace } from "@tentpole/core/workspaces/Workspace"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { join } from "node:path"

/** The configuration with a database: a running `tentpole start` is asked where its own is. */
const reachable = Effect.gen(function* () {
  const config = yield* readConfiguration
  if (config.databaseUrl !== null) {
    return {
      ...config,
      databaseUrl: config.databaseUrl,
      databaseMigrationUrl: config.databaseMigrationUrl ?? config.databaseUrl,
    }
  }
  const url = yield* runningUrl(join(config.dataDir, "database"))
  if (url === null) {
    return yield* new BadConfiguration({
      reason: "There is no database to talk to: run `npm start` in another terminal, or set DATABASE_URL.",
    })
  }
  return { ...config, databaseUrl: url, databaseMigrationUrl: url }
})

const everything = (config: Configuration) =>
  useCases.pipe(Layer.provideMerge(ports(config, { name: "command line", connections_max: 2 })))

/** Runs a command's work over the use cases and ports. */
export const overPorts = <A, E>(work: Effect.Effect<A, E, Layer.Success<ReturnType<typeof everything>>>) =>
  Effect.flatMap(reachable, (config) =>
    Effect.provide(work, everything(config)).pipe(
      Effect.provideService(Actor, "cli"),
      Effect.provide(Logging.layer({ level: "warn", format: config.logFormat })),
    ),
  )

export const workspaceFlag = Flag.String("workspace").pipe(
  Flag.withDescription("The workspace's slug"),
  Flag.withDefault("default"),
)

/** The workspace that a command is about. */
export const named = (slug: string): Effect.Effect<Workspace, NotFound, WorkspaceStore> =>
  Effect.flatMap(WorkspaceStore, (store) => store.findBySlug(slug))

/** A listing read to its end. */
export const slicesOf = <A, E, R>(
  list: (by: ListedBy) => Effect.Effect<Listed<A>, E, R>,
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.gen(function* () {
    const items: Array<A> = []
    let next: string | null = ""
    while (next !== null) {
      const slice: Listed<A> = yield* list({ limit: page_limit_max, ...(next === "" ? {} : { cursor: next }) })
      items.push(...slice.items)
      next = slice.next
    }
    return items
  })

/** One JSON document on standard output, for people and programs alike. */
export const show = (value: unknown) => Console.log(JSON.stringify(value, null, 2))

export const migrateCommand = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const config = yield* reachable
    const applied = yield* migrate(config.databaseMigrationUrl)
    yield* Console.log(applied.length === 0 ? "The database is up to date." : `Applied ${applied.join(", ")}.`)
  }),
).pipe(Command.withDescription("Brings the database's schema up to date"))
