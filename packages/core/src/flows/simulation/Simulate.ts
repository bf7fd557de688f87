// Tries a flow out on a virtual clock: the same machine, run through all that time would bring, with a world around it that
// does at once whatever it is asked to do, and sends nothing. Emails of a draft flow need no approval here.
import { DateTime, Result } from "effect"
import type { Activity, ActivityType } from "../../contacts/Activity.ts"
import { ownActivityTypes } from "../../contacts/Activity.ts"
import type { Contact } from "../../contacts/Contact.ts"
import type { SuppressionReason } from "../../sending/Suppression.ts"
import { subject_length_max } from "../../documents/EmailFields.ts"
import { ApprovalId, EmailId, type ListId, MembershipId } from "../../kernel/Ids.ts"
import type { EmailStepMetric } from "../../segments/RuleTree.ts"
import { compileFlow, type CompiledFlow, type MemberFacts, type SimulationFacts } from "../definition/CompiledFlow.ts"
import type { EntryRefusal } from "../members/Enrollment.ts"
import type { Flow } from "../definition/Flow.ts"
import { FlowNotReady } from "../definition/FlowErrors.ts"
import { decide, enroll, type MemberEvent } from "../members/machine.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"
import { dueAtOf, engagementTypes, isLive, type Membership, type TimelineEntry } from "../members/Membership.ts"
import { textFor } from "../members/MemberText.ts"
import type { MemberCommand, MembershipChange } from "../members/MembershipChange.ts"
import { endOf, type StepId, type WaitUnit } from "../definition/Step.ts"

/** What a contact does with the messages of a step, so long after each of them was sent. */
export interface SimulatedEvent {
  readonly after: { readonly amount: number; readonly unit: WaitUnit }
  readonly metric: Exclude<EmailStepMetric, "sent">
  readonly stepId: StepId
}

export interface SimulatedPerson {
  readonly contact: Contact
  readonly lists: ReadonlySet<ListId>
  readonly activities: ReadonlyArray<Pick<Activity, "type" | "at">>
  readonly suppression: SuppressionReason | null
}

export interface SimulationRequest {
  readonly tokens: FlowTokens
  readonly events: ReadonlyArray<SimulatedEvent>
  readonly from: DateTime.Utc
  /** The last instant that is looked at. */
  readonly until: DateTime.Utc
}

export interface Simulation {
  readonly timeline: ReadonlyArray<TimelineEntry>
  readonly status: Membership["state"]["status"]
  /** Null while the member is on the way. */
  readonly endedAt: DateTime.Utc | null
  readonly emails: ReadonlyArray<{ readonly stepId: StepId; readonly at: DateTime.Utc; readonly subject: string }>
  /** As they are at the end of it. */
  readonly member: Membership
}

/** Somebody who goes round and round is followed so far, and no further. */
export const simulated_entries_max = 10_000

/** Runs the flow for one person, whatever its status, or says why they would not enter it. */
export const simulate = (
  flow: Flow,
  facts: SimulationFacts,
  person: SimulatedPerson,
  request: SimulationRequest,
): Result.Result<Simulation, EntryRefusal | FlowNotReady> =>
  Result.map(beginSimulation(flow, facts, person, request), (world) => {
    world.goOn(simulated_entries_max)
    return world.result
  })

/** The same bit by bit, for whoever has others to attend to meanwhile. */
export interface RunningSimulation {
  /** Until there are so many more entries, or it is over: then it answers true. */
  readonly goOn: (entries: number) => boolean
  /** Everything that has happened so far. */
  readonly result: Simulation
}

export const beginSimulation = (
  flow: Flow,
  facts: SimulationFacts,
  person: SimulatedPerson,
  request: SimulationRequest,
): Result.Result<RunningSimulation, EntryRefusal | FlowNotReady> => {
  if (flow.structure.steps.length === 0) {
    const missing = [{ code: "steps", path: "steps", message: "must have at least one step" }] as const
    return Result.fail(new FlowNotReady({ missing }))
  }
  const running: Flow = { ...flow, lifecycle: { status: "active", activatedAt: request.from } }
  return World.enter(compileFlow(running, facts), facts, person, request)
}

