// The email store in memory.
import type { EmailTypes, EmailChange } from "@tentpole/core/emails/Email"
import { email_users_max, type EmailUser } from "@tentpole/core/emails/EmailErrors"
import { EmailStore } from "@tentpole/core/emails/EmailStore"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import type { EmailId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { byCodePoint, fold } from "@tentpole/core/kernel/Text"
import { Effect, Layer } from "effect"
import { contactFields } from "../contacts/ContactFieldStore.ts"
import { blasts } from "../sending/DeliveryTables.ts"
import { applyDocument, documentStore, documentTables, removeDocument, versionKey } from "../documents/DocumentStore.ts"
import { activeFlowsUsing, flowEmails } from "../flows/FlowTables.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"
import { deleteTestMails } from "../sending/TestMailStore.ts"
import { sendingDomains } from "../workspaces/WorkspaceStore.ts"

const tables = documentTables<EmailTypes>("email")
export const { documents: emails, versions: emailVersions, approvals: emailApprovals } = tables
export { versionKey }

/** Writes a change in the caller's transaction. Changes of other rooms may carry an email change. */
export const applyEmail = Effect.fnUntraced(function* (
  db: Rows,
  writer: ChangeWriter["Service"],
  workspace: WorkspaceId,
  change: EmailChange,
) {
  yield* applyDocument(db, writer, tables, workspace, change)
  if (change.after === null && change.before !== null) yield* deleteUses(db, workspace, change.before.id)
})

export const removeEmail = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: EmailId) {
  yield* removeDocument(db, tables, workspace, id)
  yield* deleteUses(db, workspace, id)
})

const deleteUses = (db: Rows, workspace: WorkspaceId, id: EmailId) =>
  Effect.andThen(deleteTestMails(db, workspace, id), db.remove(flowEmails, workspace, id))

/** Scheduled and sending blasts and active flows that use the email. */
export const usesOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: EmailId) {
  const sent = (yield* db.all(blasts, workspace)).filter(
    ({ email, status }) => email?.emailId === id && (status === "scheduled" || status === "sending"),
  )
  const inline = yield* db.find(flowEmails, workspace, id)
  const flows = yield* activeFlowsUsing(
    db,
    workspace,
    ({ emails: used }, flow) => used.includes(id) || inline?.flowId === flow.id,
  )
  const named = <Type extends EmailUser["type"]>(type: Type, all: ReadonlyArray<Pick<EmailUser, "id" | "name">>) =>
    all
      .map((user) => ({ type, id: user.id, name: user.name }))
      .sort((left, right) => byCodePoint(fold(left.name), fold(right.name)) || byCodePoint(left.id, right.id))
  const users = [...named("blast", sent), ...named("flow", flows)]
  return { users: users.slice(0, email_users_max), count: users.length }
})

export const layer = Layer.effect(
  EmailStore,
  Effect.zipWith(MemoryDatabase, ChangeWriter, (db, writer) =>
    EmailStore.of({
      ...documentStore(db, tables),
      facts: Effect.fnUntraced(function* (workspace) {
        const domains = yield* db.all(sendingDomains, workspace)
        const fields = yield* db.all(contactFields, workspace)
        return {
          verifiedDomains: domains
            .filter(({ status }) => status === "verified")
            .map(({ domain }) => domain)
            .sort(byCodePoint),
          customFields: fields
            .filter(({ status }) => status === "active")
            .map(({ apiName }) => apiName)
            .sort(byCodePoint),
        }
      }),
      uses: (workspace, id) => usesOf(db, workspace, id),
      apply: (workspace, change) => applyEmail(db, writer, workspace, change),
    }),
  ),
)
