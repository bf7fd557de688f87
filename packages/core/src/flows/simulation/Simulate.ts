// Simulation of a flow on a virtual clock. It runs the membership machine and completes every command at once; nothing is
// sent. Emails need no approval here.
import { DateTime, Result } from "effect"
import type { ActivityType, PastActivity } from "../../contacts/Activity.ts"
import { ownActivityTypes } from "../../contacts/Activity.ts"
import type { Contact } from "../../contacts/Contact.ts"
import type { SuppressionReason } from "../../sending/Suppression.ts"
import { subject_length_max } from "../../documents/EmailFields.ts"
import { ApprovalId, EmailId, type ListId, MembershipId } from "../../kernel/Ids.ts"
import type { RuleSubject } from "../../segments/Evaluate.ts"
import type { EmailStepMetric } from "../../segments/RuleTree.ts"
import { compileFlow, type CompiledFlow, type MemberFacts, type SimulationFacts } from "../definition/CompiledFlow.ts"
import type { EntryRefusal } from "../members/Enrollment.ts"
import type { Flow } from "../definition/Flow.ts"
import { FlowNotReady } from "../definition/FlowErrors.ts"
import { decide, enroll, type MemberEvent } from "../members/machine.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"
import {
  dueAtOf,
  engagementTypes,
  inTimelineOrder,
  isLive,
  type Membership,
  type TimelineEntry,
} from "../members/Membership.ts"
import { textFor } from "../members/MemberText.ts"
import type { MemberCommand, MembershipChange } from "../members/MembershipChange.ts"
import { endOf, type StepId, type WaitUnit } from "../definition/Step.ts"

/** A contact's reaction to each message of a step, and its delay after the message was sent. */
export interface SimulatedEvent {
  readonly after: { readonly amount: number; readonly unit: WaitUnit }
  readonly metric: Exclude<EmailStepMetric, "sent">
  readonly stepId: StepId
}

export interface SimulatedContact {
  readonly contact: Contact
  readonly lists: ReadonlySet<ListId>
  readonly topics: RuleSubject["topics"]
  readonly activities: ReadonlyArray<PastActivity>
  readonly suppression: SuppressionReason | null
}

export interface SimulationRequest {
  readonly tokens: FlowTokens
  readonly events: ReadonlyArray<SimulatedEvent>
  readonly from: DateTime.Utc
  /** The last instant that is simulated. */
  readonly until: DateTime.Utc
}

export interface Simulation {
  readonly timeline: ReadonlyArray<TimelineEntry>
  readonly status: Membership["state"]["status"]
  /** Null while the member is live. */
  readonly endedAt: DateTime.Utc | null
  readonly emails: ReadonlyArray<{ readonly stepId: StepId; readonly at: DateTime.Utc; readonly subject: string }>
  /** The member at the end of the simulation. */
  readonly member: Membership
}

/** The limit for members in a loop. */
export const simulated_entries_max = 10_000

/** Simulates the flow for one contact, in any status of the flow; or fails with the refusal to enroll the contact. */
export const simulate = (
  flow: Flow,
  facts: SimulationFacts,
  simulated: SimulatedContact,
  request: SimulationRequest,
): Result.Result<Simulation, EntryRefusal | FlowNotReady> =>
  Result.map(startSimulation(flow, facts, simulated, request), (simulation) => {
    simulation.advance(simulated_entries_max)
    return simulation.result
  })

/** A simulation that runs in chunks, so that the caller can yield in between. */
export interface RunningSimulation {
  /** Runs until there are so many new entries; returns true at the end of the simulation. */
  readonly advance: (entries: number) => boolean
  /** The state so far. */
  readonly result: Simulation
}

export const startSimulation = (
  flow: Flow,
  facts: SimulationFacts,
  simulated: SimulatedContact,
  request: SimulationRequest,
): Result.Result<RunningSimulation, EntryRefusal | FlowNotReady> => {
  if (flow.structure.steps.length === 0) {
    const missing = [{ code: "steps", path: "steps", message: "must have at least one step" }] as const
    return Result.fail(new FlowNotReady({ missing }))
  }
  const running: Flow = { ...flow, lifecycle: { status: "active", activatedAt: request.from } }
  return Simulator.start(compileFlow(running, facts), facts, simulated, request)
}

/** The default end of a simulation. */
export const yearAfter = (from: DateTime.Utc): DateTime.Utc => DateTime.add(from, { years: 1 })

