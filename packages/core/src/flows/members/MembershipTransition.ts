// One run of the membership machine: the state so far, and the entries and commands that it produced. `machine.ts` decides
// which method is called, and when.
import { DateTime } from "effect"
import { backoff } from "../../kernel/runtime/Backoff.ts"
import type { ApprovalId, EmailId } from "../../kernel/Ids.ts"
import type { CompiledFlow, MemberFacts } from "../definition/CompiledFlow.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"
import type {
  DropReason,
  MemberTransition,
  Membership,
  MemberState,
  MemberStatus,
  TimelineEntry,
  TimelineType,
  StepVisit,
} from "./Membership.ts"
import { attemptOf, isLive, transitions } from "./Membership.ts"
import type { MemberCommand, MembershipUpdate } from "./MembershipChange.ts"
import type { CreateEmailStep, CreateTentStep, SendEmailStep, Step, StepId, WaitStep } from "../definition/Step.ts"

/** Backoff of a failed step: 1 m, 5 m, 30 m, 2 h, 6 h, then hourly, 24 hours in total. */
const stepPauseAfter_s = backoff([60, 300, 1800, 7200, 21_600], 3600, 24 * 3600)

export class MembershipTransition {
  readonly flow: CompiledFlow
  readonly facts: MemberFacts
  readonly #before: Membership
  readonly #entries: Array<TimelineEntry> = []
  readonly #commands: Array<MemberCommand> = []
  #state: MemberState
  #tokens: FlowTokens
  #createdEmails: Membership["createdEmails"]
  /** The `waiting` entry of the current step. It is dropped if the wait ends in the same run. */
  #pendingWaitEntry: TimelineEntry | null = null

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

  #moveTo(move: MemberTransition, state: MemberState): void {
    const allowed: { readonly [On in MemberTransition]?: MemberStatus } = transitions[this.#state.status]
    if (allowed[move] !== state.status) throw new Error(`${this.#state.status} members do not ${move}`)
    this.#state = state
  }

  /** The member's step; null if the membership has ended or the step was removed. */
  step(): Step | null {
    return isLive(this.#state) ? (this.flow.steps.get(this.#state.visit.stepId)?.step ?? null) : null
  }

  /** Adds a timeline entry. */
  addEntry(type: TimelineType, stepId: StepId | null, metadata: TimelineEntry["metadata"], at = this.facts.now): void {
    this.#entries.push({ type, at, stepId, metadata })
  }

  #entryOf(type: TimelineType, step: Step, visit: StepVisit, metadata: object): TimelineEntry {
    return {
      type,
      at: this.facts.now,
      stepId: step.step_id,
      metadata: { visit: visit.number, step_type: step.type, label: step.label, ...metadata },
    }
  }

