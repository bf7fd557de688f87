// Handlers that email templates and tent templates share.
import type { GenerationId } from "@tentpole/core/kernel/Ids"
import type { Kinds, ShownTemplate, TemplateKind } from "@tentpole/core/templates/Template"
import type { ListedBy, TemplateVerbs } from "@tentpole/core/templates/TemplateVerbs"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer, sliced } from "../../Wire.ts"
import {
  type Approve,
  type AskForVersion,
  type SetContent,
  toGeneration,
  toPolled,
  toServed,
} from "../documents/ContentWire.ts"

/** A request for one template. */
export interface CallOnOne<Kind extends TemplateKind> {
  readonly params: { readonly templateId: Kinds[Kind]["id"] }
}

export const templateHandlers = <Kind extends TemplateKind, Wire>(
  templates: TemplateVerbs<Kind>,
  toWire: (shown: ShownTemplate<Kind>) => Wire,
) => {
  return {
    list: ({ query }: { readonly query: ListedBy }) =>
      withWorkspace(({ id }) => templates.slice(id, query)).pipe(answer(sliced("templates", toWire))),
    find: ({ params: { templateId } }: CallOnOne<Kind>) =>
      withWorkspace(({ id }) => templates.find(id, templateId)).pipe(answer(toWire)),
    remove: ({ params: { templateId } }: CallOnOne<Kind>) =>
      withWorkspace(({ id }) => templates.remove(id, templateId)).pipe(answer(() => undefined)),
    duplicate: ({ params: { templateId } }: CallOnOne<Kind>) =>
      withWorkspace(({ id }, key) => templates.duplicate(id, templateId, key.name)).pipe(answer(toWire)),
    content: ({ params: { templateId }, query }: CallOnOne<Kind> & { readonly query: { readonly version?: number } }) =>
      withWorkspace(({ id }) => templates.content(id, templateId, query.version)).pipe(answer(toServed)),
    setContent: ({ params: { templateId }, payload }: CallOnOne<Kind> & { readonly payload: typeof SetContent.Type }) =>
      withWorkspace(({ id }) => templates.setContent(id, templateId, payload.html)).pipe(answer(toWire)),
    generate: ({
      params: { templateId },
      payload: { prompt },
    }: CallOnOne<Kind> & { readonly payload: typeof AskForVersion.Type }) =>
      withWorkspace(({ id }, key) => templates.generate(id, templateId, { prompt, createdByName: key.name })).pipe(
        answer(toGeneration({ template_id: templateId })),
      ),
    generation: ({
      params: { templateId, generationId },
    }: CallOnOne<Kind> & { readonly params: { readonly generationId: GenerationId } }) =>
      withWorkspace(({ id }) => templates.generation(id, templateId, generationId)).pipe(
        answer(toPolled({ template_id: templateId })),
      ),
    approve: ({
      params: { templateId },
      payload,
    }: CallOnOne<Kind> & { readonly payload: typeof Approve.Type | undefined }) =>
      withWorkspace(({ id }) => templates.approve(id, templateId, payload ?? {})).pipe(answer(toWire)),
    unapprove: ({ params: { templateId } }: CallOnOne<Kind>) =>
      withWorkspace(({ id }) => templates.unapprove(id, templateId)).pipe(answer(toWire)),
  }
}
