// `EmailStore` on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import type { EmailTypes } from "@tentpole/core/emails/Email"
import { email_users_max, type EmailUser } from "@tentpole/core/emails/EmailErrors"
import { EmailStore } from "@tentpole/core/emails/EmailStore"
import { EmailId } from "@tentpole/core/kernel/Ids"
import { Effect, Layer } from "effect"
import {
  applyDocument,
  documentStore,
  type DocumentTables,
  fromPlainText,
  plainTextColumns,
  type PlainTextRow,
  toPlainText,
} from "../documents/DocumentStore.ts"
import { flowsUsingEmail } from "../flows/FlowUses.ts"
import { fenced } from "../kernel/Postgres.ts"

interface EmailRow extends PlainTextRow {
  readonly subject: string | null
  readonly preview_text: string | null
  readonly from_name: string | null
  readonly from_address: string | null
  readonly reply_to_email: string | null
}

interface ApprovedRow {
  readonly subject: string
  readonly preview_text: string | null
  readonly from_name: string
  readonly from_address: string
  readonly reply_to_email: string
  readonly plain_text: string
}

const header = ["subject", "preview_text", "from_name", "from_address", "reply_to_email"] as const

const emails: DocumentTables<EmailTypes, EmailRow, ApprovedRow> = {
  table: "email",
  key: "email_id",
  ownColumns: [...header, ...plainTextColumns],
  approvedColumns: [...header, "plain_text"],
  toDocument: (shared, row) => ({
    ...shared,
    id: EmailId.make(row.id),
    subject: row.subject,
    previewText: row.preview_text,
    fromName: row.from_name,
    fromAddress: row.from_address,
    replyToEmail: row.reply_to_email,
    plainText: toPlainText(row),
  }),
  ofDocument: (email) => ({
    subject: email.subject,
    preview_text: email.previewText,
    from_name: email.fromName,
    from_address: email.fromAddress,
    reply_to_email: email.replyToEmail,
    ...fromPlainText(email.plainText),
  }),
  toApproved: (shared, row) => ({
    ...shared,
    emailId: EmailId.make(row.id),
    subject: row.subject,
    previewText: row.preview_text,
    fromName: row.from_name,
    fromAddress: row.from_address,
    replyToEmail: row.reply_to_email,
    text: row.plain_text,
  }),
  ofApproved: (approved) => ({
    subject: approved.subject,
    preview_text: approved.previewText,
    from_name: approved.fromName,
    from_address: approved.fromAddress,
    reply_to_email: approved.replyToEmail,
    plain_text: approved.text,
  }),
  uses: (sql, workspace, id) =>
    sql<EmailUser & { readonly total: number }>`
      select u.type, u.id, u.name, (count(*) over ())::int as total
      from (
        select 'blast' as type, blast_id as id, name, name_folded from blast
        where workspace_id = ${workspace} and email_id = ${id} and status in ('scheduled', 'sending')
        union all
        select 'flow', f.flow_id, f.name, f.name_folded from flow f where ${flowsUsingEmail(sql, workspace, id)}
      ) as u
      order by u.type, u.name_folded, u.id limit ${email_users_max}`.pipe(
      Effect.map((rows) => ({
        users: rows.map(({ type, id: user, name }) => ({ type, id: user, name })),
        count: rows[0]?.total ?? 0,
      })),
    ),
}

export const applyEmail = applyDocument(emails)

export const layer = Layer.effect(
  EmailStore,
  Effect.map(PgClient.PgClient, (sql) =>
    EmailStore.of({
      ...documentStore(sql, emails),
      facts: (workspace) =>
        fenced(sql)(
          workspace,
          sql<{ readonly domains: ReadonlyArray<string>; readonly fields: ReadonlyArray<string> }>`
            select
              array(select domain from sending_domain
                where workspace_id = ${workspace} and status = 'verified' order by domain) as domains,
              array(select api_name from contact_field
                where workspace_id = ${workspace} and status = 'active' order by api_name collate "C") as fields`,
        ).pipe(Effect.map(([row]) => ({ verifiedDomains: row?.domains ?? [], customFields: row?.fields ?? [] }))),
    }),
  ),
)
