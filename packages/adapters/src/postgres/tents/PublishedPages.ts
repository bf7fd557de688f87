// `PublishedPages` on PostgreSQL: published pages for the page server.
import { PgClient } from "@effect/sql-pg"
import { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { isAlias } from "@tentpole/core/tents/Alias"
import type { PageAddress } from "@tentpole/core/tents/pages/PageAddress"
import { listed_pages_max, type PageSite, PublishedPages } from "@tentpole/core/tents/pages/PublishedPages"
import type { WorkspaceBrand } from "@tentpole/core/workspaces/Workspace"
import { DateTime, Effect, Layer } from "effect"
import { PageInvalidation } from "./PageInvalidation.ts"
import { source } from "./TentRows.ts"
import { fenced, orDefect } from "../kernel/Postgres.ts"

interface SiteRow {
  readonly workspace_id: string
  readonly name: string
  readonly slug: string
  readonly own_host: string | null
  readonly brand: Partial<WorkspaceBrand>
}

interface AddressRow {
  readonly tent_id: string
  readonly alias: string | null
}

interface PageRow extends AddressRow {
  readonly published_html: string
  readonly published_etag: string
}

interface ListedRow extends AddressRow {
  readonly published_at: Date
}

const toSite = ({ workspace_id, name, slug, own_host, brand }: SiteRow): PageSite => ({
  workspaceId: WorkspaceId.make(workspace_id),
  slug,
  ownHost: own_host,
  name: brand.name ?? name,
  primaryColor: brand.primaryColor ?? null,
  logoUrl: brand.logoUrl ?? null,
  iconUrl: brand.iconUrl ?? null,
})

const addressOf = ({ tent_id, alias }: AddressRow): PageAddress =>
  alias !== null && isAlias(alias) ? { by: "alias", alias } : { by: "id", id: TentId.make(tent_id) }

export const layer = Layer.effect(
  PublishedPages,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const invalidation = yield* PageInvalidation
    const within = fenced(sql)
    const from = sql.literal(source)
    return PublishedPages.of({
      version: invalidation.version,
      site: ({ host, slug }) =>
        orDefect(sql<SiteRow>`
          select w.workspace_id, w.name, w.slug, w.brand,
            (select o.host from page_host o where o.workspace_id = w.workspace_id order by o.created_at, o.host limit 1)
              as own_host
          from workspace w
          where (w.workspace_id = (select h.workspace_id from page_host h where h.host = ${host}) or w.slug = ${slug})
            and w.deleted_at is null
          order by w.slug = ${slug} limit 1`).pipe(Effect.map(([row]) => (row === undefined ? null : toSite(row)))),
      getPage: (workspace, address) =>
        within(
          workspace,
          sql<PageRow>`
            select t.tent_id, a.alias, t.published_html, t.published_etag from ${from}
            where ${address.by === "id" ? sql`t.workspace_id = ${workspace} and t.tent_id = ${address.id}` : sql`a.workspace_id = ${workspace} and a.alias = ${address.alias}`}
              and t.publication_status = 'published'`,
        ).pipe(
          Effect.map(([row]) =>
            row === undefined
              ? null
              : {
                  tentId: TentId.make(row.tent_id),
                  address: addressOf(row),
                  html: row.published_html,
                  etag: row.published_etag,
                },
          ),
        ),
      list: (workspace) =>
        within(
          workspace,
          sql<ListedRow>`
            select t.tent_id, a.alias, t.published_at from ${from}
            where t.workspace_id = ${workspace} and t.publication_status = 'published'
            order by t.published_at desc, t.tent_id limit ${listed_pages_max}`,
        ).pipe(
          Effect.map((rows) =>
            rows.map((row) => ({ address: addressOf(row), publishedAt: DateTime.makeUnsafe(row.published_at) })),
          ),
        ),
    })
  }),
)
