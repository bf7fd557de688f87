// The rules after a restore: what is released how, so that no message that was sent after the backup is sent again.
import { DateTime } from "effect"
import type { BlastId, FlowId } from "../../kernel/Ids.ts"
import type { LostTime } from "./Proof.ts"

/** A recognised restore. Nothing of the blasts and flows that it brought back is sent until they are released. */
export interface Restore extends LostTime {
  /** When a worker recognised it. */
  readonly at: DateTime.Utc
  /** The last time of the database's former life that it knows. */
  readonly backupAt: DateTime.Utc
  /**
   * Until then, members of flows repeat the steps of the time that the backup does not contain. It is later than `at` by the
   * length of that time, and moves while no worker runs.
   */
  readonly flowsRepeatUntil: DateTime.Utc
}

/** A restored blast that sends or will send. */
export interface RestoredBlast {
  readonly id: BlastId
  readonly name: string
  readonly scheduledAt: DateTime.Utc | null
  /** Null: it is scheduled. */
  readonly launchedAt: DateTime.Utc | null
  /** Recipients are still being written or requeued. */
  readonly growing: boolean
  /** Recipients that have not ended. */
  readonly open_count: number
}

export interface RestoredFlow {
  readonly id: FlowId
  readonly name: string
  /** Messages that have not ended. */
  readonly open_count: number
}

/**
 * `unschedule`: its time was before the restore, so that it may have been sent; it becomes a draft. `wait`: its recipients are
 * still being written, and each of them may have the message. `unconfirm`: its open recipients may have the message, unless the
 * send journal proves what happened to each. `send`: it
 * was due or launched after the restore, and continues.
 */
export type ReleaseDecision = "wait" | "unschedule" | "unconfirm" | "send"

export const decideRelease = (
  { growing, launchedAt, scheduledAt }: RestoredBlast,
  { at }: Restore,
): ReleaseDecision => {
  if (launchedAt === null) {
    return scheduledAt !== null && DateTime.isGreaterThan(scheduledAt, at) ? "send" : "unschedule"
  }
  // Launched after the restore.
  if (DateTime.isGreaterThan(launchedAt, at)) return "send"
  return growing ? "wait" : "unconfirm"
}

/** Later messages of a flow are none that its members had before the restore. */
export const canReleaseFlows = (restore: Restore, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThan(now, restore.flowsRepeatUntil)
