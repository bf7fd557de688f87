// The handlers of suppressions.
import { Imports } from "@tentpole/core/imports/Imports"
import { Suppressions } from "@tentpole/core/sending/Suppressions"
import { Effect } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, sliced } from "../../Wire.ts"
import { toRunWire } from "../imports/ImportWire.ts"
import { toSuppressionWire } from "./SuppressionsApi.ts"

export const layer = handlersOf(
  "suppressions",
  Effect.all({ imports: Imports, suppressions: Suppressions }),
  ({ imports, suppressions }) => ({
    list: ({ query }, { id }) => suppressions.list(id, query).pipe(answer(sliced("suppressions", toSuppressionWire))),
    add: ({ payload: { email, reason = "manual" } }, { id }) =>
      suppressions.suppress(id, { email, reason }).pipe(answer(toSuppressionWire)),
    remove: ({ params }, { id }) => suppressions.unsuppress(id, params.email).pipe(answer(() => undefined)),
    import: ({ payload }, { id }) =>
      imports.importSuppressions(id, payload, payload.reason ?? null).pipe(answer(toRunWire)),
  }),
)
