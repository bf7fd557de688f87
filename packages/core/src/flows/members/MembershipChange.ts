// What is to be written of a membership: decided by the machine and by enrollment, with the lines of its timeline, what is to
// be done for it, and the activities and events that belong to it. A store takes nothing else.
import type { DateTime } from "effect"
import type { Activity } from "../../contacts/Activity.ts"
import type { ApprovalId, EmailId } from "../../kernel/Ids.ts"
import type { DomainEvent } from "../../kernel/Outbox.ts"
import type { MemberState, Membership, TimelineEntry, Tokens } from "./Membership.ts"
import type { CreateEmailStep, CreateTentStep, StepId } from "../definition/Step.ts"

interface ForVisit {
  readonly stepId: StepId
  readonly visit: number
}

/**
 * What is to be done for a member besides writing: written with the change, and done at most once for each membership and visit
 * (and attempt, where something is made), however often the change's transaction is tried.
 */
export type MemberCommand =
  | (ForVisit & {
      readonly type: "send_email"
      readonly emailId: EmailId
      readonly approvalId: ApprovalId
      readonly operational: boolean
      readonly tokens: Tokens
    })
  | (ForVisit & {
      readonly type: "create_email"
      readonly attempt: number
      readonly step: CreateEmailStep
      readonly tokens: Tokens
    })
  | (ForVisit & {
      readonly type: "create_tent"
      readonly attempt: number
      readonly step: CreateTentStep
      readonly tokens: Tokens
    })
  /** The member has left while the message was on its way: it is not to be sent, if it can still be stopped. */
  | (ForVisit & { readonly type: "withdraw_email" })

interface Decided {
  readonly before: Membership | null
  readonly after: Membership
  readonly flowName: string
  readonly at: DateTime.Utc
  readonly entries: ReadonlyArray<TimelineEntry>
  readonly commands: ReadonlyArray<MemberCommand>
}

const none: ReadonlyArray<never> = []

/** What the contact's own timeline and the outbox are told: entry, and the end of the way. */
const newsOf = (before: MemberState | null, after: MemberState) => {
  if (before === null) return "flow_entered"
  if (before.status === after.status) return null
  if (after.status === "completed") return "flow_completed"
  return after.status === "dropped" ? "flow_dropped" : null
}

const activitiesOf = ({ before, after, flowName, at }: Decided): ReadonlyArray<Activity> => {
  const type = newsOf(before?.state ?? null, after.state)
  if (type === null) return none
  const reason = after.state.status === "dropped" ? { reason: after.state.reason } : {}
  const metadata = { flow_id: after.flowId, flow_name: flowName, membership_id: after.id, ...reason }
  return [{ contactId: after.contactId, type, at, metadata }]
}

export class MembershipChange {
  readonly #brand = true
  /** Null: the contact enters. */
  readonly before: Membership | null
  readonly after: Membership
  /** Lines to add to the timeline, in order. */
  readonly entries: ReadonlyArray<TimelineEntry>
  readonly commands: ReadonlyArray<MemberCommand>
  /** A deleted contact has no timeline any more: a store leaves these out then. */
  readonly activities: ReadonlyArray<Activity>
  readonly events: ReadonlyArray<DomainEvent>

  private constructor(decided: Decided) {
    this.before = decided.before
    this.after = decided.after
    this.entries = decided.entries
    this.commands = decided.commands
    const activities = activitiesOf(decided)
    this.activities = activities
    this.events =
      activities.length === 0
        ? none
        : activities.map(({ type, contactId, at, metadata }) => ({ type, contactId, at, data: metadata }))
  }

  static is(it: unknown): it is MembershipChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  /** For the machine and for enrollment alone: whoever else makes one has decided what is not theirs. */
  static decided(it: Decided): MembershipChange {
    return new MembershipChange(it)
  }
}
