// The use cases of blasts. Those that end or pause a blast block new intents while they decide: after they return, no further
// message is handed over. After a retry the blast is `sending` at once: a worker then requeues its recipients in batches, and
// the blast can't complete before the last of them is queued.
import { Context, DateTime, Effect, Layer } from "effect"
import { emailChooser, type EmailChoice } from "../emails/NewEmail.ts"
import type { HtmlTooLarge, TemplateNotApproved } from "../documents/DocumentErrors.ts"
import { BlastId, type ContactId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import type { ListNameExists } from "../lists/List.ts"
import type { Paged } from "../kernel/Page.ts"
import type { Invalid, InvalidState, NotFound } from "../kernel/Refusal.ts"
import { Actor } from "../kernel/changes/Actor.ts"
import { type Transaction, Transactor } from "../kernel/changes/Transactor.ts"
import type { AnotherPersonNeeded } from "../workspaces/FourEyes.ts"
import { emptyTally } from "../sending/Delivery.ts"
import { type AudienceSelection, audienceSelector, inlineListDeletion } from "./AudienceSelection.ts"
import { type BlastFields, type EarlyEndReason, earlyEndReasonOf, type NewBlast, type RetryOptions } from "./Blast.ts"
import {
  applyEvent,
  type BlastQuery,
  type BlastRecipient,
  BlastStore,
  type BlastView,
  type RecipientQuery,
  toBlastView,
  toListedView,
} from "./BlastStore.ts"
import { blastDuplication } from "./Duplicate.ts"
import { accepting, type BlastEvent, createBlast, decide, isRetrying } from "./machine.ts"
import { topicAcceptance } from "../topics/TopicAcceptance.ts"
import type { TopicArchived } from "../topics/TopicErrors.ts"
import type { CampaignNotReady, FreePlanEmailLimit } from "./Readiness.ts"

/** Recipients of an ended blast that one transaction ends. Few enough that a cancel returns at once. */
const ended_batch_max = 2_000
/** Recipients that one transaction requeues. Few enough that no other transaction waits long for its locks. */
const requeued_batch_max = 5_000
/** Blasts that one call of `finish` completes in a workspace. */
const finished_max = 50

/** A running retry. `since` distinguishes it from later retries of the same blast. */
export interface StartedRetry extends RetryOptions {
  readonly since: DateTime.Utc
}

export class Blasts extends Context.Service<
  Blasts,
  {
    readonly create: (
      workspace: WorkspaceId,
      fields: NewBlast,
    ) => Effect.Effect<BlastView, Invalid | NotFound | TopicArchived>
    readonly get: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound>
    readonly list: (workspace: WorkspaceId, query: BlastQuery) => Effect.Effect<Paged<BlastView>>
    readonly update: (
      workspace: WorkspaceId,
      id: BlastId,
      fields: BlastFields,
    ) => Effect.Effect<BlastView, NotFound | Invalid | InvalidState | TopicArchived>
    /** Deletes its inline audience too. Its inline email stays. */
    readonly delete: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<void, NotFound | InvalidState>
    readonly setAudience: (
      workspace: WorkspaceId,
      id: BlastId,
      choice: AudienceSelection,
    ) => Effect.Effect<BlastView, NotFound | InvalidState | Invalid | ListNameExists>
    /** `by`: the name stored as the author of an inline email. */
    readonly setEmail: (
      workspace: WorkspaceId,
      id: BlastId,
      choice: EmailChoice,
      by: string,
    ) => Effect.Effect<BlastView, NotFound | InvalidState | Invalid | HtmlTooLarge | TemplateNotApproved>
    readonly sendNow: (
      workspace: WorkspaceId,
      id: BlastId,
      options: { readonly operational: boolean },
    ) => Effect.Effect<BlastView, NotFound | InvalidState | CampaignNotReady | FreePlanEmailLimit | AnotherPersonNeeded>
    readonly pause: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound | InvalidState>
    readonly resume: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound | InvalidState>
    readonly cancel: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound | InvalidState>
    /** Archives a blast that is not being sent. Archiving an archived blast changes nothing. */
    readonly archive: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound | InvalidState>
    /** Sends again to recipients that failed for a temporary reason. Never sends again to bad addresses. */
    readonly retryFailed: (
      workspace: WorkspaceId,
      id: BlastId,
      options: RetryOptions,
    ) => Effect.Effect<BlastView, NotFound | InvalidState | CampaignNotReady | FreePlanEmailLimit>
    /** For workers: requeues the recipients of this retry. May be repeated, and run by two workers at once. */
    readonly requeueFailed: (workspace: WorkspaceId, id: BlastId, retry: StartedRetry) => Effect.Effect<void>
    /** Creates a draft: inline audience and email are copied, others are shared. `by`: the name stored as the author of the copy. */
    readonly duplicate: (
      workspace: WorkspaceId,
      id: BlastId,
      by: string,
    ) => Effect.Effect<BlastView, NotFound | ListNameExists>
    /** For workers: sending can't continue, for a reason that a retry does not solve. */
    readonly fail: (
      workspace: WorkspaceId,
      id: BlastId,
      failure: string,
    ) => Effect.Effect<void, NotFound | InvalidState>
    readonly recipients: (
      workspace: WorkspaceId,
      id: BlastId,
      query: RecipientQuery,
    ) => Effect.Effect<Paged<BlastRecipient>, NotFound>
    /**
     * For workers, after each pass over a workspace's deliveries: completes blasts without an open recipient, and ends
     * recipients that are still open in blasts that have ended.
     */
    readonly finish: (workspace: WorkspaceId) => Effect.Effect<void>
  }
>()("tentpole/Blasts") {
  static readonly layer = Layer.effect(
    Blasts,
    Effect.gen(function* () {
      const store = yield* BlastStore
      const audiences = yield* audienceSelector
      const emails = yield* emailChooser
      const { transact } = yield* Transactor
      const duplicate = yield* blastDuplication
      const ids = yield* Ids
      const acceptTopic = yield* topicAcceptance

      const get = Effect.fnUntraced(function* (workspace: WorkspaceId, id: BlastId) {
        return toBlastView(yield* store.get(workspace, id, yield* DateTime.now))
      })

      /** Ends a batch of the recipients that end early with their blast. Returns their number. */
      const endSome = (workspace: WorkspaceId, id: BlastId, ending: EarlyEndReason | null) =>
        ending === null ? Effect.succeed(0) : store.endOpen(workspace, id, ending, ended_batch_max)

      /** The counters of a blast that ends, for its event. */
      const endedWith = (workspace: WorkspaceId, id: BlastId, now: DateTime.Utc) =>
        Effect.map(Effect.orDie(store.get(workspace, id, now)), ({ tally }) => ({ tally }))

      /** Applies an event that SMTP workers must respect. Open recipients beyond one batch are ended by `finish`. */
      const changeAgainstIntents = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        id: BlastId,
        event: BlastEvent<"pause" | "resume" | "cancel" | "archive" | "fail">,
      ) {
        const before = yield* store.lockAgainstIntents(workspace, id)
        const now = yield* DateTime.now
        const ended = event._tag === "cancel" || event._tag === "fail" ? yield* endedWith(workspace, id, now) : {}
        const { after } = yield* applyEvent(store, workspace, before, { ...event, ...ended }, now)
        yield* endSome(workspace, id, earlyEndReasonOf(after))
      })

      const create = Effect.fnUntraced(function* (workspace: WorkspaceId, fields: NewBlast) {
        yield* acceptTopic(workspace, fields.topicId)
        const id = BlastId.make(yield* ids.next)
        const created = yield* Effect.fromResult(createBlast(id, fields, yield* DateTime.now))
        yield* Effect.catchTag(store.apply(workspace, created), "ListNameExists", Effect.die)
        return id
      }, transact)

      const setAudience = Effect.fnUntraced(function* (workspace: WorkspaceId, id: BlastId, choice: AudienceSelection) {
        const before = yield* store.lock(workspace, id)
        yield* Effect.fromResult(accepting(before, "setAudience"))
        const chosen = yield* audiences.select(workspace, before, choice)
        const event = { _tag: "setAudience", ...chosen } as const
        yield* store.apply(workspace, yield* Effect.fromResult(decide(before, event, yield* DateTime.now)))
      })

      const setEmail = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        id: BlastId,
        choice: EmailChoice,
        by: string,
      ) {
        const before = yield* store.lock(workspace, id)
        yield* Effect.fromResult(accepting(before, "setEmail"))
        const { change: inlineEmail, ...email } = yield* emails.choose(workspace, before, choice, by)
        yield* applyEvent(store, workspace, before, { _tag: "setEmail", email, inlineEmail }, yield* DateTime.now)
      })

      /** Runs a use case in its own transaction. Returns the blast as it is after the commit. */
      const verb = <Arguments extends ReadonlyArray<unknown>, E>(
        name: string,
        run: (workspace: WorkspaceId, id: BlastId, ...its: Arguments) => Effect.Effect<void, E, Transaction>,
      ) =>
        Effect.fn(`Blasts.${name}`)(function* (workspace: WorkspaceId, id: BlastId, ...its: Arguments) {
          yield* transact(run(workspace, id, ...its))
          return yield* get(workspace, id)
        })

      const retryFailed = Effect.fnUntraced(function* (workspace: WorkspaceId, id: BlastId, options: RetryOptions) {
        const now = yield* DateTime.now
        const { blast, facts } = yield* store.lockForLaunch(workspace, id, { now })
        yield* applyEvent(store, workspace, blast, { _tag: "retry", facts, ...options }, now)
      })

      /**
       * Requeues the next batch. Returns its last contact; null when none was left, or when this retry is not running any more.
       * Batches follow the order of contact ids, so that a contact that fails again meanwhile is not requeued forever.
       */
      const requeueSome = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        id: BlastId,
        { includeUnconfirmed, since }: StartedRetry,
        after: ContactId | null,
      ) {
        const blast = yield* store.lock(workspace, id)
        if (!isRetrying(blast, since)) return null
        const last = yield* store.requeue(workspace, id, { after, includeUnconfirmed, limit: requeued_batch_max })
        if (last !== null) return last
        yield* Effect.orDie(applyEvent(store, workspace, blast, { _tag: "finishRetry", since }, yield* DateTime.now))
        return null
      }, transact)

      const complete = Effect.fnUntraced(function* (workspace: WorkspaceId) {
        const now = yield* DateTime.now
        for (const blast of yield* store.lockFinished(workspace, finished_max)) {
          const ended = yield* endedWith(workspace, blast.id, now)
          yield* Effect.orDie(applyEvent(store, workspace, blast, { _tag: "complete", ...ended }, now))
        }
      }, transact)

      return Blasts.of({
        create: Effect.fn("Blasts.create")(function* (workspace, fields) {
          const id = yield* create(workspace, fields)
          return yield* Effect.orDie(get(workspace, id))
        }),

        get: Effect.fn("Blasts.get")(get),

        list: Effect.fn("Blasts.list")(function* (workspace, query) {
          const { items, total } = yield* store.list(workspace, query, yield* DateTime.now)
          return { items: items.map(toListedView), total }
        }),

        update: verb("update", (workspace, id, fields: BlastFields) =>
          Effect.gen(function* () {
            const before = yield* store.lock(workspace, id)
            if (fields.topicId !== before.topicId) yield* acceptTopic(workspace, fields.topicId)
            yield* applyEvent(store, workspace, before, { _tag: "update", fields }, yield* DateTime.now)
          }),
        ),

        delete: Effect.fn("Blasts.delete")(function* (workspace, id) {
          const before = yield* store.lock(workspace, id)
          const now = yield* DateTime.now
          const lists = inlineListDeletion(before, yield* audiences.former(workspace, before), now)
          yield* applyEvent(store, workspace, before, { _tag: "delete", lists }, now)
        }, transact),

        setAudience: verb("setAudience", setAudience),
        setEmail: Effect.fn("Blasts.setEmail")(function* (workspace, id, choice, by) {
          const clean = yield* emails.clean(workspace, choice)
          yield* transact(setEmail(workspace, id, clean, by))
          return yield* get(workspace, id)
        }),

        sendNow: Effect.fn("Blasts.sendNow")(function* (workspace, id, options) {
          const now = yield* DateTime.now
          const { blast, facts } = yield* store.lockForLaunch(workspace, id, { now, ...options })
          const event = { _tag: "launch", facts, by: yield* Actor, ...options } as const
          const { after } = yield* applyEvent(store, workspace, blast, event, now)
          return toBlastView({ blast: after, facts, tally: emptyTally, paceFacts: null })
        }, transact),

        pause: verb("pause", (workspace, id) => changeAgainstIntents(workspace, id, { _tag: "pause" })),
        resume: verb("resume", (workspace, id) => changeAgainstIntents(workspace, id, { _tag: "resume" })),
        cancel: verb("cancel", (workspace, id) => changeAgainstIntents(workspace, id, { _tag: "cancel" })),
        archive: verb("archive", (workspace, id) => changeAgainstIntents(workspace, id, { _tag: "archive" })),

        retryFailed: verb("retryFailed", retryFailed),

        requeueFailed: Effect.fn("Blasts.requeueFailed")(function* (workspace, id, retry) {
          let last: ContactId | null = null
          do {
            // A deleted blast has no recipients.
            last = yield* Effect.catchTag(requeueSome(workspace, id, retry, last), "NotFound", () =>
              Effect.succeed(null),
            )
          } while (last !== null)
        }),

        duplicate: Effect.fn("Blasts.duplicate")(function* (workspace, id, by) {
          return yield* get(workspace, yield* duplicate(workspace, id, by))
        }),

        fail: Effect.fn("Blasts.fail")(function* (workspace, id, failure) {
          yield* changeAgainstIntents(workspace, id, { _tag: "fail", failure })
        }, transact),

        recipients: Effect.fn("Blasts.recipients")(store.recipients),

        finish: Effect.fn("Blasts.finish")(function* (workspace) {
          yield* complete(workspace)
          for (const { ending, id } of yield* store.endedWithOpen(workspace, finished_max)) {
            yield* Effect.repeat(transact(endSome(workspace, id, ending)), {
              while: (count) => count === ended_batch_max,
            })
          }
        }),
      })
    }),
  )
}
