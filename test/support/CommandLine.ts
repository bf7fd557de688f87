// Commands of the command line in this process, with their own environment: output and exit code, without the second that a
// process takes to start. One command of each test file runs as a process.
import { exitCodeOf, interrupted_code, sentenceOf } from "@tentpole/adapters/Launch"
import { commandLine } from "@tentpole/http/cli/CommandLine"
import { Screen } from "@tentpole/http/cli/Screen"
import { Cause, Console, Effect, Exit } from "effect"
import { type Ended, environment } from "./Service.ts"

/** Replaces all variables; returns how to restore them. */
const exchanged = (variables: NodeJS.ProcessEnv): (() => void) => {
  const before = { ...process.env }
  const put = (values: NodeJS.ProcessEnv) => {
    for (const name of Object.keys(process.env)) delete process.env[name]
    for (const [name, value] of Object.entries(values)) if (value !== undefined) process.env[name] = value
  }
  put(variables)
  return () => put(before)
}

interface Caller {
  /** Default: none, as when the output goes to a file. */
  readonly screen?: Screen
  /** Aborts like Ctrl-C. */
  readonly signal?: AbortSignal
}

const noScreen: Screen = {
  showsProgress: false,
  canAsk: false,
  columns: 80,
  draw: () => {},
  ask: () => Promise.reject(new Error("asked without a terminal")),
}

export const command = async (
  args: ReadonlyArray<string>,
  more: Record<string, string> = {},
  { screen = noScreen, signal }: Caller = {},
): Promise<Ended> => {
  const lines: Array<string> = []
  const say = (...said: ReadonlyArray<unknown>) => void lines.push(said.join(" "))
  const recorded: Console.Console = { ...console, log: say, error: say }
  const takeBack = exchanged(environment(more))
  try {
    const exit = await Effect.runPromiseExit(
      commandLine(args).pipe(Effect.provideService(Console.Console, recorded), Effect.provideService(Screen, screen)),
      signal === undefined ? {} : { signal },
    )
    if (Exit.isFailure(exit)) lines.push(sentenceOf(exit.cause) ?? Cause.pretty(exit.cause))
    return { code: exitCodeOf(exit, interrupted_code), output: `${lines.join("\n")}\n` }
  } finally {
    takeBack()
  }
}
