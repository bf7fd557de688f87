// The port that serves published pages, with versions, so that a cached page costs no query.
import { Context, type DateTime, type Effect } from "effect"
import type { TentId, WorkspaceId } from "../../kernel/Ids.ts"
import type { PageAddress, Site } from "./PageAddress.ts"
import type { PageOwner } from "./PageHead.ts"

export interface PublishedPage {
  readonly tentId: TentId
  /** The canonical address: the alias, if there is one. The page is served at its id, too. */
  readonly address: PageAddress
  readonly html: string
  readonly etag: string
}

/** The owner of a host: the workspace's hosts and brand. */
export interface PageSite extends Site, PageOwner {
  readonly workspaceId: WorkspaceId
}

export interface ListedPage {
  readonly address: PageAddress
  readonly publishedAt: DateTime.Utc
}

/** The limit of a sitemap (sitemaps.org). */
export const listed_pages_max = 50_000

export class PublishedPages extends Context.Service<
  PublishedPages,
  {
    /** The site at a host: a workspace's custom host, or the host of the slug. Null for an unknown host. */
    readonly site: (at: { readonly host: string; readonly slug: string | null }) => Effect.Effect<PageSite | null>
    /** The page at an address; null when no page is published there. */
    readonly getPage: (workspace: WorkspaceId, address: PageAddress) => Effect.Effect<PublishedPage | null>
    /** Published pages, newest first, at most `listed_pages_max`. */
    readonly list: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<ListedPage>>
    /**
     * The version of the workspace's pages, or (null) of all sites. Read it before the pages and cache it with them: the
     * cached answer is valid while the version is equal. Changes of this process show at once, those of others within a
     * second.
     */
    readonly version: (of: WorkspaceId | null) => Effect.Effect<string>
  }
>()("tentpole/PublishedPages") {}
