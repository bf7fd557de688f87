// The email store in memory.
import type { EmailTypes, EmailChange } from "@tentpole/core/emails/Email"
import { email_users_max } from "@tentpole/core/emails/EmailErrors"
import { EmailStore } from "@tentpole/core/emails/EmailStore"
import type { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import type { EmailId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { byCodePoint } from "@tentpole/core/kernel/Text"
import { Effect } from "effect"
import { contactFields } from "../contacts/ContactTables.ts"
import { blasts } from "../sending/DeliveryTables.ts"
import { applyDocument, documentStore, documentTables, removeDocument, versionKey } from "../documents/DocumentStore.ts"
import { activeFlowsUsing, flowEmails } from "../flows/FlowTables.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { namesOf } from "../kernel/Slices.ts"
import { deleteTestMails } from "../sending/TestMailStore.ts"
import { sendingDomains, workspaces } from "../workspaces/WorkspaceStore.ts"

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
  const users = [...namesOf("blast", sent), ...namesOf("flow", flows)]
  return { users: users.slice(0, email_users_max), count: users.length }
})

export const layer = storeLayer(EmailStore, (db, writer) =>
  EmailStore.of({
    ...documentStore(db, tables),
    facts: Effect.fnUntraced(function* (workspace) {
      const domains = (yield* db.all(sendingDomains, workspace)).filter(({ status }) => status === "verified")
      const fields = (yield* db.all(contactFields, workspace)).filter(({ status }) => status === "active")
      return {
        verifiedDomains: domains.map(({ domain }) => domain).sort(byCodePoint),
        customFields: fields.map(({ apiName }) => apiName).sort(byCodePoint),
        fourEyes: (yield* db.find(workspaces, null, workspace))?.fourEyes ?? false,
      }
    }),
    uses: (workspace, id) => usesOf(db, workspace, id),
    apply: (workspace, change) => applyEmail(db, writer, workspace, change),
  }),
)
