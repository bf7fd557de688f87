// The membership machine. Pure: `enroll` begins a membership, `decide(flow, membership, facts, event)` returns a change or null.
// A member advances as far as possible at once, until a step takes time.
//
// Flows can't trigger each other endlessly: triggers react to contacts, lists and forms, and no step writes one of these.
// The events that a flow writes (`flow_entered`, `email_sent` …) trigger no flow.
import { DateTime, Equal, Result } from "effect"
import type { Activity } from "../../contacts/Activity.ts"
import { blockReason } from "../../sending/Suppression.ts"
import type { EmailId } from "../../kernel/Ids.ts"
import { changeOf } from "../../kernel/changes/Change.ts"
import type { DomainEvent } from "../../kernel/changes/Outbox.ts"
import { InvalidState } from "../../kernel/Refusal.ts"
import type { EmailStepMetric } from "../../segments/RuleTree.ts"
import type { CompiledFlow, CompiledStep, MemberFacts } from "../definition/CompiledFlow.ts"
import { type EarlierMemberships, type Entry, type EntryRefusal, entryRefusal } from "./Enrollment.ts"
import { steps_max } from "../definition/FlowSchema.ts"
import {
  attemptOf,
  type DropReason,
  engagementTypes,
  isLive,
  type LiveState,
  type Membership,
  type MemberStatus,
} from "./Membership.ts"
import type { MembershipChange, MembershipUpdate } from "./MembershipChange.ts"
import {
  type ConditionCheckStep,
  durationOf,
  endOf,
  outputKey,
  type SendEmailStep,
  type Step,
  type StepId,
  timeoutOf,
  type WaitStep,
} from "../definition/Step.ts"
import { MembershipTransition } from "./MembershipTransition.ts"

/** @public */
export { transitions } from "./Membership.ts"

/** What can happen to a member. Repeated and outdated events change nothing. */
export type MemberEvent =
  /** The member is due, or the contact or the flow has changed. */
  | { readonly type: "check" }
  /** The delivery of a visit has ended. An unconfirmed delivery counts as failed. */
  | {
      readonly type: "settled"
      readonly visit: number
      readonly outcome: "sent" | "failed" | "blocked"
      readonly reason: string | null
      readonly at: DateTime.Utc
    }
  /** An engagement with a step's message, also after the member has left the step. Once for each message and metric. */
  | {
      readonly type: "engaged"
      readonly stepId: StepId
      readonly metric: Exclude<EmailStepMetric, "sent">
      readonly at: DateTime.Utc
      readonly url: string | null
    }
  | { readonly type: "email_created"; readonly visit: number; readonly emailId: EmailId }
  | { readonly type: "tent_live"; readonly visit: number; readonly url: string }
  | { readonly type: "creation_failed"; readonly visit: number; readonly attempt: number; readonly error: string }
  | { readonly type: "removed" }
  | { readonly type: "contact_deleted" }
  /** The contact was merged into another one, which is a live member of the flow. */
  | { readonly type: "merged" }

const membershipChange = changeOf("membership")

const toChange = (flow: CompiledFlow, update: MembershipUpdate, at: DateTime.Utc): MembershipChange => {
  const activities = activitiesOf(flow, update, at)
  const entry = update.before === null ? { entry_source: update.after.entrySource } : {}
  const events = activities.map(({ type, contactId, metadata }) => ({
    type,
    contactId,
    at,
    data: { ...metadata, ...entry },
  }))
  return membershipChange({ ...update, activities }, { events: [...events, ...failureOf(flow, update, at)] })
}

/** The event of a failed membership. It is no activity of the contact. */
const failureOf = (
  flow: CompiledFlow,
  { before, after: { contactId, flowId, id, state } }: MembershipUpdate,
  at: DateTime.Utc,
): ReadonlyArray<DomainEvent> => {
  if (state.status !== "failed" || before?.state.status === "failed") return []
  const data = { flow_id: flowId, flow_name: flow.name, membership_id: id, reason: state.retry.error }
  return [{ type: "flow_failed", contactId, at, data }]
}

/** Activities of the contact: the entry into the flow and the end of the membership. */
const activitiesOf = (
  flow: CompiledFlow,
  { before, after: { contactId, flowId, id, state } }: MembershipUpdate,
  at: DateTime.Utc,
): ReadonlyArray<Activity> => {
  if (before?.state.status === state.status) return []
  const type = before === null ? "flow_entered" : endTypes.get(state.status)
  if (type === undefined) return []
  const reason = state.status === "dropped" ? { reason: state.reason } : {}
  return [{ contactId, type, at, metadata: { flow_id: flowId, flow_name: flow.name, membership_id: id, ...reason } }]
}

