// The state machine of blasts: its table of transitions, and `decide`, which creates every BlastChange of an existing blast.
import { type DateTime, Result } from "effect"
import type { Email, EmailChange } from "../emails/Email.ts"
import type { BlastId } from "../kernel/Ids.ts"
import type { ActorName } from "../kernel/changes/Actor.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { SourceOf, TargetOf, Transitions } from "../kernel/changes/Transitions.ts"
import type { ListChange } from "../lists/List.ts"
import { Invalid, InvalidState } from "../kernel/Refusal.ts"
import { copyName } from "../kernel/Text.ts"
import type { AudiencePass, DeliveryTally, FixedAudience } from "../sending/Delivery.ts"
import {
  type AttachedEmail,
  type Audience,
  type Blast,
  blast_name_length_max,
  blankBlast,
  type BlastFields,
  type BlastStatus,
  checkFields,
  type DraftBlast,
  type Launch,
  launchOf,
  lockedOf,
  type NewBlast,
  type RetryOptions,
  schedule_grace_ms,
  type SendingBlast,
  timeOf,
} from "./Blast.ts"
import { dueOf, effectsOf } from "./BlastEffects.ts"
import {
  allotted,
  checkLimits,
  checkReady,
  checkRetry,
  failureOf,
  type LaunchFacts,
  overLimit,
  type ReadinessFacts,
} from "./Readiness.ts"

/** The events of a blast, with their data. */
interface Events {
  readonly update: { readonly fields: BlastFields }
  /** `lists`: the deletion of the former inline list, then the creation of the new one. */
  readonly setAudience: { readonly audience: Audience; readonly lists: ReadonlyArray<ListChange> }
  /** `inlineEmail`: the email, when it is created for the blast. */
  readonly setEmail: { readonly email: AttachedEmail; readonly inlineEmail: EmailChange<Email> | null }
  readonly launch: { readonly facts: LaunchFacts; readonly operational: boolean; readonly by: ActorName }
  readonly schedule: {
    readonly facts: ReadinessFacts
    readonly scheduledAt: DateTime.Utc
    readonly operational: boolean
    readonly by: ActorName
  }
  readonly unschedule: {}
  /** The scheduled time has come. */
  readonly fire: { readonly facts: LaunchFacts }
  readonly pause: {}
  readonly resume: {}
  /** A slice of its audience is written, and more will follow. */
  readonly writeAudience: { readonly pass: AudiencePass }
  /** All of its audience is written. Happens once. */
  readonly fixAudience: { readonly audience: FixedAudience }
  /** No recipient is open. */
  readonly complete: {}
  readonly fail: { readonly failure: string }
  readonly cancel: {}
  /** Sends again to recipients that failed for a temporary reason. */
  readonly retry: RetryOptions & { readonly facts: LaunchFacts }
  /** Every recipient of the retry that started at `since` is in the queue. */
  readonly finishRetry: { readonly since: DateTime.Utc }
  readonly archive: {}
  /** `lists`: the deletion of its inline audience. Its email stays. */
  readonly delete: { readonly lists: ReadonlyArray<ListChange> }
}

type Tag = keyof Events

export type BlastEvent<T extends Tag = Tag> = { [Each in T]: { readonly _tag: Each } & Events[Each] }[T]

export const transitions = {
  draft: {
    update: "draft",
    setAudience: "draft",
    setEmail: "draft",
    launch: "sending",
    schedule: "scheduled",
    archive: "archived",
    delete: "deleted",
  },
  scheduled: {
    update: "scheduled",
    unschedule: "draft",
    fire: ["sending", "cancelled", "failed", "draft"],
    cancel: "cancelled",
    archive: "archived",
  },
  sending: {
    update: "sending",
    pause: "sending",
    resume: "sending",
    writeAudience: "sending",
    fixAudience: "sending",
    finishRetry: "sending",
    complete: "sent",
    fail: "failed",
    cancel: "cancelled",
  },
  sent: { update: "sent", retry: "sending", archive: "archived", delete: "deleted" },
  // The audience of a blast that ended early is still written to its end, so that a retry can send to the rest.
  failed: {
    update: "failed",
    writeAudience: "failed",
    fixAudience: "failed",
    retry: "sending",
    archive: "archived",
    delete: "deleted",
  },
  cancelled: {
    update: "cancelled",
    writeAudience: "cancelled",
    fixAudience: "cancelled",
    archive: "archived",
    delete: "deleted",
  },
  archived: { update: "archived", writeAudience: "archived", fixAudience: "archived", archive: "archived" },
} as const satisfies Transitions<BlastStatus, Tag, BlastStatus | "deleted">

