// Deliveries of a member: whether the delivery that the member waits for has ended, and the engagements of each step.
import { DateTime } from "effect"
import { type DeliveryState, finalStates } from "../../sending/Delivery.ts"
import type { EmailStepMetric } from "../../segments/RuleTree.ts"
import type { MemberEvent } from "./machine.ts"
import type { MemberState } from "./Membership.ts"
import type { StepId } from "../definition/Step.ts"

/** The delivery of one step visit. */
export interface MemberDelivery {
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

/** The number of the step visit whose delivery has not settled; null if there is none. A dropped member may have one, too. */
export const awaitedVisitOf = (state: MemberState): number | null => {
  if (state.status === "active") return state.doing.kind === "send" ? state.visit.number : null
  return state.status === "dropped" ? state.inFlight : null
}

/** The event for the end of that delivery; null while it has not ended. */
export const settledEvent = (
  state: MemberState,
  messages: ReadonlyArray<MemberDelivery>,
  now: DateTime.Utc,
): MemberEvent | null => {
  const visit = awaitedVisitOf(state)
  const message = visit === null ? undefined : messages.find((each) => each.visit === visit)
  if (visit === null || message === undefined || !finalStates.has(message.state)) return null
  const at = message.sentAt === null ? now : DateTime.min(message.sentAt, now)
  const { reason } = message
  return { type: "settled", visit, outcome: outcomeOf(message), reason, at }
}

const outcomeOf = ({ state }: MemberDelivery): "sent" | "failed" | "blocked" =>
  state === "sent" || state === "blocked" ? state : "failed"

const metricTimes = {
  sent: "sentAt",
  delivered: "deliveredAt",
  opened: "openedAt",
  clicked: "clickedAt",
  bounced: "bouncedAt",
  unsubscribed: "unsubscribedAt",
} as const satisfies { readonly [Metric in EmailStepMetric]: keyof MemberDelivery }

const metrics = Object.entries(metricTimes) as ReadonlyArray<
  [EmailStepMetric, (typeof metricTimes)[keyof typeof metricTimes]]
>

export const metricsByStep = (
  messages: ReadonlyArray<MemberDelivery>,
): ReadonlyMap<StepId, ReadonlySet<EmailStepMetric>> => {
  const metricsOf = (sent: ReadonlyArray<MemberDelivery>) =>
    new Set(metrics.flatMap(([metric, time]) => (sent.some((message) => message[time] !== null) ? [metric] : [])))
  const byStep = Map.groupBy(messages, ({ stepId }) => stepId)
  return new Map([...byStep].map(([stepId, sent]) => [stepId, metricsOf(sent)]))
}
