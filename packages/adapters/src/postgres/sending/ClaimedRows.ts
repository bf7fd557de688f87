// What a claim takes, from whichever lane, and under what.
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

/** Of `delivery d`, after it was claimed. */
export const claimedColumns = (sql: PgClient.PgClient) =>
  sql.literal(
    "d.delivery_id, d.blast_id, d.tokens, d.contact_id, d.approval_id, d.operational, d.email, d.attempts, d.lane",
  )

/** A claim that is being made. */
export interface Claiming {
  readonly workspace: WorkspaceId
  readonly token: number
  readonly lease_ms: number
}
