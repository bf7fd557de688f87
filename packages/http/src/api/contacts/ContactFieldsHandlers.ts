// The handlers of custom contact fields.
import { CustomFields } from "@tentpole/core/contacts/CustomFields"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer } from "../../Wire.ts"
import { toFieldPatch, toFieldsWire, toFieldWire, toNewFields } from "./FieldWire.ts"
import { toRuleMetadata } from "../segments/RuleMetadataWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "contactFields",
  Effect.fn(function* (group) {
    const fields = yield* CustomFields
    return group.handleAll({
      list: ({ query }) =>
        withWorkspace(({ id }) => fields.list(id, query.status ?? "active")).pipe(answer(toFieldsWire)),
      create: ({ payload }) =>
        withWorkspace(({ id }) => fields.create(id, ...toNewFields(payload))).pipe(answer(toFieldsWire)),
      ruleMetadata: () => withWorkspace(({ id }) => fields.list(id, "active")).pipe(answer(toRuleMetadata)),
      find: ({ params }) =>
        withWorkspace(({ id }) => fields.get(id, params.fieldDefinitionId)).pipe(answer(toFieldWire)),
      edit: ({ params, payload }) =>
        withWorkspace(({ id }) => fields.update(id, params.fieldDefinitionId, toFieldPatch(payload))).pipe(
          answer(toFieldWire),
        ),
      archive: ({ params }) =>
        withWorkspace(({ id }) => fields.archive(id, params.fieldDefinitionId)).pipe(answer(() => undefined)),
    })
  }),
)
