// One contact's way through a flow: where they are, what they brought, and what has happened to them there.
import { type DateTime, Schema } from "effect"
import { FlowTokens } from "../../rendering/MergeTokens.ts"
import { emailStepMetrics } from "../../segments/RuleTree.ts"
import { ContactId, EmailId, FlowId, MembershipId } from "../../kernel/Ids.ts"
import { triggerTypes } from "../definition/Trigger.ts"

export const memberStatuses = ["active", "waiting", "completed", "dropped", "failed"] as const
export type MemberStatus = (typeof memberStatuses)[number]

/** What happens to a membership: `proceed` to the next step, `work` on one that takes time, `rest` at a wait, and so on. */
export type MemberMove = "proceed" | "work" | "rest" | "complete" | "retry" | "fail" | "drop" | "settle"

/** The status that follows each move, by the status before it. Every membership begins as active. */
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
  /** The message that was on its way is sent, or is not. */
  dropped: { settle: "dropped" },
  failed: {},
} as const satisfies { readonly [From in MemberStatus]: { readonly [On in MemberMove]?: MemberStatus } }

export const dropReasons = ["disqualified", "removed", "contact_deleted", "flow_archived", "step_removed"] as const
export type DropReason = (typeof dropReasons)[number]

export const entrySources = [...triggerTypes, "manual"] as const
export type EntrySource = (typeof entrySources)[number]

const Instant = Schema.DateTimeUtcFromMillis

/** One stay at one step. Its number grows along the way, so that a step come to again is another visit. */
const StepVisit = Schema.Struct({ stepId: Schema.String, number: Schema.Int })
export type StepVisit = typeof StepVisit.Type

/** A step that could not be done, and is tried again. */
const Retry = Schema.Struct({ count: Schema.Int, error: Schema.String })

/**
 * `run`: the step is to be done, at `dueAt` and no sooner. `send`: its message is on its way. `make`: its email or page is
 * being made.
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

/** Rests in a wait since `since`. `until`: when time has run out; null: as long as its condition does not hold. */
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
    /** The visit whose message was on its way: it may have left all the same. */
    inFlight: Schema.NullOr(Schema.Int),
  }),
  /** A step was tried until the tries were used up. */
  Schema.Struct({ status: Schema.Literal("failed"), at: Instant, visit: StepVisit, retry: Retry }),
])
export type MemberState = typeof State.Type

/** Encoded it is plain JSON: instants as epoch milliseconds. */
export const Membership = Schema.Struct({
  id: MembershipId,
  flowId: FlowId,
  contactId: ContactId,
  entrySource: Schema.Literals(entrySources),
  /** What the entry brought, and the addresses of pages made on the way. */
  tokens: FlowTokens,
  /** What `create_email` steps have made, the latest of each. */
  createdEmails: Schema.Array(Schema.Struct({ stepId: Schema.String, emailId: EmailId })),
  state: State,
  enteredAt: Instant,
  updatedAt: Instant,
})
export type Membership = typeof Membership.Type

export type LiveState = ActiveState | WaitingState

export const isLive = (state: MemberState): state is LiveState =>
  state.status === "active" || state.status === "waiting"

/** Which try of its step this is, from 1. */
export const attemptOf = ({ retry }: ActiveState): number => (retry?.count ?? 0) + 1

/** When time alone moves the member on; null: something has to happen first. */
export const dueAtOf = (state: MemberState): DateTime.Utc | null => {
  if (state.status === "waiting") return state.until
  return state.status === "active" && state.doing.kind === "run" ? state.doing.dueAt : null
}

/** The step that the member is at, or was at when the way ended early. */
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

/** What an engagement is called in the timeline. */
export const engagementTypes = {
  delivered: "email_delivered",
  opened: "email_opened",
  clicked: "email_clicked",
  bounced: "email_bounced",
  unsubscribed: "email_unsubscribed",
} as const satisfies { readonly [Metric in Exclude<(typeof emailStepMetrics)[number], "sent">]: TimelineType }

/** A line of a member's timeline. Together they tell how the member came to be where they are. */
export interface TimelineEntry {
  readonly type: TimelineType
  readonly at: DateTime.Utc
  readonly stepId: string | null
  /** JSON, wire names. */
  readonly metadata: Readonly<Record<string, unknown>>
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

/** How each visit to a step went, in order: of a step that was tried again, the last try. */
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
