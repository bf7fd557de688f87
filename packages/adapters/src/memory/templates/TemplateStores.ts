// The stores of email templates and tent templates in memory.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { EmailTemplateTypes, TentTemplateTypes } from "@tentpole/core/templates/Template"
import { EmailTemplateStore, TentTemplateStore } from "@tentpole/core/templates/TemplateStore"
import { Effect, Layer } from "effect"
import { applyDocument, documentStore, documentTables } from "../documents/DocumentStore.ts"
import { activeFlowsUsing } from "../flows/FlowTables.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"

export const emailTemplates = documentTables<EmailTemplateTypes>("email_template")
export const tentTemplates = documentTables<TentTemplateTypes>("tent_template")

const usesOf = (db: Rows, named: "emailTemplates" | "tentTemplates") => (workspace: WorkspaceId, id: string) =>
  Effect.map(
    activeFlowsUsing(db, workspace, (used) => used[named].some((each) => each === id)),
    (flows) => flows.map(({ name }) => ({ kind: "email flow" as const, name })),
  )

export const layer = Layer.mergeAll(
  Layer.effect(
    EmailTemplateStore,
    Effect.map(MemoryDatabase, (db) =>
      EmailTemplateStore.of({
        ...documentStore(db, emailTemplates),
        uses: usesOf(db, "emailTemplates"),
        apply: (workspace, change) => applyDocument(db, emailTemplates, workspace, change),
      }),
    ),
  ),
  Layer.effect(
    TentTemplateStore,
    Effect.map(MemoryDatabase, (db) =>
      TentTemplateStore.of({
        ...documentStore(db, tentTemplates),
        uses: usesOf(db, "tentTemplates"),
        apply: (workspace, change) => applyDocument(db, tentTemplates, workspace, change),
      }),
    ),
  ),
)
