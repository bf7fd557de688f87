// The handlers of the caller's workspace.
import { results_max } from "@tentpole/core/operations/search/Search"
import { Searches } from "@tentpole/core/operations/search/Searches"
import { WorkspaceOverviews } from "@tentpole/core/workspaces/WorkspaceOverviews"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer } from "../../Wire.ts"
import { Effect } from "effect"
import { type SearchResultsWire, toOverviewWire } from "./WorkspaceWire.ts"

export const layer = handlersOf(
  "workspace",
  Effect.all({ overviews: WorkspaceOverviews, searches: Searches }),
  ({ overviews, searches }) => ({
    find: (_, workspace, { role }) => overviews.get(workspace).pipe(answer(toOverviewWire(role))),
    search: ({ query: { limit = results_max, q } }, { id }) =>
      searches.list(id, { text: q, limit }).pipe(answer((results): typeof SearchResultsWire.Type => ({ results }))),
  }),
)
