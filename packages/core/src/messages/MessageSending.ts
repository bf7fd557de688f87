// The acceptance of single messages: one, or a batch in one transaction, and repeated requests.
import { DateTime, Effect, Result } from "effect"
import { FreePlanEmailLimit } from "../blasts/Readiness.ts"
import { apiUpsert, decideUpserts, type UpsertOptions } from "../contacts/batch/Batch.ts"
import { ContactStore, retryOnIdentityConflict } from "../contacts/ContactStore.ts"
import { encodeText } from "../kernel/Bytes.ts"
import { isObject } from "../kernel/Decoding.ts"
import { ContactId, Ids, type MessageId, type WorkspaceId } from "../kernel/Ids.ts"
import { Invalid } from "../kernel/Refusal.ts"
import { Actor, type ActorName } from "../kernel/changes/Actor.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { joinRequests } from "../kernel/runtime/Batcher.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { decideWith, Parsers } from "../ports/Parsers.ts"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import { batch_items_max, client_item_id_length_max } from "./EmailMessage.ts"
import {
  type AcceptedMessage,
  EmailMessageStore,
  type KeyedItems,
  type MessageFacts,
  type TopicFacts,
  type MessageKey,
  type StoredItem,
  type StoredKey,
} from "./EmailMessageStore.ts"
import { MessageKeyReused } from "./MessageErrors.ts"
import {
  type MessageItem,
  type MessageItemCode,
  messageItemCodes,
  type MessageWarning,
  type SentMessage,
  viewOf,
} from "./MessageView.ts"
import { type NewMessage, readMessage } from "./NewMessage.ts"
import { type MessageWithParts, preparation, type PreparationRefusal, type PreparedMessage } from "./Preparation.ts"

