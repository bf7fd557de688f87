// The effects of a change of a blast: events, audit entries, jobs, and when workers have to look at the workspace.
import type { DateTime } from "effect"
import type { AuditNote, ChangeEffects, QueuedJob } from "../kernel/changes/Change.ts"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import { type DeliveryTally, emptyTally } from "../sending/Delivery.ts"
import { type Blast, countsOf, earlyEndReasonOf, launchOf } from "./Blast.ts"

/** Whether recipients may have become due: to be sent to (again), or to be ended with their blast. */
const wakesSenders = (before: Blast | null, after: Blast | null): boolean => {
  if (before === null || after === null || countsOf(launchOf(after)) === null) return false
  if (after.status === "sending") return !after.paused && (before.status !== "sending" || before.paused)
  return before.status === "sending" && earlyEndReasonOf(after) !== null
}

/** The time that the change schedules the blast for; null when it schedules nothing. */
const scheduleDueAt = (before: Blast | null, after: Blast | null): DateTime.Utc | null =>
  after?.status === "scheduled" && before?.status !== "scheduled" ? after.time.scheduledAt : null

/** What becomes due by a change: the workspace's deliveries, its schedules. */
export const dueOf = (before: Blast | null, after: Blast | null) => ({
  wakesSenders: wakesSenders(before, after),
  scheduleDueAt: scheduleDueAt(before, after),
})

const eventsOf = (
  before: Blast | null,
  after: Blast | null,
  at: DateTime.Utc,
  tally: DeliveryTally,
): ReadonlyArray<DomainEvent> => {
  if (before === null || before.status === after?.status) return []
  const to = after?.status ?? "deleted"
  const data = { blast_id: before.id, name: before.name, from: before.status, reason: reasonOf(after) }
  const details = isEnd(to) && after !== null ? { details: detailsOf(after, tally) } : {}
  return [{ type: `blast_${to}`, contactId: null, at, data: { ...data, ...details } }]
}

const isEnd = (to: string): boolean => to === "sent" || to === "failed" || to === "cancelled"

/**
 * The counts of a blast that has ended, with the names of the API; null: it was never launched. Recipients that are left count as they
 * end: with their blast.
 */
const detailsOf = (blast: Blast, { blocked, failed, queued, sent }: DeliveryTally) => {
  const launch = launchOf(blast)
  if (launch === null) return null
  const counts = countsOf(launch)
  return {
    blast_recipient_count: counts?.recipientCount ?? 0,
    blast_qualified_count: counts?.qualifiedCount ?? 0,
    blast_sent_count: sent,
    blast_failed_count: blast.status === "failed" ? failed + queued : failed,
    blast_blocked_count: blast.status === "cancelled" ? blocked + queued : blocked,
  }
}

/** Why a blast ended early. */
const reasonOf = (after: Blast | null): string | null => {
  if (after?.status === "failed") return after.failure
  return after?.status === "cancelled" ? after.cancelledReason : null
}

/** Audits the decisions about a sending. Its outcome is in the report. */
const auditOf = (before: Blast | null, after: Blast | null): ReadonlyArray<AuditNote> => {
  if (after === null || before === null) return []
  const note = (action: AuditNote["action"]) => [
    { action, target: after.id, details: { operational: after.operational } },
  ]
  if (before.status === "sending" && after.status === "sending") {
    if (before.paused === after.paused) return []
    return note(after.paused ? "blast.paused" : "blast.resumed")
  }
  if (before.status === after.status) return []
  switch (after.status) {
    case "scheduled":
    case "sending":
    case "cancelled":
    case "failed":
      return note(`blast.${after.status}`)
    case "draft":
      return before.status === "scheduled" ? note("blast.unscheduled") : []
    default:
      return []
  }
}

/** A blast is launched once. It may be retried any number of times. */
const jobsOf = (before: Blast | null, after: Blast | null, includeUnconfirmed: boolean): ReadonlyArray<QueuedJob> => {
  if (after?.status !== "sending" || before === null) return []
  const blastId = after.id
  if (launchOf(before) === null) return [{ job: { type: "blast_start", blastId }, id: `blast_start:${blastId}` }]
  if (before.status === "sending" || after.retryingSince === null) return []
  const since_ms = after.retryingSince.epochMilliseconds
  return [
    { job: { type: "blast_retry", blastId, since_ms, includeUnconfirmed }, id: `blast_retry:${blastId}:${since_ms}` },
  ]
}

export const effectsOf = (
  before: Blast | null,
  after: Blast | null,
  at: DateTime.Utc,
  {
    includeUnconfirmed = false,
    tally = emptyTally,
  }: { readonly includeUnconfirmed?: boolean | undefined; readonly tally?: DeliveryTally | undefined } = {},
): ChangeEffects => ({
  events: eventsOf(before, after, at, tally),
  audit: auditOf(before, after),
  jobs: jobsOf(before, after, includeUnconfirmed),
})
