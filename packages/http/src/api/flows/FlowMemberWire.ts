// Wire schemas of flow memberships and their timelines.
import {
  currentStepOf,
  dropReasons,
  entrySources,
  type ExecutedStep,
  type MemberState,
  memberStatuses,
  type TimelineEntry,
  timelineTypes,
} from "@tentpole/core/flows/members/Membership"
import type { MemberDetails, MemberView } from "@tentpole/core/flows/members/MembershipStore"
import { stepTypes } from "@tentpole/core/flows/definition/Step"
import { ContactId, FlowId, MembershipId } from "@tentpole/core/kernel/Ids"
import { type DateTime, Schema } from "effect"
import { InstantWire, iso, isoOrNull, PaginationWire } from "../../Wire.ts"

export const TimelineEntryWire = Schema.Struct({
  type: Schema.Literals(timelineTypes),
  timestamp: InstantWire,
  step_id: Schema.NullOr(Schema.String),
  metadata: Schema.Record(Schema.String, Schema.Unknown),
}).annotate({ identifier: "FlowTimelineEntry" })

export const toTimelineEntryWire = ({ at, stepId, ...entry }: TimelineEntry): typeof TimelineEntryWire.Type => ({
  ...entry,
  timestamp: iso(at),
  step_id: stepId,
})

const MemberContactWire = Schema.Struct({
  contact_id: ContactId,
  display_name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  phone: Schema.NullOr(Schema.String),
}).annotate({ identifier: "FlowMemberContact" })

const ExecutedStepWire = Schema.Struct({
  step_id: Schema.String,
  type: Schema.String.annotate({ description: `One of ${stepTypes.join(", ")}`, examples: ["send_email"] }),
  label: Schema.NullOr(Schema.String),
  status: Schema.Literals(["executed", "skipped", "failed"]),
  reason: Schema.NullOr(Schema.String).annotate({
    description: "Why it was skipped or failed",
    examples: ["unsubscribed"],
  }),
  executed_at: InstantWire,
}).annotate({ identifier: "ExecutedFlowStep" })

const TokensWire = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])).annotate({
  description: "Values of `{{campaign.dynamic.<key>}}`",
  examples: [{ plan: "pro", seats: 5, trial: true }],
})

const fields = {
  membership_id: MembershipId,
  flow_id: FlowId,
  contact_id: ContactId,
  contact: Schema.NullOr(MemberContactWire).annotate({ description: "null if the contact was deleted" }),
  status: Schema.Literals(memberStatuses),
  current_step_id: Schema.NullOr(Schema.String).annotate({
    description: "The current step, or the last one if the member was dropped",
  }),
  entry_source: Schema.Literals(entrySources),
  tokens: TokensWire,
  entered_at: InstantWire,
  waiting_until: Schema.NullOr(InstantWire).annotate({
    description: "End of the wait; null for a wait that only has a condition",
  }),
  completed_at: Schema.NullOr(InstantWire),
  dropped_at: Schema.NullOr(InstantWire),
  drop_reason: Schema.NullOr(Schema.Literals(dropReasons)),
  last_error: Schema.NullOr(Schema.String),
  retry_count: Schema.Int,
  steps_executed: Schema.Array(ExecutedStepWire),
  created_at: InstantWire,
  updated_at: InstantWire,
}

export const FlowMemberWire = Schema.Struct(fields).annotate({ identifier: "FlowMembership" })

export const FlowMemberRunWire = Schema.Struct({ ...fields, timeline: Schema.Array(TimelineEntryWire) }).annotate({
  identifier: "FlowMembershipRun",
})

export const FlowMembersWire = Schema.Struct({
  members: Schema.Array(FlowMemberWire),
  pagination: PaginationWire,
}).annotate({ identifier: "FlowMembers" })

const endOf = (state: MemberState, status: MemberState["status"]): DateTime.Utc | null =>
  "at" in state && state.status === status ? state.at : null

const retryOf = (state: MemberState) => ("visit" in state && "retry" in state ? state.retry : null)

const toStepWire = ({ at, stepId, ...step }: ExecutedStep): typeof ExecutedStepWire.Type => ({
  ...step,
  step_id: stepId,
  executed_at: iso(at),
})

export const toFlowMemberWire = ({ contact, membership, steps }: MemberView): typeof FlowMemberWire.Type => {
  const { contactId, enteredAt, entrySource, flowId, id, state, tokens, updatedAt } = membership
  const retry = retryOf(state)
  return {
    membership_id: id,
    flow_id: flowId,
    contact_id: contactId,
    contact: contact && {
      contact_id: contact.id,
      display_name: contact.displayName,
      email: contact.email,
      phone: contact.phone,
    },
    status: state.status,
    current_step_id: currentStepOf(state),
    entry_source: entrySource,
    tokens,
    entered_at: iso(enteredAt),
    waiting_until: state.status === "waiting" ? isoOrNull(state.until) : null,
    completed_at: isoOrNull(endOf(state, "completed")),
    dropped_at: isoOrNull(endOf(state, "dropped")),
    drop_reason: state.status === "dropped" ? state.reason : null,
    last_error: retry?.error ?? null,
    retry_count: retry?.count ?? 0,
    steps_executed: steps.map(toStepWire),
    created_at: iso(enteredAt),
    updated_at: iso(updatedAt),
  }
}

export const toFlowMemberRunWire = (run: MemberDetails): typeof FlowMemberRunWire.Type => ({
  ...toFlowMemberWire(run),
  timeline: run.timeline.map(toTimelineEntryWire),
})
