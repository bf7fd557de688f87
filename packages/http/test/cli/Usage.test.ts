// Tests of errors in the arguments of commands.
import { sentenceOf } from "@tentpole/adapters/Launch"
import { Cause, Console, Effect, Exit } from "effect"
import { assert, describe, it } from "vitest"
import { commandLine } from "../../src/cli/CommandLine.ts"

const run = async (line: string) => {
  const printed: Array<string> = []
  const say = (...said: ReadonlyArray<unknown>) => void printed.push(said.join(" "))
  const recorded: Console.Console = { ...console, log: say, error: say }
  const args = line.split(" ").filter((word) => word !== "")
  const exit = await Effect.runPromiseExit(Effect.provideService(commandLine(args), Console.Console, recorded))
  return {
    printed: printed.join("\n"),
    failure: Exit.isSuccess(exit) ? null : (sentenceOf(exit.cause) ?? Cause.pretty(exit.cause)),
  }
}

describe("arguments of a command", () => {
  it.each([
    ["kye", 'Unknown subcommand "kye" for "tentpole". Did you mean key? `tentpole --help` shows the usage.'],
    [
      "key lis",
      'Unknown subcommand "lis" for "tentpole key". Did you mean list? `tentpole key --help` shows the usage.',
    ],
    [
      "workspace list --jsn",
      "Unrecognized flag: --jsn in command tentpole workspace list. Did you mean --json? `tentpole workspace list --help` shows the usage.",
    ],
    [
      "key list --workspce a",
      "Unrecognized flag: --workspce in command tentpole key list. Did you mean --workspace? `tentpole key list --help` shows the usage.",
    ],
    ["key create", "Missing required flag: --name. `tentpole key create --help` shows the usage."],
    ["domain create", "Missing required argument: domain. `tentpole domain create --help` shows the usage."],
  ])("`tentpole %s` fails with one line", async (line, sentence) => {
    assert.deepStrictEqual(await run(line), { printed: "", failure: sentence })
  })

  it("a group without a subcommand prints its help and succeeds", async () => {
    const { failure, printed } = await run("key")
    assert.isNull(failure)
    assert.include(printed, "tentpole key <subcommand>")
  })
})
