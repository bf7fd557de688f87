// What members wait to have made for them, as jobs: a few members each, so that a flow that a thousand people enter at once
// queues dozens of jobs and not a thousand.
import type { MembershipId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Job } from "../../kernel/changes/Jobs.ts"
import type { MembershipChange } from "./MembershipChange.ts"

/** One visit of a member to a step that makes something, and which try it is. */
export interface Making {
  readonly membershipId: MembershipId
  readonly visit: number
  readonly attempt: number
}

export const members_per_job_max = 20

const jobTypes = { create_email: "flow_email", create_tent: "flow_tent" } as const

/** The ids name the intent: the same changes ask for the same jobs. */
export const makingJobs = (
  workspaceId: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
): ReadonlyArray<{ readonly id: string; readonly job: Job }> =>
  (["create_email", "create_tent"] as const).flatMap((command) => {
    const type = jobTypes[command]
    return inBatches(askedOf(changes, command)).map((members) => {
      const [first] = members
      const id = `${type}:${first?.membershipId}:${first?.visit}:${first?.attempt}`
      return { id, job: { type, workspaceId, members } }
    })
  })

const askedOf = (changes: ReadonlyArray<MembershipChange>, wanted: keyof typeof jobTypes): ReadonlyArray<Making> =>
  changes.flatMap(({ after, commands }) =>
    commands.flatMap((command) =>
      command.type === wanted ? [{ membershipId: after.id, visit: command.visit, attempt: command.attempt }] : [],
    ),
  )

const inBatches = (all: ReadonlyArray<Making>): ReadonlyArray<ReadonlyArray<Making>> =>
  Array.from({ length: Math.ceil(all.length / members_per_job_max) }, (_, at) =>
    all.slice(at * members_per_job_max, (at + 1) * members_per_job_max),
  )
