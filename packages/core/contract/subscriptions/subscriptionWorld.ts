// Fixture of the contract tests of subscription requests: a workspace that can send mail, with topics.
import { Clock, DateTime, Effect, Layer } from "effect"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { type SubscriptionRequestId, TopicId } from "../../src/kernel/Ids.ts"
import { Secrets } from "../../src/kernel/Secrets.ts"
import { EmailMessageStore } from "../../src/messages/EmailMessageStore.ts"
import { Links } from "../../src/rendering/Links.ts"
import { confirmationToken } from "../../src/subscriptions/ConfirmationLink.ts"
import { Confirmations } from "../../src/subscriptions/Confirmations.ts"
import { Expiries } from "../../src/subscriptions/Expiries.ts"
import { type NewSubscription, Subscriptions } from "../../src/subscriptions/Subscriptions.ts"
import { SubscriptionStore } from "../../src/subscriptions/SubscriptionStore.ts"
import { ConsentStore } from "../../src/topics/ConsentStore.ts"
import { TopicChange } from "../../src/topics/machine.ts"
import type { Topic } from "../../src/topics/Topic.ts"
import { TopicStore } from "../../src/topics/TopicStore.ts"
import type { WorkspaceFields } from "../../src/workspaces/Workspace.ts"
import {
  begin as beginMessages,
  domain,
  type MessagePorts,
  withUseCases as withMessages,
} from "../messages/messageWorld.ts"

const used = Layer.mergeAll(Subscriptions.layer, Confirmations.layer, Expiries.layer).pipe(
  Layer.provideMerge(Links.layer),
)

export type SubscriptionPorts = MessagePorts | Layer.Services<typeof used> | EmailMessageStore

export const withUseCases = <E>(ports: Layer.Layer<SubscriptionPorts, E>) =>
  Layer.provideMerge(used, Layer.provideMerge(withMessages(ports), ports))

const by = { ipPrefix: "203.0.113.0/24", userAgent: "Browser" }

/** Runs with a clock that is ahead. The clock of a database is not. */
const ahead = (duration: { readonly days?: number; readonly minutes?: number; readonly hours?: number }) =>
  Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
    const real = yield* Clock.Clock
    const { days = 0, hours = 0, minutes = 0 } = duration
    const more_ms = ((days * 24 + hours) * 60 + minutes) * 60_000
    const shifted: Clock.Clock = Object.create(real, {
      currentTimeMillisUnsafe: { value: () => real.currentTimeMillisUnsafe() + more_ms },
      currentTimeMillis: { value: Effect.map(real.currentTimeMillis, (ms) => ms + more_ms) },
      currentTimeNanosUnsafe: { value: () => real.currentTimeNanosUnsafe() + BigInt(more_ms) * 1_000_000n },
      currentTimeNanos: { value: Effect.map(real.currentTimeNanos, (ns) => ns + BigInt(more_ms) * 1_000_000n) },
    })
    return yield* Effect.provideService(effect, Clock.Clock, shifted)
  })

export const begin = Effect.fnUntraced(function* (fields: WorkspaceFields = {}) {
  const sender = { fromName: "Acme", fromAddress: `news@${domain}`, replyToEmail: null }
  const world = yield* beginMessages({ senderDefaults: sender, ...fields })
  const { fresh, transact, workspace } = world
  const subscriptions = yield* Subscriptions
  const confirmations = yield* Confirmations
  const { run } = yield* Expiries
  const requests = yield* SubscriptionStore
  const topicStore = yield* TopicStore
  const consents = yield* ConsentStore
  const contactStore = yield* ContactStore
  const secrets = yield* Secrets

  const topic = Effect.fnUntraced(function* (
    name: string,
    { doubleOptIn = true, status = "active" }: Partial<Pick<Topic, "doubleOptIn" | "status">> = {},
  ) {
    const now = yield* DateTime.now
    const all = yield* topicStore.lock(workspace)
    const wanted = {
      id: TopicId.make(yield* fresh.id),
      name,
      description: null,
      defaultSubscription: "unsubscribed",
      visibility: "public",
      doubleOptIn,
      position: null,
    } as const
    const created = yield* Effect.fromResult(TopicChange.create(wanted, all, now))
    yield* topicStore.apply(workspace, created.change)
    const changed = yield* Effect.fromResult(TopicChange.update(wanted.id, { status }, [...all, created.topic], now))
    if (status === "archived") yield* topicStore.apply(workspace, changed.change)
    return changed.topic
  }, transact)

  const ask = (topics: ReadonlyArray<Topic>, more: Partial<NewSubscription> = {}) =>
    subscriptions.create(workspace, {
      email: "Ann@example.org",
      topicIds: topics.map(({ id }) => id),
      consent: { text: "Yes, send me the letter.", source: "checkout", ip: "203.0.113.77" },
      ...more,
    })
  const token = (id: SubscriptionRequestId) => confirmationToken(secrets, { workspaceId: workspace, requestId: id })
  const person = Effect.fnUntraced(function* (email = "ann@example.org") {
    const [contact] = yield* contactStore.findByIdentity(workspace, { emails: [email], phones: [] })
    if (contact === undefined) return null
    const choices = yield* consents.choices(workspace, [contact.id], null)
    const { items } = yield* consents.records(workspace, contact.id, { after: null, limit: 100 })
    return { contact, records: items, statuses: new Map(choices.map(({ status, topicId }) => [topicId, status])) }
  })
  return {
    ...world,
    ahead,
    ask,
    confirm: (id: SubscriptionRequestId) => confirmations.confirm(token(id), by),
    confirmations,
    consents,
    contactStore,
    expire: run,
    person,
    requests,
    subscriptions,
    token,
    topic,
  }
})
