// TentTemplates: the use cases of tent templates.
import { Context, Effect, Layer } from "effect"
import { Ai } from "../ports/Ai.ts"
import type { HtmlTooLarge } from "../documents/DocumentErrors.ts"
import { type Created, type Documents, documents } from "../documents/Documents.ts"
import { cleanUnlessSafe, storable, Cleaner, pageDangers } from "../documents/Clean.ts"
import { type TentId, TentTemplateId, type WorkspaceId } from "../kernel/Ids.ts"
import { type Invalid, NotFound } from "../kernel/Refusal.ts"
import { Parsers } from "../ports/Parsers.ts"
import { Settings } from "../kernel/Settings.ts"
import { successUrlParser } from "./pages/PageDocument.ts"
import { TentNotReady } from "./Tent.ts"
import { TentStore } from "./TentStore.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import {
  checkNewTemplate,
  type NewTemplate,
  type TentTemplateTypes,
  TentTemplateChange,
} from "../templates/Template.ts"
import { pageScaffold } from "../templates/PageScaffold.ts"
import { TentTemplateStore } from "../templates/TemplateStore.ts"

export interface NewTentTemplate extends NewTemplate {
  /** A tent whose page it starts with. */
  readonly tentId?: TentId
}

export class TentTemplates extends Context.Service<
  TentTemplates,
  Documents<TentTemplateTypes> & {
    /** With `prompt` the generation of its first version has started. */
    readonly create: (
      workspace: WorkspaceId,
      template: NewTentTemplate,
      createdByName: string,
    ) => Effect.Effect<
      Created<TentTemplateTypes>,
      Invalid | HtmlTooLarge | NotFound | TentNotReady | InsufficientCredits
    >
  }
>()("tentpole/TentTemplates") {
  static readonly layer = Layer.effect(
    TentTemplates,
    Effect.gen(function* () {
      const store = yield* TentTemplateStore
      const tents = yield* TentStore
      const workspaces = yield* WorkspaceStore
      const ai = yield* Ai
      const cleaner = yield* Cleaner
      const { html_bytes_max: bytes_max } = yield* Settings
      const parsers = yield* Parsers

      const shared = yield* documents<TentTemplateTypes>("TentTemplates", {
        machine: TentTemplateChange,
        store,
        storable: storable(cleanUnlessSafe(cleaner.clean, parsers), pageDangers, { bytes_max, parsers }),
        ask: (workspace, { basis: template, ...request }) =>
          Effect.map(ai.generatePage(workspace, { ...request, template }), (html) => ({
            html,
            subject: null,
            previewText: null,
          })),
        withoutAuthority: successUrlParser,
        provider: ai.provider,
        toId: (uuid) => TentTemplateId.make(uuid),
        facts: () => Effect.succeed(null),
      })

      const fromTent = Effect.fnUntraced(function* (workspace: WorkspaceId, id: TentId) {
        const inBody = () => new NotFound({ resource: "tent", path: "tent_id" })
        const html = yield* Effect.mapError(tents.content(workspace, id), inBody)
        if (html !== null) return html
        const { generation } = yield* Effect.mapError(tents.get(workspace, id), inBody)
        return yield* new TentNotReady({ status: generation.status })
      })

      return TentTemplates.of({
        ...shared.verbs,

        create: Effect.fn("TentTemplates.create")(function* (workspace, template, createdByName) {
          const { name, html, prompt, tentId } = template
          yield* Effect.fromResult(checkNewTemplate(template, { path: "tent_id", id: tentId }))
          const fields = { name, sourceId: tentId ?? null }
          if (prompt !== undefined) return yield* shared.createByPrompt(workspace, { fields, prompt, createdByName })
          const source = tentId === undefined ? null : yield* fromTent(workspace, tentId)
          const page = html ?? source ?? pageScaffold(yield* workspaces.get(workspace))
          return yield* shared.create(workspace, { fields, html: page, createdByName })
        }),
      })
    }),
  )
}