const endTypes: ReadonlyMap<MemberStatus, Activity["type"]> = new Map([
  ["completed", "flow_completed"],
  ["dropped", "flow_dropped"],
])

/** The change of a new membership, or the refusal. A live membership refuses under either reentry policy. */
export const enroll = (
  flow: CompiledFlow,
  { id, source, tokens }: Entry,
  facts: MemberFacts,
  earlier: EarlierMemberships,
): Result.Result<MembershipChange, EntryRefusal> => {
  const { first } = flow
  const refusal = entryRefusal(flow, facts, earlier)
  if (refusal !== null) return Result.fail(refusal)
  if (first === null) return Result.fail(new InvalidState({ resource: "flow", status: flow.status, move: "entered" }))
  const { now } = facts
  const after: Membership = {
    id,
    flowId: flow.id,
    contactId: facts.contact.id,
    entrySource: source,
    tokens,
    createdEmails: [],
    state: {
      status: "active",
      visit: { stepId: first, number: 1 },
      doing: { kind: "run", dueAt: now },
      retry: null,
    },
    enteredAt: now,
    updatedAt: now,
  }
  const entered = { type: "entered_flow", at: now, stepId: first, metadata: { entry_source: source } } as const
  return Result.succeed(toChange(flow, { before: null, after, entries: [entered], commands: [] }, now))
}

/** The change that an event causes; null: unchanged. */
export const decide = (
  flow: CompiledFlow,
  before: Membership,
  facts: MemberFacts,
  event: MemberEvent,
): MembershipChange | null => {
  const transition = new MembershipTransition(flow, before, facts)
  applyEvent(transition, event)
  if (isLive(transition.state)) {
    const reason = dropReasonOf(flow, facts, event)
    if (reason === null) advance(transition)
    else transition.drop(reason)
  }
  const update = transition.toUpdate()
  return update === null ? null : toChange(flow, update, facts.now)
}

const dropReasonOf = (flow: CompiledFlow, facts: MemberFacts, { type }: MemberEvent): DropReason | null => {
  if (type === "contact_deleted" || type === "removed" || type === "merged") return type
  if (flow.status === "archived") return "flow_archived"
  return flow.disqualifies?.(facts) === true ? "disqualified" : null
}

/** Applies the event itself. Engagements are recorded in every status; other events end the visit that they name. */
const applyEvent = (transition: MembershipTransition, event: MemberEvent): void => {
  const { state } = transition
  if (event.type === "engaged") {
    const metadata = event.url === null ? {} : { url: event.url }
    return transition.addEntry(engagementTypes[event.metric], event.stepId, metadata, event.at)
  }
  if (event.type === "settled" && state.status === "dropped") return transition.settleDropped(event)
  if (!("visit" in event) || state.status !== "active" || event.visit !== state.visit.number) return
  const step = transition.step()
  if (step === null || state.doing.kind === "run" || !isStateOfStep(state, step)) return
  switch (event.type) {
    case "settled":
      if (step.type === "send_email") settleSend(transition, step, event)
      return
    case "email_created":
      if (step.type !== "create_email") return
      transition.recordEmail(step.step_id, event.emailId)
      return completeStep(transition, step, { email_id: event.emailId })
    case "tent_live":
      if (step.type !== "create_tent") return
      transition.setToken(outputKey(step), event.url)
      return completeStep(transition, step, { url: event.url })
    case "creation_failed":
      if (state.doing.kind === "make" && event.attempt === attemptOf(state)) transition.fail(step, event.error)
      return
  }
}

const completeStep = (
  transition: MembershipTransition,
  step: Exclude<Step, ConditionCheckStep>,
  metadata: object = {},
): void => transition.leave(step, "step_executed", step.next_step_id, metadata)

type Settled = Extract<MemberEvent, { readonly type: "settled" }>

/** The member advances after every outcome. Later conditions read what happened to the message. */
const settleSend = (
  transition: MembershipTransition,
  step: SendEmailStep,
  { outcome, reason, visit, at }: Settled,
): void => {
  if (outcome === "sent") {
    transition.addEntry("email_sent", step.step_id, { visit }, at)
    return completeStep(transition, step)
  }
  transition.leave(step, outcome === "failed" ? "step_failed" : "step_skipped", step.next_step_id, { reason })
}

