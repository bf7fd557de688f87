// Renders a claimed delivery to the bytes of its message: the approved email compiled once, rendered for its recipient, signed
// for its sending domain.
import { Cache, Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { decodeText } from "../kernel/Bytes.ts"
import type { Contact } from "../contacts/Contact.ts"
import {
  type CompiledEmail,
  compiledCache_bytes_max,
  compiledSize_bytes,
  compileInput,
  compileParser,
} from "../rendering/Compile.ts"
import { type DkimKey, dkimSigned, DkimSigner } from "../rendering/message/Dkim.ts"
import { EmailStore } from "../emails/EmailStore.ts"
import { withFiles } from "../rendering/message/Attachments.ts"
import { verbatim, wireAddress } from "../rendering/message/Headers.ts"
import { type Recipient, type RenderedMessage, senderOf } from "../rendering/message/Message.ts"
import { MessageMemory } from "../rendering/message/MessageMemory.ts"
import { MessageTooLarge } from "../rendering/MessageTooLarge.ts"
import { render } from "../rendering/Render.ts"
import type { ApprovalId, TopicId, WorkspaceId } from "../kernel/Ids.ts"
import { Parsers } from "../ports/Parsers.ts"
import { inSteps, type Steps } from "../kernel/runtime/Steps.ts"
import { weightedCache } from "../kernel/runtime/WeightedCache.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Settings } from "../kernel/Settings.ts"
import { toDomain } from "../kernel/values/DomainName.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import type { ClaimedDelivery } from "./DeliveryStore.ts"
import { Links } from "../rendering/Links.ts"
import type { Envelope } from "./MailConnection.ts"
import type { ClaimedMessage, MessageData } from "./messages/MessageContent.ts"
import { MessageContentStore } from "./messages/MessageContentStore.ts"
import { messageMail } from "./messages/MessageMail.ts"

/** The header that Postmark returns in its webhooks as metadata `delivery`. */
const postmarkHeader = "X-PM-Metadata-delivery"

/** No message of this email can be sent, to any recipient: the blast has failed. */
export class SenderRefused extends Schema.TaggedError<SenderRefused>()("SenderRefused", {
  failure: Schema.Literals(["sender_domain_unverified", "approval_gone"]),
}) {}

/** This message can't be rendered. Other messages may be. */
export class NotRendered extends Schema.TaggedError<NotRendered>()("NotRendered", {
  reason: Schema.Literals(["not_rendered", "message_too_large"]),
  why: Schema.String,
}) {}

const toNotRendered = (error: unknown): NotRendered =>
  error instanceof MessageTooLarge
    ? new NotRendered({ reason: "message_too_large", why: error.message })
    : new NotRendered({ reason: "not_rendered", why: String(error) })

export interface OutgoingMessage {
  readonly envelope: Envelope
  readonly bytes: Uint8Array
}

/** A message in memory that later messages reuse. */
export interface ReusableMessage extends OutgoingMessage {
  /** Call it when `bytes` are no longer read: their memory is reused. Dropping a message without it is safe. */
  readonly release: Effect.Effect<void>
}

/** What messages have in common; compared by value. */
interface Kind {
  readonly workspace: WorkspaceId
  readonly approvalId: ApprovalId
  readonly operational: boolean
}

/** Most messages are of the kind of the previous one: comparing by identity is faster than hashing. */
const kinds = (): ((workspace: WorkspaceId, claimed: ClaimedDelivery) => Kind) => {
  let last: Kind | undefined
  return (workspace, { approvalId, operational }) => {
    if (last?.workspace !== workspace || last.approvalId !== approvalId || last.operational !== operational) {
      last = { workspace, approvalId, operational }
    }
    return last
  }
}

/** Cached compiled emails: a worker sends few at a time. */
const prepared_max = 64
/** Sender addresses of single messages, and topics, whose keys and names are cached. */
const message_keys_max = 256
/** How long a changed postal address, or a domain that lost its verification, may go unnoticed. */
const prepared_for = Duration.seconds(30)

export class OutgoingMail extends Context.Service<
  OutgoingMail,
  {
    /** The same delivery renders the same message on every attempt, except for its date. */
    readonly render: (
      workspace: WorkspaceId,
      claimed: ClaimedDelivery,
    ) => Effect.Effect<ReusableMessage, SenderRefused | NotRendered>
  }
>()("tentpole/OutgoingMail") {
  static readonly layer = Layer.effect(
    OutgoingMail,
    Effect.gen(function* () {
      const emails = yield* EmailStore
      const workspaces = yield* WorkspaceStore
      const keys = yield* signingKeys
      const signer = yield* DkimSigner
      const links = yield* Links
      const parsers = yield* Parsers
      const memory = new MessageMemory()
      const { hooks, message_bytes_max } = yield* Settings
      const metadata = hooks.postmarkLogin !== null

      /** The parts that all messages of a kind share, prepared once. */
      const prepare = Effect.fnUntraced(function* ({ approvalId, operational, workspace }: Kind) {
        const email = yield* emails
          .approval(workspace, approvalId)
          .pipe(Effect.catchTag("NotFound", () => new SenderRefused({ failure: "approval_gone" })))
        const sender = senderOf(yield* workspaces.get(workspace).pipe(Effect.orDie))
        const key = yield* keys(workspace, email.fromAddress)
        if (key === null) return yield* new SenderRefused({ failure: "sender_domain_unverified" })
        const options = { operational, tracked: true, addresses: links.addresses, message_bytes_max }
        const compiled = yield* parsers
          .run(compileParser, compileInput(email, sender, options), workspace)
          .pipe(Effect.mapError((error) => toNotRendered(error.message)))
        return { compiled, key }
      })

      const topics = yield* TopicStore
      const lists = yield* Cache.make({
        lookup: Effect.fnUntraced(function* ({
          topicId,
          workspace,
        }: {
          readonly workspace: WorkspaceId
          readonly topicId: TopicId
        }) {
          const [topic] = yield* topics.many(workspace, [topicId])
          return topic === undefined
            ? workspace
            : `${topic.slug}.${(yield* Effect.orDie(workspaces.get(workspace))).slug}`
        }),
        capacity: message_keys_max,
        timeToLive: prepared_for,
      })
      /** The beginning of `List-Id` (RFC 2919). A topic that was deleted has none of its own. */
      const listOf = (workspace: WorkspaceId, { topicId }: ClaimedDelivery): Effect.Effect<string> =>
        topicId === null ? Effect.succeed(workspace) : Cache.get(lists, { workspace, topicId })

      const compiledMessage = yield* messageMail
      const contents = yield* MessageContentStore
      const messageKeys = yield* Cache.make({
        lookup: ({ fromAddress, workspace }: { readonly workspace: WorkspaceId; readonly fromAddress: string }) =>
          keys(workspace, fromAddress),
        capacity: message_keys_max,
        timeToLive: prepared_for,
      })

      const renderMessage = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        claimed: ClaimedDelivery,
        content: ClaimedMessage,
      ) {
        const { body, header } = content
        const { contact } = claimed
        if (contact === null) return yield* toNotRendered("The contact has been deleted")
        if (body === null) return yield* toNotRendered("The content of the message has been deleted")
        const key = yield* Cache.get(messageKeys, { workspace, fromAddress: header.fromAddress })
        if (key === null) return yield* new SenderRefused({ failure: "sender_domain_unverified" })
        const compiled = yield* compiledMessage(workspace, claimed, content, body).pipe(
          Effect.catchTags({
            NotFound: () => new SenderRefused({ failure: "approval_gone" }),
            TooComplex: (error) => toNotRendered(error.message),
          }),
        )
        const bytes = content.attachments.length === 0 ? [] : yield* contents.files(workspace, claimed.id)
        if (bytes.length < content.attachments.length) {
          return yield* toNotRendered("The attachments of the message have been deleted")
        }
        const date = yield* DateTime.now
        const files = content.attachments.map((file, at) => ({ ...file, bytes: bytes[at] ?? new Uint8Array() }))
        const mine = {
          ...claimed,
          contact,
          list: yield* listOf(workspace, claimed),
          campaign: `${claimed.blastId}:messages`,
          single: { data: body.data, name: content.toName, operational: claimed.operational },
        }
        const { envelope, message } = yield* Effect.catchDefect(
          inSteps(unsigned({ compiled, domain: key.domain }, mine, { links, date, memory })),
          (error) => Effect.fail(toNotRendered(error)),
        )
        const packed =
          files.length === 0
            ? message
            : yield* Effect.catchDefect(
                inSteps(
                  withFiles(message, { files, boundary: `=_${claimed.id}`, bytes_max: message_bytes_max, memory }),
                ),
                (error) => Effect.fail(toNotRendered(error)),
              )
        const headers = content.headers.map(([name, value]) => [name, verbatim(name, value)] as const)
        return { envelope, key, message: { ...packed, headers: [...packed.headers, ...headers] } }
      })

      const kindOf = kinds()
      const cache = yield* weightedCache({
        lookup: prepare,
        weigh: ({ compiled }) => compiledSize_bytes(compiled),
        weight_max: compiledCache_bytes_max,
        capacity: prepared_max,
        timeToLive: prepared_for,
      })

      const renderDelivery = Effect.fnUntraced(function* (workspace: WorkspaceId, claimed: ClaimedDelivery) {
        const { contact } = claimed
        const { compiled, key } = yield* Cache.get(cache, kindOf(workspace, claimed))
        if (contact === null) return yield* toNotRendered("The contact has been deleted")
        const date = yield* DateTime.now
        const campaign = `${claimed.blastId}:${claimed.approvalId}`
        const delivery = { ...claimed, contact, list: yield* listOf(workspace, claimed), campaign, single: null }
        const rendered = yield* Effect.catchDefect(
          inSteps(unsigned({ compiled, domain: key.domain }, delivery, { links, date, memory })),
          (error) => Effect.fail(toNotRendered(error)),
        )
        return { ...rendered, key }
      })

      return OutgoingMail.of({
        render: Effect.fnUntraced(function* (workspace, claimed) {
          const { envelope, key, message } =
            claimed.message === null
              ? yield* renderDelivery(workspace, claimed)
              : yield* renderMessage(workspace, claimed, claimed.message)
          // Postmark replaces the `Message-ID` and reports by metadata only. It removes the header.
          const outgoing: RenderedMessage = metadata
            ? { ...message, headers: [...message.headers, [postmarkHeader, claimed.id]] }
            : message
          return {
            envelope,
            bytes: yield* dkimSigned(outgoing, key).pipe(Effect.provideService(DkimSigner, signer)),
            release: Effect.sync(() => memory.release(message.body)),
          }
        }),
      })
    }),
  )
}

