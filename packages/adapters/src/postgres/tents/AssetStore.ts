// `AssetStore` on PostgreSQL: files uploaded to tents.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Asset, AssetChange } from "@tentpole/core/tents/assets/Asset"
import { AssetStore } from "@tentpole/core/tents/assets/AssetStore"
import { Effect } from "effect"
import { fromRow, requireRow, type RowOf, toColumns } from "../kernel/Instants.ts"
import { storeLayer } from "../StoreLayer.ts"

const columns = `asset_id as id, tent_id as "tentId", file_name as "fileName", content_type as "contentType",
  size_bytes::float8 as size_bytes, created_at as "createdAt"`

const writeAsset = (sql: PgClient.PgClient, workspace: WorkspaceId, { before, after }: AssetChange) => {
  if (after === null) {
    return sql`delete from tent_asset where workspace_id = ${workspace} and tent_id = ${before?.tentId ?? null}
      and asset_id = ${before?.id ?? null}`
  }
  const { id, ...asset } = after
  return sql`insert into tent_asset ${sql.insert({ workspace_id: workspace, asset_id: id, ...toColumns(asset) })}`
}

export const layer = storeLayer(AssetStore, ({ sql, within, write, writer }) => {
  const all = sql.literal(columns)

  return {
    get: (workspace, tent, id) =>
      within(
        workspace,
        sql<RowOf<Asset>>`select ${all} from tent_asset
          where workspace_id = ${workspace} and tent_id = ${tent} and asset_id = ${id}`,
      ).pipe(Effect.flatMap(requireRow("asset")), Effect.map(fromRow<Asset>)),
    // At most fifty rows, found by a prefix of the primary key.
    ofTent: (workspace, tent) =>
      within(
        workspace,
        sql<RowOf<Asset>>`select ${all} from tent_asset where workspace_id = ${workspace} and tent_id = ${tent}
          order by created_at, asset_id`,
      ).pipe(Effect.map((rows) => rows.map(fromRow<Asset>))),
    apply: (workspace, change) =>
      write(workspace, Effect.andThen(writeAsset(sql, workspace, change), writer.writeEffects(workspace, [change]))),
  }
})
