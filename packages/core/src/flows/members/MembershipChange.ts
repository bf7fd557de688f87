// A change of a membership: state, timeline entries, commands, and activities of its contact; and the jobs of its commands.
import { Array } from "effect"
import type { Activity } from "../../contacts/Activity.ts"
import type { ApprovalId, EmailId, MembershipId, TopicId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Change } from "../../kernel/changes/Change.ts"
import type { Job } from "../../kernel/changes/Jobs.ts"
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
      /** Null: all marketing, or operational. */
      readonly topicId: TopicId | null
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

/** One attempt of a `create_email` or `create_tent` step for one step visit. */
export interface StepRun {
  readonly membershipId: MembershipId
  readonly visit: number
  readonly attempt: number
}

/** One job covers several members, so that a thousand entries at once queue dozens of jobs. */
export const members_per_job_max = 20

const jobTypes = { create_email: "flow_email", create_tent: "flow_tent" } as const

/** The ids are deterministic: the same changes enqueue the same jobs. */
export const stepJobs = (
  workspaceId: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
): ReadonlyArray<{ readonly id: string; readonly job: Job }> =>
  (["create_email", "create_tent"] as const).flatMap((command) => {
    const type = jobTypes[command]
    return Array.chunksOf(stepRunsOf(changes, command), members_per_job_max).map((members) => {
      const { membershipId, visit, attempt } = members[0]
      return { id: `${type}:${membershipId}:${visit}:${attempt}`, job: { type, workspaceId, members } }
    })
  })

const stepRunsOf = (changes: ReadonlyArray<MembershipChange>, type: keyof typeof jobTypes): ReadonlyArray<StepRun> =>
  changes.flatMap(({ after, commands }) =>
    commands.flatMap((command) =>
      command.type === type ? [{ membershipId: after.id, visit: command.visit, attempt: command.attempt }] : [],
    ),
  )
