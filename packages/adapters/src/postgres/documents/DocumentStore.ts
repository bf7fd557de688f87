// The stores of emails, email templates and tent templates on PostgreSQL. Their tables have the same shape, and a few columns of
// their own.
import { PgClient } from "@effect/sql-pg"
import {
  type ApprovedContent,
  type Document,
  type DocumentTypes,
  type PlainTextOverride,
  statusOf,
  type IdOf,
} from "@tentpole/core/documents/Document"
import type { MailHeader } from "@tentpole/core/documents/EmailFields"
import type { DocumentQuery, DocumentStore } from "@tentpole/core/documents/DocumentStore"
import type { GenerationStatus } from "@tentpole/core/documents/Generation"
import type { DocumentChange } from "@tentpole/core/documents/machine"
import type { ActorName } from "@tentpole/core/kernel/changes/Actor"
import type { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import type { ApprovalId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"
import { deleteGenerations, findGeneration, generationsOf, latestGeneration, writeGeneration } from "./Generations.ts"
import { versionsOf } from "./Versions.ts"
import { fromRow, iso, requireRow, type RowOf } from "../kernel/Instants.ts"
import { fencedWrites, type Reads } from "../kernel/Postgres.ts"
import { slicedByAge } from "../kernel/Slices.ts"
import { takeCredits } from "../workspaces/WorkspaceStore.ts"

type Sql = PgClient.PgClient
type Values = Readonly<Record<string, string | number | null>>

interface DocumentRow {
  readonly id: string
  readonly name: string
  readonly current_version: number
  readonly approved_version: number | null
  readonly approval_id: ApprovalId | null
  readonly approved_by: ActorName | null
  readonly generation_status: GenerationStatus | null
  readonly generated_by: string | null
  readonly created_by_name: string
  readonly edited_by: ActorName
  readonly created_at: Date
  readonly updated_at: Date
}

type ApprovalRow = RowOf<ApprovedContent> & { readonly id: string }

/** The tables of a document kind, and the columns that it has besides the shared ones. */
export interface DocumentTables<T extends DocumentTypes, Own extends object, OwnApproved extends object> {
  readonly table: "email" | "email_template" | "tent_template"
  readonly key: "email_id" | "template_id"
  readonly ownColumns: ReadonlyArray<keyof Own & string>
  readonly approvedColumns: ReadonlyArray<keyof OwnApproved & string>
  /** A column that is only read. */
  readonly derivedColumn?: (sql: Sql, workspace: WorkspaceId) => Statement.Fragment
  readonly toDocument: (
    shared: Omit<Document, "id" | "plainText">,
    row: Own & { readonly id: string; readonly approved_header?: MailHeader | null },
  ) => T["document"]
  readonly ofDocument: (document: T["document"]) => Readonly<Record<keyof Own, string | number | null>>
  readonly toApproved: (shared: ApprovedContent, row: OwnApproved & { readonly id: string }) => T["approved"]
  readonly ofApproved: (approved: T["approved"]) => Values
  readonly uses: (sql: Sql, workspace: WorkspaceId, id: IdOf<T>) => Effect.Effect<T["uses"], SqlError.SqlError>
}

/** The columns of a custom plain text. A CHECK constraint sets them together. */
export interface PlainTextRow {
  readonly plain_text: string | null
  readonly plain_text_overridden_at: Date | null
  readonly plain_text_overridden_version: number | null
}

export const plainTextColumns = [
  "plain_text",
  "plain_text_overridden_at",
  "plain_text_overridden_version",
] as const satisfies ReadonlyArray<keyof PlainTextRow>

export const toPlainText = (row: PlainTextRow): PlainTextOverride | null =>
  row.plain_text === null || row.plain_text_overridden_at === null || row.plain_text_overridden_version === null
    ? null
    : {
        text: row.plain_text,
        at: DateTime.makeUnsafe(row.plain_text_overridden_at),
        version: row.plain_text_overridden_version,
      }

export const fromPlainText = (override: PlainTextOverride | null) => ({
  plain_text: override?.text ?? null,
  plain_text_overridden_at: iso(override?.at ?? null),
  plain_text_overridden_version: override?.version ?? null,
})

const toShared = (row: DocumentRow) => ({
  name: row.name,
  currentVersion: row.current_version,
  approval:
    row.approval_id === null || row.approved_version === null || row.approved_by === null
      ? null
      : { id: row.approval_id, version: row.approved_version, by: row.approved_by },
  generationStatus: row.generation_status,
  generatedBy: row.generated_by,
  createdByName: row.created_by_name,
  editedBy: row.edited_by,
  createdAt: DateTime.makeUnsafe(row.created_at),
  updatedAt: DateTime.makeUnsafe(row.updated_at),
})

const fromShared = (document: Document) => ({
  name: document.name,
  name_folded: fold(document.name),
  status: statusOf(document),
  current_version: document.currentVersion,
  approved_version: document.approval?.version ?? null,
  approval_id: document.approval?.id ?? null,
  approved_by: document.approval?.by ?? null,
  edited_by: document.editedBy,
  generated_by: document.generatedBy,
  updated_at: iso(document.updatedAt),
})

/** Writes changes in the caller's transaction. Changes of other rooms may contain one. */
export const documentWriter = <T extends DocumentTypes, Own extends object, OwnApproved extends object>(
  sql: Sql,
  writer: ChangeWriter["Service"],
  tables: DocumentTables<T, Own, OwnApproved>,
) => {
  const table = sql(tables.table)
  const key = sql(tables.key)

  const insert = (workspace: WorkspaceId, after: T["document"], basis: string | null) => sql`
    insert into ${table} ${sql.insert({
      workspace_id: workspace,
      [tables.key]: after.id,
      ...fromShared(after),
      ...tables.ofDocument(after),
      ...(basis === null ? {} : { basis }),
      created_by_name: after.createdByName,
      created_at: iso(after.createdAt),
    })} returning 1`

  const write = (workspace: WorkspaceId, before: T["document"], after: T["document"] | null) => {
    const unchanged = sql`workspace_id = ${workspace} and ${key} = ${before.id}
      and current_version = ${before.currentVersion}
      and approval_id is not distinct from ${before.approval?.id ?? null}::uuid`
    if (after === null) return sql`delete from ${table} where ${unchanged} returning 1`
    // The first version replaces the basis.
    const basis = tables.key === "email_id" && before.currentVersion === 0 && after.currentVersion > 0
    const columns = { ...fromShared(after), ...tables.ofDocument(after), ...(basis ? { basis: null } : {}) }
    return sql`update ${table} set ${sql.update(columns)} where ${unchanged} returning 1`
  }

  /** A new version if it has an author, else other HTML for the current one. */
  const writeHtml = (
    workspace: WorkspaceId,
    { id, currentVersion, updatedAt }: T["document"],
    html: string,
    { author, design }: Pick<DocumentChange<T>, "author" | "design">,
  ) =>
    author === null
      ? sql`
          update ${sql(`${tables.table}_version`)} set html = ${html}
          where workspace_id = ${workspace} and ${key} = ${id} and version = ${currentVersion}`
      : sql`
          insert into ${sql(`${tables.table}_version`)} ${sql.insert({
            workspace_id: workspace,
            [tables.key]: id,
            version: currentVersion,
            html,
            design,
            made_by: author.madeBy,
            by_name: author.byName,
            created_at: iso(updatedAt),
          })}`

  const writeApproval = (workspace: WorkspaceId, id: string, approved: T["approved"]) => sql`
    insert into ${sql(`${tables.table}_approval`)} ${sql.insert({
      workspace_id: workspace,
      [tables.key]: id,
      approval_id: approved.approvalId,
      version: approved.version,
      html: approved.html,
      approved_at: iso(approved.approvedAt),
      ...tables.ofApproved(approved),
    })}`

  const apply = Effect.fnUntraced(function* (workspace: WorkspaceId, change: DocumentChange<T>) {
    yield* Transaction
    const { before, after, html, approved, generation, basis, credits_taken } = change
    // A foreign key deletes the versions.
    const written =
      before !== null
        ? yield* write(workspace, before, after)
        : after === null
          ? []
          : yield* insert(workspace, after, basis)
    if (written.length !== 1) {
      return yield* Effect.die(`the ${tables.table} is not what the change was decided on: lock it first`)
    }
    yield* takeCredits(sql, workspace, { credits: credits_taken, kind: tables.table })
    if (after === null) return yield* deleteGenerations(sql, workspace, before?.id ?? "")
    if (html !== null) yield* writeHtml(workspace, after, html, change)
    if (approved !== null) yield* writeApproval(workspace, after.id, approved)
    if (generation !== null) yield* writeGeneration(sql, workspace, after.id, generation)
    yield* writer.writeEffects(workspace, [change])
  })
  return (workspace: WorkspaceId, change: DocumentChange<T>) => fencedWrites(sql)(workspace, apply(workspace, change))
}

const conditionsOf = (sql: Sql, key: string, workspace: WorkspaceId, { status, search, after }: DocumentQuery) => {
  const conditions = [sql`t.workspace_id = ${workspace}`]
  if (status !== null) conditions.push(sql`t.status = ${status}`)
  if (search !== null) conditions.push(sql`strpos(t.name_folded, ${fold(search)}) > 0`)
  if (after !== null) {
    const at = DateTime.formatIso(DateTime.makeUnsafe(after.at))
    conditions.push(sql`t.created_at <= ${at}::timestamptz
      and (t.created_at < ${at}::timestamptz or t.${sql(key)} > ${after.id}::uuid)`)
  }
  return sql.and(conditions)
}

export const documentStore = <T extends DocumentTypes, Own extends object, OwnApproved extends object>(
  sql: Sql,
  { within }: Reads["Service"],
  writer: ChangeWriter["Service"],
  tables: DocumentTables<T, Own, OwnApproved>,
): DocumentStore<T> => {
  type Row = DocumentRow & Own
  const noun = tables.table.replace("_", " ")
  const [table, key, versions] = [sql(tables.table), sql(tables.key), sql(`${tables.table}_version`)]
  const shared = ["name", "current_version", "approved_version", "approval_id", "approved_by", "generated_by"]
  const stamps = ["created_by_name", "edited_by", "created_at", "updated_at"]
  // The index `generation_document` finds the latest generation.
  const columns = (workspace: WorkspaceId) => sql`t.${key} as id,
    ${sql.literal([...shared, ...stamps, ...tables.ownColumns].map((column) => `t.${column}`).join(", "))}
    ${tables.derivedColumn?.(sql, workspace) ?? sql.literal("")}, (
      select g.status from generation g where g.workspace_id = ${workspace} and g.document_id = t.${key}
      order by g.created_at desc, g.generation_id desc limit 1
    ) as generation_status`
  const approvedColumns = [
    'approval_id as "approvalId"',
    `${tables.key} as id`,
    "version",
    "html",
    'approved_at as "approvedAt"',
  ]
  const currentVersion = (workspace: WorkspaceId) => sql`left join ${versions} v
    on v.workspace_id = ${workspace} and v.${key} = t.${key} and v.version = t.current_version`
  const basis = tables.key === "email_id" ? sql.literal("coalesce(v.html, t.basis)") : sql.literal("v.html")
  const toDocument = (row: Row): T["document"] => tables.toDocument(toShared(row), row)

  const first = <Found>(
    workspace: WorkspaceId,
    rows: Effect.Effect<ReadonlyArray<Found>, SqlError.SqlError>,
    resource = noun,
  ) => Effect.flatMap(within(workspace, rows), requireRow(resource))

  const current = (workspace: WorkspaceId, id: IdOf<T>) =>
    Effect.map(
      first(
        workspace,
        sql<Row & { readonly html: string | null }>`
          select ${columns(workspace)}, v.html from ${table} t ${currentVersion(workspace)}
          where t.workspace_id = ${workspace} and t.${key} = ${id}`,
      ),
      (row) => ({ document: toDocument(row), html: row.html }),
    )

  return {
    current,
    get: (workspace, id) =>
      Effect.map(
        first(
          workspace,
          sql<Row>`
            select ${columns(workspace)} from ${table} t where t.workspace_id = ${workspace} and t.${key} = ${id}`,
        ),
        toDocument,
      ),
    // The lock is a separate statement: the waiting statement itself would not see HTML that was committed meanwhile.
    lock: Effect.fnUntraced(function* (workspace, id) {
      yield* Transaction
      yield* within(
        workspace,
        sql`select 1 from ${table} where workspace_id = ${workspace} and ${key} = ${id} for update`,
      )
      const locked = yield* current(workspace, id)
      return { ...locked, generation: yield* within(workspace, latestGeneration(sql, workspace, id)) }
    }),
    versions: (workspace, id, query) =>
      within(workspace, versionsOf(sql, { table: `${tables.table}_version`, key: tables.key }, workspace, id, query)),
    generation: (workspace, id, of) => within(workspace, findGeneration(sql, workspace, id, of)),
    generations: (workspace, id, query) => within(workspace, generationsOf(sql, workspace, id, query)),
    basis: (workspace, id) =>
      Effect.map(
        first(
          workspace,
          sql<{ readonly html: string | null }>`
            select ${basis} as html from ${table} t ${currentVersion(workspace)}
            where t.workspace_id = ${workspace} and t.${key} = ${id}`,
        ),
        ({ html }) => html,
      ),
    html: (workspace, id, version) =>
      Effect.map(
        first(
          workspace,
          sql<{ readonly html: string }>`
            select html from ${versions} where workspace_id = ${workspace} and ${key} = ${id} and version = ${version}`,
          `${noun} version`,
        ),
        ({ html }) => html,
      ),
    design: (workspace, id, version) =>
      Effect.map(
        first(
          workspace,
          sql<{ readonly design: string | null }>`
            select design from ${versions} where workspace_id = ${workspace} and ${key} = ${id} and version = ${version}`,
          `${noun} version`,
        ),
        ({ design }) => design,
      ),
    list: (workspace, query) =>
      // One more than requested shows whether there is a next page.
      Effect.map(
        within(
          workspace,
          sql<Row>`
            select ${columns(workspace)} from ${table} t where ${conditionsOf(sql, tables.key, workspace, query)}
            order by t.created_at desc, t.${key} limit ${query.limit + 1}`,
        ),
        (rows) => slicedByAge(rows.map(toDocument), query.limit),
      ),
    approval: (workspace, id) =>
      Effect.map(
        first(
          workspace,
          sql<ApprovalRow & OwnApproved>`
            select ${sql.literal([...approvedColumns, ...tables.approvedColumns].join(", "))}
            from ${sql(`${tables.table}_approval`)} where workspace_id = ${workspace} and approval_id = ${id}`,
          `approved ${noun}`,
        ),
        (row) => {
          const { approvalId, approvedAt, html, version } = row
          return tables.toApproved(fromRow<ApprovedContent>({ approvalId, version, html, approvedAt }), row)
        },
      ),
    uses: (workspace, id) => within(workspace, tables.uses(sql, workspace, id)),
    apply: documentWriter(sql, writer, tables),
  }
}
