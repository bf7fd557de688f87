// What the two kinds of templates do differently. Whatever else can be done with a template is done alike.
import type { Effect, Result } from "effect"
import type { AiRefused, AiUnavailable, EmailRequest, WrittenEmail } from "../ports/Ai.ts"
import type { HtmlTooLarge } from "../emails/EmailErrors.ts"
import type { GenerationId, WorkspaceId } from "../kernel/Ids.ts"
import type { Job } from "../kernel/Jobs.ts"
import type { Invalid } from "../kernel/Refusal.ts"
import type { Kinds, Template, TemplateKind } from "./Template.ts"
import type { TemplateStoreOf } from "./TemplateStore.ts"

export interface TemplateRules<Kind extends TemplateKind> {
  readonly store: TemplateStoreOf<Kind>
  readonly toId: (uuid: string) => Kinds[Kind]["id"]
  /** HTML as it may be kept. */
  readonly keep: (html: string) => Result.Result<string, Invalid | HtmlTooLarge>
  /** Asks the AI. What it says besides the HTML is null where the kind has no room for it. */
  readonly ask: (request: EmailRequest) => Effect.Effect<WrittenEmail, AiRefused | AiUnavailable>
  /** What the template holds beside its HTML, with what the AI said. */
  readonly written: (mail: Kinds[Kind]["mail"], answer: WrittenEmail) => Kinds[Kind]["mail"]
  /** What a copy of the template, at its version 1, holds beside its HTML. */
  readonly copied: (template: Template<Kind>) => Kinds[Kind]["mail"]
  /** The work of a worker. */
  readonly job: (workspace: WorkspaceId, id: Kinds[Kind]["id"], generation: GenerationId) => Job
  /** Whether an approval that names no version waits for a generation, or takes what is there. */
  readonly waitsForGeneration: boolean
}
