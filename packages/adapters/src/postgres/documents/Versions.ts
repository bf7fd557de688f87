// Listings of versions on PostgreSQL, of documents and of pages: without reading the HTML.
import type { PgClient } from "@effect/sql-pg"
import { type ContentVersion, versionCursor } from "@tentpole/core/documents/Versions"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Cursor, sliced } from "@tentpole/core/kernel/Page"
import { Effect } from "effect"
import { fromRow, type RowOf } from "../kernel/Instants.ts"

/** The newest first, in the caller's fence. `key` is the column of the owner's id. */
export const versionsOf = <Version extends ContentVersion>(
  sql: PgClient.PgClient,
  { key, table }: { readonly table: string; readonly key: string },
  workspace: WorkspaceId,
  id: string,
  { after, limit }: { readonly after: Cursor | null; readonly limit: number },
) =>
  Effect.map(
    sql<RowOf<Version>>`
      select version, made_by as "madeBy", by_name as "byName", octet_length(html) as size_bytes,
        created_at as "createdAt"
      from ${sql(table)} where workspace_id = ${workspace} and ${sql(key)} = ${id}
        and (${after === null} or version < ${Number(after?.id ?? 0)})
      order by version desc limit ${limit + 1}`,
    (rows) => sliced(rows.map(fromRow<Version>), limit, versionCursor),
  )
