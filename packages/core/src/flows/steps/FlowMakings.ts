// What flows have made for their members, for workers: emails and pages, each for one visit of one member.
import { Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import { emailMaking } from "./CreateEmailStep.ts"
import type { Making } from "../members/StepJobs.ts"
import { tentMaking } from "./CreateTentStep.ts"

/** What is made. */
export type MadeKind = "email" | "tent"

export class FlowMakings extends Context.Service<
  FlowMakings,
  {
    /**
     * Makes it and tells the member, or why it could not be made. May be called again, and by two at once: what was made is
     * not made again, and what is not wanted any more is not made. Fails where trying again may help.
     */
    readonly make: (workspace: WorkspaceId, kind: MadeKind, making: Making) => Effect.Effect<void, unknown>
    /** It broke its workers off. */
    readonly giveUp: (workspace: WorkspaceId, making: Making) => Effect.Effect<void>
  }
>()("tentpole/FlowMakings") {
  static readonly layer = Layer.effect(
    FlowMakings,
    Effect.gen(function* () {
      const emails = yield* emailMaking
      const tents = yield* tentMaking
      return FlowMakings.of({
        make: Effect.fn("FlowMakings.make")((workspace, kind, making): Effect.Effect<void, unknown> =>
          kind === "email" ? emails.make(workspace, making) : tents.make(workspace, making),
        ),
        giveUp: Effect.fn("FlowMakings.giveUp")((workspace, making) => emails.giveUp(workspace, making, brokenOff)),
      })
    }),
  )
}

const brokenOff = "It was broken off again and again"
