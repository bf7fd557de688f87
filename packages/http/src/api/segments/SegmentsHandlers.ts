// The handlers of queries by rules.
import { Lists } from "@tentpole/core/lists/Lists"
import type { Paged } from "@tentpole/core/kernel/Page"
import { type FoundContact, Segments } from "@tentpole/core/segments/Segments"
import type { SegmentQuery } from "@tentpole/core/segments/SegmentStore"
import { Effect } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, paged, pageOf } from "../../Wire.ts"
import { type SearchContacts, type SegmentPreview, toExplanation, toFound } from "./SegmentsApi.ts"

export const layer = handlersOf(
  "segments",
  Effect.all({ segments: Segments, lists: Lists }),
  ({ segments, lists }) => ({
    search: ({ payload }, { id }) =>
      segments.search(id, payload.rules, toQuery(payload)).pipe(answer(paged("items", payload, toFound))),
    preview: ({ payload }, { id }) =>
      segments.preview(id, payload.rules, { explain: payload.explain ?? false }).pipe(answer(toPreview)),
    explain: ({ params, payload }, { id }) =>
      (payload.list_id === undefined
        ? segments.explain(id, params.contact_id, payload.rules)
        : lists.explain(id, payload.list_id, params.contact_id)
      ).pipe(answer(toExplanation)),
  }),
)

const toQuery = (body: typeof SearchContacts.Type): SegmentQuery & { readonly explain: boolean } => ({
  ...pageOf(body),
  sort: body.sort ?? "created_at",
  order: body.order ?? "desc",
  search: body.search ?? null,
  explain: body.explain ?? false,
})

const toPreview = ({ items, total }: Paged<FoundContact>): typeof SegmentPreview.Type => ({
  count: total,
  sample: items.map(toFound),
})
