// A change of a membership: state, timeline entries, commands, and activities of its contact.
import type { Activity } from "../../contacts/Activity.ts"
import type { ApprovalId, EmailId } from "../../kernel/Ids.ts"
import type { Change } from "../../kernel/changes/Change.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"
import type { Membership, TimelineEntry } from "./Membership.ts"
import type { CreateEmailStep, StepId } from "../definition/Step.ts"

interface ForVisit {
  readonly stepId: StepId
  readonly visit: number
}

/**
 * Work that follows a change. The command is stored with the change and executed at most once for each membership and step
 * visit (and attempt, of `create_*` steps), even if the change's transaction is retried.
 */
export type MemberCommand =
  | (ForVisit & {
      readonly type: "send_email"
      readonly emailId: EmailId
      readonly approvalId: ApprovalId
      readonly operational: boolean
      readonly tokens: FlowTokens
    })
  | (ForVisit & { readonly type: "create_email"; readonly attempt: number; readonly step: CreateEmailStep })
  | (ForVisit & { readonly type: "create_tent"; readonly attempt: number })
  /** The member was dropped while its message was in flight: cancel the message if that is still possible. */
  | (ForVisit & { readonly type: "withdraw_email" })

/** A membership before and after, with its timeline entries and commands. */
export interface MembershipUpdate {
  /** Null: a new membership. */
  readonly before: Membership | null
  readonly after: Membership
  /** New timeline entries, in order. */
  readonly entries: ReadonlyArray<TimelineEntry>
  readonly commands: ReadonlyArray<MemberCommand>
}

/** Only `members/machine.ts` creates one. */
export type MembershipChange = Change<
  "membership",
  MembershipUpdate & {
    /** The store leaves these out if the contact has been deleted. */
    readonly activities: ReadonlyArray<Activity>
  }
>
