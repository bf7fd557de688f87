// The use cases of subscription requests: a program subscribes a person to topics, reads what became of it, and sends the
// confirmation mail again.
import { Context, DateTime, Effect, Layer } from "effect"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import type { ContactPatch } from "../contacts/ContactPatch.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { fieldsByName, readPatch } from "../contacts/batch/ContactItem.ts"
import type { ContactId, EmailId, SubscriptionRequestId, TopicId, WorkspaceId } from "../kernel/Ids.ts"
import { type BrokenCursor, type Listed, listed, type ListedBy, sliceOf } from "../kernel/Page.ts"
import { Invalid, InvalidState, NotFound } from "../kernel/Refusal.ts"
import { Actor } from "../kernel/changes/Actor.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import { ConsentStore } from "../topics/ConsentStore.ts"
import { consentIssues, evidenceOfCall, type GivenConsent } from "../topics/GivenConsent.ts"
import { type Topic, topicStatusOf, type TopicStatus } from "../topics/Topic.ts"
import { TopicArchived } from "../topics/TopicErrors.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { addressRequests } from "./AddressRequests.ts"
import { SubscriptionChange } from "./machine.ts"
import { subscribing, type SubscribingRefusal } from "./Subscribing.ts"
import {
  redirect_url_length_max,
  type RequestStatus,
  requestStatusAt,
  type SubscriptionRequest,
} from "./SubscriptionRequest.ts"
import { SubscriptionStore } from "./SubscriptionStore.ts"

export interface NewSubscription {
  readonly email: string
  readonly topicIds: ReadonlyArray<TopicId>
  /** Undecoded fields of a contact that is created. */
  readonly contact?: object
  readonly consent: GivenConsent
  readonly confirmationEmailId?: EmailId
  readonly redirectUrl?: string
}

export interface RequestView extends Omit<SubscriptionRequest, "status"> {
  readonly status: RequestStatus
  /** All topics of the request, with the status that the person has for them now. */
  readonly topics: ReadonlyArray<{ readonly id: TopicId; readonly name: string; readonly status: TopicStatus }>
}

export interface ListedRequests extends ListedBy {
  readonly status?: RequestStatus
  readonly topicId?: TopicId
  readonly contactId?: ContactId
}

export class Subscriptions extends Context.Service<
  Subscriptions,
  {
    /** Fails when a topic needs a confirmation and no mail can be sent. */
    readonly create: (
      workspace: WorkspaceId,
      subscription: NewSubscription,
    ) => Effect.Effect<RequestView, Invalid | TopicArchived | SubscribingRefusal>
    readonly get: (workspace: WorkspaceId, id: SubscriptionRequestId) => Effect.Effect<RequestView, NotFound>
    /** The newest first. */
    readonly list: (workspace: WorkspaceId, by: ListedRequests) => Effect.Effect<Listed<RequestView>, BrokenCursor>
    /** Sends the confirmation mail of a request that waits again. */
    readonly resend: (
      workspace: WorkspaceId,
      id: SubscriptionRequestId,
    ) => Effect.Effect<RequestView, InvalidState | SubscribingRefusal>
  }
