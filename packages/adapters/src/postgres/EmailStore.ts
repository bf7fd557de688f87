// Emails on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import type { ApprovedEmail } from "@tentpole/core/emails/ApprovedEmail"
import { type CurrentEmail, type Email, EmailChange, statusOf } from "@tentpole/core/emails/Email"
import { email_uses_max, type EmailQuery, EmailStore } from "@tentpole/core/emails/EmailStore"
import { ApprovalId, EmailId, type WorkspaceId } from "@tentpole/core/Ids"
import { NotFound } from "@tentpole/core/Refusal"
import { fold } from "@tentpole/core/Text"
import { Transaction } from "@tentpole/core/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { fenced } from "./Postgres.ts"

type Sql = PgClient.PgClient

interface EmailRow {
  readonly email_id: string
  readonly name: string
  readonly current_version: number
  readonly subject: string | null
  readonly preview_text: string | null
  readonly from_name: string | null
  readonly from_address: string | null
  readonly reply_to_email: string | null
  readonly plain_text: string | null
  readonly plain_text_overridden_at: Date | null
  readonly plain_text_overridden_version: number | null
  readonly approved_version: number | null
  readonly approval_id: string | null
  readonly created_by_name: string
  readonly created_at: Date
  readonly updated_at: Date
}

const emailColumns = `e.email_id, e.name, e.current_version, e.subject, e.preview_text, e.from_name, e.from_address,
  e.reply_to_email, e.plain_text, e.plain_text_overridden_at, e.plain_text_overridden_version, e.approved_version,
  e.approval_id, e.created_by_name, e.created_at, e.updated_at`

const toEmail = (row: EmailRow): Email => ({
  id: EmailId.make(row.email_id),
  name: row.name,
  currentVersion: row.current_version,
  subject: row.subject,
  previewText: row.preview_text,
  fromName: row.from_name,
  fromAddress: row.from_address,
  replyToEmail: row.reply_to_email,
  // Set together: a CHECK says so.
  plainText:
    row.plain_text === null || row.plain_text_overridden_at === null || row.plain_text_overridden_version === null
      ? null
      : {
          text: row.plain_text,
          at: DateTime.makeUnsafe(row.plain_text_overridden_at),
          version: row.plain_text_overridden_version,
        },
  approval:
    row.approval_id === null || row.approved_version === null
      ? null
      : { id: ApprovalId.make(row.approval_id), version: row.approved_version },
  createdByName: row.created_by_name,
  createdAt: DateTime.makeUnsafe(row.created_at),
  updatedAt: DateTime.makeUnsafe(row.updated_at),
})

const columnsOf = (email: Email) => ({
  name: email.name,
  name_folded: fold(email.name),
  status: statusOf(email),
  current_version: email.currentVersion,
  subject: email.subject,
  preview_text: email.previewText,
  from_name: email.fromName,
  from_address: email.fromAddress,
  reply_to_email: email.replyToEmail,
  plain_text: email.plainText?.text ?? null,
  plain_text_overridden_at: email.plainText === null ? null : DateTime.formatIso(email.plainText.at),
  plain_text_overridden_version: email.plainText?.version ?? null,
  approved_version: email.approval?.version ?? null,
  approval_id: email.approval?.id ?? null,
  updated_at: DateTime.formatIso(email.updatedAt),
})

interface ApprovalRow {
  readonly approval_id: string
  readonly email_id: string
  readonly version: number
  readonly subject: string
  readonly preview_text: string | null
  readonly from_name: string
  readonly from_address: string
  readonly reply_to_email: string
  readonly html: string
  readonly plain_text: string
  readonly approved_at: Date
}

const toApproved = (row: ApprovalRow): ApprovedEmail => ({
  approvalId: ApprovalId.make(row.approval_id),
  emailId: EmailId.make(row.email_id),
  version: row.version,
  subject: row.subject,
  previewText: row.preview_text,
  fromName: row.from_name,
  fromAddress: row.from_address,
  replyToEmail: row.reply_to_email,
  html: row.html,
  text: row.plain_text,
  approvedAt: DateTime.makeUnsafe(row.approved_at),
})

const first = <Row>(rows: ReadonlyArray<Row>, resource: string): Effect.Effect<Row, NotFound> =>
  rows[0] === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(rows[0])

const writeEmail = (sql: Sql, workspace: WorkspaceId, { before, after }: EmailChange) =>
  before === null
    ? sql`
        insert into email ${sql.insert({
          workspace_id: workspace,
          email_id: after.id,
          ...columnsOf(after),
          created_by_name: after.createdByName,
          created_at: DateTime.formatIso(after.createdAt),
        })} returning 1`
    : sql`
        update email set ${sql.update(columnsOf(after))}
        where workspace_id = ${workspace} and email_id = ${after.id} and current_version = ${before.currentVersion}
          and approval_id is not distinct from ${before.approval?.id ?? null}::uuid
        returning 1`

const writeHtml = (sql: Sql, workspace: WorkspaceId, email: Email, html: string) => sql`
  insert into email_version (workspace_id, email_id, version, html, created_at)
  values (${workspace}, ${email.id}, ${email.currentVersion}, ${html}, ${DateTime.formatIso(email.updatedAt)})
  on conflict (workspace_id, email_id, version) do update set html = excluded.html`

const writeApproval = (sql: Sql, workspace: WorkspaceId, approved: ApprovedEmail) => sql`
  insert into email_approval ${sql.insert({
    workspace_id: workspace,
    approval_id: approved.approvalId,
    email_id: approved.emailId,
    version: approved.version,
    subject: approved.subject,
    preview_text: approved.previewText,
    from_name: approved.fromName,
    from_address: approved.fromAddress,
    reply_to_email: approved.replyToEmail,
    html: approved.html,
    plain_text: approved.text,
    approved_at: DateTime.formatIso(approved.approvedAt),
  })}`