const simulatedId = "00000000-0000-4000-8000-000000000000"

type Metrics = ReadonlyArray<SimulatedEvent["metric"]>

interface ScheduledEvent {
  readonly at: DateTime.Utc
  readonly event: MemberEvent
  /** Metrics that conditions see from this instant on. */
  readonly metrics: Metrics
}

class Simulator {
  readonly #flow: CompiledFlow
  readonly #facts: SimulationFacts
  readonly #request: SimulationRequest
  #contact: Contact
  readonly #simulated: SimulatedContact
  readonly #activities = new Map<ActivityType, PastActivity>()
  readonly #metrics = new Map<StepId, Set<EmailStepMetric>>()
  /** The number of a step's messages with each metric. */
  readonly #counts = new Map<string, number>()
  readonly #approvals = new Map<EmailId, ApprovalId>()
  readonly #subjects: Map<EmailId, string | null>
  /** Ordered by instant, the earliest last. */
  readonly #scheduled: Array<ScheduledEvent> = []
  readonly #timeline: Array<TimelineEntry> = []
  readonly #emails: Array<Simulation["emails"][number]> = []
  #now: DateTime.Utc
  #membership: Membership

  private constructor(
    flow: CompiledFlow,
    facts: SimulationFacts,
    simulated: SimulatedContact,
    request: SimulationRequest,
    entered: MembershipChange,
  ) {
    this.#flow = flow
    this.#facts = facts
    this.#simulated = simulated
    this.#request = request
    this.#contact = simulated.contact
    this.#now = request.from
    for (const { type, at } of simulated.activities) this.#recordActivity(type, at)
    this.#subjects = new Map(facts.subjects)
    for (const { step } of flow.steps.values()) {
      if (step.type !== "send_email" || step.email_id === null) continue
      this.#approvals.set(step.email_id, ApprovalId.make(step.email_id))
    }
    this.#membership = this.#accept(entered)
  }

  static start(
    flow: CompiledFlow,
    facts: SimulationFacts,
    simulated: SimulatedContact,
    request: SimulationRequest,
  ): Result.Result<Simulator, EntryRefusal> {
    const entry = { id: MembershipId.make(simulatedId), source: "manual" as const, tokens: request.tokens }
    const member = { ...simulated, now: request.from, emailSteps: new Map(), approvals: new Map() }
    const entered = enroll(flow, entry, member, { live: false, any: false })
    return Result.map(entered, (change) => new Simulator(flow, facts, simulated, request, change))
  }

