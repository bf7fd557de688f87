// `EmailStore` on PostgreSQL.
import type { PgClient } from "@effect/sql-pg"
import { headerFields, headerNames, type MailHeader } from "@tentpole/core/documents/EmailFields"
import type { EmailTypes } from "@tentpole/core/emails/Email"
import { email_users_max, type EmailUser } from "@tentpole/core/emails/EmailErrors"
import { EmailStore } from "@tentpole/core/emails/EmailStore"
import type { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { EmailId } from "@tentpole/core/kernel/Ids"
import { type Renamed, renamed } from "@tentpole/core/kernel/Keys"
import type { ApprovedEmail } from "@tentpole/core/rendering/message/Message"
import { Effect, Struct } from "effect"
import {
  documentStore,
  type DocumentTables,
  documentWriter,
  fromPlainText,
  plainTextColumns,
  type PlainTextRow,
  toPlainText,
} from "../documents/DocumentStore.ts"
import { flowsUsingEmail } from "../flows/FlowUses.ts"
import { storeLayer } from "../StoreLayer.ts"

type EmailRow = Renamed<MailHeader, typeof headerNames> & PlainTextRow
type ApprovedRow = Renamed<Pick<ApprovedEmail, keyof MailHeader>, typeof headerNames> & { readonly plain_text: string }

const header = Struct.keys(headerFields)

/** The header fields of a row by their names in core. */
export const headerIn = (row: "a" | "e"): string =>
  `jsonb_build_object(${header.map((column) => `'${headerFields[column]}', ${row}.${column}`).join(", ")})`

const emails: DocumentTables<EmailTypes, EmailRow, ApprovedRow> = {
  table: "email",
  key: "email_id",
  ownColumns: [...header, ...plainTextColumns],
  approvedColumns: [...header, "plain_text"],
  derivedColumn: (sql, workspace) => sql`, (
      select ${sql.literal(headerIn("a"))} from email_approval a
      where a.workspace_id = ${workspace} and a.approval_id = t.approval_id
    ) as approved_header`,
  toDocument: (shared, row) => ({
    ...shared,
    ...renamed(row, headerFields),
    id: EmailId.make(row.id),
    plainText: toPlainText(row),
    approvedHeader: row.approved_header ?? null,
  }),
  ofDocument: (email) => ({ ...renamed(email, headerNames), ...fromPlainText(email.plainText) }),
  toApproved: (shared, row) => ({
    ...shared,
    ...renamed(row, headerFields),
    emailId: EmailId.make(row.id),
    text: row.plain_text,
  }),
  ofApproved: (approved) => ({ ...renamed(approved, headerNames), plain_text: approved.text }),
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

/** Writes a change in the caller's transaction. Changes of other rooms may contain one. */
export const applyEmail = (sql: PgClient.PgClient, writer: ChangeWriter["Service"]) =>
  documentWriter(sql, writer, emails)

export const layer = storeLayer(EmailStore, ({ sql, within, quick, writer }) => ({
  ...documentStore(sql, quick, writer, emails),
  facts: (workspace) =>
    within(
      workspace,
      sql<{
        readonly domains: ReadonlyArray<string>
        readonly fields: ReadonlyArray<string>
        readonly fourEyes: boolean
      }>`
        select
          coalesce((select four_eyes from workspace where workspace_id = ${workspace}), false) as "fourEyes",
          array(select domain from sending_domain
            where workspace_id = ${workspace} and status = 'verified' order by domain) as domains,
          array(select api_name from contact_field
            where workspace_id = ${workspace} and status = 'active' order by api_name collate "C") as fields`,
    ).pipe(
      Effect.map(([row]) => ({
        verifiedDomains: row?.domains ?? [],
        customFields: row?.fields ?? [],
        fourEyes: row?.fourEyes === true,
      })),
    ),
}))
