// The audit of a blast: whether each recipient got at most one message, and which recipients got none and why.
import { DateTime } from "effect"
import type { DeliveryTally } from "../../sending/Delivery.ts"
import type { DeliveryId } from "../../kernel/Ids.ts"
import { auditFindings, type AuditFinding, type BlastEvidence, type StateCount } from "./BlastAuditStore.ts"

export const auditChecks = ["stored", "counts", "counters", ...auditFindings, "unconfirmed"] as const

export interface AuditLine {
  readonly name: (typeof auditChecks)[number]
  /** The rule that is checked, as a sentence. */
  readonly check: string
  readonly holds: boolean
  /** The result, as a sentence. */
  readonly result: string
  /** The first deliveries that it is about. */
  readonly deliveries: ReadonlyArray<DeliveryId>
}

export interface Audit {
  readonly holds: boolean
  readonly lines: ReadonlyArray<AuditLine>
  /** The recipients, counted by state. */
  readonly recipients: ReadonlyArray<StateCount>
}

/** For each finding: the check, and how its deliveries are described when there are some. */
const checks: ReadonlyArray<readonly [finding: Exclude<AuditFinding, "open">, check: string, wrong: string]> = [
  ["contact_again", "a contact has one delivery", "are of contacts that have another delivery"],
  ["address_again", "an address has one delivery", "go to addresses of another delivery"],
  ["sent_without_intent", "a sent message had an intent first", "were sent without an intent"],
  ["sent_without_evidence", "a sent message was accepted by the mail server", "were sent without a reply or a report"],
  ["events_wrong", "events contain each message once", "appear twice, or were not sent"],
]

/** All deliveries of a blast are of one month, and are deleted together. */
const deleted: Audit = {
  holds: true,
  lines: [
    {
      name: "stored",
      check: "the deliveries are stored",
      holds: true,
      result: "they were deleted by age (DELIVERY_DAYS): only the counters are left",
      deliveries: [],
    },
  ],
  recipients: [],
}

export const audit = (evidence: BlastEvidence): Audit => {
  if (evidence.mayBeDeleted && evidence.recipients.length === 0 && evidence.recipientCount !== 0) return deleted
  const lines = [
    addsUp(evidence),
    countersHold(evidence),
    ...checks.map(([finding, check, wrong]) => found(evidence, finding, check, wrong)),
    over(evidence),
    unconfirmed(evidence),
  ]
  return { holds: lines.every(({ holds }) => holds), lines, recipients: evidence.recipients }
}

const found = (evidence: BlastEvidence, finding: AuditFinding, check: string, wrong: string): AuditLine => {
  const { count, samples } = evidence.found[finding]
  return {
    name: finding,
    check,
    holds: count === 0,
    result: count === 0 ? "no violation" : `${count} ${wrong}`,
    deliveries: samples,
  }
}

const addsUp = ({ recipientCount, recount: { blocked, failed, queued, sent } }: BlastEvidence): AuditLine => {
  const sum = sent + failed + blocked + queued
  return {
    name: "counts",
    check: "the recipient counts add up",
    holds: (recipientCount ?? 0) === sum,
    result:
      `${recipientCount ?? 0} when the audience was fixed, ` +
      `${sum} now: ${sent} sent, ${failed} failed, ${blocked} blocked, ${queued} open`,
    deliveries: [],
  }
}

const countersHold = ({ recount, tally }: BlastEvidence): AuditLine => {
  const names = Object.keys(recount) as ReadonlyArray<keyof DeliveryTally>
  const wrong = names.filter((name) => tally[name] !== recount[name])
  return {
    name: "counters",
    check: "the counters equal a recount",
    holds: wrong.length === 0,
    result:
      wrong.length === 0
        ? "all counters are equal"
        : wrong.map((name) => `${name} says ${tally[name]}, counted ${recount[name]}`).join("; "),
    deliveries: [],
  }
}

/** Cancelled and failed blasts may have open recipients: messages that were handed over end with their settlement. */
const over = ({ found, status }: BlastEvidence): AuditLine => {
  const { count, samples } = found.open
  return {
    name: "open",
    check: "no recipient is open once the blast is sent",
    holds: status !== "sent" || count === 0,
    result: `the blast is ${status}, ${count} open`,
    deliveries: status === "sent" ? samples : [],
  }
}

/** Not a violation: at most one message went out for each, with unknown outcome. */
const unconfirmed = ({ recipients, unconfirmed: some }: BlastEvidence): AuditLine => {
  const count = recipients.reduce((sum, each) => sum + (each.state === "unconfirmed" ? each.count : 0), 0)
  const at = some.flatMap(({ handedOverAt }) => (handedOverAt === null ? [] : [DateTime.formatIso(handedOverAt)]))
  return {
    name: "unconfirmed",
    check: "unconfirmed messages are not sent again",
    holds: true,
    result: count === 0 ? "no message is unconfirmed" : [`${count} unconfirmed, handed over at:`, ...at].join(" "),
    deliveries: some.map(({ id }) => id),
  }
}
