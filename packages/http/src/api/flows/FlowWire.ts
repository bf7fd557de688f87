// Wire schemas of flows in answers.
import { StructureSchema } from "@tentpole/core/flows/definition/FlowSchema"
import { archivedAtOf, flowStatuses } from "@tentpole/core/flows/definition/Flow"
import type { FlowReadinessView, FlowStepCounts } from "@tentpole/core/flows/Flows"
import { MissingPiece } from "@tentpole/core/flows/definition/FlowErrors"
import type { FlowTally, FlowView } from "@tentpole/core/flows/definition/FlowStore"
import { edgeKinds, edgesBetween } from "@tentpole/core/flows/definition/Graph"
import { memberStatuses } from "@tentpole/core/flows/members/Membership"
import type { Simulation } from "@tentpole/core/flows/simulation/Simulate"
import { flowWarningCodes } from "@tentpole/core/flows/definition/Readiness"
import { stepTypes } from "@tentpole/core/flows/definition/Step"
import { FlowId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { InstantWire, iso, isoOrNull, PaginationWire } from "../../Wire.ts"
import { TimelineEntryWire, toTimelineEntryWire } from "./FlowMemberWire.ts"

const DetailsWire = Schema.Struct({
  total_entered: Schema.Int.annotate({ description: "Sum of the counts below" }),
  active_count: Schema.Int.annotate({ description: "At a step that is being executed" }),
  waiting_count: Schema.Int,
  completed_count: Schema.Int,
  dropped_count: Schema.Int,
  failed_count: Schema.Int,
  most_recent_entry_at: Schema.NullOr(InstantWire),
}).annotate({ identifier: "FlowDetails", description: "Counts of memberships" })

export const FlowWire = Schema.Struct({
  flow_id: FlowId,
  type: Schema.Literal("triggered_flow"),
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  status: Schema.Literals(flowStatuses),
  ...StructureSchema.fields,
  details: DetailsWire,
  archived_at: Schema.NullOr(InstantWire),
  created_at: InstantWire,
  updated_at: InstantWire,
}).annotate({ identifier: "Flow" })

export const FlowsWire = Schema.Struct({ flows: Schema.Array(FlowWire), pagination: PaginationWire })

export const FlowDeletedWire = Schema.Struct({ flow_id: FlowId, deleted: Schema.Literal(true) }).annotate({
  identifier: "FlowDeleted",
})

const toDetailsWire = (tally: FlowTally): typeof DetailsWire.Type => {
  const { active, waiting, completed, dropped, failed, lastEntryAt } = tally
  return {
    total_entered: active + waiting + completed + dropped + failed,
    active_count: active,
    waiting_count: waiting,
    completed_count: completed,
    dropped_count: dropped,
    failed_count: failed,
    most_recent_entry_at: isoOrNull(lastEntryAt),
  }
}

export const toFlowWire = ({ flow, tally }: FlowView): typeof FlowWire.Type => ({
  flow_id: flow.id,
  type: "triggered_flow",
  name: flow.name,
  description: flow.description,
  status: flow.lifecycle.status,
  ...flow.structure,
  details: toDetailsWire(tally),
  archived_at: isoOrNull(archivedAtOf(flow)),
  created_at: iso(flow.createdAt),
  updated_at: iso(flow.updatedAt),
})

const NodeWire = Schema.Struct({
  step_id: Schema.String,
  type: Schema.Literals(stepTypes),
  label: Schema.NullOr(Schema.String),
  count: Schema.Int.annotate({ description: "Members at this step" }),
}).annotate({ identifier: "FlowNode" })

const EdgeWire = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  kind: Schema.Literals(edgeKinds),
}).annotate({
  identifier: "FlowEdge",
  description: "`kind` is named after the key of the edge: `next` for `next_step_id`",
})

export const GraphWire = Schema.Struct({ nodes: Schema.Array(NodeWire), edges: Schema.Array(EdgeWire) }).annotate({
  identifier: "FlowGraph",
  description: "Members enter at the first node. Edges to missing steps are omitted",
})

export const toGraphWire = ({ flow, counts }: FlowStepCounts): typeof GraphWire.Type => {
  const { steps } = flow.structure
  return {
    nodes: steps.map(({ step_id, type, label }) => ({ step_id, type, label, count: counts.get(step_id) ?? 0 })),
    edges: edgesBetween(steps).map(({ from, to, kind }) => ({ from, to, kind })),
  }
}

export const SimulationWire = Schema.Struct({
  timeline: Schema.Array(TimelineEntryWire),
  status: Schema.Literals(memberStatuses),
  ended_at: Schema.NullOr(InstantWire).annotate({
    description: "null if the membership had not ended when the simulation ended",
  }),
  emails: Schema.Array(Schema.Struct({ step_id: Schema.String, at: InstantWire, subject: Schema.String })).annotate({
    description: "Messages that would be sent",
  }),
}).annotate({ identifier: "FlowSimulation" })

export const toSimulationWire = ({ timeline, status, endedAt, emails }: Simulation): typeof SimulationWire.Type => ({
  timeline: timeline.map(toTimelineEntryWire),
  status,
  ended_at: isoOrNull(endedAt),
  emails: emails.map(({ stepId, at, subject }) => ({ step_id: stepId, at: iso(at), subject })),
})

export const ReadinessWire = Schema.Struct({
  ready: Schema.Boolean.annotate({ description: "Whether an activation would succeed now" }),
  missing: Schema.Array(
    Schema.Struct({
      ...MissingPiece.fields,
      path: Schema.String.annotate({ description: "The part of the flow, such as `steps.0.email_id`" }),
    }),
  ).annotate({ description: "As in `details.missing` of a refused activation" }),
  warnings: Schema.Array(
    Schema.Struct({ code: Schema.Literals(flowWarningCodes), path: Schema.String, message: Schema.String }),
  ).annotate({ description: "They do not prevent the activation" }),
  paid_plan_required: Schema.Boolean.annotate({ description: "Whether the workspace's plan has no flows" }),
}).annotate({ identifier: "FlowReadiness" })

export const toReadinessWire = ({ missing: pieces, needsPaidPlan, warnings }: FlowReadinessView) => ({
  ready: pieces.length === 0 && !needsPaidPlan,
  missing: pieces,
  warnings,
  paid_plan_required: needsPaidPlan,
})
