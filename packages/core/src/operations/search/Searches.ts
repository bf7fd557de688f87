// The use case of search by name.
import { Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import { fold, trim } from "../../kernel/Text.ts"
import { bestOf, type SearchResult } from "./Search.ts"
import { SearchStore } from "./SearchStore.ts"

export class Searches extends Context.Service<
  Searches,
  {
    /** White space around the text is ignored. A text without anything else finds nothing. */
    readonly list: (
      workspace: WorkspaceId,
      query: { readonly text: string; readonly limit: number },
    ) => Effect.Effect<ReadonlyArray<SearchResult>>
  }
>()("tentpole/Searches") {
  static readonly layer = Layer.effect(
    Searches,
    Effect.map(SearchStore, (store) =>
      Searches.of({
        list: Effect.fn("Searches.list")(function* (workspace, { limit, text }) {
          const folded = fold(trim(text))
          return folded === "" ? [] : bestOf(yield* store.list(workspace, folded), folded, limit)
        }),
      }),
    ),
  )
}
