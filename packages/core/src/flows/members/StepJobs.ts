// Jobs that create emails and pages for members. One job covers several members, so that a thousand entries at once queue
// dozens of jobs.
import { Array } from "effect"
import type { MembershipId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Job } from "../../kernel/changes/Jobs.ts"
import type { MembershipChange } from "./MembershipChange.ts"

/** One attempt of a `create_email` or `create_tent` step for one step visit. */
export interface StepRun {
  readonly membershipId: MembershipId
  readonly visit: number
  readonly attempt: number
}

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
