// `ExportStore` on PostgreSQL, and the streams of list members, recipients and consent records that exports write.
import type { PgClient } from "@effect/sql-pg"
import {
  type BlastRecipients,
  type ConsentRecords,
  type Export,
  type ExportSubject,
  isPending,
} from "@tentpole/core/exports/Export"
import type { ExportChange } from "@tentpole/core/exports/machine"
import { type AddressedRecord, ExportStore } from "@tentpole/core/exports/ExportStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { ListAudience } from "@tentpole/core/lists/ListStore"
import { Effect } from "effect"
import { categories, recipientColumns, type RecipientRow, toRecipient } from "../blasts/BlastRecipients.ts"
import { contactColumns, type ContactRow, toContact } from "../contacts/ContactRows.ts"
import { readThrough } from "../kernel/Cursor.ts"
import { fromRow, instant, iso, requireRow, type RowOf } from "../kernel/Instants.ts"
import { audienceCondition, withColumns } from "../segments/RuleSql.ts"
import { storeLayer } from "../StoreLayer.ts"
import { readRecordColumns } from "../topics/ConsentRows.ts"

type Sql = PgClient.PgClient

type Common = Pick<Export, "id" | "createdAt">

type StoredSubject = Exclude<ExportSubject, ConsentRecords> | Pick<ConsentRecords, "kind" | "topicId">

type ExportRow = RowOf<Common> & {
  readonly subject: StoredSubject
  readonly since: Date | null
  readonly until: Date | null
  readonly status: Export["status"]
  readonly fileName: string | null
  readonly rowCount: number | null
  readonly error: string | null
  readonly completedAt: Date | null
}

/** CHECK constraints of the table match the subject: an export is of a list, of a category of a blast, or of consent records. */
const exportColumns = `x.export_id as id, x.status, x.file_name as "fileName", x.row_count as "rowCount", x.error,
  case
    when x.of_consent then jsonb_build_object('kind', 'consent', 'topicId', x.topic_id)
    when x.blast_id is null then
      jsonb_build_object('kind', 'list', 'listId', x.list_id, 'excludeUnsubscribed', x.exclude_unsubscribed)
    else jsonb_build_object('kind', 'blast', 'blastId', x.blast_id, 'category', x.category)
  end as subject, x.since, x.until, x.created_at as "createdAt", x.completed_at as "completedAt"`

const subjectColumns = (subject: ExportSubject) => {
  switch (subject.kind) {
    case "list":
      return { list_id: subject.listId, exclude_unsubscribed: subject.excludeUnsubscribed }
    case "blast":
      return { blast_id: subject.blastId, category: subject.category }
    case "consent":
      return { of_consent: true, topic_id: subject.topicId, since: iso(subject.since), until: iso(subject.until) }
  }
}

const toExport = ({
  completedAt: endedAt,
  error,
  fileName,
  rowCount,
  since,
  status,
  subject: stored,
  until,
  ...row
}: ExportRow): Export => {
  const subject: ExportSubject =
    stored.kind === "consent" ? { ...stored, since: instant(since), until: instant(until) } : stored
  const common = { ...fromRow<Common>(row), subject }
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

/** In the order of the primary key, or of the index of the topic. */
const recordsSelected = (
  sql: Sql,
  workspace: WorkspaceId,
  { since, topicId, until }: Pick<ConsentRecords, "topicId" | "since" | "until">,
) =>
  Effect.succeed(sql`
    select ${sql.literal(readRecordColumns)}, c.email
    from consent_record r
    join contact c on c.workspace_id = ${workspace} and c.contact_id = r.contact_id
    where ${sql.and([
      sql`r.workspace_id = ${workspace}`,
      ...(topicId === null ? [] : [sql`r.topic_id = ${topicId}`]),
      ...(since === null ? [] : [sql`r.at >= ${iso(since)}::timestamptz`]),
      ...(until === null ? [] : [sql`r.at < ${iso(until)}::timestamptz`]),
    ])}
    order by r.consent_record_id`)

export const layer = storeLayer(ExportStore, ({ sql, within, write, long, writer }) => ({
  get: (workspace, id) =>
    within(
      workspace,
      sql<ExportRow>`
        select ${sql.literal(exportColumns)} from export x
        where x.workspace_id = ${workspace} and x.export_id = ${id}
          and (x.of_consent or exists (select 1 from list l where l.workspace_id = ${workspace} and l.list_id = x.list_id)
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
  consentRecords: (workspace, wanted) =>
    readThrough(
      long,
      workspace,
      (client) => recordsSelected(client, workspace, wanted),
      (row: RowOf<AddressedRecord>) => fromRow<AddressedRecord>(row),
    ),
}))
