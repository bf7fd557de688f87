// Helpers of the commands: use cases over the configured database (or that of `tentpole start`), and the output as text or JSON.
import { BadConfiguration, type Configuration } from "@tentpole/adapters/Configuration"
import { ports } from "@tentpole/adapters/FromConfig"
import { readConfiguration } from "@tentpole/adapters/Launch"
import * as Logging from "@tentpole/adapters/Logging"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { runningUrl } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { type Listed, type ListedBy, page_limit_max } from "@tentpole/core/kernel/Page"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { useCases } from "@tentpole/core/Tentpole"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Workspace } from "@tentpole/core/workspaces/Workspace"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Console, Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { join } from "node:path"
import { textOf } from "./Table.ts"

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

const everything = (config: Configuration) =>
  useCases.pipe(Layer.provideMerge(ports(config, { name: "command line", connections_max: 2 })))

type Everything = Layer.Success<ReturnType<typeof everything>>

/** Runs a command's work with the use cases and ports. */
export const overPorts = <A, E>(work: Effect.Effect<A, E, Everything>) =>
  Effect.flatMap(reachable, (config) =>
    Effect.provide(work, everything(config)).pipe(
      Effect.provideService(Actor, "cli"),
      Effect.provide(Logging.layer({ level: "warn", format: config.logFormat })),
    ),
  )

export const workspaceFlag = Flag.String("workspace").pipe(
  Flag.withDescription("Slug of the workspace"),
  Flag.withDefault("default"),
)

/** Finds a workspace by its slug. */
export const workspaceOf = (slug: string): Effect.Effect<Workspace, NotFound, WorkspaceStore> =>
  WorkspaceStore.use((store) => store.findBySlug(slug))

export interface Result {
  readonly document: unknown
  readonly text: string
}

export const print = (json: boolean, { document, text }: Result) => (json ? show(document) : Console.log(text))

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

/** A command that only has subcommands. */
export const commandGroup = <const Name extends string, const Commands extends ReadonlyArray<Command.Command.Any>>(
  name: Name,
  description: string,
  commands: Commands,
) => Command.make(name).pipe(Command.withDescription(description), Command.withSubcommands(commands))

/** All entries of a listing by cursor. */
export const allOf = <A, E, R>(
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
      Administration.use((administration) => allOf((by) => list(administration)(workspace, by))).pipe(
        Effect.map((items) => items.map(toWire)),
      ),
    (items) => textOf(items, columns),
  )

export const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2)

/** Prints one JSON document. */
export const show = (value: unknown) => Console.log(jsonOf(value))

export const jsonFlag = Flag.Boolean("json").pipe(
  Flag.withDescription("Prints one JSON document instead of a table"),
  Flag.withDefault(false),
)

/** The reason for exit code 1. */
export class ChecksFailed extends Schema.TaggedError<ChecksFailed>()("ChecksFailed", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** Prints the results of checks, and fails if one of them failed. */
export const report = Effect.fnUntraced(function* (
  printed: { readonly json: boolean; readonly document: unknown; readonly table: string },
  { failed, total }: { readonly failed: number; readonly total: number },
) {
  yield* printed.json ? show(printed.document) : Console.log(printed.table)
  if (failed > 0) return yield* new ChecksFailed({ reason: `${failed} of ${total} checks failed.` })
})

export const migrateCommand = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const config = yield* reachable
    const applied = yield* migrate(config.databaseMigrationUrl)
    yield* Console.log(applied.length === 0 ? "The database is up to date." : `Applied ${applied.join(", ")}.`)
  }),
).pipe(Command.withDescription("Runs pending migrations of the database"))
