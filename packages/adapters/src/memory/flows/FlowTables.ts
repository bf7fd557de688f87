// The memory tables of flows, and the query of active flows that use a row of another room.
import type { Flow } from "@tentpole/core/flows/definition/Flow"
import { type NamedByFlow, namedByFlow } from "@tentpole/core/flows/definition/FlowReferences"
import type { EmailId, FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { byCodePoint, fold } from "@tentpole/core/kernel/Text"
import { Effect } from "effect"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

export const flows = table<Flow>("flow")

export const findFlow = (db: Rows, workspace: WorkspaceId, id: FlowId): Effect.Effect<Flow, NotFound> =>
  Effect.flatMap(db.find(flows, workspace, id), (flow) =>
    flow === undefined ? Effect.fail(new NotFound({ resource: "flow" })) : Effect.succeed(flow),
  )

export const pausedFlows = (db: Rows, workspace: WorkspaceId): Effect.Effect<ReadonlySet<FlowId>> =>
  Effect.map(
    db.all(flows, workspace),
    (all) => new Set(all.flatMap(({ id, lifecycle }) => (lifecycle.status === "paused" ? [id] : []))),
  )

interface InlineEmail {
  readonly flowId: FlowId
  readonly stepId: string
  readonly emailId: EmailId
}

/** The inline emails of steps, by email id. */
export const flowEmails = table<InlineEmail>("flow_email")

/** Flows that satisfy `uses`, ordered by name. */
export const flowsUsing = (
  db: Rows,
  workspace: WorkspaceId,
  uses: (named: NamedByFlow, flow: Flow) => boolean,
): Effect.Effect<ReadonlyArray<Flow>> =>
  Effect.map(db.all(flows, workspace), (all) =>
    all
      .filter((flow) => uses(namedByFlow(flow.structure), flow))
      .sort((left, right) => byCodePoint(fold(left.name), fold(right.name)) || byCodePoint(left.id, right.id)),
  )

/** The same of active flows. */
export const activeFlowsUsing = (db: Rows, workspace: WorkspaceId, uses: (named: NamedByFlow, flow: Flow) => boolean) =>
  flowsUsing(db, workspace, (named, flow) => flow.lifecycle.status === "active" && uses(named, flow))