/** Returns the DKIM key for a sender's address; null when its domain is not verified. */
export const signingKeys = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  const secrets = yield* Secrets
  return Effect.fnUntraced(function* (workspace: WorkspaceId, fromAddress: string) {
    const from = toDomain(fromAddress.slice(fromAddress.lastIndexOf("@") + 1))
    const domains = yield* workspaces.domains(workspace)
    const domain = domains.find((each) => each.status === "verified" && each.domain === from)
    if (domain === undefined) return null
    const pem = yield* secrets.open("dkim", domain.dkimPrivateKeySealed).pipe(Effect.orDie)
    return { domain: domain.domain, selector: domain.dkimSelector, privateKeyPem: decodeText(pem) } satisfies DkimKey
  })
})

/** What `unsigned` renders with. */
interface RenderContext {
  readonly links: Links["Service"]
  readonly date: DateTime.Utc
  /** Reused by later messages. */
  readonly memory?: MessageMemory
}

interface UnsignedMessage extends Pick<ClaimedDelivery, "id" | "address" | "tokens"> {
  readonly contact: Contact
  /** The beginning of its `List-Id`: the topic, or the workspace. */
  readonly list: string
  /** The first two parts of the `Feedback-ID`: what the message belongs to. */
  readonly campaign: string
  /** What a single message has; null: the message belongs to a blast or a flow. */
  readonly single: {
    readonly data: MessageData
    readonly name: string | null
    readonly operational: boolean
  } | null
}

/** A message without its signature. `domain` is the sender's, an A-label. */
export function* unsigned(
  { compiled, domain }: { readonly compiled: CompiledEmail; readonly domain: string },
  { address, campaign, contact, id, list, single, tokens }: UnsignedMessage,
  { date, links, memory }: RenderContext,
): Steps<{ readonly envelope: Envelope; readonly message: RenderedMessage }> {
  const { workspaceId } = compiled.sender
  const ofDelivery = links.of({ workspaceId, deliveryId: id }, compiled.links.length)
  const recipient: Recipient = {
    deliveryId: id,
    contact,
    address,
    dynamic: tokens ?? {},
    ...(single === null ? {} : { data: single.data, name: single.name }),
    links: ofDelivery,
    messageId: `${id}@${domain}`,
    date,
    listId: single?.operational === true ? null : `${list}.${domain}`,
    // Gmail's format: up to four parts, the last one is the sender's.
    feedbackId: `${campaign}:${workspaceId}:tentpole`,
  }
  return {
    envelope: { from: ofDelivery.returnPath(domain), to: wireAddress(address) },
    message: yield* render(compiled, recipient, memory),
  }
}
