// What flows have made for their members, for workers: emails and pages, each for one visit of one member.
import { Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import { emailMaking } from "./CreateEmailStep.ts"
import type { Making } from "../members/StepJobs.ts"
import { tentMaking } from "./CreateTentStep.ts"

/** What is made. */
export type MadeKind = "email" | "tent"

export class StepRuns extends Context.Service<
  StepRuns,
  {
    /**
     * Makes it and tells the member, or why it could not be made. May be called again, and by two at once: what was made is
     * not made again, and what is not wanted any more is not made. Fails where trying again may help.
     */
    readonly run: (workspace: WorkspaceId, kind: MadeKind, making: Making) => Effect.Effect<void, unknown>
    /** It broke its workers off. */
    readonly abandon: (workspace: WorkspaceId, making: Making) => Effect.Effect<void>
  }
>()("tentpole/FlowMakings") {
  static readonly layer = Layer.effect(
    StepRuns,
    Effect.gen(function* () {
      const emails = yield* emailMaking
      const tents = yield* tentMaking
      return StepRuns.of({
        run: Effect.fn("FlowMakings.run")((workspace, kind, making): Effect.Effect<void, unknown> =>
          kind === "email" ? emails.make(workspace, making) : tents.make(workspace, making),
        ),
        abandon: Effect.fn("FlowMakings.abandon")((workspace, making) => emails.giveUp(workspace, making, brokenOff)),
      })
    }),
  )
}

const brokenOff = "It was broken off again and again"
