// The use cases of tracking links: open, click, unsubscribe. Every caller gets a response; only people are counted.
import { senderOf } from "../rendering/message/Message.ts"
import { Cache, Context, Data, DateTime, Duration, Effect, Layer, Option } from "effect"
import { blankContact } from "../contacts/Contact.ts"
import { compiledCache_bytes_max, compiledSize_bytes, compileInput, compileParser } from "../rendering/Compile.ts"
import { EmailStore } from "../emails/EmailStore.ts"
import { withinSize } from "../rendering/MessageTooLarge.ts"
import { linkTarget, renderContent } from "../rendering/Render.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"
import { Parsers } from "../ports/Parsers.ts"
import { weightedCache } from "../kernel/runtime/WeightedCache.ts"
import { Settings } from "../kernel/Settings.ts"
import { NotFound } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import type { PageOwner } from "../tents/pages/PageHead.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { strangerOf } from "../sending/messages/MessageContent.ts"
import { MessageContentStore } from "../sending/messages/MessageContentStore.ts"
import { messageMail } from "../sending/messages/MessageMail.ts"
import { evidenceOf } from "../topics/ConsentRecord.ts"
import { ConsentStore } from "../topics/ConsentStore.ts"
import { topicStatusOf } from "../topics/Topic.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { consentActs } from "./ConsentActs.ts"
import type { TrackedDelivery } from "./Engagement.ts"
import { engagementRecorder, recorderDefaults, type TrackedRequest } from "./EngagementRecorder.ts"
import { EngagementStore } from "./EngagementStore.ts"
import { Links, type LinkTarget } from "../rendering/Links.ts"
import { isBot, type ClientRequest } from "./BotFilter.ts"
import type { Visitor } from "./Preferences.ts"

/** The view link of a message that was sent too long ago. */
export class LinkExpired extends Data.TaggedError("LinkExpired")<{ readonly owner: PageOwner }> {}

/** The data of the unsubscribe page. */
export interface Subscription {
  readonly owner: PageOwner
  /** The address that the message was sent to; null when it has been erased. */
  readonly address: string | null
  /** From all marketing. */
  readonly unsubscribed: boolean
  /** The topic of the message. Null: it has none, or its recipient is no contact. */
  readonly topic: { readonly name: string; readonly subscribed: boolean } | null
}

/**
 * How a recipient unsubscribes: from all marketing, from the topic of the message, or with the one click of mail programs, whose
 * meaning is a setting of the workspace.
 */
export type UnsubscribeMethod = "all" | "topic" | "one_click"

const compiled_max = 200
const compiled_for = Duration.minutes(10)

/**
 * A token that is invalid or for another purpose fails with `NotFound`, as does one of a deleted delivery. Opens and clicks are
 * queued and written soon after. An unsubscription is written before the response.
 */
export class Tracking extends Context.Service<
  Tracking,
  {
    /** Does not read the delivery: the pixel is answered as soon as its token has been verified. */
    readonly opened: (token: string, visitor: ClientRequest) => Effect.Effect<void, NotFound>
    /** Returns the author's URL, byte for byte, with this recipient's tokens filled in. */
    readonly clicked: (token: string, visitor: ClientRequest) => Effect.Effect<string, NotFound>
    /** Changes nothing. */
    readonly subscription: (token: string) => Effect.Effect<Subscription, NotFound>
    /** Returns when it is written. May be repeated. A message without topic ends all marketing by `one_click`, nothing by `topic`. */
    readonly unsubscribe: (
      token: string,
      method: UnsubscribeMethod,
      visitor: Visitor,
    ) => Effect.Effect<Subscription, NotFound>
    /** Waits until the opens and clicks so far are written. */
    readonly written: Effect.Effect<void>
    /** The message as a web page: the email as it was approved when it was sent, with the current values of the contact. */
    readonly view: (
      token: string,
    ) => Effect.Effect<{ readonly subject: string; readonly html: string }, NotFound | LinkExpired>
  }
