// What can be done with blasts. Those that end or hold a blast hold off intents while they decide, so that nothing is handed
// over once they have answered.
import { Context, DateTime, Effect, Layer, Result } from "effect"
import { choosingEmail, type EmailChoice } from "../emails/EmailChoice.ts"
import type { HtmlTooLarge, TemplateNotApproved } from "../emails/EmailErrors.ts"
import { BlastId, Ids, ListId, type WorkspaceId } from "../kernel/Ids.ts"
import type { List, ListNameExists, NewList } from "../lists/List.ts"
import { nameCandidates } from "../lists/ListName.ts"
import { ListStore } from "../lists/ListStore.ts"
import type { Paged } from "../kernel/Page.ts"
import { Invalid, type InvalidState, NotFound } from "../kernel/Refusal.ts"
import { parseRules } from "../segments/Parse.ts"
import { RuleFactsStore } from "../segments/RuleFacts.ts"
import { mentionedIn } from "../segments/RuleTree.ts"
import { type Transaction, Transactor } from "../kernel/Transactor.ts"
import type { Blast, BlastFields } from "./Blast.ts"
import { BlastChange, type EarlyEnding, earlyEndingOf, type RetryOptions } from "./BlastChange.ts"
import { type BlastQuery, type BlastRecipient, BlastStore, type RecipientQuery } from "./BlastStore.ts"
import { writing } from "./BlastWrites.ts"
import {
  type AudienceChoice,
  audienceName,
  checkContactIds,
  chooseExisting,
  chooseInline,
  discarded,
  type InlineDynamic,
  type InlineStatic,
} from "./AudienceSelection.ts"
import { duplicating } from "./Duplicate.ts"
import type { FreePlanEmailLimit } from "./Launch.ts"
import { editable } from "./Machine.ts"
import type { CampaignNotReady } from "./Readiness.ts"
import { retrying, type StartedRetry } from "./Retries.ts"
import { nobody, shown, type ShownBlast } from "./BlastView.ts"

/** Recipients of an ended blast that one transaction ends: few enough for a cancel to be answered at once. */
const ended_batch_max = 2_000
/** Blasts that one look at a workspace finishes. */
const finished_max = 50

