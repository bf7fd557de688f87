// The calls on the definitions of custom contact fields, handled.
import { CustomFields } from "@tentpole/core/contacts/CustomFields"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../Auth.ts"
import { answer } from "../../Wire.ts"
import { toFieldsWire, toFieldWire, toNewFields } from "./ContactFieldsApi.ts"

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
      find: ({ params }) =>
        withWorkspace(({ id }) => fields.find(id, params.fieldDefinitionId)).pipe(answer(toFieldWire)),
    })
  }),
)
