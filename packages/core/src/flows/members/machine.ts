// The membership machine. Pure: `enroll` begins a membership, `decide(flow, membership, facts, event)` returns a change or null.
// A member goes as far as possible at once: over conditions and waits that have ended, until something takes time.
//
// No two flows can chase each other round: steps write no contact, no list and no form, which is all that triggers react to.
// What a flow does write (`flow_entered`, `email_sent` …) starts no flow, and a contact is in each flow at most once.
import { DateTime, Result } from "effect"
import type { Activity } from "../../contacts/Activity.ts"
import { blockReason } from "../../sending/Suppression.ts"
import type { EmailId } from "../../kernel/Ids.ts"
import { changeOf } from "../../kernel/changes/Change.ts"
import { InvalidState } from "../../kernel/Refusal.ts"
import type { EmailStepMetric } from "../../segments/RuleTree.ts"
import type { CompiledFlow, CompiledStep, MemberFacts } from "../definition/CompiledFlow.ts"
import { type Earlier, type Entry, type EntryRefusal, entryRefusal } from "./Enrollment.ts"
import { steps_max } from "../definition/FlowSchema.ts"
import { attemptOf, type DropReason, engagementTypes, isLive, type LiveState, type Membership } from "./Membership.ts"
import type { MembershipChange, MembershipMoves } from "./MembershipChange.ts"
import {
  type ConditionCheckStep,
  type CreateEmailStep,
  type CreateTentStep,
  durationOf,
  endOf,
  outputKey,
  type SendEmailStep,
  type Step,
  type StepId,
  timeoutOf,
  type WaitStep,
} from "../definition/Step.ts"
import { Progress } from "./MembershipTransition.ts"

/** @public */
export { transitions } from "./Membership.ts"

/** What has happened. What comes a second time, or too late, changes nothing. */
export type MemberEvent =
  /** Their time has come, or something about the contact or the flow has changed: whatever can go on goes on. */
  | { readonly type: "look" }
  /** The message of a visit has left, or never will. `unconfirmed` is a failure whose outcome nobody knows. */
  | {
      readonly type: "settled"
      readonly visit: number
      readonly outcome: "sent" | "failed" | "blocked"
      readonly reason: string | null
      readonly at: DateTime.Utc
    }
  /** A message of a step has met with something, also long after the member has gone on. Told once for each message. */
  | {
      readonly type: "engaged"
      readonly stepId: StepId
      readonly metric: Exclude<EmailStepMetric, "sent">
      readonly at: DateTime.Utc
      readonly url: string | null
    }
  | { readonly type: "email_created"; readonly visit: number; readonly emailId: EmailId }
  | { readonly type: "tent_live"; readonly visit: number; readonly url: string }
  | { readonly type: "not_made"; readonly visit: number; readonly attempt: number; readonly error: string }
  | { readonly type: "removed" }
  | { readonly type: "contact_deleted" }

const membershipChange = changeOf("membership")

const changed = (flow: CompiledFlow, moves: MembershipMoves, at: DateTime.Utc): MembershipChange => {
  const activities = activitiesOf(flow, moves, at)
  const events = activities.map(({ type, contactId, metadata }) => ({ type, contactId, at, data: metadata }))
  return membershipChange({ ...moves, activities }, { events })
}

/** The entry and the end of the way are activities of the contact. */
const activitiesOf = (
  flow: CompiledFlow,
  { before, after: { contactId, flowId, id, state } }: MembershipMoves,
  at: DateTime.Utc,
): ReadonlyArray<Activity> => {
  const isSame = before?.state.status === state.status
  const type =
    before === null
      ? "flow_entered"
      : isSame
        ? null
        : state.status === "completed"
          ? "flow_completed"
          : state.status === "dropped"
            ? "flow_dropped"
            : null
  if (type === null) return none
  const reason = state.status === "dropped" ? { reason: state.reason } : {}
  return [{ contactId, type, at, metadata: { flow_id: flowId, flow_name: flow.name, membership_id: id, ...reason } }]
}