export class Blasts extends Context.Service<
  Blasts,
  {
    readonly create: (
      ws: WorkspaceId,
      fields: BlastFields & { readonly name: string },
    ) => Effect.Effect<ShownBlast, Invalid>
    readonly find: (ws: WorkspaceId, id: BlastId) => Effect.Effect<ShownBlast, NotFound>
    readonly page: (ws: WorkspaceId, query: BlastQuery) => Effect.Effect<Paged<ShownBlast>>
    readonly rename: (
      ws: WorkspaceId,
      id: BlastId,
      fields: BlastFields,
    ) => Effect.Effect<ShownBlast, NotFound | Invalid>
    /** Its inline audience goes with it, its inline email stays. */
    readonly remove: (ws: WorkspaceId, id: BlastId) => Effect.Effect<void, NotFound | InvalidState>
    readonly setAudience: (
      ws: WorkspaceId,
      id: BlastId,
      choice: AudienceChoice,
    ) => Effect.Effect<ShownBlast, NotFound | InvalidState | Invalid | ListNameExists>
    /** `by`: who is named as the maker of an inline email. */
    readonly setEmail: (
      ws: WorkspaceId,
      id: BlastId,
      choice: EmailChoice,
      by: string,
    ) => Effect.Effect<ShownBlast, NotFound | InvalidState | Invalid | HtmlTooLarge | TemplateNotApproved>
    readonly sendNow: (
      ws: WorkspaceId,
      id: BlastId,
      options: { readonly operational: boolean },
    ) => Effect.Effect<ShownBlast, NotFound | InvalidState | CampaignNotReady | FreePlanEmailLimit>
    readonly pause: (ws: WorkspaceId, id: BlastId) => Effect.Effect<ShownBlast, NotFound | InvalidState>
    readonly resume: (ws: WorkspaceId, id: BlastId) => Effect.Effect<ShownBlast, NotFound | InvalidState>
    readonly cancel: (ws: WorkspaceId, id: BlastId) => Effect.Effect<ShownBlast, NotFound | InvalidState>
    /** Puts away what is not being sent; what is archived already stays as it is. */
    readonly archive: (ws: WorkspaceId, id: BlastId) => Effect.Effect<ShownBlast, NotFound | InvalidState>
    /** Sends again to recipients that failed for a reason that may pass; never to whose address is bad. */
    readonly retryFailed: (
      ws: WorkspaceId,
      id: BlastId,
      options: RetryOptions,
    ) => Effect.Effect<ShownBlast, NotFound | InvalidState | CampaignNotReady | FreePlanEmailLimit>
    /** For workers: puts the recipients of this retry back into the queue. May be called again, and by two at once. */
    readonly requeueFailed: (ws: WorkspaceId, id: BlastId, retry: StartedRetry) => Effect.Effect<void>
    /** A draft like it: inline audience and email are copied, others shared. `by`: who made the copy. */
    readonly duplicate: (
      ws: WorkspaceId,
      id: BlastId,
      by: string,
    ) => Effect.Effect<ShownBlast, NotFound | ListNameExists>
    /** For workers: sending can't go on, for a reason that no retry mends. */
    readonly fail: (ws: WorkspaceId, id: BlastId, failure: string) => Effect.Effect<void, NotFound | InvalidState>
    readonly recipients: (
      ws: WorkspaceId,
      id: BlastId,
      query: RecipientQuery,
    ) => Effect.Effect<Paged<BlastRecipient>, NotFound>
    /**
     * For workers, whenever they have looked at a workspace's deliveries: blasts without an open recipient are sent, and
     * recipients still open in blasts that are over are ended.
     */
    readonly finish: (ws: WorkspaceId) => Effect.Effect<void>
  }
