// The facts of a blast in memory: its email, its audience and what its launch depends on.
import { messagesSince } from "../messages/MessageTables.ts"
import type { Blast } from "@tentpole/core/blasts/Blast"
import { launchOf, lockedOf } from "@tentpole/core/blasts/Blast"
import {
  counted_max,
  type EmailFacts,
  type EmailSummary,
  type LaunchFacts,
  type ListFacts,
  type ListSummary,
  type ReadinessFacts,
  type SummaryFacts,
} from "@tentpole/core/blasts/Readiness"
import { headerOf } from "@tentpole/core/documents/EmailFields"
import { blockReason } from "@tentpole/core/sending/Suppression"
import { statusOf } from "@tentpole/core/documents/Document"
import type { Email } from "@tentpole/core/emails/Email"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { List } from "@tentpole/core/lists/List"
import { plans } from "@tentpole/core/workspaces/Workspace"
import { DateTime, Effect } from "effect"
import { contactFields } from "../contacts/ContactTables.ts"
import { contacts } from "../contacts/ContactStore.ts"
import { blasts, factsOf as recipientFactsOf } from "../sending/DeliveryTables.ts"
import { emailApprovals, emails, emailVersions, versionKey } from "../emails/EmailStore.ts"
import { findList } from "../lists/ListStore.ts"
import type { Rows } from "../kernel/MemoryDatabase.ts"
import { contactsOf } from "../segments/SegmentMembers.ts"
import { topics } from "../topics/TopicTables.ts"
import { sendingDomains, workspaces } from "../workspaces/WorkspaceStore.ts"

const listOf = (db: Rows, workspace: WorkspaceId, { audience }: Blast): Effect.Effect<List | null> =>
  audience === null
    ? Effect.succeed(null)
    : Effect.catchTag(findList(db, workspace, audience.listId), "NotFound", () => Effect.succeed(null))

const listSummary = (list: List): ListSummary => ({
  listId: list.id,
  name: list.name,
  kind: list.kind,
  memberCount: list.kind === "static" ? list.memberCount : null,
})

const emailSummary = (email: Email): EmailSummary => ({
  emailId: email.id,
  name: email.name,
  status: statusOf(email),
  subject: email.subject,
  header: headerOf(email),
  currentVersion: email.currentVersion,
  approval: email.approval && {
    approvalId: email.approval.id,
    version: email.approval.version,
    by: email.approval.by,
  },
})

/** The current email and the approval that would be sent: the blast's own, or the email's while the blast has none. */
const emailOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, blast: Blast) {
  const email = blast.email === null ? undefined : yield* db.find(emails, workspace, blast.email.emailId)
  const approvalId = lockedOf(blast)?.approvalId ?? email?.approval?.id
  const approval = approvalId === undefined ? undefined : yield* db.find(emailApprovals, workspace, approvalId)
  return { email, approval }
})

export const summaryFactsOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, blast: Blast) {
  const list = yield* listOf(db, workspace, blast)
  const { email, approval } = yield* emailOf(db, workspace, blast)
  return {
    list: list && listSummary(list),
    email: email === undefined ? null : emailSummary(email),
    approvedHeader: approval === undefined ? null : headerOf(approval),
  } satisfies SummaryFacts
})

const listFacts = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, blast: Blast, now: DateTime.Utc) {
  const list = yield* listOf(db, workspace, blast)
  if (list === null) return null
  const empty = blast.status === "draft" && (yield* contactsOf(db, workspace, list, now)).length === 0
  return { ...listSummary(list), empty } satisfies ListFacts
})

const emailFacts = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, blast: Blast) {
  const { email, approval } = yield* emailOf(db, workspace, blast)
  if (email === undefined) return null
  const html = (yield* db.find(emailVersions, workspace, versionKey(email.id, email.currentVersion)))?.html
  const texts =
    approval === undefined
      ? [email.subject, email.previewText, email.fromName, html, email.plainText?.text]
      : [approval.subject, approval.previewText, approval.fromName, approval.html, approval.text]
  return {
    ...emailSummary(email),
    texts: blast.status === "draft" ? texts.flatMap((text) => text ?? []) : [],
  } satisfies EmailFacts
})

export const factsOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, blast: Blast, now: DateTime.Utc) {
  const { email, approval } = yield* emailOf(db, workspace, blast)
  const settings = yield* db.find(workspaces, null, workspace)
  const domains = yield* db.all(sendingDomains, workspace)
  const fields = yield* db.all(contactFields, workspace)
  return {
    list: yield* listFacts(db, workspace, blast, now),
    email: yield* emailFacts(db, workspace, blast),
    approvedHeader: approval === undefined ? null : headerOf(approval),
    senderAddress: approval?.fromAddress ?? email?.fromAddress ?? null,
    verifiedDomains: new Set(domains.flatMap(({ domain, status }) => (status === "verified" ? [domain] : []))),
    postalAddress: settings?.postalAddress ?? null,
    fourEyes: settings?.fourEyes ?? false,
    topic: (blast.topicId === null ? undefined : yield* db.find(topics, workspace, blast.topicId)) ?? null,
    customFields: new Set(fields.flatMap(({ apiName, status }) => (status === "active" ? [apiName] : []))),
  } satisfies ReadinessFacts
})

/** The emails of a day: those of blasts that were launched then, and single messages. */
export const usedOn = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, now: DateTime.Utc) {
  const day_ms = DateTime.startOf(now, "day").epochMilliseconds
  return (yield* db.all(blasts, workspace))
    .flatMap((blast) => launchOf(blast) ?? [])
    .filter((launch) => launch.at.epochMilliseconds >= day_ms)
    .reduce(
      (sum, launch) => sum + (launch.audience?.qualifiedCount ?? launch.allotted),
      yield* messagesSince(db, workspace, day_ms),
    )
})

const qualifiedNow = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  blast: Blast,
  { now, operational }: { readonly now: DateTime.Utc; readonly operational: boolean },
) {
  const list = yield* listOf(db, workspace, blast)
  if (list === null) return 0
  let count = 0
  for (const contact of yield* contactsOf(db, workspace, list, now)) {
    const facts = yield* recipientFactsOf(db, workspace, contact, contact.emailNormalized, blast.topicId)
    if (blockReason(facts, operational) === undefined) count++
  }
  return Math.min(counted_max, count)
})

export const launchFactsOf = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  blast: Blast,
  options: { readonly now: DateTime.Utc; readonly operational: boolean },
) {
  const plan = plans[(yield* db.find(workspaces, null, workspace))?.plan ?? "free"]
  const limited = plan.emailsPerDay_max !== null || plan.contacts_max !== null
  return {
    ...(yield* factsOf(db, workspace, blast, options.now)),
    plan,
    allotment: limited
      ? {
          contacts: Math.min(counted_max, (yield* db.all(contacts, workspace)).length),
          usedToday: yield* usedOn(db, workspace, options.now),
          qualified: yield* qualifiedNow(db, workspace, blast, options),
        }
      : null,
  } satisfies LaunchFacts
})
