// Published pages on PostgreSQL, as the page server reads them.
import { PgClient } from "@effect/sql-pg"
import { TentId, WorkspaceId } from "@tentpole/core/Ids"
import { PublishedPages } from "@tentpole/core/tents/PublishedPages"
import type { WorkspaceBrand } from "@tentpole/core/workspaces/Workspace"
import { Effect, Layer } from "effect"
import { PageNews } from "./PageNews.ts"
import { fenced, orDefect } from "./Postgres.ts"

interface SiteRow {
  readonly workspace_id: string
  readonly brand: Partial<WorkspaceBrand>
}

interface PageRow {
  readonly tent_id: string
  readonly published_html: string
  readonly published_etag: string
}

export const layer = Layer.effect(
  PublishedPages,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const news = yield* PageNews
    const within = fenced(sql)
    return PublishedPages.of({
      mark: news.mark,
      site: ({ host, slug }) =>
        orDefect(sql<SiteRow>`
          select w.workspace_id, w.brand from workspace w
          where (w.workspace_id = (select h.workspace_id from page_host h where h.host = ${host}) or w.slug = ${slug})
            and w.deleted_at is null
          order by w.slug = ${slug} limit 1`).pipe(
          Effect.map(([row]) =>
            row === undefined
              ? null
              : {
                  workspaceId: WorkspaceId.make(row.workspace_id),
                  logoUrl: row.brand.logoUrl ?? null,
                  iconUrl: row.brand.iconUrl ?? null,
                },
          ),
        ),
      page: (workspace, address) =>
        within(
          workspace,
          address.by === "id"
            ? sql<PageRow>`
                select tent_id, published_html, published_etag from tent
                where workspace_id = ${workspace} and tent_id = ${address.id} and publication_status = 'published'`
            : sql<PageRow>`
                select t.tent_id, t.published_html, t.published_etag
                from tent_alias a join tent t on t.workspace_id = a.workspace_id and t.tent_id = a.tent_id
                where a.workspace_id = ${workspace} and a.alias = ${address.alias} and t.publication_status = 'published'`,
        ).pipe(
          Effect.map(([row]) =>
            row === undefined
              ? null
              : { tentId: TentId.make(row.tent_id), html: row.published_html, etag: row.published_etag },
          ),
        ),
    })
  }),
)