/** The implementations of `EmailMessages.send` and `EmailMessages.sendMany`. */
export const messageSending = Effect.gen(function* () {
  const store = yield* EmailMessageStore
  const contactStore = yield* ContactStore
  const ids = yield* Ids
  const secrets = yield* Secrets
  const { emailsPerDay_max, prepare, readFacts, withParts } = yield* preparation
  const parsers = yield* Parsers
  const { transact } = yield* Transactor

  const replay = Effect.fnUntraced(function* (workspace: WorkspaceId, found: KeyedItems, key: MessageKey) {
    if (!isSameBytes(found.bodyHash, key.bodyHash)) return yield* new MessageKeyReused()
    const now = yield* DateTime.now
    const stored = yield* store.many(
      workspace,
      found.items.flatMap((item) => ("messageId" in item ? [item.messageId] : [])),
    )
    const byId = new Map(stored.map((message) => [message.id, message]))
    return found.items.map((item): MessageItem => {
      if (!("messageId" in item)) return { clientItemId: item.clientItemId, status: "rejected", ...refusedAs(item) }
      const message = byId.get(item.messageId)
      if (message === undefined) {
        return {
          clientItemId: null,
          status: "rejected",
          code: "NOT_FOUND",
          message: "The message was deleted by age",
        }
      }
      return { clientItemId: message.clientItemId, status: "accepted", warnings: [], view: viewOf(message, now) }
    })
  })

  /** The contacts that messages create, by address. */
  const createContacts = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    prepared: ReadonlyArray<PreparedMessage>,
    now: DateTime.Utc,
  ) {
    const wanted = new Map(
      prepared.flatMap(({ contact }) => {
        const email = contact === null ? null : parseEmail(contact.email)
        return email === null || contact === null ? [] : [[email.normalized, { email, name: contact.name }] as const]
      }),
    )
    if (wanted.size === 0) return new Map<string, ContactId>()
    const existing = yield* contactStore.lock(workspace, { emails: [...wanted.keys()], phones: [] })
    const newIds = (yield* ids.many(wanted.size)).map((id) => ContactId.make(id))
    const items = [...wanted.values()].map(({ email, name }) => ({
      clientItemId: null,
      patch: Result.succeed({
        email,
        // A receipt is no consent to marketing mail.
        marketingEmailSubscribed: false,
        ...(name === null ? {} : { displayName: name }),
      }),
    }))
    const { change, results } = decideUpserts(items, { existing, ids: newIds, now }, createOnly)
    yield* contactStore.apply(workspace, change)
    return new Map(
      results.flatMap((result) =>
        "contact" in result && result.contact.emailNormalized !== null
          ? [[result.contact.emailNormalized, result.contact.id] as const]
          : [],
      ),
    )
  })

  /** Stores the messages of requests. Returns those over the plan's limit, and the answers of the store. */
  const accept = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    requests: ReadonlyArray<PreparedRequest>,
    now: DateTime.Utc,
    limit: number | null,
  ) {
    const prepared = requests.flatMap((request) => request.prepared)
    const over = new Map<MessageId, FreePlanEmailLimit>()
    if (limit !== null) {
      let current = yield* store.usedToday(workspace, now)
      for (const { accepted } of prepared) {
        if (accepted.message.state === "blocked") continue
        if (current < limit) current++
        else {
          over.set(
            accepted.message.id,
            new FreePlanEmailLimit({ reason: "daily_email_limit", limit, current, needed: 1 }),
          )
        }
      }
    }
    const within = prepared.filter(({ accepted }) => !over.has(accepted.message.id))
    const created = yield* createContacts(workspace, within, now)
    const messages = new Map(within.map(({ accepted }) => [accepted.message.id, withContact(accepted, created)]))
    const accepted = requests.map(({ prepared, stored }) => ({
      messages: prepared.flatMap((each) => messages.get(each.accepted.message.id) ?? []),
      key: stored(new Set(over.keys())),
    }))
    const firsts = messages.size === 0 ? accepted.map(() => null) : yield* store.accept(workspace, accepted)
    return { firsts, over, messages: new Map([...messages].map(([id, { message }]) => [id, message])) }
  })

  const keyOf = (key: MessageKey | null, at: DateTime.Utc, items: ReadonlyArray<StoredItem>): StoredKey | null =>
    key === null ? null : { keyHash: secrets.sha256(encodeText(key.key)), bodyHash: key.bodyHash, items, at }

  const findKey = yield* joinRequests(joining, (workspace: WorkspaceId, keyHashes: ReadonlyArray<Uint8Array>) =>
    Effect.map(store.findKeys(workspace, keyHashes), (found) => found.map((each) => Result.succeed(each))),
  )

  const findRepeated = Effect.fnUntraced(function* (workspace: WorkspaceId, key: MessageKey | null) {
    if (key === null) return null
    const found = yield* findKey(workspace, secrets.sha256(encodeText(key.key)))
    return found === null ? null : yield* replay(workspace, found, key)
  })

  const sentAgain = Effect.fnUntraced(function* (items: ReadonlyArray<MessageItem>) {
    const [item] = items
    if (item?.status !== "accepted") return yield* Effect.die("a key of a single message has no message")
    return { ...item.view, warnings: item.warnings, replayed: true } satisfies SentMessage
  })

  const prepareItem = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    item: ReadItem,
    facts: MessageFacts & TopicFacts,
    now: DateTime.Utc,
  ): Effect.fn.Return<DecidedItem> {
    if (Result.isFailure(item.read)) return { ...item, result: Result.fail(item.read.failure) }
    const prepared = Effect.flatMap(withParts(workspace, item.read.success), (message) =>
      prepare(workspace, message, facts, now),
    )
    return { ...item, result: yield* Effect.result(prepared) }
  })

  /** Accepts requests in one transaction. A transaction of its own for the facts would cost half as many round trips again. */
  const acceptTogether = (workspace: WorkspaceId, requests: ReadonlyArray<Request>) =>
    Effect.gen(function* () {
      const facts = yield* readFacts(
        workspace,
        requests.map(({ wanted }) => wanted.message),
      )
      const prepared = yield* Effect.forEach(requests, ({ actor, now, wanted }) =>
        prepare(workspace, wanted, facts, now).pipe(Effect.provideService(Actor, actor), Effect.result),
      )
      const ready = prepared.flatMap((result, place) => {
        const request = requests[place]
        if (request === undefined || Result.isFailure(result)) return []
        const items = [{ messageId: result.success.accepted.message.id }]
        return [{ prepared: [result.success], stored: () => keyOf(request.key, request.now, items) }]
      })
      const limit = yield* emailsPerDay_max(workspace)
      const { firsts, messages, over } = yield* accept(workspace, ready, yield* DateTime.now, limit)
      const firstOf = new Map(ready.map(({ prepared: [only] }, place) => [only, firsts[place] ?? null]))
      return prepared.map((result) =>
        Result.flatMap(result, (only) => {
          const { message } = only.accepted
          const refusal = over.get(message.id)
          return refusal === undefined
            ? Result.succeed({
                prepared: only,
                first: firstOf.get(only) ?? null,
                message: messages.get(message.id) ?? message,
              })
            : Result.fail(refusal)
        }),
      )
    }).pipe(transact, retryOnIdentityConflict)

  const acceptJoined = yield* joinRequests(joining, acceptTogether)

  /** Alone if the message is large, and where a plan has a limit: there each transaction waits for the last. */
  const acceptOne = Effect.fnUntraced(function* (workspace: WorkspaceId, request: Request) {
    const isAlone = sizeOf(request.wanted) > joined_size_max || (yield* emailsPerDay_max(workspace)) !== null
    return yield* acceptJoined(workspace, request, { isAlone })
  })

  return {
    send: Effect.fn("EmailMessages.send")(function* (workspace: WorkspaceId, body: unknown, key: MessageKey | null) {
      const before = yield* findRepeated(workspace, key)
      if (before !== null) return yield* sentAgain(before)
      const now = yield* DateTime.now
      const read = yield* decideWith(parsers, workspace)((parse) => readMessage(body, now, { parse }))
      const wanted = yield* withParts(workspace, yield* Effect.fromResult(read))
      const { first, message, prepared } = yield* acceptOne(workspace, { wanted, key, now, actor: yield* Actor })
      if (first !== null && key !== null) return yield* sentAgain(yield* replay(workspace, first, key))
      return { ...viewOf(message, now), warnings: warningsOf(prepared), replayed: false }
    }),

    sendMany: Effect.fn("EmailMessages.sendMany")(function* (
      workspace: WorkspaceId,
      items: ReadonlyArray<unknown>,
      key: MessageKey | null,
    ) {
      const before = yield* findRepeated(workspace, key)
      if (before !== null) return { items: before, replayed: true }
      if (items.length === 0 || items.length > batch_items_max) {
        return yield* Invalid.at("items", `must have 1 to ${batch_items_max} messages, got ${items.length}`)
      }
      const now = yield* DateTime.now
      const read = items.map((item): ReadItem => ({
        clientItemId: clientItemIdIn(item),
        read: readMessage(item, now, { attachments: false }),
      }))
      const facts = yield* readFacts(
        workspace,
        read.flatMap((item) => (Result.isSuccess(item.read) ? [item.read.success] : [])),
      )
      const decided = yield* Effect.forEach(read, (item) => prepareItem(workspace, item, facts, now))
      const prepared = decided.flatMap(({ result }) => (Result.isSuccess(result) ? [result.success] : []))
      const storedItems = (over: ReadonlySet<MessageId>) =>
        decided.map(({ clientItemId, result }): StoredItem => {
          if (Result.isFailure(result)) return { clientItemId, ...itemRefusal(result.failure) }
          const { id } = result.success.accepted.message
          return over.has(id)
            ? { clientItemId, code: "free_plan_email_limit", message: "The plan allows no more emails today" }
            : { messageId: id }
        })
      const {
        firsts: [first = null],
        messages,
        over,
      } = yield* accept(
        workspace,
        [{ prepared, stored: (each) => keyOf(key, now, storedItems(each)) }],
        now,
        prepared.length === 0 ? null : yield* emailsPerDay_max(workspace),
      ).pipe(transact, retryOnIdentityConflict)
      if (first !== null && key !== null) return { items: yield* replay(workspace, first, key), replayed: true }
      return {
        replayed: false,
        items: decided.map(({ clientItemId, result }): MessageItem => {
          if (Result.isFailure(result)) {
            return { clientItemId, status: "rejected", ...itemRefusal(result.failure) }
          }
          const { id } = result.success.accepted.message
          const refusal = over.get(id)
          if (refusal !== undefined) return { clientItemId, status: "rejected", ...itemRefusal(refusal) }
          const view = viewOf(messages.get(id) ?? result.success.accepted.message, now)
          return { clientItemId, status: "accepted", warnings: warningsOf(result.success), view }
        }),
      }
    }),
  }
})

