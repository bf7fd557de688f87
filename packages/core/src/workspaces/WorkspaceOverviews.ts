// The overview of a workspace: what each of its members may know of its settings, its limits, and how its mail leaves.
import { Context, Effect, Layer } from "effect"
import type { NotFound } from "../kernel/Refusal.ts"
import { Settings } from "../kernel/Settings.ts"
import { Ai } from "../ports/Ai.ts"
import type { SendingDomain } from "./SendingDomain.ts"
import type { Workspace } from "./Workspace.ts"
import { type OverviewFacts, WorkspaceStore } from "./WorkspaceStore.ts"

export interface WorkspaceOverview extends OverviewFacts, Pick<Settings["Service"], "sending" | "mail"> {
  readonly workspace: Workspace
  readonly domains: ReadonlyArray<SendingDomain>
  /** The value of `generated_by`: the AI provider, or `sample` for the fake AI. */
  readonly ai: string
}

export class WorkspaceOverviews extends Context.Service<
  WorkspaceOverviews,
  { readonly get: (workspace: Workspace) => Effect.Effect<WorkspaceOverview, NotFound> }
>()("tentpole/WorkspaceOverviews") {
  static readonly layer = Layer.effect(
    WorkspaceOverviews,
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const { provider: ai } = yield* Ai
      const { mail, sending } = yield* Settings
      return WorkspaceOverviews.of({
        get: Effect.fn("WorkspaceOverviews.get")(function* (workspace) {
          const facts = yield* store.overviewFacts(workspace.id)
          return { workspace, ...facts, domains: yield* store.domains(workspace.id), sending, mail, ai }
        }),
      })
    }),
  )
}
