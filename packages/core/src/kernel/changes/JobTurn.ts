// The order of jobs: workspaces have their turn one after the other, so that many jobs of one do not delay those of others.
import type { WorkspaceId } from "../Ids.ts"

/** Which workspaces have a turn now. */
export interface JobTurn {
  /** The workspace that had the last turn of this worker. The next one in the order of ids follows; after the last, the first. */
  readonly after: WorkspaceId | null
  /** Workspaces with a running job, in any worker, have no turn. So a worker's last concurrent job is not of a busy workspace. */
  readonly onlyIdle: boolean
}

interface Turnable {
  readonly workspaceId: WorkspaceId
  readonly type: string
}

/**
 * The next job of those that are ready, oldest first: the one with the fewest running jobs of its workspace and type. Of equal ones,
 * the workspace whose turn is next, and its oldest job. PostgreSQL has the same rule in `jobs.claim_job`.
 */
export const nextJob = <Ready extends Turnable>(
  ready: ReadonlyArray<Ready>,
  running: ReadonlyArray<Turnable>,
  { after, onlyIdle }: JobTurn,
): Ready | undefined => {
  const busy = new Set(running.map(({ workspaceId }) => workspaceId))
  const load = ({ type, workspaceId }: Turnable) =>
    running.filter((each) => each.workspaceId === workspaceId && each.type === type).length
  const passed = ({ workspaceId }: Turnable) => (after !== null && workspaceId <= after ? 1 : 0)
  const [next] = ready
    .filter(({ workspaceId }) => !onlyIdle || !busy.has(workspaceId))
    .map((job) => ({ job, load: load(job) }))
    .sort(
      (left, right) =>
        left.load - right.load ||
        passed(left.job) - passed(right.job) ||
        (left.job.workspaceId < right.job.workspaceId ? -1 : left.job.workspaceId > right.job.workspaceId ? 1 : 0),
    )
  return next?.job
}