/** A request with one message. */
interface Request {
  readonly wanted: MessageWithParts
  readonly key: MessageKey | null
  readonly now: DateTime.Utc
  readonly actor: ActorName
}

/** The messages of a request that may be accepted, and its key when some of them are over the plan's limit. */
interface PreparedRequest {
  readonly prepared: ReadonlyArray<PreparedMessage>
  readonly stored: (over: ReadonlySet<MessageId>) => StoredKey | null
}

/** Of a workspace. One transaction prepares its messages while the database stores those of the other. */
const joining = { batch_max: 25, concurrency: 2 }
/** In characters and bytes: a transaction has a megabyte of content at most, unless a message alone has more. */
const joined_size_max = 40_000

const sizeOf = ({ message, parts }: MessageWithParts): number =>
  message.attachments.reduce((sum, { size_bytes }) => sum + size_bytes, (parts.html?.length ?? 0) + parts.text.length)

interface DecidedItem extends ReadItem {
  readonly result: Result.Result<PreparedMessage, Invalid | PreparationRefusal>
}

interface ReadItem {
  readonly clientItemId: string | null
  readonly read: Result.Result<NewMessage, Invalid>
}

/** A contact that has appeared since is used as it is. */
const createOnly: UpsertOptions = { ...apiUpsert, duplicates: "skip" }

