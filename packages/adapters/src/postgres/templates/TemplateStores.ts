// Templates of emails and of tents on PostgreSQL: the two kinds have tables of the same shape, and what only one of them
// holds stands in columns of its own.
import { statusOf } from "@tentpole/core/documents/Approval"
import { PgClient } from "@effect/sql-pg"
import {
  ApprovalId,
  EmailId,
  EmailTemplateId,
  TentId,
  TentTemplateId,
  type WorkspaceId,
} from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import type {
  ApprovedTemplate,
  Kinds,
  ShownTemplate,
  Template,
  TemplateKind,
  TemplateMail,
} from "@tentpole/core/templates/Template"
import { TemplateChange } from "@tentpole/core/templates/TemplateChange"
import {
  EmailTemplateStore,
  type TemplateQuery,
  type TemplateStoreOf,
  TentTemplateStore,
} from "@tentpole/core/templates/TemplateStore"
import { fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { flowsUsingTemplate } from "../flows/FlowUses.ts"
import { findGeneration, forgetGenerations, latestGenerations, writeGeneration } from "../documents/Generations.ts"
import { fenced } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

interface MailRow {
  readonly default_subject: string | null
  readonly default_preview_text: string | null
  readonly default_from_name: string | null
  readonly default_from_address: string | null
  readonly default_reply_to_email: string | null
  readonly plain_text: string | null
  readonly plain_text_overridden_at: Date | null
  readonly plain_text_overridden_version: number | null
}

interface TemplateRow {
  readonly template_id: string
  readonly name: string
  readonly source_id: string | null
  readonly current_version: number
  readonly approved_version: number | null
  readonly approval_id: string | null
  readonly created_by_name: string
  readonly created_at: Date
  readonly updated_at: Date
}

interface ApprovalRow {
  readonly approval_id: string
  readonly template_id: string
  readonly version: number
  readonly html: string
  readonly approved_at: Date
}

/** The tables of a kind, and what its rows hold that the other kind's do not. */
interface Tables<Kind extends TemplateKind, Own extends object> {
  readonly table: "email_template" | "tent_template"
  readonly sourceColumn: "source_email_id" | "source_tent_id"
  /** As a refusal names one. */
  readonly noun: string
  readonly ownColumns: ReadonlyArray<keyof Own & string>
  readonly toId: (uuid: string) => Kinds[Kind]["id"]
  readonly toSourceId: (uuid: string) => Kinds[Kind]["sourceId"]
  readonly toMail: (row: Own) => Kinds[Kind]["mail"]
  readonly ofMail: (mail: Kinds[Kind]["mail"]) => Readonly<Record<keyof Own, string | number | null>>
}

const emailTemplates: Tables<"email", MailRow> = {
  table: "email_template",
  sourceColumn: "source_email_id",
  noun: "email template",
  ownColumns: [
    "default_subject",
    "default_preview_text",
    "default_from_name",
    "default_from_address",
    "default_reply_to_email",
    "plain_text",
    "plain_text_overridden_at",
    "plain_text_overridden_version",
  ],
  toId: (uuid) => EmailTemplateId.make(uuid),
  toSourceId: (uuid) => EmailId.make(uuid),
  toMail: (row) => ({
    defaults: {
      subject: row.default_subject,
      previewText: row.default_preview_text,
      fromName: row.default_from_name,
      fromAddress: row.default_from_address,
      replyToEmail: row.default_reply_to_email,
    },
    plainText: toPlainText(row),
  }),
  ofMail: ({ defaults, plainText }) => ({
    default_subject: defaults.subject,
    default_preview_text: defaults.previewText,
    default_from_name: defaults.fromName,
    default_from_address: defaults.fromAddress,
    default_reply_to_email: defaults.replyToEmail,
    plain_text: plainText?.text ?? null,
    plain_text_overridden_at: plainText === null ? null : DateTime.formatIso(plainText.at),
    plain_text_overridden_version: plainText?.version ?? null,
  }),
}

/** Set together: a CHECK says so. */
const toPlainText = (row: MailRow): TemplateMail["plainText"] =>
  row.plain_text === null || row.plain_text_overridden_at === null || row.plain_text_overridden_version === null
    ? null
    : {
        text: row.plain_text,
        at: DateTime.makeUnsafe(row.plain_text_overridden_at),
        version: row.plain_text_overridden_version,
      }

const tentTemplates: Tables<"tent", object> = {
  table: "tent_template",
  sourceColumn: "source_tent_id",
  noun: "tent template",
  ownColumns: [],
  toId: (uuid) => TentTemplateId.make(uuid),
  toSourceId: (uuid) => TentId.make(uuid),
  toMail: () => null,
  ofMail: () => ({}),
}

const first = <Row>(rows: ReadonlyArray<Row>, resource: string): Effect.Effect<Row, NotFound> =>
  rows[0] === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(rows[0])

/** Rows to templates, and templates to rows. */
const rowsOf = <Kind extends TemplateKind, Own extends object>(tables: Tables<Kind, Own>) => {
  const shared = ["template_id", "name", `${tables.sourceColumn} as source_id`, "current_version", "approved_version"]
  const rest = ["approval_id", "created_by_name", "created_at", "updated_at"]
  return {
    columns: [...shared, ...rest, ...tables.ownColumns].map((column) => `t.${column}`).join(", "),
    approvalColumns: ["approval_id", "template_id", "version", "html", "approved_at", ...tables.ownColumns].join(", "),
    toTemplate: (row: TemplateRow & Own): Template<Kind> => ({
      id: tables.toId(row.template_id),
      name: row.name,
      sourceId: row.source_id === null ? null : tables.toSourceId(row.source_id),
      mail: tables.toMail(row),
      currentVersion: row.current_version,
      approval:
        row.approval_id === null || row.approved_version === null
          ? null
          : { id: ApprovalId.make(row.approval_id), version: row.approved_version },
      createdByName: row.created_by_name,
      createdAt: DateTime.makeUnsafe(row.created_at),
      updatedAt: DateTime.makeUnsafe(row.updated_at),
    }),
    toApproved: (row: ApprovalRow & Own): ApprovedTemplate<Kind> => ({
      approvalId: ApprovalId.make(row.approval_id),
      templateId: tables.toId(row.template_id),
      version: row.version,
      html: row.html,
      mail: tables.toMail(row),
      approvedAt: DateTime.makeUnsafe(row.approved_at),
    }),
    ofTemplate: (template: Template<Kind>) => ({
      name: template.name,
      name_folded: fold(template.name),
      status: statusOf(template),
      current_version: template.currentVersion,
      approved_version: template.approval?.version ?? null,
      approval_id: template.approval?.id ?? null,
      updated_at: DateTime.formatIso(template.updatedAt),
      ...tables.ofMail(template.mail),
    }),
    ofApproved: (approved: ApprovedTemplate<Kind>) => ({
      approval_id: approved.approvalId,
      template_id: approved.templateId,
      version: approved.version,
      html: approved.html,
      approved_at: DateTime.formatIso(approved.approvedAt),
      ...tables.ofMail(approved.mail),
    }),
  }
}

const writerOf = <Kind extends TemplateKind, Own extends object>(sql: Sql, tables: Tables<Kind, Own>) => {
  const { ofTemplate, ofApproved } = rowsOf(tables)
  const table = sql(tables.table)
  const insert = (workspace: WorkspaceId, after: Template<Kind>) => sql`
    insert into ${table} ${sql.insert({
      workspace_id: workspace,
      template_id: after.id,
      ...ofTemplate(after),
      [tables.sourceColumn]: after.sourceId,
      created_by_name: after.createdByName,
      created_at: DateTime.formatIso(after.createdAt),
    })} returning 1`
  const writeTemplate = (workspace: WorkspaceId, before: Template<Kind>, after: Template<Kind> | null) => {
    const unchanged = sql`workspace_id = ${workspace} and template_id = ${before.id}
      and current_version = ${before.currentVersion} and approval_id is not distinct from ${before.approval?.id ?? null}::uuid`
    return after === null
      ? sql`delete from ${table} where ${unchanged} returning 1`
      : sql`update ${table} set ${sql.update(ofTemplate(after))} where ${unchanged} returning 1`
  }
  const writeHtml = (workspace: WorkspaceId, { id, currentVersion, updatedAt }: Template<Kind>, html: string) => sql`
    insert into ${sql(`${tables.table}_version`)} (workspace_id, template_id, version, html, created_at)
    values (${workspace}, ${id}, ${currentVersion}, ${html}, ${DateTime.formatIso(updatedAt)})`

  return Effect.fnUntraced(function* (workspace: WorkspaceId, change: TemplateChange<Kind>) {
    yield* Transaction
    if (!TemplateChange.is(change)) return yield* Effect.die("a template can only be written by a TemplateChange")
    const { before, after, html, approved, generation } = change
    const written =
      before !== null
        ? yield* writeTemplate(workspace, before, after)
        : after === null
          ? []
          : yield* insert(workspace, after)
    if (written.length !== 1) {
      return yield* Effect.die("the template is not what the change was decided on: lock it first")
    }
    if (after === null) return yield* forgetGenerations(sql, workspace, before?.id ?? "", change.credits_taken)
    if (generation !== null) yield* writeGeneration(sql, workspace, after.id, generation)
    if (html !== null) yield* writeHtml(workspace, after, html)
    if (approved !== null) {
      const row = { workspace_id: workspace, ...ofApproved(approved) }
      yield* sql`insert into ${sql(`${tables.table}_approval`)} ${sql.insert(row)}`
    }
  })
}

const sliceOf = <Row extends object>(
  sql: Sql,
  { columns, table }: { readonly columns: string; readonly table: string },
  workspace: WorkspaceId,
  { status, search, after, limit }: TemplateQuery,
) => {
  const conditions = [sql`t.workspace_id = ${workspace}`]
  if (status !== null) conditions.push(sql`t.status = ${status}`)
  if (search !== null) conditions.push(sql`strpos(t.name_folded, ${fold(search)}) > 0`)
  if (after !== null) {
    const at = DateTime.formatIso(DateTime.makeUnsafe(after.at))
    conditions.push(
      sql`t.created_at <= ${at}::timestamptz and (t.created_at < ${at}::timestamptz or t.template_id > ${after.id}::uuid)`,
    )
  }
  // One more than asked for tells whether there is a next page.
  return sql<Row>`
    select ${sql.literal(columns)} from ${sql(table)} t where ${sql.and(conditions)}
    order by t.created_at desc, t.template_id
    limit ${limit + 1}`
}

const storeOver = <Kind extends TemplateKind, Own extends object>(
  sql: Sql,
  tables: Tables<Kind, Own>,
): TemplateStoreOf<Kind> => {
  type Row = TemplateRow & Own
  const { noun } = tables
  const within = fenced(sql)
  const { columns, approvalColumns, toTemplate, toApproved } = rowsOf(tables)
  const write = writerOf(sql, tables)
  const table = sql(tables.table)
  const versions = sql(`${tables.table}_version`)

  const shown = (workspace: WorkspaceId, templates: ReadonlyArray<Template<Kind>>) =>
    Effect.map(
      latestGenerations(
        sql,
        workspace,
        templates.map(({ id }) => id),
      ),
      (latest) =>
        templates.map((template): ShownTemplate<Kind> => ({ template, latest: latest.get(template.id) ?? null })),
    )

  /** The generation is read first: one that ends in between is shown as going on, and never as done without its version. */
  const current = Effect.fnUntraced(function* (workspace: WorkspaceId, id: Kinds[Kind]["id"]) {
    const latest = (yield* latestGenerations(sql, workspace, [id])).get(id) ?? null
    const rows = yield* sql<Row & { readonly html: string | null }>`
      select ${sql.literal(columns)}, v.html from ${table} t
      left join ${versions} v
        on v.workspace_id = t.workspace_id and v.template_id = t.template_id and v.version = t.current_version
      where t.workspace_id = ${workspace} and t.template_id = ${id}`
    const row = yield* first(rows, noun)
    return { template: toTemplate(row), latest, html: row.html }
  })

  const find = Effect.fnUntraced(function* (workspace: WorkspaceId, id: Kinds[Kind]["id"]) {
    const latest = (yield* latestGenerations(sql, workspace, [id])).get(id) ?? null
    const rows = yield* sql<Row>`
      select ${sql.literal(columns)} from ${table} t where t.workspace_id = ${workspace} and t.template_id = ${id}`
    return { template: toTemplate(yield* first(rows, noun)), latest }
  })

  const slice = Effect.fnUntraced(function* (workspace: WorkspaceId, query: TemplateQuery) {
    const rows = yield* sliceOf<Row>(sql, { columns, table: tables.table }, workspace, query)
    const items = yield* shown(workspace, rows.slice(0, query.limit).map(toTemplate))
    const last = items.at(-1)?.template
    const more = rows.length > query.limit && last !== undefined
    return { items, next: more ? { at: last.createdAt.epochMilliseconds, id: last.id } : null }
  })

  return {
    find: (workspace, id) => within(workspace, find(workspace, id)),
    current: (workspace, id) => within(workspace, current(workspace, id)),
    slice: (workspace, query) => within(workspace, slice(workspace, query)),
    // The lock is a statement of its own: whoever waited for it within one would miss what came meanwhile.
    lock: (workspace, id) =>
      Effect.andThen(
        Transaction,
        within(
          workspace,
          sql`select 1 from ${table} where workspace_id = ${workspace} and template_id = ${id} for update`.pipe(
            Effect.andThen(current(workspace, id)),
          ),
        ),
      ),
    html: (workspace, id, version) =>
      within(
        workspace,
        sql<{ readonly html: string }>`
          select html from ${versions}
          where workspace_id = ${workspace} and template_id = ${id} and version = ${version}`,
      ).pipe(
        Effect.flatMap((rows) => first(rows, `${noun} version`)),
        Effect.map((row) => row.html),
      ),
    generation: (workspace, id, generation) => within(workspace, findGeneration(sql, workspace, id, generation)),
    approved: (workspace, id) =>
      within(
        workspace,
        sql<ApprovalRow & Own>`
          select ${sql.literal(approvalColumns)} from ${sql(`${tables.table}_approval`)}
          where workspace_id = ${workspace} and approval_id = ${id}`,
      ).pipe(
        Effect.flatMap((rows) => first(rows, `approved ${noun}`)),
        Effect.map(toApproved),
      ),
    uses: (workspace, id) =>
      Effect.andThen(
        Transaction,
        within(
          workspace,
          sql<{ readonly name: string }>`
            select f.name from flow f where ${flowsUsingTemplate(sql, workspace, id)} order by f.name_folded, f.flow_id`,
        ),
      ).pipe(Effect.map((rows) => rows.map(({ name }) => ({ kind: "email flow", name }) as const))),
    apply: (workspace, change) => within(workspace, write(workspace, change)),
  }
}

export const layer = Layer.mergeAll(
  Layer.effect(
    EmailTemplateStore,
    Effect.map(PgClient.PgClient, (sql) => EmailTemplateStore.of(storeOver(sql, emailTemplates))),
  ),
  Layer.effect(
    TentTemplateStore,
    Effect.map(PgClient.PgClient, (sql) => TentTemplateStore.of(storeOver(sql, tentTemplates))),
  ),
)
