// The stores of email templates and tent templates in memory.
import type { DocumentStore } from "@tentpole/core/documents/DocumentStore"
import type { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import type { EmailTemplateTypes, TemplateTypes, TentTemplateTypes } from "@tentpole/core/templates/Template"
import { EmailTemplateStore, TentTemplateStore } from "@tentpole/core/templates/TemplateStore"
import { Effect, Layer } from "effect"
import { applyDocument, documentStore, type DocumentTables, documentTables } from "../documents/DocumentStore.ts"
import { activeFlowsUsing } from "../flows/FlowTables.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"

export const emailTemplates = documentTables<EmailTemplateTypes>("email_template")
export const tentTemplates = documentTables<TentTemplateTypes>("tent_template")

/** A kind of templates, with the flows' references to it. */
const templateStore = <T extends TemplateTypes>(
  db: Rows,
  writer: ChangeWriter["Service"],
  tables: DocumentTables<T>,
  references: "emailTemplates" | "tentTemplates",
): DocumentStore<T> => ({
  ...documentStore(db, tables),
  uses: (workspace, id) =>
    Effect.map(
      activeFlowsUsing(db, workspace, (used) => used[references].some((each) => each === id)),
      (flows) => flows.map(({ name }) => ({ kind: "email flow" as const, name })),
    ),
  apply: (workspace, change) => applyDocument(db, writer, tables, workspace, change),
})

export const layer = Layer.mergeAll(
  storeLayer(EmailTemplateStore, (db, writer) => templateStore(db, writer, emailTemplates, "emailTemplates")),
  storeLayer(TentTemplateStore, (db, writer) => templateStore(db, writer, tentTemplates, "tentTemplates")),
)
