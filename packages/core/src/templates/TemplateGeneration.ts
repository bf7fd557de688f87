// The worker's part of a template: the AI is asked outside any transaction, and what it wrote is kept in one that looks
// again whether it is still wanted.
import { DateTime, Effect, Result } from "effect"
import type { WrittenEmail } from "../ports/Ai.ts"
import { asked, asKept } from "../documents/askAi.ts"
import type { GenerationId, WorkspaceId } from "../kernel/Ids.ts"
import { Transactor } from "../kernel/Transactor.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import type { CurrentTemplate, Kinds, TemplateKind } from "./Template.ts"
import { TemplateChange } from "./TemplateChange.ts"
import type { TemplateRules } from "./TemplateRules.ts"

export interface TemplateWriting<Kind extends TemplateKind> {
  /**
   * Asks for the HTML, and keeps it as the next version. May be called again, and by two at once: the first answer stands,
   * and a generation that is over or gone wants nothing.
   */
  readonly runGeneration: (
    workspace: WorkspaceId,
    id: Kinds[Kind]["id"],
    generation: GenerationId,
  ) => Effect.Effect<void>
  /** There will be nothing, for this reason: the credit is given back. */
  readonly giveUpGeneration: (
    workspace: WorkspaceId,
    id: Kinds[Kind]["id"],
    generation: GenerationId,
    reason: string,
  ) => Effect.Effect<void>
}

export const templateWriting = <Kind extends TemplateKind>(rules: TemplateRules<Kind>) =>
  Effect.gen(function* () {
    const { store } = rules
    const { transact } = yield* Transactor
    const workspaces = yield* WorkspaceStore

    /** What the AI wrote, as it may be kept; or the sentence that says why there is nothing. */
    const write = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      { template, html }: CurrentTemplate<Kind>,
      prompt: string,
    ) {
      const { brand } = yield* workspaces.find(workspace)
      const answer = yield* asked(rules.ask({ prompt, name: template.name, brand, basis: html }))
      return Result.flatMap(answer, (written) => asKept(written, rules.keep))
    })

    const settle = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      id: Kinds[Kind]["id"],
      generation: GenerationId,
      outcome: Result.Result<WrittenEmail, string>,
    ) {
      const current = yield* store.lock(workspace, id)
      const now = yield* DateTime.now
      const change = Result.match(outcome, {
        onFailure: (error) => TemplateChange.fail(current, generation, error, now),
        onSuccess: (answer) => {
          const mail = rules.written(current.template.mail, answer)
          return TemplateChange.complete(current, generation, { html: answer.html, mail }, now)
        },
      })
      // Giving back never lacks credits.
      if (change !== null) yield* Effect.catchTag(store.apply(workspace, change), "InsufficientCredits", Effect.die)
    }, transact)

    const writing: TemplateWriting<Kind> = {
      runGeneration: Effect.fn("Templates.runGeneration")(
        function* (workspace, id, generation) {
          const current = yield* store.current(workspace, id)
          const { latest } = current
          if (latest?.id !== generation || latest.status !== "generating") return
          yield* settle(workspace, id, generation, yield* write(workspace, current, latest.prompt))
        },
        // A template that was deleted meanwhile wants nothing any more.
        Effect.catchTag("NotFound", () => Effect.void),
      ),
      giveUpGeneration: Effect.fn("Templates.giveUpGeneration")(
        function* (workspace, id, generation, reason) {
          yield* settle(workspace, id, generation, Result.fail(reason))
        },
        Effect.catchTag("NotFound", () => Effect.void),
      ),
    }
    return writing
  })
