// The messages of a member, as the engine looks at them: whether the one that is waited for has ended, and what those of each
// step have met with.
import { DateTime } from "effect"
import { type DeliveryState, finalStates } from "../../sending/Delivery.ts"
import type { EmailStepMetric } from "../../segments/RuleTree.ts"
import type { MemberEvent } from "./machine.ts"
import type { MemberState } from "./Membership.ts"
import type { StepId } from "../definition/Step.ts"

/** A delivery that one visit of a member has asked for. */
export interface MemberMessage {
  readonly stepId: StepId
  readonly visit: number
  readonly state: DeliveryState
  readonly reason: string | null
  readonly sentAt: DateTime.Utc | null
  readonly deliveredAt: DateTime.Utc | null
  readonly openedAt: DateTime.Utc | null
  readonly clickedAt: DateTime.Utc | null
  readonly bouncedAt: DateTime.Utc | null
  readonly unsubscribedAt: DateTime.Utc | null
}

/** The visit whose message the member waits for, or left behind when they were dropped; null: there is none. */
export const awaitedVisitOf = (state: MemberState): number | null => {
  if (state.status === "active") return state.doing.kind === "send" ? state.visit.number : null
  return state.status === "dropped" ? state.inFlight : null
}

/** What the end of that message tells the machine; null while it has not ended. */
export const settledEvent = (
  state: MemberState,
  messages: ReadonlyArray<MemberMessage>,
  now: DateTime.Utc,
): MemberEvent | null => {
  const visit = awaitedVisitOf(state)
  const message = visit === null ? undefined : messages.find((each) => each.visit === visit)
  if (visit === null || message === undefined || !finalStates.has(message.state)) return null
  const at = message.sentAt === null ? now : DateTime.min(message.sentAt, now)
  const { reason } = message
  return { type: "settled", visit, outcome: outcomeOf(message), reason, at }
}

const outcomeOf = ({ state }: MemberMessage): "sent" | "failed" | "blocked" =>
  state === "sent" || state === "blocked" ? state : "failed"

const metricTimes = {
  sent: "sentAt",
  delivered: "deliveredAt",
  opened: "openedAt",
  clicked: "clickedAt",
  bounced: "bouncedAt",
  unsubscribed: "unsubscribedAt",
} as const satisfies { readonly [Metric in EmailStepMetric]: keyof MemberMessage }

const metrics = Object.entries(metricTimes) as ReadonlyArray<
  [EmailStepMetric, (typeof metricTimes)[keyof typeof metricTimes]]
>

export const metBy = (messages: ReadonlyArray<MemberMessage>): ReadonlyMap<StepId, ReadonlySet<EmailStepMetric>> => {
  const met = new Map<StepId, Set<EmailStepMetric>>()
  for (const message of messages) {
    for (const [metric, time] of metrics) {
      if (message[time] === null) continue
      const there = met.get(message.stepId)
      if (there === undefined) met.set(message.stepId, new Set([metric]))
      else there.add(metric)
    }
  }
  return met
}
