// The port to the names of everything that a workspace has.
import { Context, type Effect } from "effect"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import type { SearchResult } from "./Search.ts"

export class SearchStore extends Context.Service<
  SearchStore,
  {
    /**
     * Of each type those that `bestOf` chooses, and possibly more; in no order. Names contain the folded text; of each type the newest
     * `names_max` are read, without lists of blasts and steps of flows. Contacts are found by the beginning of their normalized address,
     * display name, first or last name: the first five in the order of each.
     */
    readonly list: (workspace: WorkspaceId, folded: string) => Effect.Effect<ReadonlyArray<SearchResult>>
  }
>()("tentpole/SearchStore") {}
