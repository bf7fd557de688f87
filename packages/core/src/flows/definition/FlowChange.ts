// What is to be written of a flow: decided here, together with the email that is made with it, the events and the jobs that
// belong to it. A store takes nothing else, and writes it where revision and status are still those of `before`.
import { type DateTime, Equal, Result } from "effect"
import type { Email } from "../../emails/Email.ts"
import type { EmailChange } from "../../emails/EmailChange.ts"
import type { FlowId } from "../../kernel/Ids.ts"
import type { DomainEvent } from "../../kernel/Outbox.ts"
import { InvalidState } from "../../kernel/Refusal.ts"
import type { Plan } from "../../workspaces/Workspace.ts"
import type { Flow, Lifecycle, Structure } from "./Flow.ts"
import type { FlowPatch, NewFlow } from "./FlowInput.ts"
import { FlowNotReady, PaidPlanRequired } from "./FlowErrors.ts"
import { type FlowFacts, flowReadiness } from "./Readiness.ts"

/**
 * Members of the flow are to be looked at again by the machine: the structure, the rules or the status have changed. `live`
 * says which of them: everyone who is on the way, or those who wait.
 */
export interface FlowJob {
  readonly type: "flow_review"
  readonly flowId: FlowId
  readonly members: "live" | "waiting"
  readonly id: string
}

/** What activation depends on besides the flow. */
export interface ActivationFacts extends FlowFacts {
  readonly plan: Pick<Plan, "plan" | "flows">
}

interface Decided<After extends Flow | null> {
  readonly before: Flow | null
  readonly after: After
  readonly at: DateTime.Utc
  readonly email?: EmailChange<Email> | null
}

const moves = {
  active: "flow_activated",
  paused: "flow_paused",
  archived: "flow_archived",
  draft: "flow_created",
} as const

const eventsOf = ({ before, after, at }: Decided<Flow | null>): ReadonlyArray<DomainEvent> => {
  const event = (type: string, flow: Flow): DomainEvent => ({
    type,
    contactId: null,
    at,
    data: { flow_id: flow.id, from: before?.lifecycle.status ?? null },
  })
  if (after === null) return before === null ? [] : [event("flow_deleted", before)]
  if (before?.lifecycle.status !== after.lifecycle.status) return [event(moves[after.lifecycle.status], after)]
  return before.revision === after.revision ? [] : [event("flow_edited", after)]
}

const jobsOf = ({ before, after, at }: Decided<Flow | null>): ReadonlyArray<FlowJob> => {
  if (before === null || after === null) return []
  const review = (members: FlowJob["members"]): ReadonlyArray<FlowJob> => [
    {
      type: "flow_review",
      flowId: after.id,
      members,
      id: `flow_review:${after.id}:${after.revision}:${at.epochMilliseconds}`,
    },
  ]
  const [was, is] = [before.lifecycle.status, after.lifecycle.status]
  if (was !== is) return is === "archived" ? review("live") : is === "active" ? review("waiting") : []
  const { steps, disqualificationRules } = before.structure
  const changed =
    !Equal.equals(steps, after.structure.steps) ||
    !Equal.equals(disqualificationRules, after.structure.disqualificationRules)
  return changed ? review("live") : []
}

export class FlowChange<After extends Flow | null = Flow | null> {
  readonly #brand = true
  readonly before: Flow | null
  /** Null: the flow goes, with its memberships and the emails that its steps have created. */
  readonly after: After
  /** The email that is made with it, for one of its steps. */
  readonly email: EmailChange<Email> | null
  readonly events: ReadonlyArray<DomainEvent>
  readonly jobs: ReadonlyArray<FlowJob>

  private constructor(decided: Decided<After>) {
    const { before, after, email = null } = decided
    this.before = before
    this.after = after
    this.email = email
    this.events = eventsOf(decided)
    this.jobs = jobsOf(decided)
  }

  static is(it: unknown): it is FlowChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  static create(id: FlowId, { name, description, structure }: NewFlow, now: DateTime.Utc): FlowChange<Flow> {
    const after: Flow = {
      id,
      name,
      description,
      structure,
      revision: 1,
      lifecycle: { status: "draft" },
      createdAt: now,
      updatedAt: now,
    }
    return new FlowChange({ before: null, after, at: now })
  }

