// The handlers of the bulk creation of tents.
import { BulkTents } from "@tentpole/core/tents/bulk/BulkTents"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../Api.ts"
import { withWorkspace } from "../../../edge/Auth.ts"
import { answer } from "../../../Wire.ts"
import { toAdmission, toFollowed, toNewBulk } from "./BulkTentsApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "bulkTents",
  Effect.fn(function* (group) {
    const tents = yield* BulkTents
    return group.handleAll({
      create: ({ payload }) =>
        withWorkspace(({ id }) => tents.create(id, toNewBulk(payload))).pipe(answer(toAdmission)),
      find: ({ params }) => withWorkspace(({ id }) => tents.get(id, params.bulkJobId)).pipe(answer(toFollowed)),
    })
  }),
)
