// The handlers of list exports.
import { Exports } from "@tentpole/core/exports/Exports"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer } from "../../Wire.ts"
import { toBegun, toFollowed } from "../exports/ExportWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "listExports",
  Effect.fn(function* (group) {
    const exports = yield* Exports
    return group.handleAll({
      begin: ({ params: { listId }, payload }) =>
        withWorkspace(({ id }) =>
          exports.create(id, { kind: "list", listId, excludeUnsubscribed: payload?.exclude_unsubscribed ?? false }),
        ).pipe(answer(toBegun)),
      find: ({ params: { listId, exportId } }) =>
        withWorkspace(({ id }) => exports.get(id, { kind: "list", listId }, exportId)).pipe(answer(toFollowed)),
    })
  }),
)
