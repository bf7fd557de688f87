// Members for the tests of the machine: a flow compiled, facts about one contact, and events in a row.
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

export const look: MemberEvent = { type: "look" }

/** Somebody who can be sent everything. */
export const memberFacts = (over: Partial<MemberFacts> = {}): MemberFacts => ({
  contact,
  lists: new Set(),
  activities: [],
  suppression: null,
  now,
  emailSteps: new Map(),
  approvals: new Map([emailId, otherEmailId].map((id) => [id, ApprovalId.make(id)] as const)),
  ...over,
})

export const compiledOf = (body: object, over: Partial<Flow> = {}): CompiledFlow =>
  compileFlow(flowOf(body, over), { fields: known.fields, staticLists: known.staticLists })

/** One member, followed. `flow` and `facts` may be changed between events. */
export class Followed {
  flow: CompiledFlow
  facts: MemberFacts
  member: Membership
  readonly timeline: Array<TimelineEntry> = []
  readonly commands: Array<MemberCommand> = []
  readonly news: Array<string> = []

  constructor(flow: CompiledFlow, facts: MemberFacts = memberFacts(), tokens: Membership["tokens"] = {}) {
    this.flow = flow
    this.facts = facts
    const entry = { id: membershipId, source: "manual" as const, tokens }
    const entered = Result.getOrThrow(enroll(flow, entry, facts, { live: false, any: false }))
    this.member = entered.after
    this.#keep(entered)
  }

  #keep(change: MembershipChange): void {
    this.member = change.after
    this.timeline.push(...change.entries)
    this.commands.push(...change.commands)
    this.news.push(...change.activities.map(({ type }) => type))
  }

  /** Null: nothing happened. */
  tell(event: MemberEvent = look): MembershipChange | null {
    const change = decide(this.flow, this.member, this.facts, event)
    if (change !== null) this.#keep(change)
    return change
  }

  know(over: Partial<MemberFacts>): this {
    this.facts = { ...this.facts, ...over }
    return this
  }

  later(time: Partial<DateTime.DateTime.PartsForMath>): this {
    return this.know({ now: DateTime.add(this.facts.now, time) })
  }

  /** The message of the visit that is under way has left. */
  sent(): MembershipChange | null {
    return this.settled("sent", null)
  }

  settled(outcome: "sent" | "failed" | "blocked", reason: string | null): MembershipChange | null {
    return this.tell({ type: "settled", visit: this.visit, outcome, reason, at: this.facts.now })
  }

  get visit(): number {
    return "visit" in this.member.state ? this.member.state.visit.number : 0
  }

  /** `status step`, as `waiting pause`. */
  get where(): string {
    const { state } = this.member
    const at = "visit" in state ? state.visit.stepId : state.status === "dropped" ? state.reason : ""
    return `${state.status} ${at}`.trim()
  }

  get told(): string {
    return this.timeline.map(({ type, stepId }) => `${type}${stepId === null ? "" : ` ${stepId}`}`).join(", ")
  }

  /** The commands, as `send_email hello 1`. */
  get asked(): ReadonlyArray<string> {
    return this.commands.map(({ type, stepId, visit }) => `${type} ${stepId} ${visit}`)
  }
}
