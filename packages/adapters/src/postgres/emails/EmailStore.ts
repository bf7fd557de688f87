// Emails on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import type { ApprovedEmail } from "@tentpole/core/rendering/ApprovedEmail"
import type { CurrentEmail, Email } from "@tentpole/core/emails/Email"
import { EmailChange } from "@tentpole/core/emails/EmailChange"
import { email_users_max, type EmailUser } from "@tentpole/core/emails/EmailErrors"
import { type EmailQuery, EmailStore } from "@tentpole/core/emails/EmailStore"
import type { EmailId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { type ApprovalRow, columnsOf, emailColumns, type EmailRow, toApproved, toEmail } from "./EmailRows.ts"
import { flowsUsingEmail } from "../flows/FlowUses.ts"
import { findGeneration, forgetGenerations, latestGenerations, writeGeneration } from "../documents/Generations.ts"
import { fenced } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

const first = <Row>(rows: ReadonlyArray<Row>, resource: string): Effect.Effect<Row, NotFound> =>
  rows[0] === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(rows[0])

const writeEmail = (sql: Sql, workspace: WorkspaceId, { before, after, basis }: EmailChange<Email>) =>
  before === null
    ? sql`
        insert into email ${sql.insert({
          workspace_id: workspace,
          email_id: after.id,
          ...columnsOf(after),
          basis,
          created_by_name: after.createdByName,
          created_at: DateTime.formatIso(after.createdAt),
        })} returning 1`
    : sql`
        update email set ${sql.update({
          ...columnsOf(after),
          // The first version takes its place.
          ...(before.currentVersion === 0 && after.currentVersion > 0 ? { basis: null } : {}),
        })}
        where workspace_id = ${workspace} and email_id = ${after.id} and ${isAs(sql, before)}
        returning 1`

const isAs = (sql: Sql, { currentVersion, approval }: Email) =>
  sql`current_version = ${currentVersion} and approval_id is not distinct from ${approval?.id ?? null}::uuid`

/** Versions go by the foreign key. */
const deleteEmail = (sql: Sql, workspace: WorkspaceId, email: Email, credits_taken: number) =>
  forgetGenerations(sql, workspace, email.id, credits_taken).pipe(
    Effect.andThen(sql`
      delete from email where workspace_id = ${workspace} and email_id = ${email.id} and ${isAs(sql, email)} returning 1`),
  )

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

const isOfOne = (change: EmailChange): change is EmailChange<Email> => change.after !== null

/** Writes a change in the caller's transaction; other rooms' changes may carry one. */
export const applyEmail = (sql: Sql, workspace: WorkspaceId, change: EmailChange) =>
  fenced(sql)(
    workspace,
    Effect.gen(function* () {
      yield* Transaction
      if (!EmailChange.is(change)) return yield* Effect.die("an email can only be written by an EmailChange")
      const { before, html, approved, generation, credits_taken } = change
      const written = isOfOne(change)
        ? yield* writeEmail(sql, workspace, change)
        : before === null
          ? []
          : yield* deleteEmail(sql, workspace, before, credits_taken)
      if (written.length !== 1) {
        return yield* Effect.die("the email is not what the change was decided on: lock it first")
      }
      if (!isOfOne(change)) return
      if (html !== null) yield* writeHtml(sql, workspace, change.after, html)
      if (approved !== null) yield* writeApproval(sql, workspace, approved)
      if (generation !== null) yield* writeGeneration(sql, workspace, change.after.id, generation)
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
      lock: Effect.fnUntraced(function* (workspace, id) {
        yield* Transaction
        const locked = yield* lock(workspace, id)
        const latest = yield* within(workspace, latestGenerations(sql, workspace, [id]))
        return { ...locked, generation: latest.get(id) ?? null }
      }),
      generation: (workspace, id, of) => within(workspace, findGeneration(sql, workspace, id, of)),
      basis: (workspace, id) =>
        within(
          workspace,
          sql<{ readonly html: string | null }>`
            select coalesce(v.html, e.basis) as html from email e
            left join email_version v
              on v.workspace_id = e.workspace_id and v.email_id = e.email_id and v.version = e.current_version
            where e.workspace_id = ${workspace} and e.email_id = ${id}`,
        ).pipe(
          Effect.flatMap((rows) => first(rows, "email")),
          Effect.map((row) => row.html),
        ),
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
          sql<EmailUser & { readonly total: number }>`
            select u.type, u.id, u.name, (count(*) over ())::int as total
            from (
              select 'blast' as type, blast_id as id, name, name_folded from blast
              where workspace_id = ${workspace} and email_id = ${id} and status in ('scheduled', 'sending')
              union all
              select 'flow', f.flow_id, f.name, f.name_folded from flow f where ${flowsUsingEmail(sql, workspace, id)}
            ) as u
            order by u.type, u.name_folded, u.id limit ${email_users_max}`,
        ).pipe(
          Effect.map((rows) => ({
            users: rows.map(({ type, id: user, name }) => ({ type, id: user, name })),
            count: rows[0]?.total ?? 0,
          })),
        ),
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
