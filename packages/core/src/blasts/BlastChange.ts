// What is to be written of a blast: decided by its machine, together with the other rooms' changes, the events and the jobs
// that belong to it. A store takes nothing else.
import { type DateTime, Result } from "effect"
import type { Email } from "../emails/Email.ts"
import type { EmailChange } from "../emails/EmailChange.ts"
import type { BlastId } from "../Ids.ts"
import type { ListChange } from "../lists/List.ts"
import type { DomainEvent } from "../Outbox.ts"
import type { Invalid, InvalidState } from "../Refusal.ts"
import {
  type AttachedEmail,
  type Audience,
  type Blast,
  type BlastFields,
  checkFields,
  type DraftBlast,
  launchOf,
  type SendingBlast,
} from "./Blast.ts"
import * as Launch from "./Launch.ts"
import * as Machine from "./Machine.ts"
import type { CampaignNotReady, ReadinessFacts } from "./Readiness.ts"

/** A job of the blast's; the caller names the workspace. `id` names the intent. */
export interface BlastJob {
  readonly type: "blast_start"
  readonly blastId: BlastId
  readonly id: string
}

/** How recipients end that are still open when their blast ends before they do. */
export type EarlyEnding = "cancelled" | "blast_failed"

/** Null while a blast may still reach its recipients, or has reached them all. */
export const earlyEndingOf = (blast: Blast): EarlyEnding | null => {
  switch (blast.status) {
    case "cancelled":
      return "cancelled"
    case "failed":
      return "blast_failed"
    case "archived":
      if (blast.cancelledAt !== null) return "cancelled"
      return blast.failure === null ? null : "blast_failed"
    default:
      return null
  }
}

interface Decided<After extends Blast | null> {
  readonly before: Blast | null
  readonly after: After
  readonly at: DateTime.Utc
  readonly email?: EmailChange<Email> | null
  readonly lists?: ReadonlyArray<ListChange>
}

const eventsOf = (before: Blast | null, after: Blast | null, at: DateTime.Utc): ReadonlyArray<DomainEvent> => {
  const blast = after ?? before
  if (blast === null || before === null || before.status === after?.status) return []
  const to = after?.status ?? "deleted"
  return [{ type: `blast_${to}`, contactId: null, at, data: { blast_id: blast.id, from: before.status } }]
}

/** A blast is launched once in its life. */
const jobsOf = (before: Blast | null, after: Blast | null): ReadonlyArray<BlastJob> =>
  after?.status === "sending" && (before?.status === "draft" || before?.status === "scheduled")
    ? [{ type: "blast_start", blastId: after.id, id: `blast_start:${after.id}` }]
    : []

/** Recipients may have been waiting for this: to be sent to (again), or to be ended with their blast. */
const wakes = (before: Blast | null, after: Blast | null): boolean => {
  if (before === null || after === null || launchOf(after)?.audience == null) return false
  if (after.status === "sending") return !after.paused && (before.status !== "sending" || before.paused)
  return before.status === "sending" && earlyEndingOf(after) !== null
}

export class BlastChange<After extends Blast | null = Blast | null> {
  readonly #brand = true
  readonly before: Blast | null
  /** Null: the blast is deleted. */
  readonly after: After
  /** The email that is made with it. */
  readonly email: EmailChange<Email> | null
  /** Its inline audience, made or deleted with it, in this order. */
  readonly lists: ReadonlyArray<ListChange>
  readonly events: ReadonlyArray<DomainEvent>
  readonly jobs: ReadonlyArray<BlastJob>
  /** The workspace's deliveries are due to be looked at. */
  readonly wakes: boolean

  private constructor({ before, after, at, email = null, lists = [] }: Decided<After>) {
    this.before = before
    this.after = after
    this.email = email
    this.lists = lists
    this.events = eventsOf(before, after, at)
    this.jobs = jobsOf(before, after)
    this.wakes = wakes(before, after)
  }