/** A year from there, for a simulation that says nothing of its end. */
export const yearAfter = (from: DateTime.Utc): DateTime.Utc => DateTime.add(from, { years: 1 })

const anywhere = "00000000-0000-4000-8000-000000000000"

interface Coming {
  readonly at: DateTime.Utc
  readonly event: MemberEvent
  /** What is known of the step's message from then on. */
  readonly meets: ReadonlyArray<SimulatedEvent["metric"]>
}

class World {
  readonly #flow: CompiledFlow
  readonly #facts: SimulationFacts
  readonly #request: SimulationRequest
  #contact: Contact
  readonly #person: SimulatedPerson
  readonly #activities: Map<ActivityType, Pick<Activity, "type" | "at">>
  readonly #met = new Map<StepId, Set<EmailStepMetric>>()
  /** How many messages of a step have met with it. */
  readonly #counts = new Map<string, number>()
  readonly #approvals = new Map<EmailId, ApprovalId>()
  readonly #subjects: Map<EmailId, string | null>
  /** By instant, the earliest last. */
  readonly #coming: Array<Coming> = []
  readonly #timeline: Array<TimelineEntry> = []
  readonly #emails: Array<Simulation["emails"][number]> = []
  #now: DateTime.Utc
  #membership: Membership

  private constructor(
    flow: CompiledFlow,
    facts: SimulationFacts,
    person: SimulatedPerson,
    request: SimulationRequest,
    entered: MembershipChange,
  ) {
    this.#flow = flow
    this.#facts = facts
    this.#person = person
    this.#request = request
    this.#contact = person.contact
    this.#now = request.from
    this.#activities = new Map()
    for (const { type, at } of person.activities) this.#happen(type, at)
    this.#subjects = new Map(facts.subjects)
    for (const { step } of flow.steps.values()) {
      if (step.type !== "send_email" || step.email_id === null) continue
      this.#approvals.set(step.email_id, ApprovalId.make(step.email_id))
    }
    this.#membership = this.#accept(entered)
  }

  static enter(
    flow: CompiledFlow,
    facts: SimulationFacts,
    person: SimulatedPerson,
    request: SimulationRequest,
  ): Result.Result<World, EntryRefusal> {
    const entry = { id: MembershipId.make(anywhere), source: "manual" as const, tokens: request.tokens }
    const member = { ...person, now: request.from, emailSteps: new Map(), approvals: new Map() }
    const entered = enroll(flow, entry, member, { live: false, any: false })
    return Result.map(entered, (change) => new World(flow, facts, person, request, change))
  }