/** Completes the sentence "it can't be …" of a refusal. */
const refused: { readonly [Each in Tag]: string } = {
  update: "updated",
  setAudience: "given another audience",
  setEmail: "given another email",
  launch: "sent",
  schedule: "scheduled",
  unschedule: "unscheduled",
  fire: "sent on schedule",
  pause: "paused",
  resume: "resumed",
  writeAudience: "given its recipients",
  fixAudience: "given its recipients",
  complete: "completed",
  fail: "failed",
  cancel: "cancelled",
  retry: "retried",
  finishRetry: "put back into the queue",
  archive: "archived",
  delete: "deleted",
}

const refuse = (blast: Blast, move: string): Result.Result<never, InvalidState> =>
  Result.fail(new InvalidState({ resource: "email blast", status: blast.status, move }))

/** The fields of every status, except `status` and `updatedAt`. */
const common = <B extends Blast>({ id, name, description, operational, topicId, audience, email, createdAt }: B) => ({
  id,
  name,
  description,
  operational,
  topicId,
  audience: audience as B["audience"],
  email: email as B["email"],
  createdAt,
})

/** The fields that are frozen from the first schedule or launch on. */
const settled = <B extends Exclude<Blast, DraftBlast>>(blast: B) => ({
  ...common(blast),
  locked: blast.locked as B["locked"],
  time: blast.time as B["time"],
})

/** The fields of a draft that can be scheduled or launched: its parts are set and its email is approved. */
const ready = (blast: DraftBlast, { facts, ...caller }: Events["launch" | "schedule"], now: DateTime.Utc) =>
  Result.map(checkReady(blast, facts, caller), ({ audience, email, approval }) => ({
    ...common(blast),
    operational: caller.operational,
    audience,
    email,
    locked: { ...approval, at: now },
    updatedAt: now,
  }))

const launchedAt = (now: DateTime.Utc, allotted: number) => ({ at: now, allotted, pass: null, audience: null })

const toDraft = (blast: Extract<Blast, { status: "scheduled" }>, scheduleMissed: boolean, now: DateTime.Utc) => ({
  ...common(blast),
  status: "draft" as const,
  scheduleMissed,
  updatedAt: now,
})

/** Whether recipients of the blast are to be written. A pass that has started continues after the blast has ended. */
const takesRecipients = (blast: Blast): boolean => {
  const launch = launchOf(blast)
  return launch !== null && launch.audience === null && (blast.status === "sending" || launch.pass !== null)
}

const withLaunch = <B extends Blast>(blast: B, change: Partial<Launch>): B => ({
  ...blast,
  launch: { ...launchOf(blast), ...change },
})

/** Whether this retry is running: the blast has not ended since, and no later retry has started. */
export const isRetrying = (blast: Blast, since: DateTime.Utc): blast is SendingBlast =>
  blast.status === "sending" && blast.retryingSince?.epochMilliseconds === since.epochMilliseconds

type To<T extends Tag> =
  | Extract<Blast, { readonly status: TargetOf<typeof transitions, T> }>
  | ("deleted" extends TargetOf<typeof transitions, T> ? null : never)
type From<T extends Tag> = Extract<Blast, { readonly status: SourceOf<typeof transitions, T> }>

