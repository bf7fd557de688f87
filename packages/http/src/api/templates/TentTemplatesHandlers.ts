// The handlers of tent templates.
import { TentTemplates } from "@tentpole/core/tents/TentTemplates"
import type { TentTemplateTypes } from "@tentpole/core/templates/Template"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer } from "../../Wire.ts"
import { toCreated } from "../documents/ContentWire.ts"
import { documentHandlers } from "../documents/DocumentHandlers.ts"
import { templateWires } from "./TemplateWire.ts"
import { toNewTentTemplate, toTentTemplateWire } from "./TentTemplateWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "tentTemplates",
  Effect.fn(function* (group) {
    const templates = yield* TentTemplates
    const wires = templateWires(toTentTemplateWire)
    return group.handleAll({
      ...documentHandlers<TentTemplateTypes>()(templates, wires, toTentTemplateWire),
      create: ({ payload }) =>
        withWorkspace(({ id }, key) => templates.create(id, toNewTentTemplate(payload), key.name)).pipe(
          answer(toCreated(toTentTemplateWire)),
        ),
      rename: ({ params, payload: { name } }) =>
        withWorkspace(({ id }) => templates.update(id, params.templateId, name === undefined ? {} : { name })).pipe(
          answer(toTentTemplateWire),
        ),
    })
  }),
)
