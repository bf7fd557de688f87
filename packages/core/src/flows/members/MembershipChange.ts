// What a decision writes of a membership: its state, the entries of its timeline, commands, and the activities of its contact.
import type { Activity } from "../../contacts/Activity.ts"
import type { ApprovalId, EmailId } from "../../kernel/Ids.ts"
import type { Change } from "../../kernel/changes/Change.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"
import type { Membership, TimelineEntry } from "./Membership.ts"
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
      readonly tokens: FlowTokens
    })
  | (ForVisit & {
      readonly type: "create_email"
      readonly attempt: number
      readonly step: CreateEmailStep
      readonly tokens: FlowTokens
    })
  | (ForVisit & {
      readonly type: "create_tent"
      readonly attempt: number
      readonly step: CreateTentStep
      readonly tokens: FlowTokens
    })
  /** The member has left while the message was on its way: it is not to be sent, if it can still be stopped. */
  | (ForVisit & { readonly type: "withdraw_email" })

/** Where a member has come to, and what happened on the way. */
export interface MembershipMoves {
  /** Null: the contact enters. */
  readonly before: Membership | null
  readonly after: Membership
  /** Lines to add to the timeline, in order. */
  readonly entries: ReadonlyArray<TimelineEntry>
  readonly commands: ReadonlyArray<MemberCommand>
}

/** Only the machine of `members/machine.ts` creates one. A store takes nothing else. */
export type MembershipChange = Change<
  "membership",
  MembershipMoves & {
    /** A deleted contact has no timeline any more: a store leaves these out then. */
    readonly activities: ReadonlyArray<Activity>
  }
>
