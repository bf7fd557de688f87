// Published pages in memory.
import type { PageAddress } from "@tentpole/core/tents/pages/PageAddress"
import { listed_pages_max, PublishedPages } from "@tentpole/core/tents/pages/PublishedPages"
import type { Tent } from "@tentpole/core/tents/Tent"
import { Effect } from "effect"
import { storeLayer } from "../kernel/MemoryDatabase.ts"
import { byId } from "../kernel/Slices.ts"
import { pageChanges, tents } from "./TentStore.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"

const addressOf = ({ id, alias }: Tent): PageAddress => (alias === null ? { by: "id", id } : { by: "alias", alias })

export const layer = storeLayer(PublishedPages, (db) => {
  let reads = 0
  return PublishedPages.of({
    // Sites need no cache in memory: each call returns a new version.
    version: (of) =>
      of === null
        ? Effect.sync(() => String(++reads))
        : Effect.map(db.find(pageChanges, of, "count"), (count) => String(count ?? 0)),
    site: ({ slug }) =>
      Effect.map(db.all(workspaces, null), (all) => {
        const workspace = all.find((each) => each.slug === slug)
        if (workspace === undefined) return null
        const { name, primaryColor, logoUrl, iconUrl } = workspace.brand
        const look = { name, primaryColor, logoUrl, iconUrl }
        return { workspaceId: workspace.id, slug: workspace.slug, ownHost: null, ...look }
      }),
    getPage: (workspace, address) =>
      Effect.map(db.all(tents, workspace), (rows) => {
        const row = rows.find(({ tent }) =>
          address.by === "id" ? tent.id === address.id : tent.alias === address.alias,
        )
        if (row === undefined || row.page === null || row.tent.publication?.status !== "published") return null
        return {
          tentId: row.tent.id,
          address: addressOf(row.tent),
          html: row.page,
          etag: row.tent.publication.etag,
        }
      }),
    list: (workspace) =>
      Effect.map(db.all(tents, workspace), (rows) =>
        rows
          .flatMap(({ tent }) =>
            tent.publication?.status === "published"
              ? [{ id: tent.id, address: addressOf(tent), publishedAt: tent.publication.publishedAt }]
              : [],
          )
          .sort(
            (left, right) =>
              right.publishedAt.epochMilliseconds - left.publishedAt.epochMilliseconds || byId(left, right),
          )
          .slice(0, listed_pages_max)
          .map(({ address, publishedAt }) => ({ address, publishedAt })),
      ),
  })
})