>()("tentpole/Blasts") {
  static readonly layer = Layer.effect(
    Blasts,
    Effect.gen(function* () {
      const store = yield* BlastStore
      const choices = yield* choosing
      const emailChoices = yield* choosingEmail
      const { transact } = yield* Transactor
      const { write, writeNameless } = yield* writing
      const retries = yield* retrying
      const duplicated = yield* duplicating
      const ids = yield* Ids

      const find = Effect.fnUntraced(function* (ws: WorkspaceId, id: BlastId) {
        return shown(yield* store.find(ws, id, yield* DateTime.now))
      })

      /** A batch of the recipients that end with their blast; answers how many. */
      const endSome = (ws: WorkspaceId, id: BlastId, ending: EarlyEnding | null) =>
        ending === null ? Effect.succeed(0) : store.endOpen(ws, id, ending, ended_batch_max)

      /** A move that binds senders. What it leaves of a blast's recipients beyond a batch, `finish` ends. */
      const hold = (decide: (blast: Blast, now: DateTime.Utc) => Result.Result<BlastChange<Blast>, InvalidState>) =>
        Effect.fnUntraced(function* (ws: WorkspaceId, id: BlastId) {
          const before = yield* store.lockAgainstIntents(ws, id)
          const change = yield* Effect.fromResult(decide(before, yield* DateTime.now))
          yield* writeNameless(ws, change)
          yield* endSome(ws, id, earlyEndingOf(change.after))
        }, transact)

      const paused = hold(BlastChange.pause)
      const resumed = hold(BlastChange.resume)
      const cancelled = hold(BlastChange.cancel)
      const archived = hold(BlastChange.archive)

      const created = Effect.fnUntraced(function* (ws: WorkspaceId, fields: BlastFields & { readonly name: string }) {
        const id = BlastId.make(yield* ids.next)
        yield* writeNameless(ws, yield* Effect.fromResult(BlastChange.create(id, fields, yield* DateTime.now)))
        return id
      }, transact)

      const renamed = Effect.fnUntraced(function* (ws: WorkspaceId, id: BlastId, fields: BlastFields) {
        const before = yield* store.lock(ws, id)
        yield* writeNameless(ws, yield* Effect.fromResult(BlastChange.rename(before, fields, yield* DateTime.now)))
      }, transact)

      const audienceSet = Effect.fnUntraced(function* (ws: WorkspaceId, id: BlastId, choice: AudienceChoice) {
        const before = yield* Effect.flatMap(store.lock(ws, id), (blast) =>
          Effect.fromResult(editable(blast, "audience")),
        )
        const { audience, lists } = yield* choices.audience(ws, before, choice)
        const now = yield* DateTime.now
        yield* write(ws, yield* Effect.fromResult(BlastChange.setAudience(before, audience, lists, now)))
      }, transact)

      const emailSet = Effect.fnUntraced(function* (ws: WorkspaceId, id: BlastId, choice: EmailChoice, by: string) {
        const before = yield* Effect.flatMap(store.lock(ws, id), (blast) => Effect.fromResult(editable(blast, "email")))
        const { made, ...email } = yield* emailChoices.choose(ws, before, choice, by)
        const now = yield* DateTime.now
        yield* writeNameless(ws, yield* Effect.fromResult(BlastChange.setEmail(before, email, made, now)))
      }, transact)

      const completed = Effect.fnUntraced(function* (ws: WorkspaceId) {
        const now = yield* DateTime.now
        for (const blast of yield* store.lockFinished(ws, finished_max)) {
          yield* writeNameless(ws, yield* Effect.orDie(Effect.fromResult(BlastChange.complete(blast, now))))
        }
      }, transact)

      return Blasts.of({
        create: Effect.fn("Blasts.create")(function* (ws, fields) {
          return yield* Effect.orDie(find(ws, yield* created(ws, fields)))
        }),

        find: Effect.fn("Blasts.find")(find),

        page: Effect.fn("Blasts.page")(function* (ws, query) {
          const { items, total } = yield* store.page(ws, query, yield* DateTime.now)
          return { items: items.map(shown), total }
        }),

        rename: Effect.fn("Blasts.rename")(function* (ws, id, fields) {
          yield* renamed(ws, id, fields)
          return yield* find(ws, id)
        }),

        remove: Effect.fn("Blasts.remove")(function* (ws, id) {
          const before = yield* store.lock(ws, id)
          const now = yield* DateTime.now
          const lists = discarded(before, yield* choices.former(ws, before), now)
          yield* writeNameless(ws, yield* Effect.fromResult(BlastChange.remove(before, lists, now)))
        }, transact),

        setAudience: Effect.fn("Blasts.setAudience")(function* (ws, id, choice) {
          yield* audienceSet(ws, id, choice)
          return yield* find(ws, id)
        }),

        setEmail: Effect.fn("Blasts.setEmail")(function* (ws, id, choice, by) {
          yield* emailSet(ws, id, yield* emailChoices.clean(choice), by)
          return yield* find(ws, id)
        }),

        sendNow: Effect.fn("Blasts.sendNow")(function* (ws, id, options) {
          const now = yield* DateTime.now
          const { blast, facts } = yield* store.lockForLaunch(ws, id, { now, ...options })
          const change = yield* Effect.fromResult(BlastChange.launch(blast, facts, options, now))
          yield* writeNameless(ws, change)
          return shown({ blast: change.after, facts, tally: nobody })
        }, transact),

        pause: Effect.fn("Blasts.pause")(function* (ws, id) {
          yield* paused(ws, id)
          return yield* find(ws, id)
        }),

        resume: Effect.fn("Blasts.resume")(function* (ws, id) {
          yield* resumed(ws, id)
          return yield* find(ws, id)
        }),

        cancel: Effect.fn("Blasts.cancel")(function* (ws, id) {
          yield* cancelled(ws, id)
          return yield* find(ws, id)
        }),

        archive: Effect.fn("Blasts.archive")(function* (ws, id) {
          yield* archived(ws, id)
          return yield* find(ws, id)
        }),

        retryFailed: Effect.fn("Blasts.retryFailed")(function* (ws, id, options) {
          yield* retries.begin(ws, id, options)
          return yield* find(ws, id)
        }),

        requeueFailed: Effect.fn("Blasts.requeueFailed")(retries.requeue),

        duplicate: Effect.fn("Blasts.duplicate")(function* (ws, id, by) {
          return yield* find(ws, yield* duplicated(ws, id, by))
        }),

        fail: Effect.fn("Blasts.fail")(function* (ws, id, failure) {
          yield* hold((blast, now) => BlastChange.fail(blast, failure, now))(ws, id)
        }),

        recipients: Effect.fn("Blasts.recipients")(store.recipients),

        finish: Effect.fn("Blasts.finish")(function* (ws) {
          yield* completed(ws)
          for (const { ending, id } of yield* store.endedWithOpen(ws, finished_max)) {
            yield* Effect.repeat(transact(endSome(ws, id, ending)), { while: (count) => count === ended_batch_max })
          }
        }),
      })
    }),
  )
}

