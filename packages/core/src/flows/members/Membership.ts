// The membership: one stay of a contact in a flow, with its state, its flow tokens and its timeline entries.
import { DateTime, Schema } from "effect"
import { FlowTokens } from "../../rendering/MergeTokens.ts"
import { emailStepMetrics } from "../../segments/RuleTree.ts"
import { ContactId, EmailId, FlowId, MembershipId } from "../../kernel/Ids.ts"
import { triggerTypes } from "../definition/Trigger.ts"

export const memberStatuses = ["active", "waiting", "completed", "dropped", "failed"] as const
export type MemberStatus = (typeof memberStatuses)[number]

/** Events of the transition table: `proceed` to the next step, `work` on a step that takes time, `rest` at a wait, and so on. */
export type MemberTransition = "proceed" | "work" | "rest" | "complete" | "retry" | "fail" | "drop" | "settle"

/** The status that follows each transition, by the status before it. A new membership is active. */
export const transitions = {
  active: {
    proceed: "active",
    work: "active",
    rest: "waiting",
    complete: "completed",
    retry: "active",
    fail: "failed",
    drop: "dropped",
  },
  waiting: { proceed: "active", rest: "waiting", complete: "completed", fail: "failed", drop: "dropped" },
  completed: {},
  /** The message in flight was sent, or failed. */
  dropped: { settle: "dropped" },
  failed: {},
} as const satisfies { readonly [From in MemberStatus]: { readonly [On in MemberTransition]?: MemberStatus } }

export const dropReasons = [
  "disqualified",
  "removed",
  "contact_deleted",
  "flow_archived",
  "step_removed",
  "merged",
] as const
export type DropReason = (typeof dropReasons)[number]

export const entrySources = [...triggerTypes, "manual"] as const
export type EntrySource = (typeof entrySources)[number]

const Instant = Schema.DateTimeUtcFromMillis

/** One stay at a step. `number` grows with each visit, so that a second visit to the same step is distinct. */
const StepVisit = Schema.Struct({ stepId: Schema.String, number: Schema.Int })
export type StepVisit = typeof StepVisit.Type

/** A failed step that will be tried again. */
const Retry = Schema.Struct({ count: Schema.Int, error: Schema.String })

/**
 * `run`: the step is executed at `dueAt`. `send`: its message is in flight. `make`: its email or page is being created.
 */
const Doing = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("run"), dueAt: Instant }),
  Schema.Struct({ kind: Schema.Literal("send") }),
  Schema.Struct({ kind: Schema.Literal("make") }),
])

const Active = Schema.Struct({
  status: Schema.Literal("active"),
  visit: StepVisit,
  doing: Doing,
  retry: Schema.NullOr(Retry),
})
export type ActiveState = typeof Active.Type

/** Waits since `since`. `until` is the end of the duration or timeout; null: until the condition holds. */
const Waiting = Schema.Struct({
  status: Schema.Literal("waiting"),
  visit: StepVisit,
  since: Instant,
  until: Schema.NullOr(Instant),
})
export type WaitingState = typeof Waiting.Type

const State = Schema.Union([
  Active,
  Waiting,
  Schema.Struct({ status: Schema.Literal("completed"), at: Instant }),
  Schema.Struct({
    status: Schema.Literal("dropped"),
    at: Instant,
    reason: Schema.Literals(dropReasons),
    stepId: Schema.String,
    /** The visit whose message was in flight. The message may be sent all the same. */
    inFlight: Schema.NullOr(Schema.Int),
  }),
  /** All attempts of a step failed. */
  Schema.Struct({ status: Schema.Literal("failed"), at: Instant, visit: StepVisit, retry: Retry }),
])
export type MemberState = typeof State.Type

/** The encoded form is plain JSON with instants as epoch milliseconds. */
export const Membership = Schema.Struct({
  id: MembershipId,
  flowId: FlowId,
  contactId: ContactId,
  entrySource: Schema.Literals(entrySources),
  /** Tokens of the entry, and the URLs of pages that `create_tent` steps created. */
  tokens: FlowTokens,
  /** Emails that `create_email` steps created, the latest of each step. */
  createdEmails: Schema.Array(Schema.Struct({ stepId: Schema.String, emailId: EmailId })),
  state: State,
  enteredAt: Instant,
  updatedAt: Instant,
})
export type Membership = typeof Membership.Type

export type LiveState = ActiveState | WaitingState

export const isLive = (state: MemberState): state is LiveState =>
  state.status === "active" || state.status === "waiting"

/** The number of the current attempt at the step, from 1. */
export const attemptOf = ({ retry }: ActiveState): number => (retry?.count ?? 0) + 1

