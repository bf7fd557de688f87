// `PublishedPages` on PostgreSQL: published pages for the page server.
import { PgClient } from "@effect/sql-pg"
import type { TentId } from "@tentpole/core/kernel/Ids"
import { isAlias } from "@tentpole/core/tents/Alias"
import type { PageAddress } from "@tentpole/core/tents/pages/PageAddress"
import {
  listed_pages_max,
  type ListedPage,
  type PageSite,
  type PublishedPage,
  PublishedPages,
} from "@tentpole/core/tents/pages/PublishedPages"
import { DateTime, Effect, Layer } from "effect"
import { PageInvalidation } from "./PageInvalidation.ts"
import { source } from "./TentRows.ts"
import type { RowOf } from "../kernel/Instants.ts"
import { Reads } from "../kernel/Postgres.ts"

interface AddressRow {
  readonly tentId: TentId
  readonly alias: string | null
}

const addressOf = ({ tentId, alias }: AddressRow): PageAddress =>
  alias !== null && isAlias(alias) ? { by: "alias", alias } : { by: "id", id: tentId }

export const layer = Layer.effect(
  PublishedPages,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const invalidation = yield* PageInvalidation
    const { unfenced, within } = yield* Reads
    return PublishedPages.of({
      version: invalidation.version,
      site: ({ host, slug }) =>
        unfenced(
          (reader) => reader<PageSite>`
          select w.workspace_id as "workspaceId", w.slug, w.brand ->> 'name' as name,
            w.brand ->> 'primaryColor' as "primaryColor", w.brand ->> 'logoUrl' as "logoUrl",
            w.brand ->> 'iconUrl' as "iconUrl",
            (select o.host from page_host o where o.workspace_id = w.workspace_id order by o.created_at, o.host limit 1)
              as "ownHost"
          from workspace w
          where (w.workspace_id = (select h.workspace_id from page_host h where h.host = ${host}) or w.slug = ${slug})
            and w.deleted_at is null
          order by w.slug = ${slug} limit 1`,
        ).pipe(Effect.map(([row]) => row ?? null)),
      getPage: (workspace, address) =>
        within(
          workspace,
          sql<AddressRow & Pick<PublishedPage, "html" | "etag">>`
            select t.tent_id as "tentId", a.alias, t.published_html as html, t.published_etag as etag from ${source(sql, workspace)}
            where t.workspace_id = ${workspace}
              and ${address.by === "id" ? sql`t.tent_id = ${address.id}` : sql`a.alias = ${address.alias}`}
              and t.publication_status = 'published'`,
        ).pipe(
          Effect.map(([row]) =>
            row === undefined ? null : { tentId: row.tentId, address: addressOf(row), html: row.html, etag: row.etag },
          ),
        ),
      list: (workspace) =>
        within(
          workspace,
          sql<AddressRow & RowOf<Pick<ListedPage, "publishedAt">>>`
            select t.tent_id as "tentId", a.alias, t.published_at as "publishedAt" from ${source(sql, workspace)}
            where t.workspace_id = ${workspace} and t.publication_status = 'published'
            order by t.published_at desc, t.tent_id limit ${listed_pages_max}`,
        ).pipe(
          Effect.map((rows) =>
            rows.map((row) => ({ address: addressOf(row), publishedAt: DateTime.makeUnsafe(row.publishedAt) })),
          ),
        ),
    })
  }),
)
