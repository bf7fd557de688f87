// The use cases behind the link of a confirmation mail: what it confirms, the confirmation, and a new mail after it has expired.
import { Context, DateTime, Effect, Layer } from "effect"
import { patchContact } from "../contacts/ContactPatch.ts"
import { ContactsChange } from "../contacts/ContactsChange.ts"
import { ContactStore, retryOnIdentityConflict } from "../contacts/ContactStore.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import type { PageOwner } from "../tents/pages/PageHead.ts"
import type { Evidence } from "../topics/ConsentRecord.ts"
import { ConsentStore } from "../topics/ConsentStore.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { addressRequests } from "./AddressRequests.ts"
import { type ConfirmationTarget, notFound, readConfirmationToken } from "./ConfirmationLink.ts"
import { SubscriptionChange } from "./machine.ts"
import { subscribing } from "./Subscribing.ts"
import { requestStatusAt, type SubscriptionRequest } from "./SubscriptionRequest.ts"
import { SubscriptionStore } from "./SubscriptionStore.ts"

/** What a page shows of a request. */
export interface Confirmation {
  readonly owner: PageOwner
  readonly status: "pending" | "confirmed" | "expired"
  readonly email: string
  readonly topics: ReadonlyArray<{ readonly name: string; readonly description: string | null }>
  /** What the person agreed to. */
  readonly text: string | null
  readonly privacyUrl: string | null
  /** Where the page leads after the confirmation. */
  readonly redirectUrl: string | null
}

/** A token that is forged, or of a request that does not exist any more, fails with `NotFound`. */
export class Confirmations extends Context.Service<
  Confirmations,
  {
    /** Changes nothing: programs follow links, too. */
    readonly get: (token: string) => Effect.Effect<Confirmation, NotFound>
    /** May be repeated. Returns the request as it is afterwards. */
    readonly confirm: (
      token: string,
      by: Pick<Evidence, "ipPrefix" | "userAgent">,
    ) => Effect.Effect<Confirmation, NotFound>
    /** A new mail for a request that has expired. Within the limits: the answer is the same. */
    readonly renew: (token: string) => Effect.Effect<Confirmation, NotFound>
  }
>()("tentpole/Confirmations") {
  static readonly layer = Layer.effect(
    Confirmations,
    Effect.gen(function* () {
      const store = yield* SubscriptionStore
      const consents = yield* ConsentStore
      const topicStore = yield* TopicStore
      const contacts = yield* ContactStore
      const workspaces = yield* WorkspaceStore
      const secrets = yield* Secrets
      const request = yield* addressRequests
      const { write } = yield* subscribing
      const { transact } = yield* Transactor

      /** The link of a superseded request is that of the newer one. A request is superseded only with a mail: there are few. */
      const find = Effect.fnUntraced(function* ({ requestId, workspaceId }: ConfirmationTarget) {
        let found = yield* store.get(workspaceId, requestId)
        while (found.supersededBy !== null) found = yield* store.get(workspaceId, found.supersededBy)
        return found
      })

      const shown = Effect.fnUntraced(function* (workspaceId: WorkspaceId, it: SubscriptionRequest) {
        const { brand, consent } = yield* workspaces.get(workspaceId)
        const topics = yield* topicStore.many(workspaceId, it.topicIds)
        const status = requestStatusAt(it, yield* DateTime.now)
        return {
          owner: brand,
          status: status === "superseded" ? "expired" : status,
          email: it.email,
          topics: it.topicIds.flatMap((id) => topics.find((topic) => topic.id === id) ?? []),
          text: it.evidence.text,
          privacyUrl: consent.privacyUrl,
          redirectUrl: it.redirectUrl,
        } satisfies Confirmation
      })

      const confirmed = (target: ConfirmationTarget, by: Pick<Evidence, "ipPrefix" | "userAgent">) =>
        Effect.gen(function* () {
          const { workspaceId } = target
          const { contactId } = yield* find(target)
          if (contactId === null) return
          const [contact] = yield* contacts.lock(workspaceId, { emails: [], phones: [], ids: [contactId] })
          const now = yield* DateTime.now
          const it = yield* find(target)
          // The person has proved that this address is theirs, and no other one.
          if (contact?.id !== it.contactId || contact.emailNormalized !== it.emailNormalized) return yield* notFound
          const choices = yield* consents.lock(workspaceId, [contact.id], it.topicIds)
          const topics = yield* topicStore.many(workspaceId, it.topicIds)
          const decision = SubscriptionChange.confirm(it, topics, { choices, now }, by)
          if (decision === null) return
          yield* write(workspaceId, decision)
          const after = patchContact(contact, { unsubscribed: false, marketingEmailSubscribed: true }, now)
          const step = { before: contact, after, at: now, resubscribes: true }
          yield* contacts.apply(workspaceId, ContactsChange.of([step]))
        }).pipe(transact, retryOnIdentityConflict)

      return Confirmations.of({
        get: Effect.fn("Confirmations.get")(function* (token) {
          const target = yield* readConfirmationToken(secrets, token)
          return yield* shown(target.workspaceId, yield* find(target))
        }),

        confirm: Effect.fn("Confirmations.confirm")(function* (token, by) {
          const target = yield* readConfirmationToken(secrets, token)
          yield* confirmed(target, by)
          return yield* shown(target.workspaceId, yield* find(target))
        }),

        renew: Effect.fn("Confirmations.renew")(function* (token) {
          const target = yield* readConfirmationToken(secrets, token)
          const { workspaceId } = target
          const it = yield* find(target)
          const page = yield* shown(workspaceId, it)
          const email = parseEmail(it.email)
          const known = yield* topicStore.many(workspaceId, it.topicIds)
          const topics = known.filter(({ status }) => status === "active")
          if (page.status !== "expired" || email === null || topics.length === 0) return page
          const { confirmationEmailId, evidence, redirectUrl } = it
          const wanted = {
            email,
            topics,
            evidence,
            collectedAt: null,
            confirmationEmailId,
            redirectUrl,
            doubleOptIn: true,
          }
          // A failure would say that the address is known, or suppressed.
          yield* Effect.ignore(request(workspaceId, wanted, { contact: {}, strict: false }))
          return page
        }),
      })
    }),
  )
}
