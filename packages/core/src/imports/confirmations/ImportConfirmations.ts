// The confirmation mails of imports with double opt-in: contacts that wait are asked one after another, as fast as the limits of
// requests allow.
import { Context, DateTime, Effect, Layer } from "effect"
import type { Contact } from "../../contacts/Contact.ts"
import { ContactStore, retryOnIdentityConflict } from "../../contacts/ContactStore.ts"
import { ConsentRecordId, Ids, type WorkspaceId } from "../../kernel/Ids.ts"
import { serveTurns } from "../../kernel/runtime/Turns.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { parseEmail } from "../../kernel/values/EmailAddress.ts"
import { SuppressionStore } from "../../sending/SuppressionStore.ts"
import { subscribing, type SubscribingRefusal } from "../../subscriptions/Subscribing.ts"
import { SubscriptionStore } from "../../subscriptions/SubscriptionStore.ts"
import { ChoicesChange } from "../../topics/ChoicesChange.ts"
import { ConsentStore } from "../../topics/ConsentStore.ts"
import type { Topic } from "../../topics/Topic.ts"
import { TopicStore } from "../../topics/TopicStore.ts"
import { ImportStore } from "../ImportStore.ts"
import { ConfirmationQueue, type ConfirmationTurn } from "./ConfirmationQueue.ts"
import {
  decideWaiting,
  dropSteps,
  evidenceOfImport,
  type WaitingConfirmation,
  type WaitingKey,
} from "./WaitingConfirmation.ts"

/** Contacts of a workspace that one query returns. */
const due_max = 100
/** How long other workers leave a workspace alone. A turn that takes longer does no harm. */
const turn_ms = 30_000
/** After a mail that could not be prepared, or that the plan does not allow: the next one would not be, either. */
const retry_s = 600

export class ImportConfirmations extends Context.Service<
  ImportConfirmations,
  {
    /** For workers, periodically: handles contacts that are due, each in a transaction of its own. Safe in any number of workers. */
    readonly run: Effect.Effect<void>
  }
>()("tentpole/ImportConfirmations") {
  static readonly layer = Layer.effect(
    ImportConfirmations,
    Effect.gen(function* () {
      const queue = yield* ConfirmationQueue
      const imports = yield* ImportStore
      const contacts = yield* ContactStore
      const consents = yield* ConsentStore
      const topicStore = yield* TopicStore
      const requests = yield* SubscriptionStore
      const suppressions = yield* SuppressionStore
      const { prepare, subscribe } = yield* subscribing
      const { transact } = yield* Transactor
      const ids = yield* Ids

      const drop = Effect.fnUntraced(function* (workspace: WorkspaceId, key: WaitingKey, topics: ReadonlyArray<Topic>) {
        const steps = dropSteps(key, topics, yield* DateTime.now)
        const recordIds = (yield* ids.many(steps.length)).map((id) => ConsentRecordId.make(id))
        yield* consents.apply(workspace, ChoicesChange.of(steps, recordIds))
      })

      const decision = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        contact: Contact,
        waiting: WaitingConfirmation,
      ) {
        const email = contact.emailNormalized
        const suppressed = email === null ? [] : yield* suppressions.lock(workspace, [email])
        return decideWaiting(waiting, {
          contact,
          isSuppressed: suppressed.length > 0,
          choices: yield* consents.lock(workspace, [contact.id], waiting.topicIds),
          topics: yield* topicStore.many(workspace, waiting.topicIds),
          open: yield* requests.findPending(workspace, contact.id),
          now: yield* DateTime.now,
        })
      })

      const askFor = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        contact: Contact,
        { runId }: WaitingKey,
        topics: ReadonlyArray<Topic>,
      ) {
        const { consent } = yield* imports.getRun(workspace, runId)
        const email = contact.email === null ? null : parseEmail(contact.email)
        if (consent === null || email === null) return yield* drop(workspace, { runId, contactId: contact.id }, topics)
        const wanted = {
          email,
          topics,
          evidence: evidenceOfImport(runId, consent),
          collectedAt: null,
          confirmationEmailId: null,
          redirectUrl: null,
          doubleOptIn: true,
        }
        const prepared = yield* prepare(workspace, wanted, contact, { now: yield* DateTime.now, strict: true })
        yield* subscribe(prepared, { contact, made: false, strict: true })
      })

      /** `mayAsk` false: no mail can be sent to the address. */
      const handle = (workspace: WorkspaceId, key: WaitingKey, mayAsk: boolean) =>
        Effect.gen(function* () {
          const [contact] = yield* contacts.lock(workspace, { emails: [], phones: [], ids: [key.contactId] })
          const waiting = yield* queue.take(workspace, key)
          if (contact === undefined || waiting === null) return
          const { asked, dropped } = yield* decision(workspace, contact, waiting)
          yield* drop(workspace, key, mayAsk ? dropped : [...dropped, ...asked])
          if (mayAsk && asked.length > 0) yield* askFor(workspace, contact, key, asked)
        }).pipe(transact, retryOnIdentityConflict)

      /** The time until which the workspace waits; null: it goes on. */
      const afterRefusal = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        key: WaitingKey,
        refusal: SubscribingRefusal,
      ) {
        const now = yield* DateTime.now
        switch (refusal._tag) {
          case "AddressSuppressed":
            yield* Effect.catch(handle(workspace, key, false), Effect.die)
            return null
          case "ConfirmationLimitReached": {
            const until = DateTime.add(now, { seconds: refusal.wait_s })
            if (refusal.of === "workspace") return until
            yield* transact(queue.postpone(workspace, key, until))
            return null
          }
          default:
            yield* Effect.annotateLogs(Effect.logWarning(`no confirmation mail was sent: ${refusal.message}`), {
              workspace_id: workspace,
              import_run_id: key.runId,
            })
            yield* transact(queue.postpone(workspace, key, DateTime.add(now, { seconds: retry_s })))
            return DateTime.add(now, { seconds: retry_s })
        }
      })

      const handled = (workspace: WorkspaceId, key: WaitingKey) =>
        handle(workspace, key, true).pipe(
          Effect.as(null),
          Effect.catch((refusal) => afterRefusal(workspace, key, refusal)),
        )

      const serve = Effect.fnUntraced(function* (turn: ConfirmationTurn) {
        const { workspace } = turn
        let earliest: DateTime.Utc | null = null
        const due = yield* queue.due(workspace, yield* DateTime.now, due_max)
        for (const key of due) {
          earliest = yield* handled(workspace, key)
          if (earliest !== null) break
        }
        yield* transact(queue.endTurn(turn, earliest ?? (yield* DateTime.now)))
      })

      return ImportConfirmations.of({
        run: serveTurns({
          take: (limit) => transact(queue.takeTurns({ limit, turn_ms })),
          workspaceOf: ({ workspace }) => workspace,
          serve,
          failure: "confirmation mails of imports failed",
          concurrency: 2,
        }),
      })
    }),
  )
}
