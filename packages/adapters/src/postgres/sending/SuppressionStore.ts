// `SuppressionStore` on PostgreSQL.
import { SuppressionStore, type SuppressionQuery } from "@tentpole/core/sending/SuppressionStore"
import type { Suppression } from "@tentpole/core/sending/Suppression"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { sliced } from "@tentpole/core/kernel/Page"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { fromRow, requireRow, type RowOf } from "../kernel/Instants.ts"
import { newestRows } from "../kernel/Slices.ts"
import { storeLayer } from "../StoreLayer.ts"
import { suppress } from "./Suppressions.ts"

const columns = `email_normalized as email, reason, created_at as "createdAt"`

const suppressAddress = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, it: Suppression) {
  yield* suppress(sql, workspace, [it])
  const [row] = yield* sql<RowOf<Suppression>>`
    select ${sql.literal(columns)} from suppression
    where workspace_id = ${workspace} and email_normalized = ${it.email}`
  return row === undefined ? it : fromRow<Suppression>(row)
})

const slice = (sql: PgClient.PgClient, workspace: WorkspaceId, { reason, search, ...query }: SuppressionQuery) =>
  newestRows<RowOf<Suppression>>(sql, query, {
    columns,
    from: "suppression",
    where: sql`workspace_id = ${workspace} and (${reason}::text is null or reason = ${reason})
      and (${search}::text is null or strpos(email_normalized, ${search}) > 0)`,
    at: "created_at",
    id: 'email_normalized collate "C"',
  })

export const layer = storeLayer(SuppressionStore, ({ sql, quick, write }) => ({
  list: (workspace, query) =>
    quick
      .read(workspace, (client) => slice(client, workspace, query))
      .pipe(
        Effect.map((rows) =>
          sliced(rows.map(fromRow<Suppression>), query.limit, ({ createdAt, email }) => ({
            at: createdAt.epochMilliseconds,
            id: email,
          })),
        ),
      ),
  get: (workspace, email) =>
    quick
      .read(
        workspace,
        (client) => client<RowOf<Suppression>>`
          select ${client.literal(columns)} from suppression
          where workspace_id = ${workspace} and email_normalized = ${email}`,
      )
      .pipe(Effect.flatMap(requireRow("suppression")), Effect.map(fromRow<Suppression>)),
  lock: (workspace, emails) =>
    emails.length === 0
      ? Effect.succeed([])
      : write(
          workspace,
          sql<RowOf<Suppression>>`
            select ${sql.literal(columns)} from suppression
            where workspace_id = ${workspace} and email_normalized = any(${texts(emails)}::text[])
            order by email_normalized for update`,
        ).pipe(Effect.map((rows) => rows.map(fromRow<Suppression>))),
  suppress: (workspace, it) => write(workspace, suppressAddress(sql, workspace, it)),
  unsuppress: (workspace, email) =>
    write(
      workspace,
      sql<RowOf<Suppression>>`
        delete from suppression where workspace_id = ${workspace} and email_normalized = ${email}
        returning ${sql.literal(columns)}`,
    ).pipe(Effect.flatMap(requireRow("suppression")), Effect.map(fromRow<Suppression>)),
}))