/** Writes a change in the caller's transaction; other rooms' changes may carry one. */
export const applyEmail = (sql: Sql, workspace: WorkspaceId, change: EmailChange) =>
  fenced(sql)(
    workspace,
    Effect.gen(function* () {
      yield* Transaction
      if (!EmailChange.is(change)) return yield* Effect.die("an email can only be written by an EmailChange")
      const written = yield* writeEmail(sql, workspace, change)
      if (written.length !== 1) {
        return yield* Effect.die("the email is not what the change was decided on: lock it first")
      }
      if (change.html !== null) yield* writeHtml(sql, workspace, change.after, change.html)
      if (change.approved !== null) yield* writeApproval(sql, workspace, change.approved)
    }),
  )

const pageOf = (sql: Sql, workspace: WorkspaceId, { status, search, after, limit }: EmailQuery) => {
  const ofStatus = status === null ? sql.literal("") : sql` and e.status = ${status}`
  const named = search === null ? sql.literal("") : sql` and strpos(e.name_folded, ${fold(search)}) > 0`
  const at = after === null ? "" : DateTime.formatIso(DateTime.makeUnsafe(after.at))
  const behind =
    after === null
      ? sql.literal("")
      : sql` and e.created_at <= ${at}::timestamptz and (e.created_at < ${at}::timestamptz or e.email_id > ${after.id}::uuid)`
  // One more than asked for tells whether there is a next page.
  return sql<EmailRow>`
    select ${sql.literal(emailColumns)} from email e
    where e.workspace_id = ${workspace}${ofStatus}${named}${behind}
    order by e.created_at desc, e.email_id
    limit ${limit + 1}`
}

export const layer = Layer.effect(
  EmailStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)
    const columns = sql.literal(emailColumns)

    const current = (workspace: WorkspaceId, id: EmailId) =>
      within(
        workspace,
        sql<EmailRow & { readonly html: string | null }>`
          select ${columns}, v.html from email e
          left join email_version v
            on v.workspace_id = e.workspace_id and v.email_id = e.email_id and v.version = e.current_version
          where e.workspace_id = ${workspace} and e.email_id = ${id}`,
      ).pipe(
        Effect.flatMap((rows) => first(rows, "email")),
        Effect.map((row): CurrentEmail => ({ email: toEmail(row), html: row.html })),
      )

    /**
     * Two statements: whoever waited for the lock within one would join the new row to what it saw before it waited, and
     * miss the HTML of the version that came meanwhile.
     */
    const lock = (workspace: WorkspaceId, id: EmailId) =>
      within(
        workspace,
        sql`select 1 from email where workspace_id = ${workspace} and email_id = ${id} for update`,
      ).pipe(Effect.andThen(current(workspace, id)))

    return EmailStore.of({
      find: (workspace, id) =>
        within(
          workspace,
          sql<EmailRow>`select ${columns} from email e where e.workspace_id = ${workspace} and e.email_id = ${id}`,
        ).pipe(
          Effect.flatMap((rows) => first(rows, "email")),
          Effect.map(toEmail),
        ),
      current,
      lock: (workspace, id) => Effect.andThen(Transaction, lock(workspace, id)),
      html: (workspace, id, version) =>
        within(
          workspace,
          sql<{ readonly html: string }>`
            select html from email_version
            where workspace_id = ${workspace} and email_id = ${id} and version = ${version}`,
        ).pipe(
          Effect.flatMap((rows) => first(rows, "email version")),
          Effect.map((row) => row.html),
        ),
      page: (workspace, query) =>
        within(workspace, pageOf(sql, workspace, query)).pipe(
          Effect.map((rows) => {
            const items = rows.slice(0, query.limit).map(toEmail)
            const last = items.at(-1)
            const next =
              rows.length <= query.limit || last === undefined
                ? null
                : { at: last.createdAt.epochMilliseconds, id: last.id }
            return { items, next }
          }),
        ),
      facts: (workspace) =>
        within(
          workspace,
          sql<{ readonly domains: ReadonlyArray<string>; readonly fields: ReadonlyArray<string> }>`
            select
              array(select domain from sending_domain
                where workspace_id = ${workspace} and status = 'verified' order by domain) as domains,
              array(select api_name from contact_field
                where workspace_id = ${workspace} and status = 'active' order by api_name collate "C") as fields`,
        ).pipe(Effect.map(([row]) => ({ verifiedDomains: row?.domains ?? [], customFields: row?.fields ?? [] }))),
      uses: (workspace, id) =>
        within(
          workspace,
          sql<{ readonly name: string }>`
            select name from blast
            where workspace_id = ${workspace} and email_id = ${id} and status in ('scheduled', 'sending')
            order by name_folded, blast_id limit ${email_uses_max}`,
        ).pipe(Effect.map((rows) => rows.map(({ name }) => ({ kind: "email blast" as const, name })))),
      apply: (workspace, change) => applyEmail(sql, workspace, change),
      approval: (workspace, id) =>
        within(
          workspace,
          sql<ApprovalRow>`
            select approval_id, email_id, version, subject, preview_text, from_name, from_address, reply_to_email, html,
              plain_text, approved_at
            from email_approval where workspace_id = ${workspace} and approval_id = ${id}`,
        ).pipe(
          Effect.flatMap((rows) => first(rows, "approved email")),
          Effect.map(toApproved),
        ),
    })
  }),
)