const none: ReadonlyArray<never> = []

/** The contact enters; or why not. A live membership refuses under either policy. */
export const enroll = (
  flow: CompiledFlow,
  { id, source, tokens }: Entry,
  facts: MemberFacts,
  earlier: Earlier,
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
  return Result.succeed(changed(flow, { before: null, after, entries: [entered], commands: [] }, now))
}

/** What the event makes of the member; null: nothing. */
export const decide = (
  flow: CompiledFlow,
  before: Membership,
  facts: MemberFacts,
  event: MemberEvent,
): MembershipChange | null => {
  const going = new Progress(flow, before, facts)
  take(going, event)
  if (isLive(going.state)) {
    const reason = dropReasonOf(flow, facts, event)
    if (reason === null) run(going)
    else going.drop(reason)
  }
  const moves = going.moves()
  return moves === null ? null : changed(flow, moves, facts.now)
}

const dropReasonOf = (flow: CompiledFlow, facts: MemberFacts, { type }: MemberEvent): DropReason | null => {
  if (type === "contact_deleted" || type === "removed") return type
  if (flow.status === "archived") return "flow_archived"
  return flow.disqualifies?.(facts) === true ? "disqualified" : null
}

/** What the event says of the past is kept whatever becomes of the member; and it ends the visit that it is about. */
const take = (going: Progress, event: MemberEvent): void => {
  const { state } = going
  if (event.type === "engaged") {
    const metadata = event.url === null ? {} : { url: event.url }
    return going.tell(engagementTypes[event.metric], event.stepId, metadata, event.at)
  }
  if (event.type === "settled" && state.status === "dropped") return going.settleDropped(event)
  if (!("visit" in event) || state.status !== "active" || event.visit !== state.visit.number) return
  const step = going.step()
  if (step === null || state.doing.kind === "run" || !fits(state, step)) return
  switch (event.type) {
    case "settled":
      if (step.type === "send_email") settle(going, step, event)
      return
    case "email_created":
      if (step.type !== "create_email") return
      going.keepEmail(step.step_id, event.emailId)
      return done(going, step, { email_id: event.emailId })
    case "tent_live":
      if (step.type !== "create_tent") return
      going.keepToken(outputKey(step), event.url)
      return done(going, step, { url: event.url })
    case "not_made":
      if (state.doing.kind === "make" && event.attempt === attemptOf(state)) going.fail(step, event.error)
      return
  }
}

const done = (going: Progress, step: Exclude<Step, ConditionCheckStep>, metadata: object = {}): void =>
  going.leave(step, "step_executed", step.next_step_id, metadata)

type Settled = Extract<MemberEvent, { readonly type: "settled" }>

/** However it went, the member goes on: what a condition then asks is the truth. */
const settle = (going: Progress, step: SendEmailStep, { outcome, reason, visit, at }: Settled): void => {
  if (outcome === "sent") {
    going.tell("email_sent", step.step_id, { visit }, at)
    return done(going, step)
  }
  going.leave(step, outcome === "failed" ? "step_failed" : "step_skipped", step.next_step_id, { reason })
}

/** A wait is come to and left; nothing is looked at more often. */
const run_max = 2 * (steps_max + 1)

/**
 * Goes on until something takes time. A flow that was activated has no circle that takes none, so that so many steps on end are
 * never done; a member who does them all the same is failed rather than let go round.
 */
const run = (going: Progress): void => {
  for (let count = 0; isLive(going.state); count++) {
    const { state, flow } = going
    const compiled = flow.steps.get(state.visit.stepId)
    if (compiled === undefined || !fits(state, compiled.step)) return going.drop("step_removed")
    if (flow.status !== "active" && flow.status !== "paused") return
    if (count > run_max) return going.giveUp(compiled.step, "the flow leads round in a circle without a wait")
    const went = state.status === "waiting" ? rest(going, compiled, state) : goOn(going, compiled)
    if (!went) return
  }
}

