// Flow rows and their conversion in both directions. CHECK constraints of the table repeat the lifecycle of `Flow.ts`. The
// structure is stored as the JSON in which it was written.
import type { PgClient } from "@effect/sql-pg"
import { type Flow, type FlowStatus, lifecycleOf } from "@tentpole/core/flows/definition/Flow"
import { readStored } from "@tentpole/core/flows/definition/FlowInput"
import type { Structure } from "@tentpole/core/flows/definition/FlowSchema"
import type { FlowTally, FlowView } from "@tentpole/core/flows/definition/FlowStore"
import { memberStatuses } from "@tentpole/core/flows/members/Membership"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime } from "effect"
import { fromRow, iso, type RowOf } from "../kernel/Instants.ts"

type Columns = Omit<Flow, "lifecycle" | "structure">

/** A flow without its structure. */
export interface FlowHead extends RowOf<Columns> {
  readonly status: FlowStatus
  /** When the status began. */
  readonly since: Date
}

export interface FlowRow extends FlowHead {
  readonly structure: unknown
}

/** For a SELECT over alias `f` of `flow`. */
export const headColumns = `f.flow_id as id, f.name, f.description, f.revision, f.created_at as "createdAt",
  f.updated_at as "updatedAt", f.status, coalesce(f.activated_at, f.paused_at, f.archived_at, f.created_at) as since`
export const flowColumns = `${headColumns}, f.structure`

export const withStructure = ({ status, since, ...columns }: FlowHead, structure: Structure): Flow => ({
  ...fromRow<Columns>(columns),
  lifecycle: lifecycleOf(status, DateTime.makeUnsafe(since)),
  structure,
})

export const toFlow = ({ structure, ...head }: FlowRow): Flow => withStructure(head, readStored(structure))

/** The columns that a change may write. */
export const columnsOf = (
  sql: PgClient.PgClient,
  { name, description, structure, revision, lifecycle, updatedAt }: Flow,
) => ({
  name,
  name_folded: fold(name),
  description,
  status: lifecycle.status,
  structure: sql.json(structure),
  revision,
  activated_at: lifecycle.status === "active" ? iso(lifecycle.activatedAt) : null,
  paused_at: lifecycle.status === "paused" ? iso(lifecycle.pausedAt) : null,
  archived_at: lifecycle.status === "archived" ? iso(lifecycle.archivedAt) : null,
  updated_at: iso(updatedAt),
})

export type FlowViewRow = FlowRow & RowOf<FlowTally>

/** The counters of each flow `f`, summed over their shards. */
export const tallyColumns = `${memberStatuses.map((column) => `t.${column}`).join(", ")}, t.last_entry_at as "lastEntryAt"`
export const tallyJoin = (sql: PgClient.PgClient, workspace: WorkspaceId) => sql`left join lateral (
    select ${sql.literal(memberStatuses.map((column) => `coalesce(sum(${column}), 0)::int as ${column}`).join(", "))},
      max(last_entry_at) as last_entry_at
    from flow_tally where workspace_id = ${workspace} and flow_id = f.flow_id) as t on true`

export const toView = ({
  active,
  waiting,
  completed,
  dropped,
  failed,
  lastEntryAt,
  ...flow
}: FlowViewRow): FlowView => ({
  flow: toFlow(flow),
  tally: fromRow<FlowTally>({ active, waiting, completed, dropped, failed, lastEntryAt }),
})
