// The handler of form submissions.
import { FormConsents, type FormView } from "@tentpole/core/forms/FormConsents"
import { Forms } from "@tentpole/core/forms/Forms"
import type { Submission } from "@tentpole/core/forms/Submission"
import type { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { decodeCursor, page_limit_default } from "@tentpole/core/kernel/Page"
import { Effect } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, sliced, toSnakeCase } from "../../Wire.ts"
import type { ReplaceFormConsent, SubmissionsQuery } from "./FormsApi.ts"

export const layer = handlersOf(
  "forms",
  Effect.all({ forms: Forms, consents: FormConsents }),
  ({ consents, forms }) => ({
    list: ({ params }, { id }) =>
      consents.list(id, params.tentId).pipe(answer((all) => ({ forms: all.map(toFormWire) }))),
    setConsent: ({ params, payload }, { id }) =>
      consents.replace(id, params.tentId, params.formId, toConsent(payload)).pipe(answer(toFormWire)),
    submissions: ({ params, query }, { id }) =>
      slice(forms, id, params.tentId, query).pipe(answer(sliced("submissions", toWire))),
  }),
)

const slice = Effect.fnUntraced(function* (
  forms: Forms["Service"],
  workspace: WorkspaceId,
  tent: TentId,
  { cursor, limit }: typeof SubmissionsQuery.Type,
) {
  const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor))
  return yield* forms.list(workspace, tent, { after, limit: limit ?? page_limit_default })
})

const toConsent = ({ consent_field, double_opt_in, topic_ids }: typeof ReplaceFormConsent.Type) =>
  topic_ids === null
    ? null
    : { topicIds: topic_ids, consentField: consent_field ?? null, doubleOptIn: double_opt_in ?? null }

const toFormWire = ({ consent, fields, formId }: FormView) => ({
  form_id: formId,
  fields,
  consent: consent === null ? null : toSnakeCase(consent),
})

const toWire = ({ id, tentId: _, ...submission }: Submission) => ({ submission_id: id, ...toSnakeCase(submission) })
