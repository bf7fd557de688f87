// `AssetStore` on PostgreSQL: files uploaded to tents.
import { PgClient } from "@effect/sql-pg"
import { AssetId, TentId } from "@tentpole/core/kernel/Ids"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import type { Asset } from "@tentpole/core/tents/assets/Asset"
import { AssetStore } from "@tentpole/core/tents/assets/AssetStore"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { fenced } from "../kernel/Postgres.ts"

interface Row {
  readonly asset_id: string
  readonly tent_id: string
  readonly file_name: string
  readonly content_type: string
  readonly size_bytes: bigint
  readonly created_at: Date
}

const toAsset = (row: Row): Asset => ({
  id: AssetId.make(row.asset_id),
  tentId: TentId.make(row.tent_id),
  fileName: row.file_name,
  contentType: row.content_type,
  size_bytes: Number(row.size_bytes),
  createdAt: DateTime.makeUnsafe(row.created_at),
})

const rowOf = (asset: Asset) => ({
  asset_id: asset.id,
  tent_id: asset.tentId,
  file_name: asset.fileName,
  content_type: asset.contentType,
  size_bytes: asset.size_bytes,
  created_at: DateTime.formatIso(asset.createdAt),
})

const columns = "asset_id, tent_id, file_name, content_type, size_bytes, created_at"

export const layer = Layer.effect(
  AssetStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const writer = yield* ChangeWriter
    const within = fenced(sql)
    const all = sql.literal(columns)

    return AssetStore.of({
      get: (workspace, tent, id) =>
        within(
          workspace,
          sql<Row>`select ${all} from tent_asset
            where workspace_id = ${workspace} and tent_id = ${tent} and asset_id = ${id}`,
        ).pipe(
          Effect.flatMap(([row]) =>
            row === undefined ? Effect.fail(new NotFound({ resource: "asset" })) : Effect.succeed(toAsset(row)),
          ),
        ),
      // At most fifty rows, found by a prefix of the primary key.
      ofTent: (workspace, tent) =>
        within(
          workspace,
          sql<Row>`select ${all} from tent_asset where workspace_id = ${workspace} and tent_id = ${tent}
            order by created_at, asset_id`,
        ).pipe(Effect.map((rows) => rows.map(toAsset))),
      apply: (workspace, change) =>
        Effect.gen(function* () {
          yield* Transaction
          const { before, after } = change
          const statement =
            after === null
              ? sql`delete from tent_asset where workspace_id = ${workspace} and tent_id = ${before?.tentId ?? null}
                  and asset_id = ${before?.id ?? null}`
              : sql`insert into tent_asset ${sql.insert({ workspace_id: workspace, ...rowOf(after) })}`
          yield* within(workspace, statement)
          yield* writer.writeEffects(workspace, [change])
        }),
    })
  }),
)
