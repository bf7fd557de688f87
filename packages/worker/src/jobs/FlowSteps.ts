// Jobs of `create_email` and `create_tent` steps. Each member is processed by itself, so that a failure affects no other.
import { StepRuns } from "@tentpole/core/flows/steps/FlowMakings"
import type { Job, JobAttempt } from "@tentpole/core/kernel/changes/Jobs"
import { Cause, Effect, Exit } from "effect"
import { retryThenFail } from "./RetryPolicy.ts"

type Of<Type extends Job["type"]> = Extract<Job, { readonly type: Type }>

export const flowMaking = ({ members, type, workspaceId }: Of<"flow_email" | "flow_tent">, attempt: JobAttempt) =>
  Effect.flatMap(StepRuns, ({ abandon, run }) => {
    const kind = type === "flow_email" ? "email" : "tent"
    const all = Effect.gen(function* () {
      const failures: Array<Cause.Cause<unknown>> = []
      for (const making of members) {
        const exit = yield* Effect.exit(run(workspaceId, kind, making))
        if (Exit.isSuccess(exit)) continue
        if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
        failures.push(exit.cause)
      }
      const [first] = failures
      if (first !== undefined) return yield* Effect.failCause(first)
    })
    // Memberships whose step is complete, or that have left it, are skipped.
    const given = Effect.forEach(members, (making) => abandon(workspaceId, making), { discard: true })
    return retryThenFail(attempt, all, given)
  })
