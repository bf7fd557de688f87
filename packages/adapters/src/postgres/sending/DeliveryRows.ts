// Delivery rows on PostgreSQL and their conversion to deliveries, and the lock on deliveries and their contacts.
import type { PgClient } from "@effect/sql-pg"
import type { BlockReason, Delivery, DeliveryState, FailureReason, FlowMessage } from "@tentpole/core/sending/Delivery"
import type { FlowTokens } from "@tentpole/core/rendering/MergeTokens"
import {
  ApprovalId,
  BlastId,
  ContactId,
  DeliveryId,
  FlowId,
  MembershipId,
  type WorkspaceId,
} from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { contactColumns, type ContactRow, toContact } from "../contacts/ContactRows.ts"
import { instant } from "../kernel/Instants.ts"

/** Columns of a flow's message; all null for a blast's. */
interface FlowColumns {
  readonly membership_id: string | null
  readonly flow_id: string | null
  readonly step_id: string | null
  readonly visit: number | null
  readonly tokens: FlowTokens | null
}

export interface DeliveryRow extends FlowColumns {
  readonly delivery_id: string
  readonly blast_id: string
  readonly contact_id: string
  readonly approval_id: string
  readonly email: string | null
  readonly email_normalized: string | null
  readonly state: DeliveryState
  readonly reason: BlockReason | FailureReason | null
  readonly token: bigint | null
  readonly attempts: number
  readonly due_at: Date
  readonly handed_over_at: Date | null
  readonly sent_at: Date | null
  readonly delivered_at: Date | null
  readonly opened_at: Date | null
  readonly clicked_at: Date | null
  readonly clicked_url: string | null
  readonly bounced_at: Date | null
  readonly unsubscribed_at: Date | null
  readonly complained_at: Date | null
}

/** For a SELECT over alias `d` of `delivery`. */
export const deliveryColumns = `d.delivery_id, d.blast_id, d.membership_id, d.flow_id, d.step_id, d.visit, d.tokens, d.contact_id,
  d.approval_id, d.email, d.email_normalized, d.state, d.reason, d.token, d.attempts, d.due_at, d.handed_over_at, d.sent_at, d.delivered_at, d.opened_at, d.clicked_at,
  d.clicked_url, d.bounced_at, d.unsubscribed_at, d.complained_at`

const toFlowMessage = ({ flow_id, membership_id, step_id, tokens, visit }: FlowColumns): FlowMessage | null =>
  membership_id === null || flow_id === null || step_id === null || visit === null || tokens === null
    ? null
    : { membershipId: MembershipId.make(membership_id), flowId: FlowId.make(flow_id), stepId: step_id, visit, tokens }

export const toDelivery = (row: DeliveryRow): Delivery & { readonly emailNormalized: string | null } => ({
  id: DeliveryId.make(row.delivery_id),
  blastId: BlastId.make(row.blast_id),
  flow: toFlowMessage(row),
  contactId: ContactId.make(row.contact_id),
  approvalId: ApprovalId.make(row.approval_id),
  email: row.email,
  emailNormalized: row.email_normalized,
  state: row.state,
  reason: row.reason,
  token: row.token === null ? null : Number(row.token),
  attempts: row.attempts,
  dueAt: DateTime.makeUnsafe(row.due_at),
  handedOverAt: instant(row.handed_over_at),
  sentAt: instant(row.sent_at),
  deliveredAt: instant(row.delivered_at),
  openedAt: instant(row.opened_at),
  clickedAt: instant(row.clicked_at),
  clickedUrl: row.clicked_url,
  bouncedAt: instant(row.bounced_at),
  unsubscribedAt: instant(row.unsubscribed_at),
  complainedAt: instant(row.complained_at),
})

/**
 * Locks deliveries, then contacts, each in the order of their ids, as the deletion of contacts does. Two statements: a row that
 * is joined to a locked row shows the state before the wait for the lock.
 */
export const lockDeliveries = Effect.fnUntraced(function* <Row extends DeliveryRow>(
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  ids: ReadonlyArray<DeliveryId>,
  columns: string,
) {
  const rows = yield* sql<Row>`
    select ${sql.literal(columns)} from delivery d
    where d.workspace_id = ${workspace} and d.delivery_id = any(${texts(ids)}::uuid[])
    order by d.delivery_id for no key update`
  const contacts = yield* sql<ContactRow>`
    select ${sql.literal(contactColumns)} from contact c
    where c.workspace_id = ${workspace} and c.contact_id = any(${texts(rows.map((row) => row.contact_id))}::uuid[])
    order by c.contact_id for no key update`
  return { rows, contacts: new Map(contacts.map((row) => [ContactId.make(row.contact_id), toContact(row)])) }
})
