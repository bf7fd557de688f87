// Blast rows and their conversion in both directions. CHECK constraints of the table repeat the union of `Blast.ts`, so that
// every row is one of its members.
import {
  type AttachedEmail,
  type Audience,
  type Blast,
  type BlastStatus,
  type CancelReason,
  type Launch,
  launchOf,
  type LockedEmail,
  lockedOf,
  type SendTime,
  timeOf,
} from "@tentpole/core/blasts/Blast"
import { ApprovalId, BlastId, ContactId, type TopicId } from "@tentpole/core/kernel/Ids"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime } from "effect"
import { instant, iso } from "../kernel/Instants.ts"

export interface BlastRow {
  readonly blast_id: string
  readonly name: string
  readonly description: string | null
  readonly status: BlastStatus
  readonly paused: boolean
  readonly retrying_since: Date | null
  readonly audience: Audience | null
  readonly email: AttachedEmail | null
  readonly operational: boolean
  readonly topic_id: TopicId | null
  readonly scheduled_at: Date | null
  readonly send_mode: SendTime["mode"] | null
  readonly approved_at: Date | null
  readonly approved_email_version: number | null
  readonly approval_id: string | null
  readonly schedule_missed: boolean
  readonly launched_at: Date | null
  readonly allotted_count: number
  readonly audience_through: string | null
  readonly audience_fixed_at: Date | null
  readonly recipient_count: number
  readonly qualified_count: number
  readonly audience_truncated: boolean
  readonly failure: string | null
  readonly sent_at: Date | null
  readonly cancelled_at: Date | null
  readonly cancelled_reason: CancelReason | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** For a SELECT over alias `b` of `blast`. */
export const blastColumns = `b.blast_id, b.name, b.description, b.status, b.paused, b.retrying_since,
  case when b.audience_list_id is not null then
    jsonb_build_object('listId', b.audience_list_id, 'source', b.audience_source) end as audience,
  case when b.email_id is not null then jsonb_build_object('emailId', b.email_id, 'source', b.email_source) end as email,
  b.operational, b.topic_id, b.scheduled_at, b.send_mode, b.approved_at, b.approved_email_version, b.approval_id, b.schedule_missed,
  b.launched_at, b.allotted_count, b.audience_through, b.audience_fixed_at, b.recipient_count, b.qualified_count,
  b.audience_truncated, b.failure, b.sent_at, b.cancelled_at, b.cancelled_reason, b.created_at, b.updated_at`

/** A value that a row of this status must have; a constraint guarantees it. */
const required = <A>(value: A | null, column: string): A => {
  if (value === null) throw new Error(`a blast's ${column} is null where its status does not allow it`)
  return value
}

const lockedOfRow = (row: BlastRow): LockedEmail | null =>
  row.approval_id === null
    ? null
    : {
        approvalId: ApprovalId.make(row.approval_id),
        version: required(row.approved_email_version, "approved_email_version"),
        at: DateTime.makeUnsafe(required(row.approved_at, "approved_at")),
      }

const scheduledTime = (row: BlastRow): Extract<SendTime, { readonly mode: "scheduled" }> => ({
  mode: "scheduled",
  scheduledAt: DateTime.makeUnsafe(required(row.scheduled_at, "scheduled_at")),
})

const timeOfRow = (row: BlastRow): SendTime | null =>
  row.send_mode === null ? null : row.send_mode === "send_now" ? { mode: "send_now" } : scheduledTime(row)

const launchOfRow = (row: BlastRow): Launch | null =>
  row.launched_at === null
    ? null
    : {
        at: DateTime.makeUnsafe(row.launched_at),
        allotted: row.allotted_count,
        pass:
          row.audience_through === null
            ? null
            : {
                through: ContactId.make(row.audience_through),
                recipientCount: row.recipient_count,
                qualifiedCount: row.qualified_count,
              },
        audience:
          row.audience_fixed_at === null
            ? null
            : {
                at: DateTime.makeUnsafe(row.audience_fixed_at),
                recipientCount: row.recipient_count,
                qualifiedCount: row.qualified_count,
                truncated: row.audience_truncated,
              },
      }

export const toBlast = (row: BlastRow): Blast => {
  const base = {
    id: BlastId.make(row.blast_id),
    name: row.name,
    description: row.description,
    operational: row.operational,
    topicId: row.topic_id,
    createdAt: DateTime.makeUnsafe(row.created_at),
    updatedAt: DateTime.makeUnsafe(row.updated_at),
  }
  const { audience, email } = row
  if (row.status === "draft") return { ...base, status: "draft", audience, email, scheduleMissed: row.schedule_missed }
  if (row.status === "archived") {
    return {
      ...base,
      status: "archived",
      audience,
      email,
      locked: lockedOfRow(row),
      time: timeOfRow(row),
      launch: launchOfRow(row),
      failure: row.failure,
      sentAt: instant(row.sent_at),
      cancelledAt: instant(row.cancelled_at),
      cancelledReason: row.cancelled_reason,
    }
  }
  const settled = {
    ...base,
    audience: required(audience, "audience_list_id"),
    email: required(email, "email_id"),
    locked: required(lockedOfRow(row), "approval_id"),
  }
  if (row.status === "scheduled") return { ...settled, status: "scheduled", time: scheduledTime(row) }
  const time = required(timeOfRow(row), "send_mode")
  const launched = () => ({ ...settled, time, launch: required(launchOfRow(row), "launched_at") })
  switch (row.status) {
    case "cancelled":
      return {
        ...settled,
        status: "cancelled",
        time,
        launch: launchOfRow(row),
        cancelledAt: DateTime.makeUnsafe(required(row.cancelled_at, "cancelled_at")),
        cancelledReason: row.cancelled_reason,
      }
    case "sending":
      return { ...launched(), status: "sending", paused: row.paused, retryingSince: instant(row.retrying_since) }
    case "sent":
      return { ...launched(), status: "sent", sentAt: DateTime.makeUnsafe(required(row.sent_at, "sent_at")) }
    case "failed":
      return { ...launched(), status: "failed", failure: required(row.failure, "failure") }
  }
}

/** The columns that a change may write, without those that the audience pass writes. */
export const columnsOf = (blast: Blast) => {
  const locked = lockedOf(blast)
  const time = timeOf(blast)
  const launch = launchOf(blast)
  return {
    name: blast.name,
    name_folded: fold(blast.name),
    description: blast.description,
    status: blast.status,
    paused: blast.status === "sending" && blast.paused,
    retrying_since: blast.status === "sending" ? iso(blast.retryingSince) : null,
    audience_list_id: blast.audience?.listId ?? null,
    audience_source: blast.audience?.source ?? null,
    email_id: blast.email?.emailId ?? null,
    email_source: blast.email?.source ?? null,
    operational: blast.operational,
    topic_id: blast.topicId,
    scheduled_at: time?.mode === "scheduled" ? iso(time.scheduledAt) : null,
    send_mode: time?.mode ?? null,
    approved_at: iso(locked?.at ?? null),
    approved_email_version: locked?.version ?? null,
    approval_id: locked?.approvalId ?? null,
    schedule_missed: blast.status === "draft" && blast.scheduleMissed,
    launched_at: iso(launch?.at ?? null),
    allotted_count: launch?.allotted ?? 0,
    failure: "failure" in blast ? blast.failure : null,
    sent_at: "sentAt" in blast ? iso(blast.sentAt) : null,
    cancelled_at: "cancelledAt" in blast ? iso(blast.cancelledAt) : null,
    cancelled_reason: "cancelledReason" in blast ? blast.cancelledReason : null,
    updated_at: iso(blast.updatedAt),
  }
}
