// The moves of one membership while the machine runs: its state so far, and what is to be written of it. The machine decides
// which move is made, and when.
import { DateTime } from "effect"
import { backoff } from "../../kernel/runtime/Backoff.ts"
import type { ApprovalId, EmailId } from "../../kernel/Ids.ts"
import type { CompiledFlow, MemberFacts } from "../definition/CompiledFlow.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"
import type {
  DropReason,
  MemberMove,
  Membership,
  MemberState,
  MemberStatus,
  TimelineEntry,
  TimelineType,
  StepVisit,
} from "./Membership.ts"
import { attemptOf, isLive, transitions } from "./Membership.ts"
import type { MemberCommand, MembershipMoves } from "./MembershipChange.ts"
import type { CreateEmailStep, CreateTentStep, SendEmailStep, Step, StepId, WaitStep } from "../definition/Step.ts"

/** Of a failed step: 1 m, 5 m, 30 m, 2 h, 6 h, then hourly, for 24 hours of waiting in all. */
const stepPauseAfter_s = backoff([60, 300, 1800, 7200, 21_600], 3600, 24 * 3600)

export class Progress {
  readonly flow: CompiledFlow
  readonly facts: MemberFacts
  readonly #before: Membership
  readonly #entries: Array<TimelineEntry> = []
  readonly #commands: Array<MemberCommand> = []
  #state: MemberState
  #tokens: FlowTokens
  #createdEmails: Membership["createdEmails"]
  /** A wait that was come to is told of when it is not left at once. */
  #restToTell: TimelineEntry | null = null

  constructor(flow: CompiledFlow, before: Membership, facts: MemberFacts) {
    this.flow = flow
    this.facts = facts
    this.#before = before
    this.#state = before.state
    this.#tokens = before.tokens
    this.#createdEmails = before.createdEmails
  }

  get state(): MemberState {
    return this.#state
  }

  #become(move: MemberMove, state: MemberState): void {
    const allowed: { readonly [On in MemberMove]?: MemberStatus } = transitions[this.#state.status]
    if (allowed[move] !== state.status) throw new Error(`${this.#state.status} members do not ${move}`)
    this.#state = state
  }

  /** The step that the member is at; null when the way has ended or the step is gone. */
  step(): Step | null {
    return isLive(this.#state) ? (this.flow.steps.get(this.#state.visit.stepId)?.step ?? null) : null
  }

  /** Adds a line to the timeline. */
  tell(type: TimelineType, stepId: StepId | null, metadata: TimelineEntry["metadata"], at = this.facts.now): void {
    this.#entries.push({ type, at, stepId, metadata })
  }

  #tellOf(type: TimelineType, step: Step, visit: StepVisit, metadata: object): TimelineEntry {
    return {
      type,
      at: this.facts.now,
      stepId: step.step_id,
      metadata: { visit: visit.number, step_type: step.type, label: step.label, ...metadata },
    }
  }

