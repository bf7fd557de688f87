// The expiry of requests that no person has confirmed: topics that waited become what they were, and a contact without another
// trace is deleted.
import { Context, DateTime, Effect, Layer } from "effect"
import { ContactsChange } from "../contacts/ContactsChange.ts"
import { ContactStore, retryOnIdentityConflict } from "../contacts/ContactStore.ts"
import type { SubscriptionRequestId, WorkspaceId } from "../kernel/Ids.ts"
import { logFailure } from "../kernel/runtime/logFailure.ts"
import { serveTurns } from "../kernel/runtime/Turns.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { ConsentStore } from "../topics/ConsentStore.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { SubscriptionChange } from "./machine.ts"
import { subscribing } from "./Subscribing.ts"
import { type ExpiryTurn, SubscriptionStore } from "./SubscriptionStore.ts"

/** Requests of a workspace that one query returns. */
const due_max = 100
/** How long other workers leave a workspace alone. An expiry takes some milliseconds. */
const turn_ms = 10_000

export class Expiries extends Context.Service<
  Expiries,
  {
    /** For workers, periodically: expires what is due, each request in a transaction of its own. Safe in any number of workers. */
    readonly run: Effect.Effect<void>
  }
>()("tentpole/Expiries") {
  static readonly layer = Layer.effect(
    Expiries,
    Effect.gen(function* () {
      const store = yield* SubscriptionStore
      const consents = yield* ConsentStore
      const topicStore = yield* TopicStore
      const contacts = yield* ContactStore
      const { write } = yield* subscribing
      const { transact } = yield* Transactor

      const expire = (workspace: WorkspaceId, id: SubscriptionRequestId) =>
        Effect.gen(function* () {
          const { contactId, madeContact } = yield* store.get(workspace, id)
          if (contactId === null) return
          const [contact] = yield* madeContact
            ? contacts.lockForDeletion(workspace, [contactId])
            : contacts.lock(workspace, { emails: [], phones: [], ids: [contactId] })
          const it = yield* store.get(workspace, id)
          if (contact === undefined || it.contactId !== contactId) return
          const choices = yield* consents.lock(workspace, [contactId], it.topicIds)
          const topics = yield* topicStore.many(workspace, it.topicIds)
          const now = yield* DateTime.now
          const deletes = it.madeContact && !(yield* store.hasOtherTrace(workspace, contactId, id))
          const decision = SubscriptionChange.expire(it, topics, { choices, now }, deletes)
          if (decision === null) return
          yield* write(workspace, decision)
          if (deletes) yield* contacts.apply(workspace, ContactsChange.of([{ before: contact, after: null, at: now }]))
        }).pipe(
          transact,
          retryOnIdentityConflict,
          Effect.catchTag("NotFound", () => Effect.void),
          // One that can't be written does not stop the others. It stays due and is tried again.
          logFailure("a subscription request could not expire", { workspace_id: workspace, request_id: id }, "Warning"),
        )

      const serve = Effect.fnUntraced(function* (turn: ExpiryTurn) {
        const due = yield* store.due(turn.workspace, yield* DateTime.now, due_max)
        yield* Effect.forEach(due, (id) => expire(turn.workspace, id), { discard: true })
        yield* transact(store.endTurn(turn))
      })

      return Expiries.of({
        run: serveTurns({
          take: (limit) => transact(store.takeTurns({ limit, turn_ms })),
          workspaceOf: ({ workspace }) => workspace,
          serve,
          failure: "subscription requests could not expire",
          concurrency: 2,
        }),
      })
    }),
  )
}