  /**
   * Triggers, steps and the reentry policy change in a draft and while paused; disqualification rules while active, too; name,
   * description, settings and who may be added by hand whenever. What says nothing new is no change, whatever the status.
   */
  static edit(
    before: Flow,
    patch: FlowPatch,
    now: DateTime.Utc,
    email: EmailChange<Email> | null = null,
  ): Result.Result<FlowChange<Flow>, InvalidState> {
    const structure: Structure = { ...before.structure, ...patch.structure }
    const refusal = refusalOf(before, structure)
    if (refusal !== null) return Result.fail(refusal)
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
    return Result.succeed(new FlowChange({ before, after: unchanged ? before : after, at: now, email }))
  }

  /** From draft or paused. Nobody enters in retrospect; those who were in it go on where they were. */
  static activate(
    before: Flow,
    facts: ActivationFacts,
    now: DateTime.Utc,
  ): Result.Result<FlowChange<Flow>, InvalidState | PaidPlanRequired | FlowNotReady> {
    const { status } = before.lifecycle
    if (status === "active") return unchanged(before, now)
    if (status === "archived") return refuse(before, "activated")
    if (!facts.plan.flows) return Result.fail(new PaidPlanRequired({ plan: facts.plan.plan }))
    const { missing } = flowReadiness(before.structure, facts)
    if (missing.length > 0) return Result.fail(new FlowNotReady({ missing }))
    return FlowChange.#move(before, { status: "active", activatedAt: now }, now)
  }

  /** Nobody enters, no step runs; timers that run out meanwhile run when it is activated again. */
  static pause(before: Flow, now: DateTime.Utc): Result.Result<FlowChange<Flow>, InvalidState> {
    const { status } = before.lifecycle
    if (status === "paused") return unchanged(before, now)
    if (status !== "active") return refuse(before, "paused")
    return FlowChange.#move(before, { status: "paused", pausedAt: now }, now)
  }

  /** For good: whoever is in it is dropped. */
  static archive(before: Flow, now: DateTime.Utc): Result.Result<FlowChange<Flow>, InvalidState> {
    const { status } = before.lifecycle
    if (status === "archived") return unchanged(before, now)
    if (status === "active") return refuse(before, "archived")
    return FlowChange.#move(before, { status: "archived", archivedAt: now }, now)
  }

  static remove(before: Flow, now: DateTime.Utc): Result.Result<FlowChange<null>, InvalidState> {
    if (before.lifecycle.status === "active") return refuse(before, "deleted")
    return Result.succeed(new FlowChange({ before, after: null, at: now }))
  }

  /** A change that writes nothing. */
  static none(before: Flow, now: DateTime.Utc): FlowChange<Flow> {
    return new FlowChange({ before, after: before, at: now })
  }

  static #move(before: Flow, lifecycle: Lifecycle, now: DateTime.Utc): Result.Result<FlowChange<Flow>, never> {
    return Result.succeed(new FlowChange({ before, after: { ...before, lifecycle, updatedAt: now }, at: now }))
  }
}

const unchanged = (flow: Flow, now: DateTime.Utc) => Result.succeed(FlowChange.none(flow, now))

const refuse = ({ lifecycle }: Flow, move: string): Result.Result<never, InvalidState> =>
  Result.fail(new InvalidState({ resource: "flow", status: lifecycle.status, move }))

/** What the status does not allow to be changed. */
const refusalOf = ({ structure: before, lifecycle }: Flow, after: Structure): InvalidState | null => {
  const { status } = lifecycle
  if (status === "draft" || status === "paused") return null
  const changes = (part: keyof Structure) => !Equal.equals(before[part], after[part])
  const fixed: ReadonlyArray<readonly [keyof Structure, string]> = [
    ["triggers", "given other triggers"],
    ["steps", "given other steps"],
    ["reentryPolicy", "given another reentry policy"],
    ...(status === "archived" ? ([["disqualificationRules", "given other disqualification rules"]] as const) : []),
  ]
  const first = fixed.find(([part]) => changes(part))
  return first === undefined ? null : new InvalidState({ resource: "flow", status, move: first[1] })
}