/** What each event does where the table accepts it, and what besides the status can refuse it. */
const moves = {
  update: (blast, { fields }, now) =>
    Result.gen(function* () {
      yield* checkFields(fields)
      const { description = blast.description, name = blast.name, topicId = blast.topicId } = fields
      if (topicId !== blast.topicId && blast.status !== "draft") yield* refuse(blast, "given another topic")
      return { ...blast, name, description, topicId, updatedAt: now }
    }),
  setAudience: (blast, { audience }, now) => Result.succeed({ ...blast, audience, updatedAt: now }),
  setEmail: (blast, { email }, now) => Result.succeed({ ...blast, email, updatedAt: now }),
  /** A limit of the plan refuses the launch. The draft does not change. */
  launch: (blast, event, now) =>
    Result.gen(function* () {
      const launching = yield* ready(blast, event, now)
      yield* checkLimits(event.facts)
      const launch = launchedAt(now, allotted(event.facts))
      const time = { mode: "send_now" } as const
      return { ...launching, status: "sending", time, launch, paused: false, retryingSince: null }
    }),
  /** Sets a time. Locks the current approval. */
  schedule: (blast, event, now) =>
    event.scheduledAt.epochMilliseconds <= now.epochMilliseconds
      ? Result.fail(Invalid.at("scheduled_at", "must be in the future"))
      : Result.map(ready(blast, event, now), (scheduled) => ({
          ...scheduled,
          status: "scheduled",
          time: { mode: "scheduled", scheduledAt: event.scheduledAt },
        })),
  unschedule: (blast, _, now) => Result.succeed(toDraft(blast, false, now)),
  /**
   * More than a day late (the service was down), the blast becomes a draft again. Without its list or a verified sender it
   * fails. Over a limit of the plan it is cancelled.
   */
  fire: (blast, { facts }, now) => {
    const late_ms = now.epochMilliseconds - blast.time.scheduledAt.epochMilliseconds
    if (late_ms < 0) return refuse(blast, "sent before its time")
    if (late_ms > schedule_grace_ms) return Result.succeed(toDraft(blast, true, now))
    const fired = { ...settled(blast), updatedAt: now }
    const failure = failureOf(facts)
    if (failure !== null) return Result.succeed({ ...fired, status: "failed", failure, launch: launchedAt(now, 0) })
    const over = overLimit(facts)
    if (over !== null) {
      return Result.succeed({
        ...fired,
        status: "cancelled",
        launch: null,
        cancelledAt: now,
        cancelledReason: over.reason,
      })
    }
    const launch = launchedAt(now, allotted(facts))
    return Result.succeed({ ...fired, status: "sending", launch, paused: false, retryingSince: null })
  },
  /** Pausing a paused blast changes nothing, nor does resuming one that is not paused. */
  pause: (blast, _, now) => Result.succeed(blast.paused ? blast : { ...blast, paused: true, updatedAt: now }),
  resume: (blast, _, now) => Result.succeed(blast.paused ? { ...blast, paused: false, updatedAt: now } : blast),
  writeAudience: (blast, { pass }) =>
    takesRecipients(blast) ? Result.succeed(withLaunch(blast, { pass })) : refuse(blast, refused.writeAudience),
  fixAudience: (blast, { audience }) =>
    takesRecipients(blast)
      ? Result.succeed({ ...withLaunch(blast, { pass: null, audience }), updatedAt: audience.at })
      : refuse(blast, refused.fixAudience),
  /** Completes paused blasts too: nothing is left to resume. */
  complete: (blast, _, now) =>
    blast.launch.audience !== null && blast.retryingSince === null
      ? Result.succeed({ ...settled(blast), launch: blast.launch, status: "sent", sentAt: now, updatedAt: now })
      : refuse(blast, refused.complete),
  fail: (blast, { failure }, now) =>
    Result.succeed({ ...settled(blast), launch: blast.launch, status: "failed", failure, updatedAt: now }),
  cancel: (blast, _, now) =>
    Result.succeed({
      ...settled(blast),
      status: "cancelled",
      launch: launchOf(blast),
      cancelledAt: now,
      cancelledReason: null,
      updatedAt: now,
    }),
  /** The audience stays the fixed one. */
  retry: (blast, { facts }, now) => {
    const { launch } = blast
    if (launch.audience === null) return refuse(blast, refused.retry)
    const again = { ...settled(blast), launch, paused: false, retryingSince: now, updatedAt: now }
    return Result.map(checkRetry(facts), () => ({ ...again, status: "sending" }))
  },
  finishRetry: (blast, { since }) =>
    isRetrying(blast, since) ? Result.succeed({ ...blast, retryingSince: null }) : refuse(blast, refused.finishRetry),
  /** Archiving an archived blast changes nothing. */
  archive: (blast, _, now) =>
    blast.status === "archived"
      ? Result.succeed(blast)
      : Result.succeed({
          ...common(blast),
          status: "archived",
          locked: lockedOf(blast),
          time: timeOf(blast),
          launch: launchOf(blast),
          failure: blast.status === "failed" ? blast.failure : null,
          sentAt: blast.status === "sent" ? blast.sentAt : null,
          cancelledAt: blast.status === "cancelled" ? blast.cancelledAt : null,
          cancelledReason: blast.status === "cancelled" ? blast.cancelledReason : null,
          updatedAt: now,
        }),
  delete: () => Result.succeed(null),
} satisfies {
  readonly [T in Tag]: (blast: From<T>, event: Events[T], now: DateTime.Utc) => Result.Result<To<T>, unknown>
}

