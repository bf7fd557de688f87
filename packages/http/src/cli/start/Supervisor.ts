// Supervisor of a child process: restarts it when it ends, up to a maximum number of times in a row.
import { BadConfiguration } from "@tentpole/adapters/Configuration"
import { Deferred, Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

export interface Supervised {
  readonly name: string
  /** The module to run. */
  readonly module: string
  /** Flags for node, besides those of this process. */
  readonly flags: ReadonlyArray<string>
  readonly environment: NodeJS.ProcessEnv
  /** Arguments of the first run. */
  readonly firstArgs: ReadonlyArray<string>
  /** Called with what a run reports before it is ready. */
  readonly onReport: (report: unknown) => void
  /** Called with the process id of each run. */
  readonly onStart: (pid: number) => void
}

interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Longer than a process needs to finish or release its work. */
const stop_patience_ms = 32_000
/** A child that ends earlier has not recovered. */
const lived_ms = 10_000
const deaths_max = 5

/** Uses a new process group: Ctrl-C reaches only the parent, which stops its children in order. */
const spawnChild = ({ module, flags, environment }: Supervised, args: ReadonlyArray<string>): ChildProcess =>
  spawn(process.execPath, [...process.execArgv, ...flags, fileURLToPath(import.meta.resolve(module)), ...args], {
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

/** One run of the child. It is stopped with the scope. */
const life = (supervised: Supervised, args: ReadonlyArray<string>, onReady: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawnChild(supervised, args)),
      stop,
    )
    if (child.pid !== undefined) supervised.onStart(child.pid)
    yield* Effect.callback<void>((resume) => {
      child.on("message", (message) => {
        if (message === "ready") resume(Effect.void)
        else supervised.onReport(message)
      })
    }).pipe(Effect.andThen(onReady), Effect.forkScoped)
    return yield* ended(child)
  }).pipe(Effect.scoped)

/**
 * Starts the child and returns when it is ready. `failed` fails when the child has ended too often in a row. A child that ends
 * before it was ready is not restarted.
 */
export const supervised = (child: Supervised) =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<void, BadConfiguration>()
    const failed = yield* Deferred.make<never, BadConfiguration>()
    const abandon = (reason: string) => {
      const refusal = new BadConfiguration({ reason })
      return Effect.andThen(Deferred.fail(ready, refusal), Deferred.fail(failed, refusal))
    }
    const lives = Effect.gen(function* () {
      let deaths = 0
      for (let args = child.firstArgs; ; args = []) {
        const born = performance.now()
        const end = yield* life(child, args, Deferred.succeed(ready, undefined))
        if (!(yield* Deferred.isDone(ready))) return yield* abandon(`The ${child.name} process did not start.`)
        deaths = performance.now() - born > lived_ms ? 1 : deaths + 1
        if (deaths > deaths_max)
          return yield* abandon(`The ${child.name} process ended ${how(end)}, ${deaths} times in a row.`)
        process.stderr.write(`The ${child.name} process ended ${how(end)}; it is restarted.\n`)
        yield* Effect.sleep(Math.min(250 * 2 ** (deaths - 1), 4000))
      }
    })
    yield* Effect.forkScoped(lives)
    yield* Deferred.await(ready)
    return { failed: Deferred.await(failed) }
  })
