// The flow machine: the table of its transitions, and `decide`, which creates all changes of existing flows.
import { type DateTime, Equal, Result } from "effect"
import type { Email, EmailChange } from "../../emails/Email.ts"
import type { FlowId } from "../../kernel/Ids.ts"
import { type AuditNote, type Change, changeOf, type QueuedJob } from "../../kernel/changes/Change.ts"
import type { DomainEvent } from "../../kernel/changes/Outbox.ts"
import { InvalidState } from "../../kernel/Refusal.ts"
import type { Plan } from "../../workspaces/Workspace.ts"
import type { Structure } from "./FlowSchema.ts"
import { type Flow, type FlowStatus, lifecycleOf } from "./Flow.ts"
import type { FlowPatch, NewFlow } from "./FlowInput.ts"
import { FlowNotReady, PaidPlanRequired } from "./FlowErrors.ts"
import { type FlowFacts, flowReadiness } from "./Readiness.ts"

/** What activation depends on besides the flow. */
export interface ActivationFacts extends FlowFacts {
  readonly plan: Pick<Plan, "plan" | "flows">
}

/** The events of a flow and their data. */
interface Events {
  /** `email`: an email that is created with the edit, for one of the steps. */
  readonly edit: { readonly patch: FlowPatch; readonly email?: EmailChange<Email> | null }
  readonly activate: { readonly facts: ActivationFacts }
  readonly pause: object
  readonly archive: object
  readonly delete: object
}

type Tag = keyof Events

export type FlowEvent<T extends Tag = Tag> = { [Each in T]: { readonly _tag: Each } & Events[Each] }[T]

/** An event whose target is the flow's own status changes nothing, except `edit`. */
export const transitions = {
  draft: { edit: "draft", activate: "active", archive: "archived", delete: "deleted" },
  active: { edit: "active", activate: "active", pause: "paused" },
  paused: { edit: "paused", activate: "active", pause: "paused", archive: "archived", delete: "deleted" },
  archived: { edit: "archived", archive: "archived", delete: "deleted" },
} as const satisfies { readonly [From in FlowStatus]: { readonly [On in Tag]?: FlowStatus | "deleted" } }

/** Completes the sentence "it can't be …" of a refusal. */
const refusedMoves: { readonly [Each in Tag]: string } = {
  edit: "edited",
  activate: "activated",
  pause: "paused",
  archive: "archived",
  delete: "deleted",
}

type Refusal<T extends Tag> = InvalidState | (T extends "activate" ? PaidPlanRequired | FlowNotReady : never)

/** A change of a flow. A store writes it only if revision and status are those of `before`. */
export type FlowChange<After extends Flow | null = Flow | null> = Change<
  "flow",
  {
    readonly before: Flow | null
    /** Null: the flow is deleted, with its memberships and the emails that its steps created. */
    readonly after: After
    /** An email that is created with it. */
    readonly email: EmailChange<Email> | null
    /** What happens to messages of its steps that are not sent; null: nothing. */
    readonly messages: "resume" | "pause" | "cancel" | null
    /** Whether events and dates enroll contacts from now on. Earlier ones enroll no contact. */
    readonly activates: boolean
  }
>

const flowChange = changeOf("flow")

const toChange = <After extends Flow | null>(
  before: Flow | null,
  after: After,
  at: DateTime.Utc,
  email: EmailChange<Email> | null = null,
): FlowChange<After> =>
  flowChange(
    { before, after, email, ...controlsOf(before?.lifecycle.status ?? "draft", after?.lifecycle.status ?? "deleted") },
    { audit: auditOf(before, after), events: eventsOf(before, after, at), jobs: jobsOf(before, after, at) },
  )

/** What a flow does with its unsent messages in each status. A draft has none. */
const messagesIn = { draft: null, active: "resume", paused: "pause", archived: "cancel", deleted: "cancel" } as const

const controlsOf = (was: FlowStatus, is: FlowStatus | "deleted"): Pick<FlowChange, "messages" | "activates"> => ({
  messages: was === "draft" || messagesIn[was] === messagesIn[is] ? null : messagesIn[is],
  activates: was !== "active" && is === "active",
})

export const createFlow = (id: FlowId, input: NewFlow, now: DateTime.Utc): FlowChange<Flow> => {
  const lifecycle = lifecycleOf("draft", now)
  return toChange(null, { id, ...input, revision: 1, lifecycle, createdAt: now, updatedAt: now }, now)
}

export const decide = <T extends Tag>(
  before: Flow,
  event: FlowEvent<T>,
  now: DateTime.Utc,
): Result.Result<FlowChange<T extends "delete" ? null : Flow>, Refusal<T>> =>
  decideEvent(before, event as FlowEvent, now) as Result.Result<
    FlowChange<T extends "delete" ? null : Flow>,
    Refusal<T>
  >

