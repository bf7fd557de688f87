// The handler of form submissions.
import { Forms } from "@tentpole/core/forms/Forms"
import type { Submission } from "@tentpole/core/forms/Submission"
import type { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { decodeCursor, page_limit_default } from "@tentpole/core/kernel/Page"
import { Effect } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, sliced, toSnakeCase } from "../../Wire.ts"
import type { SubmissionsQuery } from "./FormsApi.ts"

export const layer = handlersOf("forms", Forms, (forms) => ({
  submissions: ({ params, query }, { id }) =>
    slice(forms, id, params.tentId, query).pipe(answer(sliced("submissions", toWire))),
}))

const slice = Effect.fnUntraced(function* (
  forms: Forms["Service"],
  workspace: WorkspaceId,
  tent: TentId,
  { cursor, limit }: typeof SubmissionsQuery.Type,
) {
  const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor))
  return yield* forms.list(workspace, tent, { after, limit: limit ?? page_limit_default })
})

const toWire = ({ id, tentId: _, ...submission }: Submission) => ({ submission_id: id, ...toSnakeCase(submission) })