/** Each step needs at most two iterations: a wait begins, and ends. */
const steps_per_advance_max = 2 * (steps_max + 1)

/**
 * Advances until a step takes time. An activated flow has no cycle without a wait. A member that exceeds the limit all the
 * same fails, so that the loop ends.
 */
const advance = (transition: MembershipTransition): void => {
  for (let count = 0; isLive(transition.state); count++) {
    const { state, flow } = transition
    const compiled = flow.steps.get(state.visit.stepId)
    if (compiled === undefined || !isStateOfStep(state, compiled.step)) return transition.drop("step_removed")
    if (flow.status !== "active" && flow.status !== "paused") return
    if (count > steps_per_advance_max) return transition.abandon(compiled.step, "the flow has a cycle without a wait")
    const advanced = state.status === "waiting" ? checkWait(transition, compiled, state) : runStep(transition, compiled)
    if (!advanced) return
  }
}

/** Whether the step has the type that the state expects. If not, the step of the visit has been replaced. */
const isStateOfStep = (state: LiveState, { type }: Step): boolean => {
  if (state.status === "waiting") return type === "wait"
  if (state.doing.kind === "send") return type === "send_email"
  return state.doing.kind === "run" || type === "create_email" || type === "create_tent"
}

/** Executes the step if it is due; false: the member can't advance further. */
const runStep = (transition: MembershipTransition, { step, holds }: CompiledStep): boolean => {
  const { state, flow, facts } = transition
  if (flow.status !== "active" || state.status !== "active" || state.doing.kind !== "run") return false
  if (DateTime.isGreaterThan(state.doing.dueAt, facts.now)) return false
  switch (step.type) {
    case "send_email":
      return sendEmail(transition, step)
    case "wait":
      transition.wait(step, facts.now, waitEndOf(step, facts.now))
      return true
    case "condition_check":
      takeBranch(transition, step, holds === null ? null : holds(facts))
      return true
    case "create_email":
    case "create_tent":
      transition.startCreation(step)
      return false
  }
}

/** When a wait that began at `since` ends; null: never. */
const waitEndOf = (step: WaitStep, since: DateTime.Utc): DateTime.Utc | null => {
  if (step.mode === "duration") return endOf(since, durationOf(step)) ?? since
  return endOf(since, timeoutOf(step))
}

/** Ends the wait if it is over; false: it continues. Its end follows the current flow, so that edits apply to waiting members. */
const checkWait = (
  transition: MembershipTransition,
  { step, holds }: CompiledStep,
  state: Extract<LiveState, { readonly status: "waiting" }>,
): boolean => {
  const { facts, flow } = transition
  if (step.type !== "wait") return false
  const until = waitEndOf(step, state.since)
  if (!Equal.equals(until, state.until)) transition.wait(step, state.since, until)
  if (flow.status !== "active") return false
  if (step.mode === "condition" && holds?.(facts) === true) {
    completeStep(transition, step, { result: true })
    return true
  }
  if (until === null || DateTime.isGreaterThan(until, facts.now)) {
    transition.flushWaitEntry()
    return false
  }
  if (step.mode === "duration") completeStep(transition, step)
  else transition.leave(step, "step_executed", step.timeout_step_id ?? step.next_step_id, { timed_out: true })
  return true
}

/** Follows the edge of the result, else the default edge, else completes. */
const takeBranch = (transition: MembershipTransition, step: ConditionCheckStep, result: boolean | null): void => {
  const chosen = result === null ? null : result ? step.true_step_id : step.false_step_id
  transition.leave(step, "step_executed", chosen ?? step.default_step_id, { result })
}

const sendEmail = (transition: MembershipTransition, step: SendEmailStep): boolean => {
  const { contact, suppression, approvals } = transition.facts
  // Whether the contact has the topic is asked when the message is written.
  const reason = blockReason({ ...contact, suppression, topic: null, consentRequired: false }, step.operational)
  if (reason !== undefined) {
    transition.leave(step, "step_skipped", step.next_step_id, { reason })
    return true
  }
  const isCreated = step.email_source === "flow_step"
  const emailId = isCreated ? transition.emailCreatedBy(step.create_email_step_id) : step.email_id
  if (emailId === null) {
    transition.fail(step, isCreated ? "no email has been created for this member" : "the step has no email")
    return false
  }
  const approvalId = approvals.get(emailId)
  if (approvalId === undefined) {
    transition.fail(step, "the email is not approved")
    return false
  }
  transition.send(step, emailId, approvalId)
  return false
}
