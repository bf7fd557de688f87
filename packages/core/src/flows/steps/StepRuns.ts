// The service that runs `create_email` and `create_tent` steps in workers, each for one step visit of one member.
import { Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import { createEmailRunner } from "./CreateEmailStep.ts"
import type { StepRun } from "../members/MembershipChange.ts"
import { createTentRunner } from "./CreateTentStep.ts"

/** The kinds of things that steps create. */
export type CreatedKind = "email" | "tent"

export class StepRuns extends Context.Service<
  StepRuns,
  {
    /**
     * Creates the email or tent and advances the member, or records why it failed. Idempotent and safe to call concurrently:
     * each attempt creates at most one, and none if the member no longer waits for it. Fails where a retry may help.
     */
    readonly run: (workspace: WorkspaceId, kind: CreatedKind, stepRun: StepRun) => Effect.Effect<void, unknown>
    /** Records that the job was interrupted too often. */
    readonly abandon: (workspace: WorkspaceId, stepRun: StepRun) => Effect.Effect<void>
  }
>()("tentpole/StepRuns") {
  static readonly layer = Layer.effect(
    StepRuns,
    Effect.gen(function* () {
      const emails = yield* createEmailRunner
      const tents = yield* createTentRunner
      return StepRuns.of({
        run: Effect.fn("StepRuns.run")((workspace, kind, stepRun): Effect.Effect<void, unknown> =>
          kind === "email" ? emails.run(workspace, stepRun) : tents.run(workspace, stepRun),
        ),
        abandon: Effect.fn("StepRuns.abandon")((workspace, stepRun) => emails.fail(workspace, stepRun, interrupted)),
      })
    }),
  )
}

const interrupted = "The job was interrupted too often"
