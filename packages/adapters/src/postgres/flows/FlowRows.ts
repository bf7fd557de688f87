// Flow rows and their conversion in both directions. CHECK constraints of the table repeat the lifecycle of `Flow.ts`. The
// structure is stored as the JSON in which it was written.
import type { PgClient } from "@effect/sql-pg"
import type { Flow, FlowStatus, Lifecycle } from "@tentpole/core/flows/definition/Flow"
import { readStored } from "@tentpole/core/flows/definition/FlowInput"
import type { FlowTally, FlowView } from "@tentpole/core/flows/definition/FlowStore"
import { FlowId } from "@tentpole/core/kernel/Ids"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime } from "effect"
import { instant } from "../kernel/Instants.ts"

export interface FlowRow {
  readonly flow_id: string
  readonly name: string
  readonly description: string | null
  readonly status: FlowStatus
  readonly structure: unknown
  readonly revision: number
  readonly activated_at: Date | null
  readonly paused_at: Date | null
  readonly archived_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** For a SELECT over alias `f` of `flow`. */
export const flowColumns = `f.flow_id, f.name, f.description, f.status, f.structure, f.revision, f.activated_at, f.paused_at,
  f.archived_at, f.created_at, f.updated_at`

/** A value that a row of this status must have; a constraint guarantees it. */
const required = (at: Date | null, column: string): DateTime.Utc => {
  if (at === null) throw new Error(`a flow's ${column} is null where its status does not allow it`)
  return DateTime.makeUnsafe(at)
}

const lifecycleOf = (row: FlowRow): Lifecycle => {
  switch (row.status) {
    case "draft":
      return { status: "draft" }
    case "active":
      return { status: "active", activatedAt: required(row.activated_at, "activated_at") }
    case "paused":
      return { status: "paused", pausedAt: required(row.paused_at, "paused_at") }
    case "archived":
      return { status: "archived", archivedAt: required(row.archived_at, "archived_at") }
  }
}

export const toFlow = (row: FlowRow): Flow => ({
  id: FlowId.make(row.flow_id),
  name: row.name,
  description: row.description,
  structure: readStored(row.structure),
  revision: row.revision,
  lifecycle: lifecycleOf(row),
  createdAt: DateTime.makeUnsafe(row.created_at),
  updatedAt: DateTime.makeUnsafe(row.updated_at),
})

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
  activated_at: lifecycle.status === "active" ? DateTime.formatIso(lifecycle.activatedAt) : null,
  paused_at: lifecycle.status === "paused" ? DateTime.formatIso(lifecycle.pausedAt) : null,
  archived_at: lifecycle.status === "archived" ? DateTime.formatIso(lifecycle.archivedAt) : null,
  updated_at: DateTime.formatIso(updatedAt),
})

export interface FlowViewRow extends FlowRow, Omit<FlowTally, "lastEntryAt"> {
  readonly last_entry_at: Date | null
}

const counted = ["active", "waiting", "completed", "dropped", "failed"] as const satisfies ReadonlyArray<
  keyof FlowTally
>

/** The counters of each flow `f`, summed over their shards. */
export const tallyColumns = `${counted.map((column) => `t.${column}`).join(", ")}, t.last_entry_at`
export const tallyJoin = `left join lateral (
    select ${counted.map((column) => `coalesce(sum(${column}), 0)::int as ${column}`).join(", ")},
      max(last_entry_at) as last_entry_at
    from flow_tally where workspace_id = f.workspace_id and flow_id = f.flow_id) as t on true`

export const toView = (row: FlowViewRow): FlowView => ({
  flow: toFlow(row),
  tally: {
    active: row.active,
    waiting: row.waiting,
    completed: row.completed,
    dropped: row.dropped,
    failed: row.failed,
    lastEntryAt: instant(row.last_entry_at),
  },
})