/** The instant at which the member is due; null: it waits for an event. */
export const dueAtOf = (state: MemberState): DateTime.Utc | null => {
  if (state.status === "waiting") return state.until
  return state.status === "active" && state.doing.kind === "run" ? state.doing.dueAt : null
}

/** The member's step, or the one at which the membership ended early; null after completion. */
export const currentStepOf = (state: MemberState): string | null => {
  if (state.status === "completed") return null
  return state.status === "dropped" ? state.stepId : state.visit.stepId
}

export const timelineTypes = [
  "entered_flow",
  "step_executed",
  "step_skipped",
  "step_failed",
  "waiting",
  "email_sent",
  "email_delivered",
  "email_opened",
  "email_clicked",
  "email_bounced",
  "email_unsubscribed",
  "completed",
  "dropped",
] as const
export type TimelineType = (typeof timelineTypes)[number]

/** The timeline entry type of each engagement. */
export const engagementTypes = {
  delivered: "email_delivered",
  opened: "email_opened",
  clicked: "email_clicked",
  bounced: "email_bounced",
  unsubscribed: "email_unsubscribed",
} as const satisfies { readonly [Metric in Exclude<(typeof emailStepMetrics)[number], "sent">]: TimelineType }

/** An entry of a member's timeline. The entries together explain how the member reached its state. */
export interface TimelineEntry {
  readonly type: TimelineType
  readonly at: DateTime.Utc
  readonly stepId: string | null
  /** JSON with wire names. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Within one step visit, an entry comes before those that it causes. */
const causeOrder: Readonly<Record<TimelineType, number>> = {
  entered_flow: 0,
  waiting: 1,
  email_sent: 2,
  email_delivered: 3,
  email_opened: 4,
  email_clicked: 5,
  email_bounced: 6,
  email_unsubscribed: 7,
  step_failed: 8,
  step_skipped: 9,
  step_executed: 9,
  completed: 10,
  dropped: 10,
}

const numberOr = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise)

/** The step visits that entries belong to. An engagement belongs to the visit that sent the message: the last one before it. */
const visitsOf = (entries: ReadonlyArray<TimelineEntry>): ReadonlyMap<TimelineEntry, number> => {
  const byTime = entries.toSorted((left, right) => DateTime.Order(left.at, right.at))
  const lastSent = new Map<string | null, number>()
  const visits = new Map<TimelineEntry, number>()
  let seen = 0
  for (const entry of byTime) {
    for (; seen < byTime.length; seen++) {
      const sent = byTime[seen]
      if (sent === undefined || DateTime.isGreaterThan(sent.at, entry.at)) break
      if (sent.type === "email_sent") lastSent.set(sent.stepId, numberOr(sent.metadata["visit"], 0))
    }
    const isEnd = entry.type === "completed" || entry.type === "dropped"
    visits.set(entry, isEnd ? Infinity : numberOr(entry.metadata["visit"], lastSent.get(entry.stepId) ?? 0))
  }
  return visits
}

/** Sorts entries by time, and entries of the same time by cause: by step visit, then by `causeOrder`. */
export const inTimelineOrder = (entries: ReadonlyArray<TimelineEntry>): ReadonlyArray<TimelineEntry> => {
  const visits = visitsOf(entries)
  const visitOf = (entry: TimelineEntry) => visits.get(entry) ?? 0
  return entries.toSorted(
    (left, right) =>
      DateTime.Order(left.at, right.at) ||
      (visitOf(left) === visitOf(right) ? 0 : visitOf(left) - visitOf(right)) ||
      causeOrder[left.type] - causeOrder[right.type],
  )
}

export interface ExecutedStep {
  readonly stepId: string
  readonly type: string
  readonly label: string | null
  readonly status: "executed" | "skipped" | "failed"
  readonly reason: string | null
  readonly at: DateTime.Utc
}

const outcomes: ReadonlyMap<TimelineType, ExecutedStep["status"]> = new Map([
  ["step_executed", "executed"],
  ["step_skipped", "skipped"],
  ["step_failed", "failed"],
] as const)

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** The result of each step visit, in order. Of a step with several attempts it is the last one. */
export const stepsExecuted = (timeline: ReadonlyArray<TimelineEntry>): ReadonlyArray<ExecutedStep> => {
  const byVisit = new Map<unknown, ExecutedStep>()
  for (const { type, at, stepId, metadata } of timeline) {
    const status = outcomes.get(type)
    if (status === undefined || stepId === null) continue
    byVisit.set(metadata["visit"], {
      stepId,
      type: textOf(metadata["step_type"]) ?? "",
      label: textOf(metadata["label"]),
      status,
      reason: textOf(metadata["reason"]),
      at,
    })
  }
  return [...byVisit.values()]
}
