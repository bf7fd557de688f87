// The handlers of exports of consent records.
import { Exports } from "@tentpole/core/exports/Exports"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer } from "../../Wire.ts"
import { toBegun, toFollowed } from "./ExportEndpoints.ts"

export const layer = handlersOf("consentExports", Exports, (exports) => ({
  begin: ({ payload: { topic_id = null, since = null, until = null } = {} }, { id }) =>
    exports.create(id, { kind: "consent", topicId: topic_id, since, until }).pipe(answer(toBegun)),
  find: ({ params }, { id }) => exports.get(id, { kind: "consent" }, params.exportId).pipe(answer(toFollowed)),
}))
