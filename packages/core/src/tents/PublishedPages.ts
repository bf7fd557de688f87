// The port through which published pages are served. It answers reads, and it tells when a cached answer may be out of
// date, so that a warm page costs no query.
import { Context, type Effect } from "effect"
import type { TentId, WorkspaceId } from "../Ids.ts"
import type { PageAddress } from "./PageAddress.ts"

export interface PublishedPage {
  readonly tentId: TentId
  readonly html: string
  readonly etag: string
}

/** Whose host it is, and what its pages may load from elsewhere. */
export interface PageSite {
  readonly workspaceId: WorkspaceId
  readonly logoUrl: string | null
  readonly iconUrl: string | null
}

export class PublishedPages extends Context.Service<
  PublishedPages,
  {
    /** The site at a host: a workspace's own, or the one of that slug. Null for nobody's. */
    readonly site: (at: { readonly host: string; readonly slug: string | null }) => Effect.Effect<PageSite | null>
    /** The page at an address; null where nothing is published. */
    readonly page: (workspace: WorkspaceId, address: PageAddress) => Effect.Effect<PublishedPage | null>
    /**
     * A mark of the workspace's pages, or (null) of all sites. Take it before a read and keep it with the answer: as long as
     * the mark stays the same, the answer stands. Changes of this process show at once, those of others within a second.
     */
    readonly mark: (of: WorkspaceId | null) => Effect.Effect<string>
  }
>()("tentpole/PublishedPages") {}
