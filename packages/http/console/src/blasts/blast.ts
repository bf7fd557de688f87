// What the screens show of a blast: its tone, its figures, what can be done with it, and the step that a missing part belongs to.
import type { ApprovalReadiness, Blast, BlastAudit, BlastDetails, BlastProgress } from "@tentpole/client"
import type { Tone } from "../parts/StatusBadge.tsx"
import type { WizardStep } from "./search.ts"

type Status = Blast["status"]

export const statusTones: Readonly<Record<Status, Tone>> = {
  draft: "quiet",
  scheduled: "warning",
  sending: "busy",
  sent: "good",
  failed: "bad",
  cancelled: "quiet",
  archived: "quiet",
}

/** `paused` is a state of its own for readers, and `sending` for the API. */
export const stateOf = ({ paused, status }: Pick<Blast, "paused" | "status">): Status | "paused" =>
  paused ? "paused" : status

export const toneOf = (blast: Pick<Blast, "paused" | "status">): Tone =>
  blast.paused ? "warning" : statusTones[blast.status]

/** Sending to more people asks for their number to be typed. */
export const typed_above = 1_000

/** What has to be typed before a send: the number of people, if there are many. */
export const typedFor = (count: number): string | undefined => (count > typed_above ? String(count) : undefined)

export type Action = "pause" | "resume" | "cancel" | "unschedule" | "duplicate" | "archive" | "delete"

/** Statuses that an action is possible in. The service decides; this only hides what it would refuse. */
const allowed: Readonly<Record<Exclude<Action, "pause" | "resume">, ReadonlyArray<Status>>> = {
  cancel: ["scheduled", "sending"],
  unschedule: ["scheduled"],
  duplicate: ["draft", "scheduled", "sending", "sent", "failed", "cancelled", "archived"],
  archive: ["draft", "scheduled", "sent", "failed", "cancelled"],
  delete: ["draft", "sent", "failed", "cancelled"],
}

export const can = (action: Action, { paused, status }: Pick<Blast, "paused" | "status">): boolean => {
  if (action === "pause") return status === "sending" && !paused
  if (action === "resume") return status === "sending" && paused
  return allowed[action].includes(status)
}

type Missing = ApprovalReadiness["missing"][number]
type Warning = ApprovalReadiness["warnings"][number]

/** The step of the wizard that mends a missing part. */
export const stepOfMissing: Readonly<Record<Missing, WizardStep>> = {
  audience: "who",
  email: "what",
  email_approval: "what",
  sender_domain: "what",
  topic: "who",
  schedule: "when",
}

/** Null: the mistake is not in the blast. */
export const stepOfWarning: Readonly<Record<Warning, WizardStep | null>> = {
  empty_static_audience: "who",
  empty_dynamic_audience: "who",
  unresolved_tokens: "what",
  no_postal_address: null,
  email_changed_since_approval: "what",
  schedule_missed: "when",
  topic_ignored: null,
}

/** The first step that misses something. */
export const firstStep = ({ approval_readiness }: Pick<Blast, "approval_readiness">): WizardStep => {
  const missing = approval_readiness?.missing ?? []
  if (missing.includes("audience")) return "who"
  return missing.some((part) => stepOfMissing[part] === "what") ? "what" : "when"
}

/** Figures of the report's head, each a share of a whole. */
export const rates = ({
  blast_bounced_count,
  blast_clicked_count,
  blast_delivered_count,
  blast_opened_count,
  blast_sent_count,
  blast_spam_count,
  blast_unsubscribed_count,
}: BlastDetails) =>
  [
    { name: "delivered", part: blast_delivered_count, whole: blast_sent_count },
    { name: "opened", part: blast_opened_count, whole: blast_delivered_count },
    { name: "clicked", part: blast_clicked_count, whole: blast_delivered_count },
    { name: "bounced", part: blast_bounced_count, whole: blast_sent_count },
    { name: "unsubscribed", part: blast_unsubscribed_count, whole: blast_delivered_count },
    { name: "spam", part: blast_spam_count, whole: blast_delivered_count },
  ] as const

/** Recipients whose outcome is known, of all. */
export const doneOf = ({ blocked, failed, recipient_count, sent }: BlastProgress) => {
  const done = sent + failed + blocked
  return { done, total: Math.max(recipient_count, done) }
}

/** A share in percent for a bar. */
export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.min(100, Math.max(0, (part / whole) * 100))

/** The checks that find a second message. */
const twice: ReadonlyArray<string> = ["contact_again", "address_again", "events_wrong"]

export interface Verdict {
  readonly kind: "good" | "wrong" | "deleted"
  /** Recipients with a known outcome. */
  readonly accounted: number
  readonly total: number
  /** Whether no recipient got two messages. */
  readonly once: boolean
}

/** The verdict of an audit: how many recipients are accounted for, and whether one got the message twice. */
export const verdictOf = ({ checks, ok, recipients }: BlastAudit, total: number): Verdict => {
  const accounted = recipients.reduce((sum, { count }) => sum + count, 0)
  const once = checks.every((check) => check.ok || !twice.includes(check.name))
  const kind = checks.some(({ name }) => name === "stored") ? "deleted" : ok ? "good" : "wrong"
  return { kind, accounted, total, once }
}

/** Counts of the failed recipients that a retry sends to, by reason; `unconfirmed` apart. */
export const retriesOf = (
  reasons: ReadonlyArray<{ readonly state: string; readonly reason: string; readonly count: number }>,
) => {
  const failed = reasons.filter(({ count, state }) => state === "failed" && count > 0)
  return {
    temporary: failed.filter(({ reason }) => temporary.includes(reason)),
    lasting: failed.filter(({ reason }) => !temporary.includes(reason) && reason !== "unconfirmed"),
    unconfirmed: failed.find(({ reason }) => reason === "unconfirmed")?.count ?? 0,
  }
}

const temporary: ReadonlyArray<string> = ["refused", "temporarily_refused", "unreachable", "blast_failed"]