  advance(entries: number): boolean {
    const last = Math.min(simulated_entries_max, this.#timeline.length + entries)
    while (this.#timeline.length < last) {
      const member = this.#membership
      const due = isLive(member.state) ? dueAtOf(member.state) : null
      const next = this.#scheduled.at(-1)
      const first = next !== undefined && (due === null || DateTime.isLessThanOrEqualTo(next.at, due)) ? next : null
      const at = first?.at ?? due
      if (at === null || DateTime.isGreaterThan(at, this.#request.until)) return true
      this.#now = DateTime.max(this.#now, at)
      if (first !== null) this.#scheduled.pop()
      const event: MemberEvent = first?.event ?? { type: "check" }
      if (event.type === "engaged") for (const metric of first?.metrics ?? []) this.#recordMetric(event.stepId, metric)
      const change = decide(this.#flow, member, this.#member(), event)
      if (change !== null) this.#membership = this.#accept(change)
      else if (first === null) return true
    }
    return this.#timeline.length >= simulated_entries_max
  }

  get result(): Simulation {
    const member = this.#membership
    const { status } = member.state
    const endedAt = isLive(member.state) ? null : member.state.at
    return { timeline: inTimelineOrder(this.#timeline), status, endedAt, emails: this.#emails, member }
  }

  #member(): MemberFacts {
    return {
      contact: this.#contact,
      lists: this.#simulated.lists,
      topics: this.#simulated.topics,
      activities: [...this.#activities.values()],
      suppression: this.#simulated.suppression,
      now: this.#now,
      emailSteps: this.#metrics,
      approvals: this.#approvals,
    }
  }

  #accept({ after, entries, commands, activities }: MembershipChange): Membership {
    this.#timeline.push(...entries)
    for (const { type, at } of activities) this.#recordActivity(type, at)
    for (const command of commands) this.#execute(command, after)
    return after
  }

  /** Conditions read only the latest activity of each type. */
  #recordActivity(type: ActivityType, at: DateTime.Utc): void {
    const last = this.#activities.get(type)
    if (last === undefined || DateTime.isGreaterThan(at, last.at)) this.#activities.set(type, { type, at })
  }

  #execute(command: MemberCommand, member: Membership): void {
    const { visit, stepId } = command
    const at = this.#now
    switch (command.type) {
      case "send_email": {
        this.#emails.push({ stepId, at, subject: this.#subjectOf(command.emailId, member.tokens) })
        this.#recordMetric(stepId, "sent")
        this.#recordMetric(stepId, "delivered")
        this.#schedule({ type: "settled", visit, outcome: "sent", reason: null, at })
        this.#schedule({ type: "engaged", stepId, metric: "delivered", at, url: null })
        return this.#scheduleEngagements(stepId)
      }
      case "create_email": {
        const { step } = command
        const emailId = EmailId.make(simulatedId.slice(0, -6) + String(visit).padStart(6, "0"))
        const subject = step.subject ?? (step.template_id && this.#facts.templateSubjects.get(step.template_id)) ?? null
        this.#subjects.set(emailId, subject)
        if (step.auto_approve) this.#approvals.set(emailId, ApprovalId.make(emailId))
        return this.#schedule({ type: "email_created", visit, emailId })
      }
      case "create_tent":
        return this.#schedule({ type: "tent_live", visit, url: `https://pages.example/t/${visit}` })
      case "withdraw_email":
        return
    }
  }

  /** Schedules the contact's reactions to the message that was just sent, each metric once at its earliest time. */
  #scheduleEngagements(stepId: StepId): void {
    const reactions = this.#request.events.flatMap(({ after, metric, stepId: of }) => {
      const at = of === stepId && metric !== "delivered" ? endOf(this.#now, after) : null
      return at === null ? [] : [{ at, metric }]
    })
    const met = new Set<EmailStepMetric>()
    const schedule = (metric: SimulatedEvent["metric"], at: DateTime.Utc, metrics: Metrics = [metric]) => {
      if (met.has(metric)) return
      met.add(metric)
      this.#schedule({ type: "engaged", stepId, metric, at, url: null }, at, metrics)
    }
    for (const { at, metric } of reactions.sort((left, right) => DateTime.Order(left.at, right.at))) {
      // A click implies an open: the open comes first, and conditions see both at once.
      if (metric === "clicked" && !met.has("opened")) {
        schedule("opened", at, ["opened", "clicked"])
        schedule("clicked", at, [])
      } else schedule(metric, at)
    }
  }

  /** Inserts after events of the same instant. */
  #schedule(event: MemberEvent, at = this.#now, metrics: Metrics = []): void {
    const index = this.#scheduled.findLastIndex((other) => DateTime.isGreaterThan(other.at, at))
    this.#scheduled.splice(index + 1, 0, { at, event, metrics })
  }

  #recordMetric(stepId: StepId, metric: EmailStepMetric): void {
    this.#count(stepId, metric, 1)
    // A bounced message was not delivered.
    if (metric === "bounced") this.#count(stepId, "delivered", -1)
    const type = metric === "sent" ? "email_sent" : engagementTypes[metric]
    this.#recordActivity(type, this.#now)
    if (ownActivityTypes.has(type)) this.#contact = { ...this.#contact, lastActivityAt: this.#now }
    if (metric === "unsubscribed") this.#contact = { ...this.#contact, unsubscribed: true }
    if (metric === "bounced") this.#contact = { ...this.#contact, marketingEmailInvalid: true }
  }

  /** Counts messages, because a step in a loop sends several. */
  #count(stepId: StepId, metric: EmailStepMetric, by: 1 | -1): void {
    const met = this.#metrics.get(stepId) ?? new Set()
    const key = `${metric} ${stepId}`
    const count = (this.#counts.get(key) ?? 0) + by
    this.#metrics.set(stepId, met)
    this.#counts.set(key, count)
    if (count > 0) met.add(metric)
    else met.delete(metric)
  }

  #subjectOf(emailId: EmailId, tokens: FlowTokens): string {
    const { workspaceName } = this.#facts
    const subject = textFor({ contact: this.#contact, tokens, workspaceName }, this.#subjects.get(emailId) ?? "")
    return subject.slice(0, subject_length_max)
  }
}