const withContact = (accepted: AcceptedMessage, created: ReadonlyMap<string, ContactId>): AcceptedMessage => {
  const contactId = created.get(accepted.emailNormalized ?? "")
  return contactId === undefined || accepted.message.contactId !== null
    ? accepted
    : { ...accepted, message: { ...accepted.message, contactId } }
}

const warningsOf = ({ sharesSender }: PreparedMessage): ReadonlyArray<MessageWarning> =>
  sharesSender ? ["sender_shared_with_marketing"] : []

const isSameBytes = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, at) => byte === right[at])

/** Of a rejected item too, if it can be read. */
const clientItemIdIn = (item: unknown): string | null => {
  const id = isObject(item) ? item["client_item_id"] : null
  return typeof id === "string" && id.length <= client_item_id_length_max ? id : null
}

const itemRefusal = (
  refusal: Invalid | PreparationRefusal | FreePlanEmailLimit,
): { readonly code: MessageItemCode; readonly message: string } => {
  const { message } = refusal
  switch (refusal._tag) {
    case "Invalid":
      return {
        code: "INVALID_ITEM",
        message: refusal.issues.map(({ path, message }) => `${path} ${message}`.trim()).join("; "),
      }
    case "NotFound":
      return { code: "NOT_FOUND", message }
    default:
      return { code: refusal.code, message }
  }
}

/** Codes are stored as text. */
const refusedAs = ({ code, message }: { readonly code: string; readonly message: string }) => ({
  code: messageItemCodes.find((each) => each === code) ?? "INVALID_ITEM",
  message,
})
