// Facts that the membership state machine needs, read for many memberships at once with one statement for each room.
import type { PgClient } from "@effect/sql-pg"
import type { SuppressionReason } from "@tentpole/core/sending/Suppression"
import type { MemberFactsQuery, MemberFactsResult, ContactFacts } from "@tentpole/core/flows/members/MembershipStore"
import type { MemberDelivery } from "@tentpole/core/flows/members/MemberDeliveries"
import type { ApprovalId, ContactId, EmailId, MembershipId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { contactColumns, type ContactRow, toContact } from "../contacts/ContactRows.ts"
import { fromRow, type RowOf } from "../kernel/Instants.ts"
import { subjectsOf } from "../segments/SegmentStore.ts"

type Sql = PgClient.PgClient

export const memberFacts = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, query: MemberFactsQuery) {
  const found: MemberFactsResult = {
    contacts: yield* contactsOf(sql, workspace, query),
    deliveries: yield* messagesOf(sql, workspace, query.deliveriesOf),
    approvals: yield* approvalsOf(sql, workspace, query.emails),
  }
  return found
})

const contactsOf = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, query: MemberFactsQuery) {
  if (query.contacts.length === 0) return new Map<ContactId, ContactFacts>()
  const rows = yield* sql<ContactRow & { readonly suppression: SuppressionReason | null }>`
    select ${sql.literal(contactColumns)}, s.reason as suppression
    from contact c
    left join suppression s on s.workspace_id = ${workspace} and s.email_normalized = c.email_normalized
    where c.workspace_id = ${workspace} and c.contact_id = any(${texts(query.contacts)}::uuid[])`
  const contacts = rows.map(({ suppression: _, ...row }) => toContact(row))
  const subjects =
    query.lists.length + query.activityTypes.length + query.topics.length === 0
      ? contacts.map((contact) => ({
          contact,
          lists: new Set<never>(),
          topics: new Map<never, never>(),
          activities: [],
        }))
      : yield* subjectsOf(sql, workspace, contacts, query)
  return new Map(
    subjects.map((subject, at): [ContactId, ContactFacts] => [
      subject.contact.id,
      { ...subject, suppression: rows[at]?.suppression ?? null },
    ]),
  )
})

interface DeliveryRow extends RowOf<MemberDelivery> {
  readonly membershipId: MembershipId
}

const messagesOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  members: ReadonlyArray<MembershipId>,
) {
  if (members.length === 0) return new Map<MembershipId, Array<MemberDelivery>>()
  const rows = yield* sql<DeliveryRow>`
    select membership_id as "membershipId", step_id as "stepId", visit, state, reason, sent_at as "sentAt",
      delivered_at as "deliveredAt", opened_at as "openedAt", clicked_at as "clickedAt", bounced_at as "bouncedAt",
      unsubscribed_at as "unsubscribedAt"
    from delivery
    where workspace_id = ${workspace} and membership_id = any(${texts(members)}::uuid[])`
  return Map.groupBy(rows.map(fromRow<MemberDelivery & Pick<DeliveryRow, "membershipId">>), (row) => row.membershipId)
})

const approvalsOf = (sql: Sql, workspace: WorkspaceId, emails: ReadonlyArray<EmailId>) =>
  emails.length === 0
    ? Effect.succeed(new Map<EmailId, ApprovalId>())
    : Effect.map(
        sql<{ readonly id: EmailId; readonly approval: ApprovalId }>`
          select email_id as id, approval_id as approval from email
          where workspace_id = ${workspace} and email_id = any(${texts(emails)}::uuid[]) and approval_id is not null`,
        (rows) => new Map(rows.map(({ id, approval }) => [id, approval])),
      )