>()("tentpole/Subscriptions") {
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.gen(function* () {
      const store = yield* SubscriptionStore
      const topicStore = yield* TopicStore
      const consents = yield* ConsentStore
      const contactStore = yield* ContactStore
      const fieldStore = yield* ContactFieldStore
      const workspaces = yield* WorkspaceStore
      const request = yield* addressRequests
      const { accept, checkLimits, mailable, prepareMail, write } = yield* subscribing
      const { transact } = yield* Transactor

      const topicsNamed = Effect.fnUntraced(function* (workspace: WorkspaceId, ids: ReadonlyArray<TopicId>) {
        const found = new Map((yield* topicStore.many(workspace, ids)).map((topic) => [topic.id, topic]))
        const topics: Array<Topic> = []
        for (const [at, id] of ids.entries()) {
          const topic = found.get(id)
          const path = `topic_ids.${at}`
          if (topic === undefined) return yield* new NotFound({ resource: "topic", path })
          if (topic.status === "archived") return yield* new TopicArchived({ path })
          if (!topics.includes(topic)) topics.push(topic)
        }
        return topics
      })

      const fieldsOf = Effect.fnUntraced(function* (workspace: WorkspaceId, contact: object) {
        const reserved = reservedFields.filter((name) => Object.hasOwn(contact, name))
        if (reserved.length > 0) {
          const message = "can't be set here: the email of the request counts, and the confirmation"
          return yield* new Invalid({ issues: reserved.map((name) => ({ path: `contact.${name}`, message })) })
        }
        const { defaultCountry } = yield* Effect.orDie(workspaces.get(workspace))
        const fields = fieldsByName(yield* fieldStore.list(workspace))
        const how = { values: "json", fields, defaultCountry, allowNotEditable: false } as const
        return yield* Effect.mapError(
          Effect.fromResult(readPatch(contact, how)),
          ({ issues }) =>
            new Invalid({ issues: issues.map(({ message, path }) => ({ path: `contact.${path}`, message })) }),
        )
      })

      const viewsOf = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        requests: ReadonlyArray<SubscriptionRequest>,
      ) {
        const now = yield* DateTime.now
        const topicIds = [...new Set(requests.flatMap(idsOf))]
        const contactIds = [...new Set(requests.flatMap(({ contactId }) => contactId ?? []))]
        const topics = yield* topicStore.many(workspace, topicIds)
        const choices = yield* consents.choices(workspace, contactIds, topicIds)
        return requests.map((each): RequestView => ({
          ...each,
          status: requestStatusAt(each, now),
          topics: idsOf(each).flatMap((id) => {
            const topic = topics.find((known) => known.id === id)
            const choice = choices.find(({ contactId, topicId }) => contactId === each.contactId && topicId === id)
            return topic === undefined ? [] : [{ id, name: topic.name, status: topicStatusOf(topic, choice ?? null) }]
          }),
        }))
      })

      const viewOf = Effect.fnUntraced(function* (workspace: WorkspaceId, each: SubscriptionRequest) {
        const [view] = yield* viewsOf(workspace, [each])
        return view ?? (yield* Effect.die("a request has no view"))
      })

      return Subscriptions.of({
        create: Effect.fn("Subscriptions.create")(function* (workspace, subscription) {
          const { consent, confirmationEmailId = null, redirectUrl = null } = subscription
          const now = yield* DateTime.now
          const issues = issuesOf(subscription, now)
          const email = parseEmail(subscription.email)
          if (issues.length > 0 || email === null) return yield* new Invalid({ issues })
          const contact: ContactPatch = yield* fieldsOf(workspace, subscription.contact ?? {})
          const topics = yield* topicsNamed(workspace, subscription.topicIds)
          const wanted = {
            email,
            topics,
            evidence: evidenceOfCall(yield* Actor, consent),
            collectedAt: consent.collectedAt ?? null,
            confirmationEmailId,
            redirectUrl,
            doubleOptIn: null,
          }
          const after = yield* request(workspace, wanted, { contact, strict: true })
          return yield* viewOf(workspace, after ?? (yield* Effect.die("a strict request was not written")))
        }),

        get: Effect.fn("Subscriptions.get")(function* (workspace, id) {
          return yield* viewOf(workspace, yield* store.get(workspace, id))
        }),

        list: Effect.fn("Subscriptions.list")(function* (workspace, { contactId, cursor, limit, status, topicId }) {
          const slice = yield* sliceOf({
            ...(cursor === undefined ? {} : { cursor }),
            ...(limit === undefined ? {} : { limit }),
          })
          const query = { ...slice, status: status ?? null, topicId: topicId ?? null, contactId: contactId ?? null }
          const { items, next } = listed(yield* store.list(workspace, query))
          return { items: yield* viewsOf(workspace, items), next }
        }),

        resend: Effect.fn("Subscriptions.resend")(function* (workspaceId, id) {
          const now = yield* DateTime.now
          const workspace = yield* Effect.orDie(workspaces.get(workspaceId))
          const before = yield* waiting(yield* store.get(workspaceId, id), now)
          const contact = yield* contactStore.get(workspaceId, before.contactId)
          const topics = yield* topicStore.many(workspaceId, before.topicIds)
          const email = parseEmail(before.email) ?? { written: before.email, normalized: before.emailNormalized }
          const mail = yield* mailable(yield* prepareMail(workspace, contact, { ...before, email }, topics, now))
          const sent = Effect.gen(function* () {
            yield* contactStore.lock(workspaceId, { emails: [], phones: [], ids: [before.contactId] })
            const locked = yield* waiting(yield* store.get(workspaceId, id), now)
            yield* checkLimits(workspace, locked.emailNormalized, { ...locked, isNew: false }, now)
            const choices = yield* consents.lock(workspaceId, [locked.contactId], locked.topicIds)
            const messageId = yield* accept(workspaceId, mail, locked.contactId, now)
            const decision = SubscriptionChange.resend(locked, topics, messageId, { choices, now })
            if (decision !== null) yield* write(workspaceId, decision)
          })
          yield* transact(sent)
          return yield* viewOf(workspaceId, yield* store.get(workspaceId, id))
        }),
      })
    }),
  )
}

const idsOf = ({ grantedTopicIds, topicIds }: SubscriptionRequest) => [...topicIds, ...grantedTopicIds]

type Waiting = SubscriptionRequest & { readonly contactId: ContactId }

const waiting = (request: SubscriptionRequest, now: DateTime.Utc): Effect.Effect<Waiting, InvalidState> => {
  const { contactId } = request
  const status = requestStatusAt(request, now)
  return status === "pending" && contactId !== null
    ? Effect.succeed({ ...request, contactId })
    : Effect.fail(new InvalidState({ resource: "subscription request", status, move: "sent again" }))
}

/** What the request itself decides. */
const reservedFields = ["email", "unsubscribed", "marketing_email_subscribed"] as const

const issuesOf = ({ consent, email, redirectUrl }: NewSubscription, now: DateTime.Utc) => {
  return [
    ...(parseEmail(email) === null ? [{ path: "email", message: "must be an email address" }] : []),
    ...consentIssues(consent, now, "consent"),
    ...(redirectUrl !== undefined && !isRedirect(redirectUrl)
      ? [{ path: "redirect_url", message: `must be an https URL, at most ${redirect_url_length_max} characters` }]
      : []),
  ]
}

/** Only characters of host names in the host, and no user. */
const isRedirect = (url: string): boolean =>
  url.length <= redirect_url_length_max && /^https:\/\/[\p{L}\p{M}\p{N}.:\-[\]]+(?:[/?#][^\s"'<>\\]*)?$/iu.test(url)
