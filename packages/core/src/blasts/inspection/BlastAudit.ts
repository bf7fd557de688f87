// The audit of a blast: that everyone was mailed at most once, or what speaks against it; and who was not mailed, and why.
import { DateTime } from "effect"
import type { DeliveryTally } from "../../sending/Delivery.ts"
import type { DeliveryId } from "../../kernel/Ids.ts"
import type { AuditFinding, BlastEvidence, StateCount } from "./BlastAuditStore.ts"

/** What was looked at, and what came of it. */
export interface AuditLine {
  readonly check: string
  readonly holds: boolean
  /** What was seen, in a sentence for people. */
  readonly says: string
  /** Deliveries that it is about, the first of them. */
  readonly deliveries: ReadonlyArray<DeliveryId>
}

export interface Audit {
  readonly holds: boolean
  readonly lines: ReadonlyArray<AuditLine>
  /** Whom the audience held, by what became of them. */
  readonly recipients: ReadonlyArray<StateCount>
}

/** For each finding what is checked, and what its deliveries are called when there are some. */
const demands: ReadonlyArray<readonly [finding: Exclude<AuditFinding, "open">, check: string, wrong: string]> = [
  ["contact_again", "a contact has one delivery", "are of contacts that have another one"],
  ["address_again", "an address has one delivery", "go to addresses that another one goes to"],
  ["sent_without_intent", "whoever was sent to had an intent first", "were sent without an intent"],
  ["sent_without_evidence", "whoever was sent to, the mail server took it", "were sent without a reply or a report"],
  ["timeline_silent", "timelines tell of every message", "were sent, and the contact's timeline does not say so"],
  ["timeline_wrong", "timelines tell of nothing else", "are told of twice, or were not sent"],
  ["events_wrong", "events tell of each message once", "are told of twice, or were not sent"],
]

export const audit = (evidence: BlastEvidence): Audit => {
  const lines = [
    addsUp(evidence),
    countersHold(evidence),
    ...demands.map(([finding, check, wrong]) => found(evidence, finding, check, wrong)),
    over(evidence),
    unconfirmed(evidence),
  ]
  return { holds: lines.every(({ holds }) => holds), lines, recipients: evidence.recipients }
}

const found = (evidence: BlastEvidence, finding: AuditFinding, check: string, wrong: string): AuditLine => {
  const { count, samples } = evidence.found[finding]
  return { check, holds: count === 0, says: count === 0 ? "none otherwise" : `${count} ${wrong}`, deliveries: samples }
}

const addsUp = ({ recipientCount, recount: { blocked, failed, queued, sent } }: BlastEvidence): AuditLine => {
  const sum = sent + failed + blocked + queued
  return {
    check: "the recipients add up",
    holds: (recipientCount ?? 0) === sum,
    says:
      `${recipientCount ?? 0} when the audience was fixed, ` +
      `${sum} now: ${sent} sent, ${failed} failed, ${blocked} blocked, ${queued} open`,
    deliveries: [],
  }
}

const countersHold = ({ recount, tally }: BlastEvidence): AuditLine => {
  const names = Object.keys(recount) as ReadonlyArray<keyof DeliveryTally>
  const wrong = names.filter((name) => tally[name] !== recount[name])
  return {
    check: "the counters equal a recount",
    holds: wrong.length === 0,
    says:
      wrong.length === 0
        ? "all of them do"
        : wrong.map((name) => `${name} says ${tally[name]}, counted ${recount[name]}`).join("; "),
    deliveries: [],
  }
}

/** Of one that was cancelled or has failed, those that were handed over end by their settling. */
const over = ({ found, status }: BlastEvidence): AuditLine => {
  const { count, samples } = found.open
  return {
    check: "nobody is open once it is sent",
    holds: status !== "sent" || count === 0,
    says: `it is ${status}, ${count} open`,
    deliveries: status === "sent" ? samples : [],
  }
}

/** Not a fault: at most one message went out for each, and nobody knows whether it did. */
const unconfirmed = ({ recipients, unconfirmed: some }: BlastEvidence): AuditLine => {
  const count = recipients.reduce((sum, each) => sum + (each.state === "unconfirmed" ? each.count : 0), 0)
  const at = some.flatMap(({ handedOverAt }) => (handedOverAt === null ? [] : [DateTime.formatIso(handedOverAt)]))
  return {
    check: "whose outcome is unknown is sent to no more",
    holds: true,
    says: count === 0 ? "none is unconfirmed" : [`${count} unconfirmed, handed over at:`, ...at].join(" "),
    deliveries: some.map(({ id }) => id),
  }
}
