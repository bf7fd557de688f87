// The ports to templates, and the lookup of the approved template that a request's body names as `template_id`.
import { Context, Effect } from "effect"
import type { DocumentStore } from "../documents/DocumentStore.ts"
import type { EmailTemplateTypes, TentTemplateTypes, TemplateTypes } from "./Template.ts"
import type { Design, IdOf } from "../documents/Document.ts"
import { TemplateNotApproved } from "../documents/DocumentErrors.ts"
import type { ApprovalId, WorkspaceId } from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"

export class EmailTemplateStore extends Context.Service<EmailTemplateStore, DocumentStore<EmailTemplateTypes>>()(
  "tentpole/EmailTemplateStore",
) {}

export class TentTemplateStore extends Context.Service<TentTemplateStore, DocumentStore<TentTemplateTypes>>()(
  "tentpole/TentTemplateStore",
) {}

const path = "template_id"

/** The current approval. It does not change when the template is edited or deleted later. */
export const approvalNamed = Effect.fnUntraced(function* <T extends TemplateTypes>(
  store: DocumentStore<T>,
  workspace: WorkspaceId,
  id: IdOf<T>,
): Effect.fn.Return<ApprovalId, NotFound | TemplateNotApproved> {
  const inBody = ({ resource }: NotFound) => new NotFound({ resource, path })
  const { approval } = yield* Effect.mapError(store.get(workspace, id), inBody)
  return approval?.id ?? (yield* new TemplateNotApproved({ path }))
})

/** The content of that approval. */
export const approvedNamed = Effect.fnUntraced(function* <T extends TemplateTypes>(
  store: DocumentStore<T>,
  workspace: WorkspaceId,
  id: IdOf<T>,
): Effect.fn.Return<T["approved"], NotFound | TemplateNotApproved> {
  const approvalId = yield* approvalNamed(store, workspace, id)
  return yield* Effect.orDie(store.approval(workspace, approvalId))
})

/** The design of an approved version; null without one, or where the template was deleted meanwhile. */
export const designOf = <T extends TemplateTypes>(
  store: DocumentStore<T>,
  workspace: WorkspaceId,
  id: IdOf<T>,
  { version }: T["approved"],
): Effect.Effect<Design | null> =>
  store.design(workspace, id, version).pipe(Effect.catchTag("NotFound", () => Effect.succeed(null)))
