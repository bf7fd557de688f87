// The port through which published pages are served. It answers reads, and it tells when a cached answer may be out of
// date, so that a warm page costs no query.
import { Context, type DateTime, type Effect } from "effect"
import type { TentId, WorkspaceId } from "../../kernel/Ids.ts"
import type { PageAddress, Site } from "./PageAddress.ts"
import type { PageOwner } from "./PageHead.ts"

export interface PublishedPage {
  readonly tentId: TentId
  /** The one it is known by: its alias where it has one. It is served by its id all the same. */
  readonly address: PageAddress
  readonly html: string
  readonly etag: string
}

/** Whose host it is, by which hosts it is known, and how it looks: what its pages may load from elsewhere. */
export interface PageSite extends Site, PageOwner {
  readonly workspaceId: WorkspaceId
}

export interface ListedPage {
  readonly address: PageAddress
  readonly publishedAt: DateTime.Utc
}

/** The most that a site map may list (sitemaps.org). */
export const listed_pages_max = 50_000

export class PublishedPages extends Context.Service<
  PublishedPages,
  {
    /** The site at a host: a workspace's own, or the one of that slug. Null for nobody's. */
    readonly site: (at: { readonly host: string; readonly slug: string | null }) => Effect.Effect<PageSite | null>
    /** The page at an address; null where nothing is published. */
    readonly getPage: (workspace: WorkspaceId, address: PageAddress) => Effect.Effect<PublishedPage | null>
    /** What is published, newest first, `listed_pages_max` at most. */
    readonly list: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<ListedPage>>
    /**
     * A mark of the workspace's pages, or (null) of all sites. Take it before a read and keep it with the answer: as long as
     * the mark stays the same, the answer stands. Changes of this process show at once, those of others within a second.
     */
    readonly version: (of: WorkspaceId | null) => Effect.Effect<string>
  }
>()("tentpole/PublishedPages") {}
