// What can be done with blasts. Those that end or hold a blast hold off intents while they decide, so that nothing is handed
// over once they have answered.
import { Context, DateTime, Effect, Layer } from "effect"
import { emailChooser, type EmailChoice } from "../emails/EmailChoice.ts"
import type { HtmlTooLarge, TemplateNotApproved } from "../documents/DocumentErrors.ts"
import { BlastId, Ids, ListId, type WorkspaceId } from "../kernel/Ids.ts"
import type { List, ListNameExists, NewList } from "../lists/List.ts"
import { nameCandidates } from "../lists/ListName.ts"
import { ListStore } from "../lists/ListStore.ts"
import type { Paged } from "../kernel/Page.ts"
import { Invalid, type InvalidState, NotFound } from "../kernel/Refusal.ts"
import { referencesInJson, parseRules } from "../segments/Parse.ts"
import { RuleFactsStore } from "../segments/RuleFacts.ts"
import { type Transaction, Transactor } from "../kernel/changes/Transactor.ts"
import { applyEvent } from "./ApplyEvent.ts"
import { type Blast, type BlastFields, type EarlyEnding, earlyEndingOf, type RetryOptions } from "./Blast.ts"
import { type BlastQuery, type BlastRecipient, BlastStore, type RecipientQuery } from "./BlastStore.ts"
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
import { accepting, type BlastEvent, createBlast, decide } from "./machine.ts"
import type { CampaignNotReady } from "./Readiness.ts"
import { retrying, type StartedRetry } from "./Retries.ts"
import { emptyTally, toBlastView, type BlastView } from "./BlastView.ts"

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
    ) => Effect.Effect<BlastView, Invalid>
    readonly get: (ws: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound>
    readonly list: (ws: WorkspaceId, query: BlastQuery) => Effect.Effect<Paged<BlastView>>
    readonly update: (ws: WorkspaceId, id: BlastId, fields: BlastFields) => Effect.Effect<BlastView, NotFound | Invalid>
    /** Its inline audience goes with it, its inline email stays. */
    readonly delete: (ws: WorkspaceId, id: BlastId) => Effect.Effect<void, NotFound | InvalidState>
    readonly setAudience: (
      ws: WorkspaceId,
      id: BlastId,
      choice: AudienceChoice,
    ) => Effect.Effect<BlastView, NotFound | InvalidState | Invalid | ListNameExists>
    /** `by`: who is named as the maker of an inline email. */
    readonly setEmail: (
      ws: WorkspaceId,
      id: BlastId,
      choice: EmailChoice,
      by: string,
    ) => Effect.Effect<BlastView, NotFound | InvalidState | Invalid | HtmlTooLarge | TemplateNotApproved>
    readonly sendNow: (
      ws: WorkspaceId,
      id: BlastId,
      options: { readonly operational: boolean },
    ) => Effect.Effect<BlastView, NotFound | InvalidState | CampaignNotReady | FreePlanEmailLimit>
    readonly pause: (ws: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound | InvalidState>
    readonly resume: (ws: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound | InvalidState>
    readonly cancel: (ws: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound | InvalidState>
    /** Puts away what is not being sent; what is archived already stays as it is. */
    readonly archive: (ws: WorkspaceId, id: BlastId) => Effect.Effect<BlastView, NotFound | InvalidState>
    /** Sends again to recipients that failed for a reason that may pass; never to whose address is bad. */
    readonly retryFailed: (
      ws: WorkspaceId,
      id: BlastId,
      options: RetryOptions,
    ) => Effect.Effect<BlastView, NotFound | InvalidState | CampaignNotReady | FreePlanEmailLimit>
    /** For workers: puts the recipients of this retry back into the queue. May be called again, and by two at once. */
    readonly requeueFailed: (ws: WorkspaceId, id: BlastId, retry: StartedRetry) => Effect.Effect<void>
    /** A draft like it: inline audience and email are copied, others shared. `by`: who made the copy. */
    readonly duplicate: (
      ws: WorkspaceId,
      id: BlastId,
      by: string,
    ) => Effect.Effect<BlastView, NotFound | ListNameExists>
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
      const emailChoices = yield* emailChooser
      const { transact } = yield* Transactor
      const retries = yield* retrying
      const duplicated = yield* duplicating
      const ids = yield* Ids

      const get = Effect.fnUntraced(function* (ws: WorkspaceId, id: BlastId) {
        return toBlastView(yield* store.get(ws, id, yield* DateTime.now))
      })

      /** A batch of the recipients that end with their blast; answers how many. */
      const endSome = (ws: WorkspaceId, id: BlastId, ending: EarlyEnding | null) =>
        ending === null ? Effect.succeed(0) : store.endOpen(ws, id, ending, ended_batch_max)

      const change = Effect.fnUntraced(function* <T extends Exclude<BlastEvent["_tag"], "setAudience">>(
        ws: WorkspaceId,
        id: BlastId,
        event: BlastEvent<T>,
      ) {
        yield* applyEvent(store, ws, yield* store.lock(ws, id), event, yield* DateTime.now)
      })

      /** An event that binds senders. `finish` ends those of a blast's recipients that are beyond a batch. */
      const changeAgainstIntents = Effect.fnUntraced(function* (
        ws: WorkspaceId,
        id: BlastId,
        event: BlastEvent<"pause" | "resume" | "cancel" | "archive" | "fail">,
      ) {
        const before = yield* store.lockAgainstIntents(ws, id)
        const { after } = yield* applyEvent(store, ws, before, event, yield* DateTime.now)
        yield* endSome(ws, id, earlyEndingOf(after))
      })

      const create = Effect.fnUntraced(function* (ws: WorkspaceId, fields: BlastFields & { readonly name: string }) {
        const id = BlastId.make(yield* ids.next)
        const created = yield* Effect.fromResult(createBlast(id, fields, yield* DateTime.now))
        yield* Effect.catchTag(store.apply(ws, created), "ListNameExists", Effect.die)
        return id
      }, transact)

      const setAudience = Effect.fnUntraced(function* (ws: WorkspaceId, id: BlastId, choice: AudienceChoice) {
        const before = yield* store.lock(ws, id)
        yield* Effect.fromResult(accepting(before, "setAudience"))
        const chosen = yield* choices.audience(ws, before, choice)
        const event = { _tag: "setAudience", ...chosen } as const
        yield* store.apply(ws, yield* Effect.fromResult(decide(before, event, yield* DateTime.now)))
      })

      const setEmail = Effect.fnUntraced(function* (ws: WorkspaceId, id: BlastId, choice: EmailChoice, by: string) {
        const before = yield* store.lock(ws, id)
        yield* Effect.fromResult(accepting(before, "setEmail"))
        const { change: inlineEmail, ...email } = yield* emailChoices.choose(ws, before, choice, by)
        yield* applyEvent(store, ws, before, { _tag: "setEmail", email, inlineEmail }, yield* DateTime.now)
      })

      /** A verb in a transaction of its own. Answers the blast as it is after the commit. */
      const verb = <Arguments extends ReadonlyArray<unknown>, E>(
        name: string,
        run: (ws: WorkspaceId, id: BlastId, ...its: Arguments) => Effect.Effect<void, E, Transaction>,
      ) =>
        Effect.fn(`Blasts.${name}`)(function* (ws: WorkspaceId, id: BlastId, ...its: Arguments) {
          yield* transact(run(ws, id, ...its))
          return yield* get(ws, id)
        })

      const complete = Effect.fnUntraced(function* (ws: WorkspaceId) {
        const now = yield* DateTime.now
        for (const blast of yield* store.lockFinished(ws, finished_max)) {
          yield* Effect.orDie(applyEvent(store, ws, blast, { _tag: "complete" }, now))
        }
      }, transact)

      return Blasts.of({
        create: Effect.fn("Blasts.create")(function* (ws, fields) {
          return yield* Effect.orDie(get(ws, yield* create(ws, fields)))
        }),

        get: Effect.fn("Blasts.get")(get),

        list: Effect.fn("Blasts.list")(function* (ws, query) {
          const { items, total } = yield* store.list(ws, query, yield* DateTime.now)
          return { items: items.map(toBlastView), total }
        }),

        update: verb("rename", (ws, id, fields: BlastFields) => change(ws, id, { _tag: "update", fields })),

        delete: Effect.fn("Blasts.delete")(function* (ws, id) {
          const before = yield* store.lock(ws, id)
          const now = yield* DateTime.now
          const lists = discarded(before, yield* choices.former(ws, before), now)
          yield* applyEvent(store, ws, before, { _tag: "delete", lists }, now)
        }, transact),

        setAudience: verb("setAudience", setAudience),
        setEmail: Effect.fn("Blasts.setEmail")(function* (ws, id, choice, by) {
          const clean = yield* emailChoices.clean(choice)
          yield* transact(setEmail(ws, id, clean, by))
          return yield* get(ws, id)
        }),

        sendNow: Effect.fn("Blasts.sendNow")(function* (ws, id, options) {
          const now = yield* DateTime.now
          const { blast, facts } = yield* store.lockForLaunch(ws, id, { now, ...options })
          const { after } = yield* applyEvent(store, ws, blast, { _tag: "launch", facts, ...options }, now)
          return toBlastView({ blast: after, facts, tally: emptyTally })
        }, transact),

        pause: verb("pause", (ws, id) => changeAgainstIntents(ws, id, { _tag: "pause" })),
        resume: verb("resume", (ws, id) => changeAgainstIntents(ws, id, { _tag: "resume" })),
        cancel: verb("cancel", (ws, id) => changeAgainstIntents(ws, id, { _tag: "cancel" })),
        archive: verb("archive", (ws, id) => changeAgainstIntents(ws, id, { _tag: "archive" })),

        retryFailed: verb("retryFailed", retries.begin),

        requeueFailed: Effect.fn("Blasts.requeueFailed")(retries.requeue),

        duplicate: Effect.fn("Blasts.duplicate")(function* (ws, id, by) {
          return yield* get(ws, yield* duplicated(ws, id, by))
        }),

        fail: Effect.fn("Blasts.fail")(function* (ws, id, failure) {
          yield* changeAgainstIntents(ws, id, { _tag: "fail", failure })
        }, transact),

        recipients: Effect.fn("Blasts.recipients")(store.recipients),

        finish: Effect.fn("Blasts.finish")(function* (ws) {
          yield* complete(ws)
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
      ? lists.lockForDelete(ws, audience.listId).pipe(
          Effect.map(({ list }) => list),
          Effect.catchTag("NotFound", () => Effect.succeed(null)),
        )
      : Effect.succeed(null)

  const contentOf = Effect.fnUntraced(function* (ws: WorkspaceId, choice: InlineStatic | InlineDynamic) {
    if (choice.kind === "static") return { kind: "static", contactIds: choice.contactIds } as const
    const known = yield* rules.of(ws, referencesInJson(choice.rules))
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
    const named = choice.kind === "dynamic" ? referencesInJson(choice.rules).lists : []
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
      .get(ws, choice.listId)
      .pipe(Effect.catchTag("NotFound", () => new NotFound({ resource: "contact list", path: "list_id" })))
    return yield* Effect.fromResult(chooseExisting(blast, list, before, yield* DateTime.now))
  })

  return { former, audience }
})
