// The calls on exports of contact lists, handled.
import { isPending } from "@tentpole/core/lists/ListExport"
import { ListExports, type ShownExport } from "@tentpole/core/lists/ListExports"
import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../Auth.ts"
import { answer } from "../../Wire.ts"
import { toBegun, toExportWire } from "./ListExportWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "listExports",
  Effect.fn(function* (group) {
    const exports = yield* ListExports
    return group.handleAll({
      begin: ({ params, payload }) =>
        withWorkspace(({ id }) =>
          exports.begin(id, params.listId, { excludeUnsubscribed: payload?.exclude_unsubscribed ?? false }),
        ).pipe(answer(toBegun)),
      find: ({ params }) =>
        withWorkspace(({ id }) => exports.find(id, params.listId, params.exportId)).pipe(
          answer((shown) => HttpApiSchema.withHeaders({ body: toExportWire(shown), headers: retryAfter(shown) })),
        ),
    })
  }),
)

const retryAfter = ({ listExport }: ShownExport) => (isPending(listExport) ? { "retry-after": "10" } : {})
