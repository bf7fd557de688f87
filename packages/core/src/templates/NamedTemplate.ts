// A template that the body of a request names as `template_id`, for something to be made from what its approval froze.
import { Effect } from "effect"
import { TemplateNotApproved } from "../emails/EmailErrors.ts"
import type { ApprovalId, WorkspaceId } from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"
import type { ApprovedTemplate, Kinds, TemplateKind } from "./Template.ts"
import type { TemplateStoreOf } from "./TemplateStore.ts"

const path = "template_id"

/** The approval that counts now. Kept by its id it stays what it was, whatever becomes of the template. */
export const approvalNamed = Effect.fnUntraced(function* <Kind extends TemplateKind>(
  store: TemplateStoreOf<Kind>,
  workspace: WorkspaceId,
  id: Kinds[Kind]["id"],
): Effect.fn.Return<ApprovalId, NotFound | TemplateNotApproved> {
  const inBody = ({ resource }: NotFound) => new NotFound({ resource, path })
  const { template } = yield* Effect.mapError(store.find(workspace, id), inBody)
  return template.approval?.id ?? (yield* new TemplateNotApproved({ path }))
})

/** What that approval froze. */
export const approvedNamed = Effect.fnUntraced(function* <Kind extends TemplateKind>(
  store: TemplateStoreOf<Kind>,
  workspace: WorkspaceId,
  id: Kinds[Kind]["id"],
): Effect.fn.Return<ApprovedTemplate<Kind>, NotFound | TemplateNotApproved> {
  const approvalId = yield* approvalNamed(store, workspace, id)
  return yield* Effect.orDie(store.approved(workspace, approvalId))
})
