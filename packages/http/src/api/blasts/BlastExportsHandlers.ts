// The handlers of exports of a blast's recipients.
import { Exports } from "@tentpole/core/exports/Exports"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer } from "../../Wire.ts"
import { toBegun, toFollowed } from "../exports/ExportWire.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "blastExports",
  Effect.fn(function* (group) {
    const exports = yield* Exports
    return group.handleAll({
      begin: ({ params: { blastId }, payload }) =>
        withWorkspace(({ id }) =>
          exports.create(id, { kind: "blast", blastId, category: payload?.category ?? "recipients" }),
        ).pipe(answer(toBegun)),
      find: ({ params: { blastId, exportId } }) =>
        withWorkspace(({ id }) => exports.get(id, { kind: "blast", blastId }, exportId)).pipe(answer(toFollowed)),
    })
  }),
)
