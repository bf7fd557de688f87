// `BulkStore` on PostgreSQL: bulk jobs of tents. The job, its items and its tents take one statement each, whatever their number.
import type { PgClient } from "@effect/sql-pg"
import type { BulkJobId, TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { SliceQuery } from "@tentpole/core/kernel/Page"
import type {
  AdmittedItem,
  BulkChange,
  BulkJob,
  BulkResult,
  CountedBulkJob,
  RejectedItem,
} from "@tentpole/core/tents/bulk/Bulk"
import { tentStatuses } from "@tentpole/core/tents/Tent"
import { BulkStore } from "@tentpole/core/tents/bulk/BulkStore"
import { Array, Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { fromRow, iso, requireRow, type RowOf } from "../kernel/Instants.ts"
import { newestRows, slicedByAge } from "../kernel/Slices.ts"
import { columns, insertedRow, type Row, source, toTent } from "./TentRows.ts"
import { takeCredits } from "../workspaces/WorkspaceStore.ts"
import { storeLayer } from "../StoreLayer.ts"

const jobColumns = `bulk_job_id as id, template_id as "templateId", auto_publish as "autoPublish", metadata,
  created_at as "createdAt"`

type ItemRow = Omit<AdmittedItem, "status" | "tentId"> & {
  readonly tentId: TentId | null
  readonly code: RejectedItem["code"] | null
  readonly message: string | null
}

const itemColumns = `item_index as index, client_item_id as "clientItemId", tent_name as "tentName",
  custom_page_alias as "customPageAlias", tent_id as "tentId", error_code as code, message`

const toResult = ({ code, message, tentId, ...place }: ItemRow): BulkResult =>
  tentId === null
    ? { ...place, status: "rejected", code: code ?? "INVALID_ITEM", message: message ?? "" }
    : { ...place, status: "accepted", tentId }

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
  yield* takeCredits(sql, workspace, { credits: credits_taken, kind: "tent" })
  const { metadata } = job
  yield* sql`
    insert into bulk_job (workspace_id, bulk_job_id, template_id, auto_publish, metadata, created_at)
    values (${workspace}, ${job.id}, ${job.templateId}, ${job.autoPublish},
      ${metadata === null ? null : JSON.stringify(metadata)}::text::json, ${iso(job.createdAt)})`
  const items: ReadonlyArray<Record<string, unknown>> = job.items.map((item) => itemRow(workspace, job, item))
  if (Array.isReadonlyArrayNonEmpty(items)) yield* sql`insert into bulk_item ${sql.insert(items)}`
  const rows: ReadonlyArray<Record<string, unknown>> = tents.map((tent) =>
    insertedRow(sql, workspace, tent.after, tent),
  )
  if (Array.isReadonlyArrayNonEmpty(rows)) yield* sql`insert into tent ${sql.insert(rows)}`
})

const nothing = { accepted_count: 0, rejected_count: 0, pending: 0, queued: 0, generating: 0, completed: 0, failed: 0 }

type Counted = Omit<CountedBulkJob, "tents"> & CountedBulkJob["tents"]

/** Items of a job are few. Their counts are read for the jobs of the slice only. */
const listBulk = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, query: SliceQuery) {
  const jobs = yield* newestRows<RowOf<Omit<BulkJob, "items">>>(sql, query, {
    columns: jobColumns,
    from: "bulk_job",
    where: sql`workspace_id = ${workspace}`,
    at: "created_at",
    id: "bulk_job_id",
  })
  const counts = yield* sql<Omit<Counted, keyof Omit<BulkJob, "items">> & { readonly id: BulkJobId }>`
    select i.bulk_job_id as id, (count(i.tent_id))::int as accepted_count,
      (count(*) filter (where i.tent_id is null))::int as rejected_count,
      ${sql.literal(tentStatuses.map((each) => `(count(*) filter (where t.status = '${each}'))::int as ${each}`).join(", "))}
    from bulk_item i
    left join tent t on t.workspace_id = ${workspace} and t.tent_id = i.tent_id
    where i.workspace_id = ${workspace} and i.bulk_job_id = any(${texts(jobs.map(({ id }) => id))}::uuid[])
    group by i.bulk_job_id`
  const byId = new Map(counts.map(({ id, ...counted }) => [id, counted]))
  const counted = jobs.map((row): CountedBulkJob => {
    const { accepted_count, rejected_count, ...tents } = byId.get(row.id) ?? nothing
    return { ...fromRow<Omit<BulkJob, "items">>(row), accepted_count, rejected_count, tents }
  })
  return slicedByAge(counted, query.limit)
})

const findBulk = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, id: BulkJobId) {
  const job = yield* Effect.flatMap(
    sql<RowOf<Omit<BulkJob, "items">>>`
      select ${sql.literal(jobColumns)} from bulk_job where workspace_id = ${workspace} and bulk_job_id = ${id}`,
    requireRow("bulk job"),
  )
  const items = yield* sql<ItemRow>`
    select ${sql.literal(itemColumns)} from bulk_item
    where workspace_id = ${workspace} and bulk_job_id = ${id} order by item_index`
  const ids = items.flatMap(({ tentId }) => tentId ?? [])
  const tents = yield* sql<Row>`
    select ${columns(sql, workspace)} from ${source(sql, workspace)}
    where t.workspace_id = ${workspace} and t.tent_id = any(${ids}::uuid[])`
  return { job: { ...fromRow<Omit<BulkJob, "items">>(job), items: items.map(toResult) }, tents: tents.map(toTent) }
})

export const layer = storeLayer(BulkStore, ({ sql, within, write, writer }) => ({
  lockCredits: (workspace) =>
    write(
      workspace,
      sql<{ credits: number }>`select credits from workspace where workspace_id = ${workspace} for no key update`,
    ).pipe(
      Effect.flatMap(requireRow("workspace")),
      Effect.map(({ credits }) => credits),
    ),
  apply: (workspace, change) =>
    write(workspace, Effect.andThen(applyBulk(sql, workspace, change), writer.writeEffects(workspace, [change]))),
  list: (workspace, query) => within(workspace, listBulk(sql, workspace, query)),
  get: (workspace, id) => within(workspace, findBulk(sql, workspace, id)),
}))
