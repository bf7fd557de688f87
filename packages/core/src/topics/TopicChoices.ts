// The use cases of what a contact chose: statuses for topics, and the evidence.
import { Context, DateTime, Effect, Layer } from "effect"
import { contactNotFound } from "../contacts/ContactErrors.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { ConsentRecordId, type ContactId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import { type BrokenCursor, type ListedBy, type Sliced, sliceOf } from "../kernel/Page.ts"
import type { Invalid, NotFound } from "../kernel/Refusal.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Actor } from "../kernel/changes/Actor.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type DecidedChoice, decideChoices, type WantedChoice } from "./ChoiceDecision.ts"
import { ChoicesChange } from "./ChoicesChange.ts"
import { type HashedRecord, hashRecord } from "./ConsentRecord.ts"
import { ConsentStore } from "./ConsentStore.ts"
import { type Topic, type TopicChoice, type TopicStatus, topicStatusOf } from "./Topic.ts"
import type { TopicArchived } from "./TopicErrors.ts"
import { TopicStore } from "./TopicStore.ts"

/** A topic, and the status of a contact for it. `choice` null: nothing is recorded, so the default counts. */
export interface TopicOfContact {
  readonly topic: Topic
  readonly status: TopicStatus
  readonly choice: TopicChoice | null
}

export class TopicChoices extends Context.Service<
  TopicChoices,
  {
    /** All active topics, in their order. */
    readonly list: (
      workspace: WorkspaceId,
      contact: ContactId,
    ) => Effect.Effect<ReadonlyArray<TopicOfContact>, NotFound>
    /** One result for each item. The others are written, whatever is refused. */
    readonly update: (
      workspace: WorkspaceId,
      contact: ContactId,
      items: ReadonlyArray<WantedChoice>,
    ) => Effect.Effect<ReadonlyArray<DecidedChoice>, NotFound | Invalid | TopicArchived>
    /** The newest first. */
    readonly listRecords: (
      workspace: WorkspaceId,
      contact: ContactId,
      by: ListedBy,
    ) => Effect.Effect<Sliced<HashedRecord>, NotFound | BrokenCursor>
  }
>()("tentpole/TopicChoices") {
  static readonly layer = Layer.effect(
    TopicChoices,
    Effect.gen(function* () {
      const topics = yield* TopicStore
      const consent = yield* ConsentStore
      const contacts = yield* ContactStore
      const ids = yield* Ids
      const secrets = yield* Secrets
      const { transact } = yield* Transactor

      const facts = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        contactId: ContactId,
        items: ReadonlyArray<WantedChoice>,
      ) {
        const [contact] = yield* contacts.lock(workspace, { emails: [], phones: [], ids: [contactId] })
        if (contact === undefined) {
          const merged = yield* contacts.findMerged(workspace, [contactId])
          return yield* contactNotFound(merged.get(contactId) ?? null)
        }
        const named = [...new Set(items.map(({ topicId }) => topicId))]
        const choices = yield* consent.lock(workspace, [contactId], named)
        return { contactId, choices, topics: yield* topics.many(workspace, named) }
      })

      return TopicChoices.of({
        list: Effect.fn("TopicChoices.list")(function* (workspace, contact) {
          yield* contacts.get(workspace, contact)
          const chosen = yield* consent.choices(workspace, [contact], null)
          const all = yield* topics.list(workspace)
          return all.flatMap(({ topic }): ReadonlyArray<TopicOfContact> => {
            const choice = chosen.find(({ topicId }) => topicId === topic.id) ?? null
            return topic.status === "active" ? [{ topic, choice, status: topicStatusOf(topic, choice) }] : []
          })
        }),

        update: Effect.fn("TopicChoices.update")(
          function* (workspace, contact, items) {
            const known = yield* facts(workspace, contact, items)
            const { items: decided, steps } = yield* Effect.fromResult(
              decideChoices(items, { ...known, actor: yield* Actor, now: yield* DateTime.now }),
            )
            const recordIds = yield* Effect.forEach(steps, () => ids.next)
            yield* consent.apply(
              workspace,
              ChoicesChange.of(
                steps,
                recordIds.map((id) => ConsentRecordId.make(id)),
              ),
            )
            return decided
          },
          (body) => transact(body),
        ),

        listRecords: Effect.fn("TopicChoices.listRecords")(function* (workspace, contact, by) {
          const slice = yield* sliceOf(by)
          yield* contacts.get(workspace, contact)
          const { items, next } = yield* consent.records(workspace, contact, slice)
          return { items: items.map(hashRecord(secrets.sha256)), next }
        }),
      })
    }),
  )
}