  goOn(entries: number): boolean {
    const last = Math.min(simulated_entries_max, this.#timeline.length + entries)
    while (this.#timeline.length < last) {
      const member = this.#membership
      const due = isLive(member.state) ? dueAtOf(member.state) : null
      const coming = this.#coming.at(-1)
      const first =
        coming !== undefined && (due === null || DateTime.isLessThanOrEqualTo(coming.at, due)) ? coming : null
      const at = first?.at ?? due
      if (at === null || DateTime.isGreaterThan(at, this.#request.until)) return true
      this.#now = DateTime.max(this.#now, at)
      if (first !== null) this.#coming.pop()
      const event: MemberEvent = first?.event ?? { type: "look" }
      if (event.type === "engaged") for (const metric of first?.meets ?? []) this.#meet(event.stepId, metric)
      const change = decide(this.#flow, member, this.#member(), event)
      if (change !== null) this.#membership = this.#accept(change)
      else if (first === null) return true
    }
    return this.#timeline.length >= simulated_entries_max
  }

  get result(): Simulation {
    const member = this.#membership
    const { state } = member
    return {
      timeline: this.#timeline,
      status: state.status,
      endedAt: isLive(state) ? null : state.at,
      emails: this.#emails,
      member,
    }
  }

  #member(): MemberFacts {
    return {
      contact: this.#contact,
      lists: this.#person.lists,
      activities: [...this.#activities.values()],
      suppression: this.#person.suppression,
      now: this.#now,
      emailSteps: this.#met,
      approvals: this.#approvals,
    }
  }

  #accept({ after, entries, commands, activities }: MembershipChange): Membership {
    this.#timeline.push(...entries)
    for (const { type, at } of activities) this.#happen(type, at)
    for (const command of commands) this.#do(command, after)
    return after
  }

  /** Only the latest of each type is ever asked for. */
  #happen(type: ActivityType, at: DateTime.Utc): void {
    const last = this.#activities.get(type)
    if (last === undefined || DateTime.isGreaterThan(at, last.at)) this.#activities.set(type, { type, at })
  }

  #do(command: MemberCommand, member: Membership): void {
    const { visit, stepId } = command
    const at = this.#now
    switch (command.type) {
      case "send_email": {
        this.#emails.push({ stepId, at, subject: this.#subjectOf(command.emailId, member.tokens) })
        this.#meet(stepId, "sent")
        this.#meet(stepId, "delivered")
        this.#await({ at, event: { type: "settled", visit, outcome: "sent", reason: null, at }, meets: [] })
        this.#await({ at, event: { type: "engaged", stepId, metric: "delivered", at, url: null }, meets: [] })
        return this.#foresee(stepId)
      }
      case "create_email": {
        const { step } = command
        const emailId = EmailId.make(anywhere.slice(0, -6) + String(visit).padStart(6, "0"))
        const subject = step.subject ?? (step.template_id && this.#facts.templateSubjects.get(step.template_id)) ?? null
        this.#subjects.set(emailId, subject)
        if (step.auto_approve) this.#approvals.set(emailId, ApprovalId.make(emailId))
        return this.#await({ at, event: { type: "email_created", visit, emailId }, meets: [] })
      }
      case "create_tent":
        return this.#await({
          at,
          event: { type: "tent_live", visit, url: `https://pages.example/t/${visit}` },
          meets: [],
        })
      case "withdraw_email":
        return
    }
  }

  /** What the contact will do with the message that has just been sent: each thing once, the first time that it is said. */
  #foresee(stepId: StepId): void {
    const said = this.#request.events.flatMap(({ after, metric, stepId: of }) => {
      const at = of === stepId && metric !== "delivered" ? endOf(this.#now, after) : null
      return at === null ? [] : [{ at, metric }]
    })
    const met = new Set<EmailStepMetric>()
    const foresee = (
      metric: SimulatedEvent["metric"],
      at: DateTime.Utc,
      meets: ReadonlyArray<SimulatedEvent["metric"]> = [metric],
    ) => {
      if (met.has(metric)) return
      met.add(metric)
      this.#await({ at, event: { type: "engaged", stepId, metric, at, url: null }, meets })
    }
    for (const { at, metric } of said.sort((left, right) => left.at.epochMilliseconds - right.at.epochMilliseconds)) {
      // Who clicks has opened it: told first, and both are known at once.
      if (metric === "clicked" && !met.has("opened")) {
        foresee("opened", at, ["opened", "clicked"])
        foresee("clicked", at, [])
      } else foresee(metric, at)
    }
  }

  /** Behind what comes at the same instant. */
  #await(coming: Coming): void {
    const index = this.#coming.findLastIndex(({ at }) => DateTime.isGreaterThan(at, coming.at))
    this.#coming.splice(index + 1, 0, coming)
  }

  #meet(stepId: StepId, metric: EmailStepMetric): void {
    this.#count(stepId, metric, 1)
    // What has come back was not delivered after all.
    if (metric === "bounced") this.#count(stepId, "delivered", -1)
    const type = metric === "sent" ? "email_sent" : engagementTypes[metric]
    this.#happen(type, this.#now)
    if (ownActivityTypes.has(type)) this.#contact = { ...this.#contact, lastActivityAt: this.#now }
    if (metric === "unsubscribed") this.#contact = { ...this.#contact, unsubscribed: true }
    if (metric === "bounced") this.#contact = { ...this.#contact, marketingEmailInvalid: true }
  }

  /** A step's messages are many where it is come to again. */
  #count(stepId: StepId, metric: EmailStepMetric, by: 1 | -1): void {
    const met = this.#met.get(stepId) ?? new Set()
    const key = `${metric} ${stepId}`
    const count = (this.#counts.get(key) ?? 0) + by
    this.#met.set(stepId, met)
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
