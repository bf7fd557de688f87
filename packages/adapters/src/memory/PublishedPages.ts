// Published pages in memory.
import { PublishedPages } from "@tentpole/core/tents/PublishedPages"
import { Effect, Layer } from "effect"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import { pageChanges, tents } from "./TentStore.ts"
import { pageHosts, workspaces } from "./WorkspaceStore.ts"

export const layer = Layer.effect(
  PublishedPages,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    let asked = 0
    return PublishedPages.of({
      // Sites are as cheap to read as to mark: each mark is another one.
      mark: (of) =>
        of === null
          ? Effect.sync(() => String(++asked))
          : Effect.map(db.find(pageChanges, of, "count"), (count) => String(count ?? 0)),
      site: ({ host, slug }) =>
        Effect.gen(function* () {
          const all = yield* db.all(workspaces, null)
          const own = yield* db.find(pageHosts, null, host)
          const workspace = all.find((each) => each.slug === slug || each.id === own?.workspaceId)
          if (workspace === undefined) return null
          const { logoUrl, iconUrl } = workspace.brand
          return { workspaceId: workspace.id, logoUrl, iconUrl }
        }),
      page: (workspace, address) =>
        Effect.map(db.all(tents, workspace), (rows) => {
          const row = rows.find(({ tent }) =>
            address.by === "id" ? tent.id === address.id : tent.alias === address.alias,
          )
          if (row === undefined || row.page === null || row.tent.publication?.status !== "published") return null
          return { tentId: row.tent.id, html: row.page, etag: row.tent.publication.etag }
        }),
    })
  }),
)
