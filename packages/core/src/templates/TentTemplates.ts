// What can be done with tent templates. The API calls these, the worker calls `runGeneration`.
import { Context, Effect, Layer } from "effect"
import { Ai } from "../ports/Ai.ts"
import { asWritten, keepable } from "../documents/Html.ts"
import type { HtmlTooLarge } from "../emails/EmailErrors.ts"
import { type TentId, TentTemplateId, type WorkspaceId } from "../kernel/Ids.ts"
import { type Invalid, NotFound } from "../kernel/Refusal.ts"
import { Cleaner, dangersOf } from "../documents/Clean.ts"
import { Settings } from "../kernel/Settings.ts"
import { TentNotReady } from "../tents/Tent.ts"
import { TentStore } from "../tents/TentStore.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import { checkName, checkNewTemplate, type NewTemplate } from "./NewTemplate.ts"
import { pageScaffold } from "./PageScaffold.ts"
import type { ShownTemplate } from "./Template.ts"
import { TemplateChange } from "./TemplateChange.ts"
import { TentTemplateStore } from "./TemplateStore.ts"
import { type TemplateVerbs, templateVerbs } from "./TemplateVerbs.ts"

export interface NewTentTemplate extends NewTemplate {
  /** A tent whose page it begins with. */
  readonly tentId?: TentId
}

export class TentTemplates extends Context.Service<
  TentTemplates,
  TemplateVerbs<"tent"> & {
    /** With `prompt` its first version is being written when this answers. */
    readonly create: (
      workspace: WorkspaceId,
      template: NewTentTemplate,
      createdByName: string,
    ) => Effect.Effect<ShownTemplate<"tent">, Invalid | HtmlTooLarge | NotFound | TentNotReady | InsufficientCredits>
    readonly rename: (
      workspace: WorkspaceId,
      id: TentTemplateId,
      name: string | undefined,
    ) => Effect.Effect<ShownTemplate<"tent">, NotFound | Invalid>
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
      const { html_bytes_max } = yield* Settings

      const { verbs, make, change } = yield* templateVerbs<"tent">({
        store,
        toId: (uuid) => TentTemplateId.make(uuid),
        keep: keepable(asWritten(cleaner.clean), dangersOf, html_bytes_max),
        ask: ({ basis: template, ...request }) =>
          Effect.map(ai.page({ ...request, template }), (html) => ({ html, subject: null, previewText: null })),
        written: () => null,
        copied: () => null,
        job: (workspaceId, templateId, generationId) => ({
          type: "tent_template_generation",
          workspaceId,
          templateId,
          generationId,
        }),
        waitsForGeneration: false,
      })

      /** The page of a tent. */
      const fromTent = Effect.fnUntraced(function* (workspace: WorkspaceId, id: TentId) {
        const inBody = () => new NotFound({ resource: "tent", path: "tent_id" })
        const html = yield* Effect.mapError(tents.content(workspace, id), inBody)
        if (html !== null) return html
        const { generation } = yield* Effect.mapError(tents.find(workspace, id), inBody)
        return yield* new TentNotReady({ status: generation.status })
      })

      const blank = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
        const workspace = yield* workspaces.find(workspaceId)
        return pageScaffold({ workspaceName: workspace.name, brand: workspace.brand })
      })

      return TentTemplates.of({
        ...verbs,

        create: Effect.fn("TentTemplates.create")(function* (workspace, asked, createdByName) {
          const { name, html, prompt, tentId } = asked
          yield* Effect.fromResult(checkNewTemplate(asked, { path: "tent_id", id: tentId }))
          const parts = { name, mail: null, sourceId: tentId ?? null, createdByName }
          if (prompt !== undefined) return yield* make(workspace, parts, { prompt })
          if (html !== undefined) return yield* make(workspace, parts, { html })
          const page = tentId === undefined ? yield* blank(workspace) : yield* fromTent(workspace, tentId)
          return yield* make(workspace, parts, { html: page })
        }),

        rename: Effect.fn("TentTemplates.rename")(function* (workspace, id, name) {
          return yield* change(workspace, id, ({ template }, now) =>
            Effect.map(
              name === undefined ? Effect.succeed(template.name) : Effect.fromResult(checkName(name)),
              (checked) => TemplateChange.update<"tent">(template, { name: checked, mail: null }, now),
            ),
          )
        }),
      })
    }),
  )
}
