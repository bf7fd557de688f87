// A child process that is started again when it dies, until it has died too often in a row.
import { BadConfiguration } from "@tentpole/adapters/Configuration"
import { Deferred, Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

export interface Supervised {
  readonly name: string
  /** What it runs, as a package's module. */
  readonly module: string
  /** Flags for node, besides those of this process. */
  readonly flags: ReadonlyArray<string>
  readonly environment: NodeJS.ProcessEnv
  /** Told the process id of each life. */
  readonly born: (pid: number) => void
}

interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Longer than a process takes to finish or hand back its work. */
const stop_patience_ms = 32_000
/** A child that dies sooner than this after its start did not recover. */
const lived_ms = 10_000
const deaths_max = 5

/** In a process group of its own: a Ctrl-C at the terminal reaches the parent alone, which stops its children in order. */
const spawnChild = ({ module, flags, environment }: Supervised): ChildProcess =>
  spawn(process.execPath, [...process.execArgv, ...flags, fileURLToPath(import.meta.resolve(module))], {
    env: environment,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    detached: true,
  })

const ended = (child: ChildProcess): Effect.Effect<End> =>
  Effect.callback<End>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      return resume(Effect.succeed({ code: child.exitCode, signal: child.signalCode }))
    }
    child.once("exit", (code, signal) => resume(Effect.succeed({ code, signal })))
  })

const stop = (child: ChildProcess): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (child.exitCode !== null || child.signalCode !== null) return Effect.void
    child.kill("SIGTERM")
    return ended(child).pipe(
      Effect.timeoutOption(stop_patience_ms),
      Effect.tap((end) => Effect.sync(() => end._tag === "None" && child.kill("SIGKILL"))),
      Effect.asVoid,
    )
  })

const how = ({ code, signal }: End): string => (signal === null ? `with exit code ${code}` : `by ${signal}`)

/** One life of the child: stopped with the scope, over when the process is. */
const life = (supervised: Supervised, onReady: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawnChild(supervised)),
      stop,
    )
    if (child.pid !== undefined) supervised.born(child.pid)
    yield* Effect.callback<void>((resume) => {
      child.on("message", (message) => {
        if (message === "ready") resume(Effect.void)
      })
    }).pipe(Effect.andThen(onReady), Effect.forkScoped)
    return yield* ended(child)
  }).pipe(Effect.scoped)

/**
 * Starts the child and answers when it is ready. `givenUp` fails when it has died too often in a row; a child that ends
 * before it was ever ready has said why, and is not started again.
 */
export const supervised = (child: Supervised) =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<void, BadConfiguration>()
    const givenUp = yield* Deferred.make<never, BadConfiguration>()
    const giveUp = (reason: string) => {
      const refusal = new BadConfiguration({ reason })
      return Effect.andThen(Deferred.fail(ready, refusal), Deferred.fail(givenUp, refusal))
    }
    const lives = Effect.gen(function* () {
      let deaths = 0
      for (;;) {
        const born = performance.now()
        const end = yield* life(child, Deferred.succeed(ready, undefined))
        if (!(yield* Deferred.isDone(ready))) return yield* giveUp(`The ${child.name} process did not start.`)
        deaths = performance.now() - born > lived_ms ? 1 : deaths + 1
        if (deaths > deaths_max)
          return yield* giveUp(`The ${child.name} process ended ${how(end)}, ${deaths} times in a row.`)
        process.stderr.write(`The ${child.name} process ended ${how(end)}; it is started again.\n`)
        yield* Effect.sleep(Math.min(250 * 2 ** (deaths - 1), 4000))
      }
    })
    yield* Effect.forkScoped(lives)
    yield* Deferred.await(ready)
    return { givenUp: Deferred.await(givenUp) }
  })
