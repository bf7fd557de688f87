// The timeline that the membership machine predicts for a member, from when the member entered and what happened to each message.
import { blankContact } from "@tentpole/core/contacts/Contact"
import type { CompiledFlow, MemberFacts } from "@tentpole/core/flows/definition/CompiledFlow"
import { decide, enroll } from "@tentpole/core/flows/members/machine"
import { dueAtOf, isLive, type Membership, type TimelineEntry } from "@tentpole/core/flows/members/Membership"
import { metricsByStep, type MemberDelivery, settledEvent } from "@tentpole/core/flows/members/MemberDeliveries"
import { ApprovalId, ContactId, type EmailId, MembershipId } from "@tentpole/core/kernel/Ids"
import { DateTime, Result } from "effect"

export interface Witnessed {
  readonly membershipId: string
  readonly contactId: string
  readonly email: string
  readonly city: string
  readonly enteredAt: DateTime.Utc
  readonly messages: ReadonlyArray<MemberDelivery>
  /**
   * The hand-over time of the message of a step visit. Later steps count from it, because the time in the queue is not predictable.
   */
  readonly leftAt: ReadonlyMap<number, DateTime.Utc>
}

export interface Known {
  readonly flow: CompiledFlow
  readonly emailId: EmailId
  readonly until: DateTime.Utc
}

/** Openings come from outside the machine; it produces all other events itself. */
const opening = (messages: ReadonlyArray<MemberDelivery>, after: DateTime.Utc): MemberDelivery | undefined =>
  messages
    .filter(({ openedAt }) => openedAt !== null && DateTime.isGreaterThan(openedAt, after))
    .toSorted((left, right) => Number(left.openedAt?.epochMilliseconds) - Number(right.openedAt?.epochMilliseconds))[0]

/** The lines of the timeline, without events of sent messages. */
export const predicted = ({ emailId, flow, until }: Known, it: Witnessed): ReadonlyArray<string> => {
  const contact = {
    ...blankContact(ContactId.make(it.contactId), it.enteredAt),
    email: it.email,
    emailNormalized: it.email,
    city: it.city,
  }
  const facts = (now: DateTime.Utc): MemberFacts => ({
    contact,
    lists: new Set(),
    topics: new Map(),
    activities: [],
    suppression: null,
    now,
    emailSteps: metricsByStep(it.messages.map((each) => knownBy(each, now))),
    approvals: new Map([[emailId, ApprovalId.make(emailId)]]),
  })
  const entry = { id: MembershipId.make(it.membershipId), source: "contact_created" as const, tokens: {} }
  const entered = Result.getOrThrow(enroll(flow, entry, facts(it.enteredAt), { live: false, any: false }))
  const lines = [...entered.entries]
  let member: Membership = entered.after
  let now = it.enteredAt
  while (isLive(member.state)) {
    const settled = settledEvent(member.state, it.messages, now)
    const due = dueAtOf(member.state)
    const opened = opening(it.messages, now)?.openedAt
    const next = settled?.type === "settled" ? (it.leftAt.get(settled.visit) ?? now) : earliest(due, opened ?? null)
    if (next === null || DateTime.isGreaterThan(next, until)) break
    now = DateTime.max(now, next)
    const change = decide(flow, member, facts(now), settled ?? { type: "check" })
    if (change === null && settled !== null) break
    lines.push(...(change?.entries ?? []))
    member = change?.after ?? member
  }
  return linesOf(lines)
}

const earliest = (left: DateTime.Utc | null, right: DateTime.Utc | null): DateTime.Utc | null =>
  left === null || right === null ? (left ?? right) : DateTime.min(left, right)

/** An opening is unknown before it happens. */
const knownBy = (message: MemberDelivery, now: DateTime.Utc): MemberDelivery => ({
  ...message,
  openedAt: message.openedAt !== null && DateTime.isGreaterThan(message.openedAt, now) ? null : message.openedAt,
})

const shown = ["visit", "next_step_id", "result", "reason", "timed_out"] as const

const late: ReadonlySet<string> = new Set(["email_delivered", "email_opened"])

export const linesOf = (entries: ReadonlyArray<Omit<TimelineEntry, "at">>): ReadonlyArray<string> =>
  entries.flatMap(({ metadata, stepId, type }) =>
    late.has(type)
      ? []
      : [
          `${type} ${stepId ?? "-"} ${shown.map((key) => (key in metadata ? `${key}=${String(metadata[key])}` : "")).join(" ")}`,
        ],
  )
