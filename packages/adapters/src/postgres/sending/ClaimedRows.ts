// Claimed deliveries: their row type and columns, shared by both ways of claiming.
import type { PgClient } from "@effect/sql-pg"
import type { FlowTokens } from "@tentpole/core/rendering/MergeTokens"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"

export interface ClaimedRow {
  readonly delivery_id: string
  readonly blast_id: string
  readonly tokens: FlowTokens | null
  readonly contact_id: ContactId
  readonly approval_id: string
  readonly operational: boolean
  readonly email: string
  readonly attempts: number
  readonly lane: string
}

/** For a RETURNING over alias `d` of `delivery`. */
export const claimedColumns = (sql: PgClient.PgClient) =>
  sql.literal(
    "d.delivery_id, d.blast_id, d.tokens, d.contact_id, d.approval_id, d.operational, d.email, d.attempts, d.lane",
  )

/** The workspace, fencing token and lease of a claim in progress. */
export interface ClaimContext {
  readonly workspace: WorkspaceId
  readonly token: number
  readonly lease_ms: number
}