const decideEvent = (before: Flow, event: FlowEvent, now: DateTime.Utc): Result.Result<FlowChange, Refusal<Tag>> => {
  const { status } = before.lifecycle
  const accepted: { readonly [On in Tag]?: FlowStatus | "deleted" } = transitions[status]
  const target = accepted[event._tag]
  if (target === undefined) return refuse(before, refusedMoves[event._tag])
  if (event._tag === "edit") return applyEdit(before, event, now)
  if (target === status) return Result.succeed(toChange(before, before, now))
  if (event._tag === "activate") {
    const refusal = activationRefusal(before, event.facts)
    if (refusal !== null) return Result.fail(refusal)
  }
  const after = target === "deleted" ? null : { ...before, lifecycle: lifecycleOf(target, now), updatedAt: now }
  return Result.succeed(toChange(before, after, now))
}

/** Why the flow can't be activated; null if it can. */
const activationRefusal = ({ structure }: Flow, facts: ActivationFacts): PaidPlanRequired | FlowNotReady | null => {
  if (!facts.plan.flows) return new PaidPlanRequired({ plan: facts.plan.plan })
  const { missing } = flowReadiness(structure, facts)
  return missing.length > 0 ? new FlowNotReady({ missing }) : null
}

const applyEdit = (
  before: Flow,
  { patch, email = null }: FlowEvent<"edit">,
  now: DateTime.Utc,
): Result.Result<FlowChange<Flow>, InvalidState> => {
  const structure: Structure = { ...before.structure, ...patch.structure }
  const refusal = refusalOf(before, structure)
  if (refusal !== null) return refuse(before, refusal)
  const same = Equal.equals(before.structure, structure)
  const after: Flow = {
    ...before,
    name: patch.name ?? before.name,
    description: patch.description === undefined ? before.description : patch.description,
    structure: same ? before.structure : structure,
    revision: same ? before.revision : before.revision + 1,
    updatedAt: now,
  }
  const unchanged = same && after.name === before.name && after.description === before.description && email === null
  return Result.succeed(toChange(before, unchanged ? before : after, now, email))
}

const refuse = ({ lifecycle }: Flow, move: string): Result.Result<never, InvalidState> =>
  Result.fail(new InvalidState({ resource: "flow", status: lifecycle.status, move }))

/**
 * The move to refuse because the status protects a changed part of the structure; null if the edit is allowed. Triggers,
 * steps and the reentry policy change in a draft and while paused; disqualification rules also while active; the rest always.
 */
const refusalOf = ({ structure: before, lifecycle }: Flow, after: Structure): string | null => {
  const { status } = lifecycle
  if (status === "draft" || status === "paused") return null
  const fixed: ReadonlyArray<readonly [keyof Structure, string]> = [
    ["triggers", "given other triggers"],
    ["steps", "given other steps"],
    ["reentry_policy", "given another reentry policy"],
    ...(status === "archived" ? ([["disqualification_rules", "given other disqualification rules"]] as const) : []),
  ]
  return fixed.find(([part]) => !Equal.equals(before[part], after[part]))?.[1] ?? null
}

const eventTypes = {
  draft: "flow_created",
  active: "flow_activated",
  paused: "flow_paused",
  archived: "flow_archived",
} as const

const eventsOf = (before: Flow | null, after: Flow | null, at: DateTime.Utc): ReadonlyArray<DomainEvent> => {
  const event = (type: string, flow: Flow): ReadonlyArray<DomainEvent> => [
    { type, contactId: null, at, data: { flow_id: flow.id, from: before?.lifecycle.status ?? null } },
  ]
  if (after === null) return before === null ? [] : event("flow_deleted", before)
  if (before?.lifecycle.status !== after.lifecycle.status) return event(eventTypes[after.lifecycle.status], after)
  return before.revision === after.revision ? [] : event("flow_edited", after)
}

const auditOf = (before: Flow | null, after: Flow | null): ReadonlyArray<AuditNote> => {
  const status = after?.lifecycle.status
  if (after === null || status === undefined || status === "draft" || status === before?.lifecycle.status) return []
  const action = ({ active: "flow.activated", paused: "flow.paused", archived: "flow.archived" } as const)[status]
  return [{ action, target: after.id, details: {} }]
}

/** Members are re-evaluated when the structure, the rules or the status changed. */
const jobsOf = (before: Flow | null, after: Flow | null, at: DateTime.Utc): ReadonlyArray<QueuedJob> => {
  if (before === null || after === null) return []
  const id = `flow_review:${after.id}:${after.revision}:${at.epochMilliseconds}`
  const review = (members: "live" | "waiting"): ReadonlyArray<QueuedJob> => [
    { id, job: { type: "flow_review", flowId: after.id, members } },
  ]
  const [was, is] = [before.lifecycle.status, after.lifecycle.status]
  if (was !== is) return is === "archived" ? review("live") : is === "active" ? review("waiting") : []
  const changes = (part: keyof Structure) => !Equal.equals(before.structure[part], after.structure[part])
  return changes("steps") || changes("disqualification_rules") ? review("live") : []
}
