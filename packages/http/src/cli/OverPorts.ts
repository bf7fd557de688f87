// Commands that run use cases over the configured database, or that of `tentpole start`. The use cases are loaded when one runs.
import { BadConfiguration } from "@tentpole/adapters/Configuration"
import { readConfiguration } from "@tentpole/adapters/Launch"
import * as Logging from "@tentpole/adapters/Logging"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { runningUrl } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import type { Listed, ListedBy } from "@tentpole/core/kernel/Page"
import type { NotFound } from "@tentpole/core/kernel/Refusal"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Administration } from "@tentpole/core/operations/administration/Administration"
import type { Workspace } from "@tentpole/core/workspaces/Workspace"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { join } from "node:path"
import { allOf, jsonFlag, print } from "./Output.ts"
import { textOf } from "./Table.ts"
import type { Everything } from "./Everything.ts"

/** The configuration with a database: the configured one, or that of a running `tentpole start`. */
const reachable = Effect.gen(function* () {
  const config = yield* readConfiguration
  const url = config.databaseUrl ?? (yield* runningUrl(join(config.dataDir, "database")))
  if (url === null) {
    return yield* new BadConfiguration({
      reason: "No database is available: run `npm start` in another terminal, or set DATABASE_URL.",
    })
  }
  // Without DATABASE_URL, DATABASE_MIGRATION_URL is another database.
  const migrationUrl = config.databaseUrl === null ? null : config.databaseMigrationUrl
  return { ...config, databaseUrl: url, databaseMigrationUrl: migrationUrl ?? url }
})

/** Runs a command's work with the use cases and ports. */
export const overPorts = <A, E>(work: Effect.Effect<A, E, Everything>) =>
  Effect.gen(function* () {
    const config = yield* reachable
    const { everything } = yield* Effect.promise(() => import("./Everything.ts"))
    return yield* Effect.provide(work, everything(config)).pipe(
      Effect.provideService(Actor, "cli"),
      Effect.provide(Logging.layer({ level: "warn", format: config.logFormat })),
    )
  })

export const workspaceFlag = Flag.String("workspace").pipe(
  Flag.withDescription("Slug of the workspace"),
  Flag.withDefault("default"),
)

/** Finds a workspace by its slug. */
export const workspaceOf = (slug: string): Effect.Effect<Workspace, NotFound, WorkspaceStore> =>
  WorkspaceStore.use((store) => store.findBySlug(slug))

/** A command that prints the result of its work: as text, or as one JSON document. */
export const command = <const Name extends string, const Config extends Command.Command.Config, A, E>(
  name: Name,
  description: string,
  config: Config,
  work: (input: Command.Command.Config.InferValue<Config>) => Effect.Effect<A, E, Everything>,
  text: (document: A) => string = textOf,
) =>
  Command.make(name, { json: jsonFlag, input: config }, ({ input, json }) =>
    overPorts(Effect.flatMap(work(input), (document) => print(json, { document, text: text(document) }))),
  ).pipe(Command.withDescription(description))

/** A command on one workspace, with the flag `--workspace`. */
export const workspaceCommand = <const Name extends string, const Config extends Command.Command.Config, A, E>(
  name: Name,
  description: string,
  config: Config,
  work: (workspace: WorkspaceId, input: Command.Command.Config.InferValue<Config>) => Effect.Effect<A, E, Everything>,
  text?: (document: A) => string,
) =>
  command(
    name,
    description,
    { workspace: workspaceFlag, input: config },
    ({ input, workspace }) => Effect.flatMap(workspaceOf(workspace), ({ id }) => work(id, input)),
    text,
  )

/** The command `list` of a workspace: all entries of a listing of the administration. */
export const listCommand = <A, Wire extends object, E>(
  description: string,
  list: (of: Administration["Service"]) => (workspace: WorkspaceId, by: ListedBy) => Effect.Effect<Listed<A>, E>,
  toWire: (item: A) => Wire,
  columns: ReadonlyArray<Extract<keyof Wire, string>>,
) =>
  workspaceCommand(
    "list",
    description,
    {},
    (workspace) =>
      Effect.gen(function* () {
        const { Administration } = yield* Effect.promise(
          () => import("@tentpole/core/operations/administration/Administration"),
        )
        const administration = yield* Administration
        return (yield* allOf((by) => list(administration)(workspace, by))).map(toWire)
      }),
    (items) => textOf(items, columns),
  )

const distributeFlag = Flag.Boolean("distribute").pipe(
  Flag.withDescription("Also distributes the tables of workspaces over the nodes of Citus"),
  Flag.withDefault(false),
)

export const migrateCommand = Command.make("migrate", { distribute: distributeFlag }, ({ distribute }) =>
  Effect.gen(function* () {
    const config = yield* reachable
    const applied = yield* migrate(config.databaseMigrationUrl)
    yield* Console.log(applied.length === 0 ? "The database is up to date." : `Applied ${applied.join(", ")}.`)
    if (!distribute) return
    const tables = yield* (yield* Effect.promise(
      () => import("@tentpole/adapters/postgres/migrations/Distribute"),
    )).distribute(config.databaseMigrationUrl)
    yield* Console.log(
      tables.length === 0
        ? "All tables are distributed."
        : `Distributed ${tables.length} tables: ${tables.join(", ")}.`,
    )
  }),
).pipe(Command.withDescription("Runs pending migrations of the database"))