  static is(it: unknown): it is BlastChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  static create(
    id: BlastId,
    fields: BlastFields & { readonly name: string },
    now: DateTime.Utc,
  ): Result.Result<BlastChange<DraftBlast>, Invalid> {
    return Result.map(
      checkFields(fields),
      () =>
        new BlastChange<DraftBlast>({
          before: null,
          after: {
            id,
            name: fields.name,
            description: fields.description ?? null,
            status: "draft",
            operational: false,
            audience: null,
            email: null,
            scheduleMissed: false,
            createdAt: now,
            updatedAt: now,
          },
          at: now,
        }),
    )
  }

  static #move<After extends Blast, Refused>(
    before: Blast,
    moved: Result.Result<After, Refused>,
    at: DateTime.Utc,
  ): Result.Result<BlastChange<After>, Refused> {
    return Result.map(moved, (after) => new BlastChange({ before, after, at }))
  }

  static rename(before: Blast, fields: BlastFields, now: DateTime.Utc): Result.Result<BlastChange<Blast>, Invalid> {
    return BlastChange.#move(before, Machine.rename(before, fields, now), now)
  }

  /** `lists`: the former inline list's deletion, and the making of the new one. */
  static setAudience(
    before: Blast,
    audience: Audience,
    lists: ReadonlyArray<ListChange>,
    now: DateTime.Utc,
  ): Result.Result<BlastChange<DraftBlast>, InvalidState> {
    return Result.map(
      Machine.setAudience(before, audience, now),
      (after) => new BlastChange({ before, after, lists, at: now }),
    )
  }

  /** `made`: the email, when it is made for the blast. */
  static setEmail(
    before: Blast,
    email: AttachedEmail,
    made: EmailChange<Email> | null,
    now: DateTime.Utc,
  ): Result.Result<BlastChange<DraftBlast>, InvalidState> {
    return Result.map(
      Machine.setEmail(before, email, now),
      (after) => new BlastChange({ before, after, email: made, at: now }),
    )
  }

  static launch(
    before: Blast,
    facts: Launch.LaunchFacts,
    options: { readonly operational: boolean },
    now: DateTime.Utc,
  ): Result.Result<BlastChange<SendingBlast>, InvalidState | CampaignNotReady | Launch.FreePlanEmailLimit> {
    return BlastChange.#move(before, Launch.launch(before, facts, options, now), now)
  }

  static schedule(
    before: Blast,
    facts: ReadinessFacts,
    options: { readonly scheduledAt: DateTime.Utc; readonly operational: boolean },
    now: DateTime.Utc,
  ) {
    return BlastChange.#move(before, Launch.schedule(before, facts, options, now), now)
  }

  static fire(before: Blast, facts: Launch.LaunchFacts, now: DateTime.Utc) {
    return BlastChange.#move(before, Launch.fire(before, facts, now), now)
  }

  static unschedule(before: Blast, now: DateTime.Utc) {
    return BlastChange.#move(before, Machine.unschedule(before, now), now)
  }

  static pause(before: Blast, now: DateTime.Utc) {
    return BlastChange.#move(before, Machine.pause(before, now), now)
  }

  static resume(before: Blast, now: DateTime.Utc) {
    return BlastChange.#move(before, Machine.resume(before, now), now)
  }

  static cancel(before: Blast, now: DateTime.Utc) {
    return BlastChange.#move(before, Machine.cancel(before, now), now)
  }

  static complete(before: Blast, now: DateTime.Utc) {
    return BlastChange.#move(before, Machine.complete(before, now), now)
  }

  static fail(before: Blast, failure: string, now: DateTime.Utc) {
    return BlastChange.#move(before, Machine.fail(before, failure, now), now)
  }

  static retry(before: Blast, now: DateTime.Utc) {
    return BlastChange.#move(before, Machine.retry(before, now), now)
  }

  static archive(before: Blast, now: DateTime.Utc) {
    return BlastChange.#move(before, Machine.archive(before, now), now)
  }

  /** `lists`: the deletion of its inline audience. Its email stays. */
  static remove(
    before: Blast,
    lists: ReadonlyArray<ListChange>,
    now: DateTime.Utc,
  ): Result.Result<BlastChange<null>, InvalidState> {
    return Result.map(Machine.checkRemovable(before), () => new BlastChange({ before, after: null, lists, at: now }))
  }
}