>()("tentpole/Tracking") {
  static readonly layer = Layer.effect(
    Tracking,
    Effect.gen(function* () {
      const store = yield* EngagementStore
      const emails = yield* EmailStore
      const contents = yield* MessageContentStore
      const compiledMessage = yield* messageMail
      const workspaces = yield* WorkspaceStore
      const links = yield* Links
      const parsers = yield* Parsers
      const { message_bytes_max, viewLink_days } = yield* Settings
      const recorder = yield* engagementRecorder(recorderDefaults)
      const topics = yield* TopicStore
      const consents = yield* ConsentStore
      const acts = yield* consentActs
      const { transact } = yield* Transactor

      const targetOf = <Target extends LinkTarget>(read: Option.Option<Target>) =>
        Effect.mapError(Effect.fromOption(read), () => notFound)

      const find = (target: LinkTarget) => store.get(target.workspaceId, target.deliveryId)

      const note = Effect.fnUntraced(function* (
        target: LinkTarget,
        what: TrackedRequest["what"],
        visitor: ClientRequest,
      ) {
        const { deliveryId, workspaceId } = target
        const at = yield* DateTime.now
        yield* recorder.record({ workspaceId, deliveryId, at, what, byMachine: isBot(visitor) })
      })

      const cache = yield* weightedCache({
        lookup: Effect.fnUntraced(function* ({
          approvalId,
          operational,
          workspace,
        }: Pick<TrackedDelivery, "approvalId" | "operational"> & { readonly workspace: WorkspaceId }) {
          const email = yield* emails.approval(workspace, approvalId)
          const sender = senderOf(yield* workspaces.get(workspace))
          const options = { operational, tracked: true, addresses: links.addresses, message_bytes_max }
          return yield* Effect.orDie(parsers.run(compileParser, compileInput(email, sender, options), workspace))
        }),
        weigh: compiledSize_bytes,
        weight_max: compiledCache_bytes_max,
        capacity: compiled_max,
        timeToLive: compiled_for,
      })

      /** The email of a delivery, and the values of `data` of a single message. */
      const compiledFor = Effect.fnUntraced(function* (target: LinkTarget, delivery: TrackedDelivery) {
        const { approvalId, message, operational } = delivery
        if (message === null) {
          return {
            compiled: yield* Cache.get(cache, { workspace: target.workspaceId, approvalId, operational }),
            data: {},
          }
        }
        const content = yield* contents.get(target.workspaceId, target.deliveryId)
        if (content.body === null) return yield* notFound
        const compiled = yield* compiledMessage(target.workspaceId, delivery, content, content.body).pipe(
          Effect.catchTag("TooComplex", Effect.die),
        )
        return { compiled, data: content.body.data }
      })

      /** Links of a deleted contact still resolve, without any value of the contact. */
      const personOf = ({ contact, contactId, dueAt, email, id }: TrackedDelivery) =>
        contact ?? (contactId === null ? strangerOf(id, dueAt, email, null) : blankContact(contactId, dueAt))

      const ownerOf = ({ workspaceId }: LinkTarget): Effect.Effect<PageOwner, NotFound> =>
        Effect.map(workspaces.get(workspaceId), ({ brand }) => brand)

      /** Null: the message has no topic, the topic was deleted, or its recipient is no contact. */
      const topicOf = Effect.fnUntraced(function* ({ workspaceId }: LinkTarget, { contact, topicId }: TrackedDelivery) {
        if (contact === null || topicId === null) return null
        const [topic] = yield* topics.many(workspaceId, [topicId])
        if (topic === undefined) return null
        const [choice = null] = yield* consents.choices(workspaceId, [contact.id], [topicId])
        return { topic, subscribed: topicStatusOf(topic, choice) === "subscribed" }
      })

      const subscriptionOf = Effect.fnUntraced(function* (target: LinkTarget, delivery: TrackedDelivery) {
        const found = yield* topicOf(target, delivery)
        return {
          owner: yield* ownerOf(target),
          address: delivery.email,
          unsubscribed: delivery.suppressed && (delivery.contact?.unsubscribed ?? true),
          topic: found === null ? null : { name: found.topic.name, subscribed: found.subscribed },
        }
      })

      return Tracking.of({
        opened: Effect.fn("Tracking.opened")(function* (token, visitor) {
          const target = yield* targetOf(links.read("open", token))
          yield* note(target, { _tag: "opened" }, visitor)
        }),

        clicked: Effect.fn("Tracking.clicked")(function* (token, visitor) {
          const target = yield* targetOf(links.readClick(token))
          const delivery = yield* find(target)
          const { compiled, data } = yield* compiledFor(target, delivery)
          const url = linkTarget(compiled, target.index, {
            contact: personOf(delivery),
            data,
            dynamic: delivery.flow?.tokens ?? {},
            links: links.of(target),
          })
          if (url === null) return yield* notFound
          yield* note(target, { _tag: "clicked", url, link: target.index }, visitor)
          return url
        }),

        subscription: Effect.fn("Tracking.subscription")(function* (token) {
          const target = yield* targetOf(links.read("unsubscribe", token))
          return yield* subscriptionOf(target, yield* find(target))
        }),

        unsubscribe: Effect.fn("Tracking.unsubscribe")(function* (token, method, visitor) {
          const target = yield* targetOf(links.read("unsubscribe", token))
          const found = yield* topicOf(target, yield* find(target))
          const { consent } = yield* workspaces.get(target.workspaceId)
          const source = method === "one_click" ? "one_click" : "unsubscribe_page"
          const act = { evidence: evidenceOf(source, visitor), at: yield* DateTime.now }
          const endsAll = method === "all" || (method === "one_click" && (found === null || consent.oneClick === "all"))
          if (endsAll) yield* transact(acts.endAll(target, act))
          else if (found !== null) yield* transact(acts.endTopic(target, found.topic, act))
          return yield* subscriptionOf(target, yield* find(target))
        }),

        written: recorder.written,

        view: Effect.fn("Tracking.view")(function* (token) {
          const target = yield* targetOf(links.read("view", token))
          const delivery = yield* find(target)
          const { contact, dueAt, sentAt } = delivery
          const expiresAt = DateTime.add(sentAt ?? dueAt, { days: viewLink_days })
          if (DateTime.isGreaterThan(yield* DateTime.now, expiresAt)) {
            return yield* new LinkExpired({ owner: yield* ownerOf(target) })
          }
          if (contact === null && delivery.contactId !== null) return yield* notFound
          const { compiled, data } = yield* compiledFor(target, delivery)
          const person = {
            contact: personOf(delivery),
            data,
            dynamic: delivery.flow?.tokens ?? {},
            links: links.of(target),
          }
          // A message that is too large was never sent like this: values of the contact have grown since.
          return yield* Effect.mapError(withinSize(renderContent(compiled, person)), () => notFound)
        }),
      })
    }),
  )
}

const notFound = new NotFound({ resource: "message" })
