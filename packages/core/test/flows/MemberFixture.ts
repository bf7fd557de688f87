// Fixture of membership tests: a compiled flow, facts of one contact, and a member that events are applied to.
import { blankContact, type Contact } from "@tentpole/core/contacts/Contact"
import { compileFlow, type CompiledFlow, type MemberFacts } from "@tentpole/core/flows/definition/CompiledFlow"
import type { Flow } from "@tentpole/core/flows/definition/Flow"
import { decide, enroll, type MemberEvent } from "@tentpole/core/flows/members/machine"
import type { Membership, TimelineEntry } from "@tentpole/core/flows/members/Membership"
import type { MemberCommand, MembershipChange } from "@tentpole/core/flows/members/MembershipChange"
import { ApprovalId, ContactId, MembershipId } from "@tentpole/core/kernel/Ids"
import { DateTime, Result } from "effect"
import { emailId, facts as known, flowOf, now, otherEmailId } from "./FlowFixture.ts"

const uuid = "00000000-0000-4000-8000-0000000000ff"
export const membershipId = MembershipId.make(uuid)
export const contactId = ContactId.make(uuid)

export const contact: Contact = {
  ...blankContact(contactId, now),
  firstName: "Ann",
  email: "ann@example.com",
  emailNormalized: "ann@example.com",
}

export const check: MemberEvent = { type: "check" }

/** Facts of a contact that can receive every email. */
export const memberFacts = (over: Partial<MemberFacts> = {}): MemberFacts => ({
  contact,
  lists: new Set(),
  topics: new Map(),
  activities: [],
  suppression: null,
  now,
  emailSteps: new Map(),
  approvals: new Map([emailId, otherEmailId].map((id) => [id, ApprovalId.make(id)] as const)),
  ...over,
})

export const compiledOf = (body: object, over: Partial<Flow> = {}): CompiledFlow =>
  compileFlow(flowOf(body, over), { fields: known.fields, staticLists: known.staticLists, topics: known.topics })

/** One member and all its changes. `flow` and `facts` may be replaced between events. */
export class MemberRun {
  flow: CompiledFlow
  facts: MemberFacts
  member: Membership
  readonly timeline: Array<TimelineEntry> = []
  readonly commands: Array<MemberCommand> = []
  readonly activityTypes: Array<string> = []

  constructor(flow: CompiledFlow, facts: MemberFacts = memberFacts(), tokens: Membership["tokens"] = {}) {
    this.flow = flow
    this.facts = facts
    const entry = { id: membershipId, source: "manual" as const, tokens }
    const change = Result.getOrThrow(enroll(flow, entry, facts, { live: false, any: false }))
    this.member = change.after
    this.#record(change)
  }

  #record(change: MembershipChange): void {
    this.member = change.after
    this.timeline.push(...change.entries)
    this.commands.push(...change.commands)
    this.activityTypes.push(...change.activities.map(({ type }) => type))
  }

  /** Null: unchanged. */
  apply(event: MemberEvent = check): MembershipChange | null {
    const change = decide(this.flow, this.member, this.facts, event)
    if (change !== null) this.#record(change)
    return change
  }

  know(over: Partial<MemberFacts>): this {
    this.facts = { ...this.facts, ...over }
    return this
  }

  later(time: Partial<DateTime.DateTime.PartsForMath>): this {
    return this.know({ now: DateTime.add(this.facts.now, time) })
  }

  /** Settles the message of the current visit as sent. */
  sent(): MembershipChange | null {
    return this.settled("sent", null)
  }

  settled(outcome: "sent" | "failed" | "blocked", reason: string | null): MembershipChange | null {
    return this.apply({ type: "settled", visit: this.visit, outcome, reason, at: this.facts.now })
  }

  get visit(): number {
    return "visit" in this.member.state ? this.member.state.visit.number : 0
  }

  /** `status step`, for example `waiting pause`. */
  get where(): string {
    const { state } = this.member
    const at = "visit" in state ? state.visit.stepId : state.status === "dropped" ? state.reason : ""
    return `${state.status} ${at}`.trim()
  }

  get entryTexts(): string {
    return this.timeline.map(({ type, stepId }) => `${type}${stepId === null ? "" : ` ${stepId}`}`).join(", ")
  }

  /** The commands, for example `send_email hello 1`. */
  get commandTexts(): ReadonlyArray<string> {
    return this.commands.map(({ type, stepId, visit }) => `${type} ${stepId} ${visit}`)
  }
}
