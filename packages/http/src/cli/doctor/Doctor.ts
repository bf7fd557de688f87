// `tentpole doctor`: looks at every setting and at everything that the service needs, and says what to mend. It ends with 1
// when something is wrong.
import { loadEnvironment } from "@tentpole/adapters/Launch"
import { configuration } from "@tentpole/adapters/Configuration"
import { Console, Effect, Result, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { show } from "../Run.ts"
import { examine } from "./Examinations.ts"
import { type Finding, ok, table, wrong } from "./Finding.ts"
import { judgeSettings } from "./Judgements.ts"

/** Why the command ends with 1: one sentence. */
class Unwell extends Schema.TaggedError<Unwell>()("Unwell", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

const findings: Effect.Effect<ReadonlyArray<Finding>> = Effect.suspend(() => {
  loadEnvironment()
  const read = configuration(process.env)
  if (Result.isFailure(read)) {
    return Effect.succeed([wrong("settings", read.failure.reason, "Mend these first: the rest depends on them.")])
  }
  return Effect.map(examine(read.success), (examined) => [
    ok("settings", "can be read"),
    ...judgeSettings(read.success),
    ...examined,
  ])
})

export const doctor = Command.make(
  "doctor",
  {
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("One JSON document instead of a table"),
      Flag.withDefault(false),
    ),
  },
  ({ json }) =>
    Effect.gen(function* () {
      const found = yield* findings
      const bad = found.filter(({ state }) => state === "wrong").length
      yield* json ? show({ ok: bad === 0, checks: found }) : Console.log(table(found))
      if (bad > 0) return yield* new Unwell({ reason: `${bad} of ${found.length} checks found something wrong.` })
    }),
).pipe(Command.withDescription("Looks at every setting and dependency, and says what to mend"))
