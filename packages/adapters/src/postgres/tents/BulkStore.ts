// `BulkStore` on PostgreSQL: bulk jobs of tents. The job, its items and its tents take one statement each, whatever their number.
import { PgClient } from "@effect/sql-pg"
import { BulkJobId, TentId, TentTemplateId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import type { BulkChange, BulkJob, BulkResult, RejectedItem } from "@tentpole/core/tents/bulk/Bulk"
import { BulkStore } from "@tentpole/core/tents/bulk/BulkStore"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Array, DateTime, Effect, Layer } from "effect"
import { fenced } from "../kernel/Postgres.ts"
import { columns, insertedRow, type Row, source, toTent } from "./TentRows.ts"
import { takeCredits } from "../workspaces/WorkspaceStore.ts"

interface JobRow {
  readonly bulk_job_id: string
  readonly template_id: string
  readonly auto_publish: boolean
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly created_at: Date
}

interface ItemRow {
  readonly item_index: number
  readonly client_item_id: string | null
  readonly tent_name: string | null
  readonly custom_page_alias: string | null
  readonly tent_id: string | null
  readonly error_code: RejectedItem["code"] | null
  readonly message: string | null
}

const toResult = (row: ItemRow): BulkResult => {
  const place = {
    index: row.item_index,
    clientItemId: row.client_item_id,
    tentName: row.tent_name,
    customPageAlias: row.custom_page_alias,
  }
  return row.tent_id === null
    ? { ...place, status: "rejected", code: row.error_code ?? "INVALID_ITEM", message: row.message ?? "" }
    : { ...place, status: "accepted", tentId: TentId.make(row.tent_id) }
}

const toJob = (row: JobRow, items: ReadonlyArray<ItemRow>): BulkJob => ({
  id: BulkJobId.make(row.bulk_job_id),
  templateId: TentTemplateId.make(row.template_id),
  autoPublish: row.auto_publish,
  metadata: row.metadata,
  items: items.map(toResult),
  createdAt: DateTime.makeUnsafe(row.created_at),
})

const itemRow = (workspace: WorkspaceId, { id }: BulkJob, item: BulkResult) => ({
  workspace_id: workspace,
  bulk_job_id: id,
  item_index: item.index,
  client_item_id: item.clientItemId,
  tent_name: item.tentName,
  custom_page_alias: item.customPageAlias,
  tent_id: item.status === "accepted" ? item.tentId : null,
  error_code: item.status === "rejected" ? item.code : null,
  message: item.status === "rejected" ? item.message : null,
})

const applyBulk = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, change: BulkChange) {
  const { job, tents, credits_taken } = change
  if (credits_taken > 0) yield* takeCredits(sql, workspace, credits_taken)
  const { metadata } = job
  yield* sql`
    insert into bulk_job (workspace_id, bulk_job_id, template_id, auto_publish, metadata, created_at)
    values (${workspace}, ${job.id}, ${job.templateId}, ${job.autoPublish},
      ${metadata === null ? null : JSON.stringify(metadata)}::text::json, ${DateTime.formatIso(job.createdAt)})`
  const items: ReadonlyArray<Record<string, unknown>> = job.items.map((item) => itemRow(workspace, job, item))
  if (Array.isReadonlyArrayNonEmpty(items)) yield* sql`insert into bulk_item ${sql.insert(items)}`
  const rows: ReadonlyArray<Record<string, unknown>> = tents.map((tent) =>
    insertedRow(sql, workspace, tent.after, tent),
  )
  if (Array.isReadonlyArrayNonEmpty(rows)) yield* sql`insert into tent ${sql.insert(rows)}`
})

const findBulk = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, id: BulkJobId) {
  const [job] = yield* sql<JobRow>`
    select bulk_job_id, template_id, auto_publish, metadata, created_at from bulk_job
    where workspace_id = ${workspace} and bulk_job_id = ${id}`
  if (job === undefined) return yield* new NotFound({ resource: "bulk job" })
  const items = yield* sql<ItemRow>`
    select item_index, client_item_id, tent_name, custom_page_alias, tent_id, error_code, message from bulk_item
    where workspace_id = ${workspace} and bulk_job_id = ${id} order by item_index`
  const ids = items.flatMap(({ tent_id }) => tent_id ?? [])
  const tents = yield* sql<Row>`
    select ${sql.literal(columns)} from ${sql.literal(source)}
    where t.workspace_id = ${workspace} and t.tent_id = any(${ids}::uuid[])`
  return { job: toJob(job, items), tents: tents.map(toTent) }
})

export const layer = Layer.effect(
  BulkStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const writer = yield* ChangeWriter
    const within = fenced(sql)
    return BulkStore.of({
      lockCredits: (workspace) =>
        Effect.gen(function* () {
          yield* Transaction
          const [row] = yield* within(
            workspace,
            sql<{ credits: number }>`select credits from workspace where workspace_id = ${workspace} for no key update`,
          )
          return row === undefined ? yield* new NotFound({ resource: "workspace" }) : row.credits
        }),
      apply: (workspace, change) =>
        Effect.gen(function* () {
          yield* Transaction
          yield* within(workspace, applyBulk(sql, workspace, change))
          yield* writer.writeEffects(workspace, [change])
        }),
      get: (workspace, id) => within(workspace, findBulk(sql, workspace, id)),
    })
  }),
)