  /** Ends the visit, and begins the next at the step where the edge leads; null: the way is completed. */
  leave(step: Step, how: "step_executed" | "step_skipped" | "step_failed", to: StepId | null, metadata: object): void {
    if (!isLive(this.#state)) return
    const { visit } = this.#state
    this.#restToTell = null
    this.#entries.push(this.#tellOf(how, step, visit, { ...metadata, next_step_id: to }))
    const { now } = this.facts
    if (to === null) {
      this.tell("completed", null, {})
      this.#become("complete", { status: "completed", at: now })
      return
    }
    const next = { stepId: to, number: visit.number + 1 }
    this.#become("proceed", { status: "active", visit: next, doing: { kind: "run", dueAt: now }, retry: null })
  }

  /** The member rests at a wait; also when its time is reckoned anew. */
  rest(step: WaitStep, since: DateTime.Utc, until: DateTime.Utc | null): void {
    if (!isLive(this.#state)) return
    const { visit } = this.#state
    this.#become("rest", { status: "waiting", visit, since, until })
    const waiting_until = until === null ? null : DateTime.formatIso(until)
    this.#restToTell = this.#tellOf("waiting", step, visit, { waiting_until })
  }

  tellRest(): void {
    if (this.#restToTell !== null) this.#entries.push(this.#restToTell)
    this.#restToTell = null
  }

  send(step: SendEmailStep, emailId: EmailId, approvalId: ApprovalId): void {
    const visit = this.#begin({ kind: "send" })
    if (visit === null) return
    this.#commands.push({
      type: "send_email",
      stepId: step.step_id,
      visit: visit.number,
      emailId,
      approvalId,
      operational: step.operational,
      tokens: this.#tokens,
    })
  }

  make(step: CreateEmailStep | CreateTentStep): void {
    const attempt = this.#state.status === "active" ? attemptOf(this.#state) : 1
    const visit = this.#begin({ kind: "make" })
    if (visit === null) return
    const made = { stepId: step.step_id, visit: visit.number, attempt, tokens: this.#tokens }
    this.#commands.push(
      step.type === "create_email" ? { type: "create_email", ...made, step } : { type: "create_tent", ...made, step },
    )
  }

  #begin(doing: { readonly kind: "send" | "make" }): StepVisit | null {
    if (this.#state.status !== "active") return null
    const { visit } = this.#state
    this.#become("work", { ...this.#state, doing })
    return visit
  }

  /** The step could not be done: it is tried again later, or the member is failed when it was tried often enough. */
  fail(step: Step, error: string): void {
    if (this.#state.status !== "active") return
    const { visit, retry } = this.#state
    const count = (retry?.count ?? 0) + 1
    const pause_s = stepPauseAfter_s(count)
    if (pause_s === undefined) return this.giveUp(step, error, count)
    const dueAt = DateTime.add(this.facts.now, { seconds: pause_s })
    const metadata = { reason: error, retry_count: count, retry_at: DateTime.formatIso(dueAt) }
    this.#entries.push(this.#tellOf("step_failed", step, visit, metadata))
    this.#become("retry", { status: "active", visit, doing: { kind: "run", dueAt }, retry: { count, error } })
  }

  giveUp(step: Step, error: string, count = 0): void {
    if (!isLive(this.#state)) return
    const { visit } = this.#state
    this.#restToTell = null
    const metadata = { reason: error, retry_count: count, retry_at: null }
    this.#entries.push(this.#tellOf("step_failed", step, visit, metadata))
    this.#become("fail", { status: "failed", at: this.facts.now, visit, retry: { count, error } })
  }

  drop(reason: DropReason): void {
    if (!isLive(this.#state)) return
    const { visit } = this.#state
    const inFlight = this.#state.status === "active" && this.#state.doing.kind === "send" ? visit.number : null
    if (inFlight !== null) this.#commands.push({ type: "withdraw_email", stepId: visit.stepId, visit: inFlight })
    this.#restToTell = null
    this.tell("dropped", visit.stepId, { reason })
    this.#become("drop", { status: "dropped", at: this.facts.now, reason, stepId: visit.stepId, inFlight })
  }

  /** The message that was on its way when the member was dropped has left all the same, or has not. */
  settleDropped(it: { readonly visit: number; readonly outcome: string; readonly at: DateTime.Utc }): void {
    if (this.#state.status !== "dropped" || this.#state.inFlight !== it.visit) return
    if (it.outcome === "sent") this.tell("email_sent", this.#state.stepId, { visit: it.visit }, it.at)
    this.#become("settle", { ...this.#state, inFlight: null })
  }

  keepEmail(stepId: StepId, emailId: EmailId): void {
    this.#createdEmails = [...this.#createdEmails.filter((each) => each.stepId !== stepId), { stepId, emailId }]
  }

  createdBy(stepId: StepId | null): EmailId | null {
    return this.#createdEmails.find((each) => each.stepId === stepId)?.emailId ?? null
  }

  keepToken(key: string, value: string): void {
    this.#tokens = { ...this.#tokens, [key]: value }
  }

  /** What is to be written; null: nothing. */
  moves(): MembershipMoves | null {
    this.tellRest()
    if (this.#state === this.#before.state && this.#entries.length === 0) return null
    return {
      before: this.#before,
      after: {
        ...this.#before,
        tokens: this.#tokens,
        createdEmails: this.#createdEmails,
        state: this.#state,
        updatedAt: this.facts.now,
      },
      entries: this.#entries,
      commands: this.#commands,
    }
  }
}