/** An event that every status accepts is never refused because of the status. */
export type RefusalOf<T extends Tag> =
  | Result.Result.Failure<ReturnType<(typeof moves)[T]>>
  | ([BlastStatus] extends [SourceOf<typeof transitions, T>] ? never : InvalidState)

export type BlastChange<After extends Blast | null = Blast | null> = Change<
  "blast",
  {
    readonly before: Blast | null
    /** Null: the blast is deleted. */
    readonly after: After
    /** The email that is created with it. */
    readonly email: EmailChange<Email> | null
    /** The deletion and creation of its inline audience, in this order. */
    readonly lists: ReadonlyArray<ListChange>
    /** The workspace's deliveries become due. */
    readonly wakesSenders: boolean
    /** The time at which the workspace's schedules become due; null when this does not change. */
    readonly scheduleDueAt: DateTime.Utc | null
  }
>

const blastChange = changeOf("blast")

/** The parts of an event that go into its change. */
interface Along extends Partial<RetryOptions> {
  /** The counters of a blast that ends. */
  readonly tally?: DeliveryTally
  readonly inlineEmail?: EmailChange<Email> | null
  readonly lists?: ReadonlyArray<ListChange>
}

const changeTo = <After extends Blast | null>(
  before: Blast | null,
  after: After,
  now: DateTime.Utc,
  { inlineEmail = null, lists = [], includeUnconfirmed, tally }: Along,
): BlastChange<After> =>
  blastChange(
    { before, after, email: inlineEmail, lists, ...dueOf(before, after) },
    effectsOf(before, after, now, { includeUnconfirmed, tally }),
  )

/** The blast, typed by its status, if the table accepts the event. */
export const accepting = <T extends Tag>(blast: Blast, tag: T): Result.Result<From<T>, InvalidState> =>
  tag in transitions[blast.status] ? Result.succeed(blast as From<T>) : refuse(blast, refused[tag])

/** Decides an event: returns its change, or why the blast refuses it. */
export const decide = <T extends Tag>(
  blast: Blast,
  event: BlastEvent<T>,
  now: DateTime.Utc,
): Result.Result<BlastChange<To<T>>, RefusalOf<T>> => {
  type Decided = Result.Result<To<T>, RefusalOf<T>>
  const move = moves[event._tag] as unknown as (blast: From<T>, event: BlastEvent<T>, now: DateTime.Utc) => Decided
  const after = Result.flatMap(accepting(blast, event._tag), (accepted) => move(accepted, event, now)) as Decided
  return Result.map(after, (decided) => changeTo(blast, decided, now, event as Along))
}

export const createBlast = (
  id: BlastId,
  fields: NewBlast,
  now: DateTime.Utc,
): Result.Result<BlastChange<DraftBlast>, Invalid> =>
  Result.map(checkFields(fields), () => changeTo(null, blankBlast(id, fields, now), now, {}))

/** A draft with the settings of another blast, without its history. */
export const duplicateBlast = (
  of: Blast,
  /** `inlineEmail`, `lists`: the copies of its inline email and audience. */
  copy: Along & Pick<DraftBlast, "id" | "audience" | "email">,
  now: DateTime.Utc,
): BlastChange<DraftBlast> => {
  const name = copyName(of.name, blast_name_length_max)
  const draft = blankBlast(copy.id, { name, description: of.description, topicId: of.topicId }, now)
  return changeTo(null, { ...draft, audience: copy.audience, email: copy.email }, now, copy)
}
