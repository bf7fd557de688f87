// `EmailTemplateStore` and `TentTemplateStore` on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import { EmailId, EmailTemplateId, TentId, TentTemplateId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { EmailTemplateTypes, MailDefaults, TentTemplateTypes } from "@tentpole/core/templates/Template"
import { EmailTemplateStore, TentTemplateStore } from "@tentpole/core/templates/TemplateStore"
import { Effect, Layer } from "effect"
import {
  documentStore,
  type DocumentTables,
  fromPlainText,
  plainTextColumns,
  type PlainTextRow,
  toPlainText,
} from "../documents/DocumentStore.ts"
import { flowsUsingTemplate } from "../flows/FlowUses.ts"

interface MailRow extends PlainTextRow {
  readonly default_subject: string | null
  readonly default_preview_text: string | null
  readonly default_from_name: string | null
  readonly default_from_address: string | null
  readonly default_reply_to_email: string | null
}

const mailColumns = [
  "default_subject",
  "default_preview_text",
  "default_from_name",
  "default_from_address",
  "default_reply_to_email",
  ...plainTextColumns,
] as const

const toDefaults = (row: MailRow): MailDefaults => ({
  subject: row.default_subject,
  previewText: row.default_preview_text,
  fromName: row.default_from_name,
  fromAddress: row.default_from_address,
  replyToEmail: row.default_reply_to_email,
})

const fromDefaults = ({ defaults, plainText }: Pick<EmailTemplateTypes["document"], "defaults" | "plainText">) => ({
  default_subject: defaults.subject,
  default_preview_text: defaults.previewText,
  default_from_name: defaults.fromName,
  default_from_address: defaults.fromAddress,
  default_reply_to_email: defaults.replyToEmail,
  ...fromPlainText(plainText),
})

const uses = (sql: PgClient.PgClient, workspace: WorkspaceId, id: string) =>
  Effect.map(
    sql<{ readonly name: string }>`
      select f.name from flow f where ${flowsUsingTemplate(sql, workspace, id)} order by f.name_folded, f.flow_id`,
    (rows) => rows.map(({ name }) => ({ kind: "email flow" as const, name })),
  )

const emailTemplates: DocumentTables<
  EmailTemplateTypes,
  MailRow & { readonly source_email_id: string | null },
  MailRow
> = {
  table: "email_template",
  key: "template_id",
  ownColumns: ["source_email_id", ...mailColumns],
  approvedColumns: mailColumns,
  toDocument: (shared, row) => ({
    ...shared,
    id: EmailTemplateId.make(row.id),
    sourceId: row.source_email_id === null ? null : EmailId.make(row.source_email_id),
    defaults: toDefaults(row),
    plainText: toPlainText(row),
  }),
  ofDocument: (template) => ({ source_email_id: template.sourceId, ...fromDefaults(template) }),
  toApproved: (shared, row) => ({
    ...shared,
    templateId: EmailTemplateId.make(row.id),
    defaults: toDefaults(row),
    plainText: toPlainText(row),
  }),
  ofApproved: fromDefaults,
  uses,
}

const tentTemplates: DocumentTables<TentTemplateTypes, { readonly source_tent_id: string | null }, object> = {
  table: "tent_template",
  key: "template_id",
  ownColumns: ["source_tent_id"],
  approvedColumns: [],
  toDocument: (shared, row) => ({
    ...shared,
    id: TentTemplateId.make(row.id),
    sourceId: row.source_tent_id === null ? null : TentId.make(row.source_tent_id),
    plainText: null,
  }),
  ofDocument: ({ sourceId }) => ({ source_tent_id: sourceId }),
  toApproved: (shared, row) => ({ ...shared, templateId: TentTemplateId.make(row.id) }),
  ofApproved: () => ({}),
  uses,
}

export const layer = Layer.mergeAll(
  Layer.effect(
    EmailTemplateStore,
    Effect.map(PgClient.PgClient, (sql) => EmailTemplateStore.of(documentStore(sql, emailTemplates))),
  ),
  Layer.effect(
    TentTemplateStore,
    Effect.map(PgClient.PgClient, (sql) => TentTemplateStore.of(documentStore(sql, tentTemplates))),
  ),
)