/** A step of another type under the same id is another step: the one that the member was at has been removed. */
const fits = (state: LiveState, { type }: Step): boolean => {
  if (state.status === "waiting") return type === "wait"
  if (state.doing.kind === "send") return type === "send_email"
  return state.doing.kind === "run" || type === "create_email" || type === "create_tent"
}

/** Does the step that is due; false: nothing more happens now. */
const goOn = (going: Progress, { step, holds }: CompiledStep): boolean => {
  const { state, flow, facts } = going
  if (flow.status !== "active" || state.status !== "active" || state.doing.kind !== "run") return false
  if (DateTime.isGreaterThan(state.doing.dueAt, facts.now)) return false
  switch (step.type) {
    case "send_email":
      return send(going, step)
    case "wait":
      going.rest(step, facts.now, timeOf(step, facts.now))
      return true
    case "condition_check":
      check(going, step, holds === null ? null : holds(facts))
      return true
    case "create_email":
    case "create_tent":
      return make(going, step)
  }
}

/** When the time of a wait that began then runs out; null: never. */
const timeOf = (step: WaitStep, since: DateTime.Utc): DateTime.Utc | null => {
  if (step.mode === "duration") return endOf(since, durationOf(step)) ?? since
  return endOf(since, timeoutOf(step))
}

const instantOf = (instant: DateTime.Utc | null): number | null => instant?.epochMilliseconds ?? null

/** Looks at a wait; false: it goes on. Its time is reckoned by the flow as it is now: an edit counts for those who wait. */
const rest = (
  going: Progress,
  { step, holds }: CompiledStep,
  state: Extract<LiveState, { readonly status: "waiting" }>,
): boolean => {
  const { facts, flow } = going
  if (step.type !== "wait") return false
  const until = timeOf(step, state.since)
  if (instantOf(until) !== instantOf(state.until)) going.rest(step, state.since, until)
  if (flow.status !== "active") return false
  if (step.mode === "condition" && holds?.(facts) === true) {
    done(going, step, { result: true })
    return true
  }
  if (until === null || DateTime.isGreaterThan(until, facts.now)) {
    going.tellRest()
    return false
  }
  if (step.mode === "duration") done(going, step)
  else going.leave(step, "step_executed", step.timeout_step_id ?? step.next_step_id, { timed_out: true })
  return true
}

/** The chosen edge, else the default one, else the end. */
const check = (going: Progress, step: ConditionCheckStep, result: boolean | null): void => {
  const chosen = result === null ? null : result ? step.true_step_id : step.false_step_id
  going.leave(step, "step_executed", chosen ?? step.default_step_id, { result })
}

const send = (going: Progress, step: SendEmailStep): boolean => {
  const { contact, suppression, approvals } = going.facts
  const reason = blockReason({ ...recipientOf(contact), suppression }, step.operational)
  if (reason !== undefined) {
    going.leave(step, "step_skipped", step.next_step_id, { reason })
    return true
  }
  const isCreated = step.email_source === "flow_step"
  const emailId = isCreated ? going.createdBy(step.create_email_step_id) : step.email_id
  if (emailId === null) {
    going.fail(step, isCreated ? "no email has been created for this member" : "the step has no email")
    return false
  }
  const approvalId = approvals.get(emailId)
  if (approvalId === undefined) {
    going.fail(step, "the email is not approved")
    return false
  }
  going.send(step, emailId, approvalId)
  return false
}

const recipientOf = (contact: MemberFacts["contact"]) => ({
  emailNormalized: contact.emailNormalized,
  unsubscribed: contact.unsubscribed,
  marketingEmailSubscribed: contact.marketingEmailSubscribed,
  marketingEmailInvalid: contact.marketingEmailInvalid,
})

const make = (going: Progress, step: CreateEmailStep | CreateTentStep): boolean => {
  going.make(step)
  return false
}