  /** Ends the step visit and begins the next one at `to`; null: completes the membership. */
  leave(step: Step, how: "step_executed" | "step_skipped" | "step_failed", to: StepId | null, metadata: object): void {
    if (!isLive(this.#state)) return
    const { visit } = this.#state
    this.#pendingWaitEntry = null
    this.#entries.push(this.#entryOf(how, step, visit, { ...metadata, next_step_id: to }))
    const { now } = this.facts
    if (to === null) {
      this.addEntry("completed", null, {})
      this.#moveTo("complete", { status: "completed", at: now })
      return
    }
    const next = { stepId: to, number: visit.number + 1 }
    this.#moveTo("proceed", { status: "active", visit: next, doing: { kind: "run", dueAt: now }, retry: null })
  }

  /** Begins a wait, or changes the end of the current one. */
  wait(step: WaitStep, since: DateTime.Utc, until: DateTime.Utc | null): void {
    if (!isLive(this.#state)) return
    const { visit } = this.#state
    this.#moveTo("rest", { status: "waiting", visit, since, until })
    const waiting_until = until === null ? null : DateTime.formatIso(until)
    this.#pendingWaitEntry = this.#entryOf("waiting", step, visit, { waiting_until })
  }

  flushWaitEntry(): void {
    if (this.#pendingWaitEntry !== null) this.#entries.push(this.#pendingWaitEntry)
    this.#pendingWaitEntry = null
  }

  send(step: SendEmailStep, emailId: EmailId, approvalId: ApprovalId): void {
    const visit = this.#work({ kind: "send" })
    if (visit === null) return
    this.#commands.push({
      type: "send_email",
      stepId: step.step_id,
      visit: visit.number,
      emailId,
      approvalId,
      operational: step.operational,
      topicId: step.operational ? null : step.topic_id,
      tokens: this.#tokens,
    })
  }

  startCreation(step: CreateEmailStep | CreateTentStep): void {
    const attempt = this.#state.status === "active" ? attemptOf(this.#state) : 1
    const visit = this.#work({ kind: "make" })
    if (visit === null) return
    const run = { stepId: step.step_id, visit: visit.number, attempt }
    this.#commands.push(step.type === "create_email" ? { type: step.type, ...run, step } : { type: step.type, ...run })
  }

  #work(doing: { readonly kind: "send" | "make" }): StepVisit | null {
    if (this.#state.status !== "active") return null
    const { visit } = this.#state
    this.#moveTo("work", { ...this.#state, doing })
    return visit
  }

  /** Schedules the next attempt of the step, or fails the member after the last attempt. */
  fail(step: Step, error: string): void {
    if (this.#state.status !== "active") return
    const { visit, retry } = this.#state
    const count = (retry?.count ?? 0) + 1
    const pause_s = stepPauseAfter_s(count)
    if (pause_s === undefined) return this.abandon(step, error, count)
    const dueAt = DateTime.add(this.facts.now, { seconds: pause_s })
    const metadata = { reason: error, retry_count: count, retry_at: DateTime.formatIso(dueAt) }
    this.#entries.push(this.#entryOf("step_failed", step, visit, metadata))
    this.#moveTo("retry", { status: "active", visit, doing: { kind: "run", dueAt }, retry: { count, error } })
  }

  abandon(step: Step, error: string, count = 0): void {
    if (!isLive(this.#state)) return
    const { visit } = this.#state
    this.#pendingWaitEntry = null
    const metadata = { reason: error, retry_count: count, retry_at: null }
    this.#entries.push(this.#entryOf("step_failed", step, visit, metadata))
    this.#moveTo("fail", { status: "failed", at: this.facts.now, visit, retry: { count, error } })
  }

  drop(reason: DropReason): void {
    if (!isLive(this.#state)) return
    const { visit } = this.#state
    const inFlight = this.#state.status === "active" && this.#state.doing.kind === "send" ? visit.number : null
    if (inFlight !== null) this.#commands.push({ type: "withdraw_email", stepId: visit.stepId, visit: inFlight })
    this.#pendingWaitEntry = null
    this.addEntry("dropped", visit.stepId, { reason })
    this.#moveTo("drop", { status: "dropped", at: this.facts.now, reason, stepId: visit.stepId, inFlight })
  }

  /** Records the outcome of the message that was in flight when the member was dropped. */
  settleDropped(settled: { readonly visit: number; readonly outcome: string; readonly at: DateTime.Utc }): void {
    if (this.#state.status !== "dropped" || this.#state.inFlight !== settled.visit) return
    if (settled.outcome === "sent")
      this.addEntry("email_sent", this.#state.stepId, { visit: settled.visit }, settled.at)
    this.#moveTo("settle", { ...this.#state, inFlight: null })
  }

  recordEmail(stepId: StepId, emailId: EmailId): void {
    this.#createdEmails = [...this.#createdEmails.filter((each) => each.stepId !== stepId), { stepId, emailId }]
  }

  emailCreatedBy(stepId: StepId | null): EmailId | null {
    return this.#createdEmails.find((each) => each.stepId === stepId)?.emailId ?? null
  }

  setToken(key: string, value: string): void {
    this.#tokens = { ...this.#tokens, [key]: value }
  }

  /** The update to write; null: unchanged. */
  toUpdate(): MembershipUpdate | null {
    this.flushWaitEntry()
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
