// The life of a service process: it reads the configuration, migrates the database, and runs until it is stopped. The exit
// code is 0 after a requested stop, and 1 with one sentence when the process can't start.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer, Runtime } from "effect"
import { BadConfiguration, type Configuration, configuration } from "./Configuration.ts"
import * as Logging from "./Logging.ts"
import * as Tracing from "./operations/Tracing.ts"
import { migrate } from "./postgres/migrations/Migrate.ts"

/** Reads `.env` in development if it exists. Existing environment variables win. */
export const loadEnvironment = (): void => {
  if (process.env["NODE_ENV"] === "production") return
  try {
    process.loadEnvFile(".env")
  } catch {
    // The file does not exist.
  }
}

export const readConfiguration: Effect.Effect<Configuration, BadConfiguration> = Effect.suspend(() => {
  loadEnvironment()
  return Effect.fromResult(configuration(process.env))
})

const migrated = (config: Configuration) =>
  config.databaseMigrationUrl === null ? Effect.void : Effect.asVoid(migrate(config.databaseMigrationUrl))

/** Sends a message to the parent `tentpole start`: the child reports when it is up. */
export const notifyParent = (message: string | object): Effect.Effect<void> =>
  Effect.sync(() => {
    process.send?.(message)
  })

const parentExited: Effect.Effect<void> =
  process.send === undefined
    ? Effect.never
    : Effect.callback<void>((resume) => {
        process.once("disconnect", () => resume(Effect.void))
      })

/** The sentence of a refused start or of a refusal; undefined for a defect. */
export const sentenceOf = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  if (!(error instanceof Error)) return undefined
  if ("reason" in error && typeof error.reason === "string") return error.reason
  // Where a use case refuses says nothing to its caller.
  return "_tag" in error && "code" in error ? error.message : undefined
}

/** The exit code: 0 for a normal end, `stopped` after a signal, else the code of the error, by default 1. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>, stopped: number): number => {
  if (Exit.isSuccess(exit)) return 0
  return Cause.hasInterruptsOnly(exit.cause) ? stopped : Runtime.getErrorExitCode(Cause.squash(exit.cause))
}

const ending = (stopped: number) =>
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(exitCodeOf(exit, stopped)),
  })

/** Runs a service to its end: a signal is a normal end. */
export const runToEnd = ending(0)

/** As shells have it: 128 and the number of SIGINT. */
export const interrupted_code = 130

/** Runs a command to its end: a signal leaves its work undone. */
export const runCommand = ending(interrupted_code)

/** Writes the error that ended a process to stderr, once. */
export const reportFailure = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Effect.sync(() => {
          process.stderr.write(`${sentenceOf(cause) ?? Logging.scrub(Cause.pretty(cause))}\n`)
        }),
  )

/** One process of the service, from configuration to exit. It runs until it is stopped. */
export const processOf = <E>(name: "http" | "worker", served: (config: Configuration) => Layer.Layer<never, E>) =>
  Effect.gen(function* () {
    const config = yield* readConfiguration
    yield* migrated(config)
    const ready = Layer.effectDiscard(notifyParent("ready"))
    yield* Layer.launch(ready.pipe(Layer.provide(served(config)))).pipe(
      Effect.annotateLogs({ process: name }),
      Effect.provide(Tracing.layer(config.otlpUrl, name)),
      Effect.provide(Logging.layer({ level: config.logLevel, format: config.logFormat })),
    )
  }).pipe(Effect.raceFirst(parentExited))

/** Runs the process as the main program. A signal interrupts everything that runs in it. */
export const asProgram = <E>(process_: Effect.Effect<void, E>): void => process_.pipe(reportFailure, runToEnd)
