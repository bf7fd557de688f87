// The command `tentpole doctor`: checks settings and dependencies and says how to fix problems. It exits with 1 if a check fails.
import { loadEnvironment } from "@tentpole/adapters/Launch"
import { configuration } from "@tentpole/adapters/Configuration"
import { Console, Effect, Result, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { show } from "../Run.ts"
import { examine } from "./Examinations.ts"
import { type Finding, ok, table, wrong } from "./Finding.ts"
import { judgeSettings } from "./Judgements.ts"

/** The reason for exit code 1. */
class Unwell extends Schema.TaggedError<Unwell>()("Unwell", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

const findings: Effect.Effect<ReadonlyArray<Finding>> = Effect.suspend(() => {
  loadEnvironment()
  const read = configuration(process.env)
  if (Result.isFailure(read)) {
    return Effect.succeed([wrong("settings", read.failure.reason, "Fix these first: other checks depend on them.")])
  }
  return Effect.map(examine(read.success), (examined) => [
    ok("settings", "valid"),
    ...judgeSettings(read.success),
    ...examined,
  ])
})

export const doctor = Command.make(
  "doctor",
  {
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Prints one JSON document instead of a table"),
      Flag.withDefault(false),
    ),
  },
  ({ json }) =>
    Effect.gen(function* () {
      const found = yield* findings
      const bad = found.filter(({ state }) => state === "wrong").length
      yield* json ? show({ ok: bad === 0, checks: found }) : Console.log(table(found))
      if (bad > 0) return yield* new Unwell({ reason: `${bad} of ${found.length} checks failed.` })
    }),
).pipe(Command.withDescription("Checks all settings and dependencies, and says how to fix problems"))