/** What the choice of an audience comes to, asked of the rooms that know. */
const choosing = Effect.gen(function* () {
  const lists = yield* ListStore
  const rules = yield* RuleFactsStore
  const ids = yield* Ids

  /** The blast's own inline list, if it has one and it is still there; nobody else deletes it meanwhile. */
  const former = (ws: WorkspaceId, { audience }: Blast): Effect.Effect<List | null, never, Transaction> =>
    audience?.source === "inline"
      ? lists.lockForRemoval(ws, audience.listId).pipe(
          Effect.map(({ list }) => list),
          Effect.catchTag("NotFound", () => Effect.succeed(null)),
        )
      : Effect.succeed(null)

  const contentOf = Effect.fnUntraced(function* (ws: WorkspaceId, choice: InlineStatic | InlineDynamic) {
    if (choice.kind === "static") return { kind: "static", contactIds: choice.contactIds } as const
    const known = yield* rules.of(ws, mentionedIn(choice.rules))
    return { kind: "dynamic", rules: yield* Effect.fromResult(parseRules(choice.rules, known)) } as const
  })

  const inline = Effect.fnUntraced(function* (
    ws: WorkspaceId,
    blast: Blast,
    choice: InlineStatic | InlineDynamic,
    before: List | null,
  ) {
    const contactIds = choice.kind === "static" ? choice.contactIds : []
    yield* Effect.fromResult(checkContactIds(contactIds))
    const candidates = nameCandidates(audienceName(blast, choice.name), yield* ids.random)
    const named = choice.kind === "dynamic" ? mentionedIn(choice.rules).lists : []
    const facts = yield* lists.lockForCreation(ws, { candidates, contactIds, named })
    const content = yield* contentOf(ws, choice)
    const id = ListId.make(yield* ids.next)
    const wanted: NewList = { id, candidates, description: choice.description || null, content }
    return yield* Effect.fromResult(chooseInline(blast, wanted, before, facts, yield* DateTime.now))
  })

  const audience = Effect.fnUntraced(function* (ws: WorkspaceId, blast: Blast, choice: AudienceChoice) {
    const before = yield* former(ws, blast)
    if (choice.source === "inline") return yield* inline(ws, blast, choice, before)
    const list = yield* lists
      .find(ws, choice.listId)
      .pipe(Effect.catchTag("NotFound", () => new NotFound({ resource: "contact list", path: "list_id" })))
    return yield* Effect.fromResult(chooseExisting(blast, list, before, yield* DateTime.now))
  })

  return { former, audience }
})
