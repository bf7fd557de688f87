// `ExportStore` on PostgreSQL, and the streams of list members and recipients that exports write.
import type { PgClient } from "@effect/sql-pg"
import { type BlastRecipients, type Export, type ExportSubject, isPending } from "@tentpole/core/exports/Export"
import type { ExportChange } from "@tentpole/core/exports/machine"
import { ExportStore } from "@tentpole/core/exports/ExportStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { ListAudience } from "@tentpole/core/lists/ListStore"
import { Effect } from "effect"
import { categories, recipientColumns, type RecipientRow, toRecipient } from "../blasts/BlastRecipients.ts"
import { contactColumns, type ContactRow, toContact } from "../contacts/ContactRows.ts"
import { readThrough } from "../kernel/Cursor.ts"
import { fromRow, instant, iso, requireRow, type RowOf } from "../kernel/Instants.ts"
import { audienceCondition, withColumns } from "../segments/RuleSql.ts"
import { storeLayer } from "../StoreLayer.ts"

type Sql = PgClient.PgClient

type Common = Pick<Export, "id" | "subject" | "createdAt">

type ExportRow = RowOf<Common> & {
  readonly status: Export["status"]
  readonly fileName: string | null
  readonly rowCount: number | null
  readonly error: string | null
  readonly completedAt: Date | null
}

/** CHECK constraints of the table match the subject: an export is of a list, or of a category of a blast. */
const exportColumns = `x.export_id as id, x.status, x.file_name as "fileName", x.row_count as "rowCount", x.error,
  case when x.blast_id is null then jsonb_build_object('kind', 'list', 'listId', x.list_id, 'excludeUnsubscribed',
    x.exclude_unsubscribed) else jsonb_build_object('kind', 'blast', 'blastId', x.blast_id, 'category', x.category)
  end as subject, x.created_at as "createdAt", x.completed_at as "completedAt"`

const subjectColumns = (subject: ExportSubject) =>
  subject.kind === "list"
    ? { list_id: subject.listId, exclude_unsubscribed: subject.excludeUnsubscribed }
    : { blast_id: subject.blastId, category: subject.category }

const toExport = ({ status, fileName, rowCount, error, completedAt: endedAt, ...row }: ExportRow): Export => {
  const common = fromRow<Common>(row)
  // An ended export has the time and the columns of its end.
  const completedAt = instant(endedAt) ?? common.createdAt
  switch (status) {
    case "queued":
    case "running":
      return { ...common, status }
    case "completed":
      return { ...common, status, fileName: fileName ?? "", rowCount: rowCount ?? 0, completedAt }
    case "failed":
      return { ...common, status, error: error ?? "", completedAt }
  }
}

/** The columns that are written when an export ends. */
const endOf = (it: Export) => ({
  file_name: it.status === "completed" ? it.fileName : null,
  row_count: it.status === "completed" ? it.rowCount : null,
  error: it.status === "failed" ? it.error : null,
  completed_at: isPending(it) ? null : iso(it.completedAt),
})

const write = (sql: Sql, workspace: WorkspaceId, before: Export | null, after: Export) => {
  const end = endOf(after)
  return before === null
    ? sql`
        insert into export ${sql.insert({
          workspace_id: workspace,
          export_id: after.id,
          ...subjectColumns(after.subject),
          status: after.status,
          created_at: iso(after.createdAt),
          ...end,
        })} returning 1`
    : sql`
        update export set status = ${after.status}, file_name = ${end.file_name}::text,
          row_count = ${end.row_count}::int, error = ${end.error}::text, completed_at = ${end.completed_at}::timestamptz
        where workspace_id = ${workspace} and export_id = ${after.id} and status = ${before.status}
        returning 1`
}

const deleteExport = (sql: Sql, workspace: WorkspaceId, { id, status }: Export) => sql`
  delete from export where workspace_id = ${workspace} and export_id = ${id} and status = ${status}
  returning 1`

const apply = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, change: ExportChange) {
  const { before, after } = change
  if (after !== null) return (yield* write(sql, workspace, before, after)).length === 1
  return before !== null && (yield* deleteExport(sql, workspace, before)).length === 1
})

/** The contacts of the list by id: the key's order needs no sort. */
const membersSelected = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { list, fields, now }: ListAudience,
  options: { readonly excludeUnsubscribed: boolean },
) {
  const reading = { fields: yield* withColumns(sql, workspace, fields), now }
  const condition = audienceCondition(sql, workspace, list, reading)
  return sql`
    select ${sql.literal(contactColumns)} from fenced_contact c
    where c.workspace_id = ${workspace} and ${condition}
      ${sql.literal(options.excludeUnsubscribed ? "and not c.unsubscribed" : "")}
    order by c.contact_id`
})

/** Recipients in the order of the index `delivery_of_blast`, which is close to the physical order of the rows. */
const recipientsSelected = (
  sql: Sql,
  workspace: WorkspaceId,
  { blastId, category }: Pick<BlastRecipients, "blastId" | "category">,
) =>
  Effect.succeed(sql`
    select ${sql.literal(recipientColumns)} from delivery d
    where d.workspace_id = ${workspace} and d.blast_id = ${blastId} and ${sql.literal(categories[category])}
    order by d.contact_id`)

export const layer = storeLayer(ExportStore, ({ sql, within, write, long, writer }) => ({
  get: (workspace, id) =>
    within(
      workspace,
      sql<ExportRow>`
        select ${sql.literal(exportColumns)} from export x
        where x.workspace_id = ${workspace} and x.export_id = ${id}
          and (exists (select 1 from list l where l.workspace_id = ${workspace} and l.list_id = x.list_id)
            or exists (select 1 from blast b where b.workspace_id = ${workspace} and b.blast_id = x.blast_id))`,
    ).pipe(Effect.flatMap(requireRow("export")), Effect.map(toExport)),
  lock: (workspace, id) =>
    write(
      workspace,
      sql<ExportRow>`
        select ${sql.literal(exportColumns)} from export x
        where x.workspace_id = ${workspace} and x.export_id = ${id} for update`,
    ).pipe(Effect.flatMap(requireRow("export")), Effect.map(toExport)),
  apply: (workspace, change) =>
    Effect.tap(write(workspace, apply(sql, workspace, change)), (applied) =>
      applied ? writer.writeEffects(workspace, [change]) : Effect.void,
    ),
  members: (workspace, audience, options) =>
    readThrough(
      long,
      workspace,
      (client) => membersSelected(client, workspace, audience, options),
      (row: ContactRow) => toContact(row),
    ),
  recipients: (workspace, wanted) =>
    readThrough(
      long,
      workspace,
      (client) => recipientsSelected(client, workspace, wanted),
      (row: RecipientRow) => toRecipient(row),
    ),
}))
