// Change: what one decision writes. A store's `apply` takes a change and nothing else.
import type { Duration } from "effect"
import type { AuditEvent } from "./AuditLog.ts"
import type { Job } from "./Jobs.ts"
import type { DomainEvent } from "./Outbox.ts"

type WithoutWorkspace<T> = T extends unknown ? Omit<T, "workspaceId"> : never

/** A job, queued in the transaction of its change. `id` names the intent: a second job of the same id is dropped. */
export interface QueuedJob {
  readonly job: WithoutWorkspace<Job>
  readonly id: string
  readonly delay?: Duration.Input
}

/** An entry of the audit log. The writer adds the workspace, the actor and the time. */
export type AuditNote = WithoutWorkspace<AuditEvent>

/** What a change causes besides the rows that its store writes. `ChangeWriter` writes all of it. */
export interface ChangeEffects {
  readonly events: ReadonlyArray<DomainEvent>
  readonly audit: ReadonlyArray<AuditNote>
  readonly jobs: ReadonlyArray<QueuedJob>
}

/**
 * Not exported, and with a protected member: a change can't be written as a literal, copied with other fields, or
 * inherited. Only `changeOf` creates one.
 */
class Decided<Kind extends string> implements ChangeEffects {
  protected readonly changeKind: Kind
  readonly events: ReadonlyArray<DomainEvent>
  readonly audit: ReadonlyArray<AuditNote>
  readonly jobs: ReadonlyArray<QueuedJob>
  constructor(kind: Kind, { audit = [], events = [], jobs = [] }: Partial<ChangeEffects>) {
    this.changeKind = kind
    this.events = events
    this.audit = audit
    this.jobs = jobs
  }
}

export type Change<Kind extends string, Fields> = Readonly<Fields> & Decided<Kind>

/**
 * The constructor of a room's changes: `changeOf("blast")({ before, after }, { events })`. The room's machine calls it
 * once and does not export it, so that every change comes from a decision of that machine.
 */
export const changeOf =
  <const Kind extends string>(kind: Kind) =>
  <Fields extends object>(fields: Fields, effects: Partial<ChangeEffects> = {}): Change<Kind, Fields> =>
    Object.assign(new Decided(kind, effects), fields)
