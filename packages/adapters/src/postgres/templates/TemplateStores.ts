// `EmailTemplateStore` and `TentTemplateStore` on PostgreSQL.
import type { PgClient } from "@effect/sql-pg"
import type { MailHeader } from "@tentpole/core/documents/EmailFields"
import { type EmailId, EmailTemplateId, type TentId, TentTemplateId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Renamed, renamed } from "@tentpole/core/kernel/Keys"
import {
  defaultFields,
  defaultNames,
  type EmailTemplateTypes,
  type TentTemplateTypes,
} from "@tentpole/core/templates/Template"
import { EmailTemplateStore, TentTemplateStore } from "@tentpole/core/templates/TemplateStore"
import { Effect, Layer, Struct } from "effect"
import {
  documentStore,
  type DocumentTables,
  fromPlainText,
  plainTextColumns,
  type PlainTextRow,
  toPlainText,
} from "../documents/DocumentStore.ts"
import { flowsUsingTemplate } from "../flows/FlowUses.ts"
import { storeLayer } from "../StoreLayer.ts"

type MailRow = Renamed<MailHeader, typeof defaultNames> & PlainTextRow

const mailColumns = [...Struct.keys(defaultFields), ...plainTextColumns] as const

const toMail = (row: MailRow) => ({ defaults: renamed(row, defaultFields), plainText: toPlainText(row) })

const fromMail = ({ defaults, plainText }: Pick<EmailTemplateTypes["document"], "defaults" | "plainText">) => ({
  ...renamed(defaults, defaultNames),
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
  MailRow & { readonly source_email_id: EmailId | null },
  MailRow
> = {
  table: "email_template",
  key: "template_id",
  ownColumns: ["source_email_id", ...mailColumns],
  approvedColumns: mailColumns,
  toDocument: (shared, row) => ({
    ...shared,
    id: EmailTemplateId.make(row.id),
    sourceId: row.source_email_id,
    ...toMail(row),
  }),
  ofDocument: (template) => ({ source_email_id: template.sourceId, ...fromMail(template) }),
  toApproved: (shared, row) => ({ ...shared, ...toMail(row), templateId: EmailTemplateId.make(row.id) }),
  ofApproved: fromMail,
  uses,
}

const tentTemplates: DocumentTables<TentTemplateTypes, { readonly source_tent_id: TentId | null }, object> = {
  table: "tent_template",
  key: "template_id",
  ownColumns: ["source_tent_id"],
  approvedColumns: [],
  toDocument: (shared, row) => ({
    ...shared,
    id: TentTemplateId.make(row.id),
    sourceId: row.source_tent_id,
    plainText: null,
  }),
  ofDocument: ({ sourceId }) => ({ source_tent_id: sourceId }),
  toApproved: (shared, row) => ({ ...shared, templateId: TentTemplateId.make(row.id) }),
  ofApproved: () => ({}),
  uses,
}

export const layer = Layer.merge(
  storeLayer(EmailTemplateStore, ({ sql, quick, writer }) => documentStore(sql, quick, writer, emailTemplates)),
  storeLayer(TentTemplateStore, ({ sql, quick, writer }) => documentStore(sql, quick, writer, tentTemplates)),
)
