// What is to be written of a blast: decided by its machine, together with the other rooms' changes, the events and the jobs
// that belong to it. A store takes nothing else.
import { type DateTime, Result } from "effect"
import type { Email } from "../emails/Email.ts"
import type { EmailChange } from "../emails/EmailChange.ts"
import type { BlastId } from "../kernel/Ids.ts"
import type { ListChange } from "../lists/List.ts"
import type { DomainEvent } from "../kernel/Outbox.ts"
import type { Invalid, InvalidState } from "../kernel/Refusal.ts"
import { copyName } from "../kernel/Text.ts"
import {
  type AttachedEmail,
  type Audience,
  type Blast,
  type BlastFields,
  blast_name_length_max,
  checkFields,
  countsOf,
  type DraftBlast,
  launchOf,
  type SendingBlast,
} from "./Blast.ts"
import * as Launch from "./Launch.ts"
import * as Machine from "./Machine.ts"
import type { CampaignNotReady, ReadinessFacts } from "./Readiness.ts"

/** Whom a retry sends to again, besides those that failed for a reason that may pass. */
export interface RetryOptions {
  /** Also those of whom nobody knows: some of them get a second message. */
  readonly includeUnconfirmed: boolean
}

/** A job of the blast's; the caller names the workspace. `id` names the intent. */
export type BlastJob =
  | { readonly type: "blast_start"; readonly blastId: BlastId; readonly id: string }
  | {
      readonly type: "blast_retry"
      readonly blastId: BlastId
      readonly since_ms: number
      readonly includeUnconfirmed: boolean
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

const blank = (id: BlastId, fields: BlastFields & { readonly name: string }, now: DateTime.Utc): DraftBlast => ({
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
})

interface Decided<After extends Blast | null> {
  readonly before: Blast | null
  readonly after: After
  readonly at: DateTime.Utc
  readonly email?: EmailChange<Email> | null
  readonly lists?: ReadonlyArray<ListChange>
  readonly retry?: RetryOptions
}

const eventsOf = (before: Blast | null, after: Blast | null, at: DateTime.Utc): ReadonlyArray<DomainEvent> => {
  const blast = after ?? before
  if (blast === null || before === null || before.status === after?.status) return []
  const to = after?.status ?? "deleted"
  return [{ type: `blast_${to}`, contactId: null, at, data: { blast_id: blast.id, from: before.status } }]
}

/** A blast is launched once in its life, and retried as often as one likes. */
const jobsOf = ({ before, after, at, retry }: Decided<Blast | null>): ReadonlyArray<BlastJob> => {
  if (after?.status !== "sending") return []
  const blastId = after.id
  if (before?.status === "draft" || before?.status === "scheduled") {
    return [{ type: "blast_start", blastId, id: `blast_start:${blastId}` }]
  }
  if (retry === undefined) return []
  const since_ms = at.epochMilliseconds
  return [{ type: "blast_retry", blastId, since_ms, ...retry, id: `blast_retry:${blastId}:${since_ms}` }]
}

/** When a worker has to look at it: it has just been given a time. */
const fallsDue = (before: Blast | null, after: Blast | null): DateTime.Utc | null =>
  after?.status === "scheduled" && before?.status !== "scheduled" ? after.time.scheduledAt : null

/** Recipients may have been waiting for this: to be sent to (again), or to be ended with their blast. */
const wakes = (before: Blast | null, after: Blast | null): boolean => {
  if (before === null || after === null || countsOf(launchOf(after)) === null) return false
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
  /** When the workspace's schedules have to be looked at because of it. */
  readonly fallsDue: DateTime.Utc | null

  private constructor(decided: Decided<After>) {
    const { before, after, at, email = null, lists = [] } = decided
    this.before = before
    this.after = after
    this.email = email
    this.lists = lists
    this.events = eventsOf(before, after, at)
    this.jobs = jobsOf(decided)
    this.wakes = wakes(before, after)
    this.fallsDue = fallsDue(before, after)
  }

  static is(it: unknown): it is BlastChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  /** A draft like it, to be sent again or otherwise: with what it was given, and nothing of what became of it. */
  static duplicate(
    of: Blast,
    it: {
      readonly id: BlastId
      readonly audience: Audience | null
      readonly email: AttachedEmail | null
      /** The copies of its inline email and audience. */
      readonly made: EmailChange<Email> | null
      readonly lists: ReadonlyArray<ListChange>
    },
    now: DateTime.Utc,
  ): BlastChange<DraftBlast> {
    const after: DraftBlast = {
      ...blank(it.id, { name: copyName(of.name, blast_name_length_max), description: of.description }, now),
      audience: it.audience,
      email: it.email,
    }
    return new BlastChange({ before: null, after, email: it.made, lists: it.lists, at: now })
  }

  static create(
    id: BlastId,
    fields: BlastFields & { readonly name: string },
    now: DateTime.Utc,
  ): Result.Result<BlastChange<DraftBlast>, Invalid> {
    return Result.map(
      checkFields(fields),
      () => new BlastChange<DraftBlast>({ before: null, after: blank(id, fields, now), at: now }),
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

  /** Sends again to those who may be reached now. Nobody who was is among them. */
  static retry(
    before: Blast,
    facts: Launch.LaunchFacts,
    retry: RetryOptions,
    now: DateTime.Utc,
  ): Result.Result<BlastChange<SendingBlast>, InvalidState | CampaignNotReady | Launch.FreePlanEmailLimit> {
    return Result.flatMap(Machine.retry(before, now), (after) =>
      Result.map(Launch.checkRetry(facts), () => new BlastChange({ before, after, at: now, retry })),
    )
  }

  static requeued(before: Blast, since: DateTime.Utc, now: DateTime.Utc) {
    return BlastChange.#move(before, Machine.requeued(before, since), now)
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
