// The command `tentpole doctor`: checks settings and dependencies and says how to fix problems. It exits with 1 if a check fails.
import { loadEnvironment } from "@tentpole/adapters/Launch"
import { configuration } from "@tentpole/adapters/Configuration"
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { findingsOf } from "../../doctor/Doctor.ts"
import { type Finding, table, wrong } from "../../doctor/Finding.ts"
import { jsonFlag, report } from "../Output.ts"

const findings: Effect.Effect<ReadonlyArray<Finding>> = Effect.suspend(() => {
  loadEnvironment()
  const read = configuration(process.env)
  return Result.isFailure(read)
    ? Effect.succeed([wrong("settings", read.failure.reason, "Fix these first: other checks depend on them.")])
    : findingsOf(read.success)
})

export const doctor = Command.make("doctor", { json: jsonFlag }, ({ json }) =>
  Effect.flatMap(findings, (found) => {
    const failed = found.filter(({ state }) => state === "wrong").length
    const document = { ok: failed === 0, checks: found }
    return report({ json, document, table: table(found) }, { failed, total: found.length })
  }),
).pipe(Command.withDescription("Checks all settings and dependencies, and says how to fix problems"))
