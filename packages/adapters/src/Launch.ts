// How a process of the service runs: reads its configuration, brings the database up to date, runs until it is asked to
// stop, and ends with 0 when it was asked, with 1 and one sentence when it can't start.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Deferred, Effect, Exit, Layer } from "effect"
import { BadConfiguration, type Configuration, configuration } from "./Configuration.ts"
import * as Logging from "./Logging.ts"
import * as Tracing from "./operations/Tracing.ts"
import { migrate } from "./postgres/migrations/Migrate.ts"

/** Reads `.env` where there is one, in development; what the environment says already wins. */
export const loadEnvironment = (): void => {
  if (process.env["NODE_ENV"] === "production") return
  try {
    process.loadEnvFile(".env")
  } catch {
    // No such file: nothing to read.
  }
}

export const readConfiguration: Effect.Effect<Configuration, BadConfiguration> = Effect.suspend(() => {
  loadEnvironment()
  return Effect.fromResult(configuration(process.env))
})

const migrated = (config: Configuration) =>
  config.databaseMigrationUrl === null ? Effect.void : Effect.asVoid(migrate(config.databaseMigrationUrl))

/** A child of `tentpole start` tells it when it is up, and ends when it is gone. */
const tellParent = (message: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.send?.(message)
  })

const parentGone: Effect.Effect<void> =
  process.send === undefined
    ? Effect.never
    : Effect.callback<void>((resume) => {
        process.once("disconnect", () => resume(Effect.void))
      })

/** The sentence of a start that failed, or undefined when it was no refusal but a defect. */
export const sentenceOf = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  return error instanceof Error && "reason" in error && typeof error.reason === "string" ? error.reason : undefined
}

/** Runs to its end: exit code 0 when it ended by itself or was asked to stop, 1 otherwise. */
export const runToEnd = NodeRuntime.runMain({
  disableErrorReporting: true,
  teardown: (exit, onExit) =>
    onExit(Exit.isSuccess(exit) || exit.cause.reasons.every((reason) => reason._tag === "Interrupt") ? 0 : 1),
})

/** Reports on the error output what ended a process, once. */
export const reportFailure = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Effect.sync(() => {
          process.stderr.write(`${sentenceOf(cause) ?? Logging.scrub(Cause.pretty(cause))}\n`)
        }),
  )

/** One process of the service, from its configuration to its end: it runs until it is asked to stop. */
export const processOf = <E>(name: "http" | "worker", served: (config: Configuration) => Layer.Layer<never, E>) =>
  Effect.gen(function* () {
    const config = yield* readConfiguration
    const up = yield* Deferred.make<void>()
    yield* migrated(config)
    const ready = Layer.effectDiscard(Effect.andThen(Deferred.succeed(up, undefined), tellParent("ready")))
    const running = Layer.launch(ready.pipe(Layer.provide(served(config)))).pipe(
      Effect.annotateLogs({ process: name }),
      Effect.provide(Tracing.layer(config.otlpUrl, name)),
      Effect.provide(Logging.layer({ level: config.logLevel, format: config.logFormat })),
    )
    yield* Effect.raceFirst(running, parentGone)
  })

/** Runs it as a program of its own. A signal interrupts whatever a program runs: let it be nothing else. */
export const asProgram = <E>(process_: Effect.Effect<void, E>): void => process_.pipe(reportFailure, runToEnd)
