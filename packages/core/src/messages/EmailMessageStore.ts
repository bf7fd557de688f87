// The port to single messages: their acceptance, and what callers read and change afterwards. Workers claim, grant and settle them
// through `DeliveryStore`, as the deliveries of blasts and flows.
import { Context, type DateTime, type Effect } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import type { ApprovalId, ContactId, EmailId, MessageId, WorkspaceId } from "../kernel/Ids.ts"
import type { SliceQuery, Sliced } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { MessageBody } from "../sending/messages/MessageContent.ts"
import type { Suppression } from "../sending/Suppression.ts"
import type { Topic, TopicChoice } from "../topics/Topic.ts"
import type { EmailMessage, MessageStatus } from "./EmailMessage.ts"

/** The newest message first. */
export interface MessageQuery extends SliceQuery {
  readonly status: MessageStatus | null
  /** A normalized address. */
  readonly to: string | null
  readonly contactId: ContactId | null
  readonly emailId: EmailId | null
  readonly tag: { readonly name: string; readonly value: string } | null
  /** Created at this time or later … */
  readonly since: DateTime.Utc | null
  /** … and before this time. */
  readonly until: DateTime.Utc | null
  readonly now: DateTime.Utc
}

/** A message that was accepted: to be sent, or blocked at once. */
export interface AcceptedMessage {
  readonly message: EmailMessage
  readonly approvalId: ApprovalId
  readonly emailNormalized: string | null
  readonly displayName: string | null
  readonly body: MessageBody
  /** The bytes of its attachments, in their order. */
  readonly files: ReadonlyArray<Uint8Array>
  readonly actor: string
}

/** The result of an item, as a repeated request gets it again. */
export type StoredItem =
  | { readonly messageId: MessageId }
  | { readonly clientItemId: string | null; readonly code: string; readonly message: string }

/** The key of a request, and what identifies its body. */
export interface MessageKey {
  readonly key: string
  readonly bodyHash: Uint8Array
}

/** A key as it is stored. */
export interface StoredKey {
  readonly keyHash: Uint8Array
  readonly bodyHash: Uint8Array
  readonly items: ReadonlyArray<StoredItem>
  readonly at: DateTime.Utc
}

/** The messages of a request, with its key. */
export interface AcceptedRequest {
  readonly messages: ReadonlyArray<AcceptedMessage>
  readonly key: StoredKey | null
}

export interface KeyedItems {
  readonly bodyHash: Uint8Array
  readonly items: ReadonlyArray<StoredItem>
}

/** What the decision on acceptance reads. */
export interface MessageFacts {
  /** The contacts that have these ids or addresses. */
  readonly contacts: ReadonlyArray<Contact>
  readonly suppressions: ReadonlyArray<Suppression>
}

/** What the decision reads of topics. */
export interface TopicFacts {
  readonly topics: ReadonlyArray<Topic>
  readonly choices: ReadonlyArray<TopicChoice>
}

/** Marketing blasts that were launched in this time count as senders of marketing. */
export const marketing_sender_days = 90

export class EmailMessageStore extends Context.Service<
  EmailMessageStore,
  {
    readonly facts: (
      workspace: WorkspaceId,
      of: { readonly emails: ReadonlyArray<string>; readonly contactIds: ReadonlyArray<ContactId> },
    ) => Effect.Effect<MessageFacts>
    /** The sender addresses of the marketing blasts that were launched lately, in lower case. */
    readonly marketingSenders: (workspace: WorkspaceId) => Effect.Effect<ReadonlySet<string>>
    /**
     * Emails that count today in the plan: those of blasts, and messages. The transaction locks the count: two that accept
     * messages run one after the other.
     */
    readonly usedToday: (workspace: WorkspaceId, now: DateTime.Utc) => Effect.Effect<number, never, Transaction>
    /** Of each key the items of the request that used it first, for `key_days`. */
    readonly findKeys: (
      workspace: WorkspaceId,
      keyHashes: ReadonlyArray<Uint8Array>,
    ) => Effect.Effect<ReadonlyArray<KeyedItems | null>>
    /**
     * Stores the messages of requests, makes workers find them, and records the keys. Answers each request: null, or the items of
     * the request that has used its key first; then nothing of it was stored.
     */
    readonly accept: (
      workspace: WorkspaceId,
      requests: ReadonlyArray<AcceptedRequest>,
    ) => Effect.Effect<ReadonlyArray<KeyedItems | null>, never, Transaction>
    readonly get: (workspace: WorkspaceId, id: MessageId) => Effect.Effect<EmailMessage, NotFound>
    /** Those that are stored, in no order. */
    readonly many: (workspace: WorkspaceId, ids: ReadonlyArray<MessageId>) => Effect.Effect<ReadonlyArray<EmailMessage>>
    readonly list: (workspace: WorkspaceId, query: MessageQuery) => Effect.Effect<Sliced<EmailMessage>>
    /** Locks the message and its row of the queue until the transaction ends. */
    readonly lock: (workspace: WorkspaceId, id: MessageId) => Effect.Effect<EmailMessage, NotFound, Transaction>
    /** Ends a locked message that waits or is claimed as `blocked`, with the reason `cancelled`. */
    readonly cancel: (
      workspace: WorkspaceId,
      id: MessageId,
      at: DateTime.Utc,
    ) => Effect.Effect<void, never, Transaction>
    /** Queues a locked message that has failed again, due at once, with a new end. */
    readonly retry: (
      workspace: WorkspaceId,
      id: MessageId,
      again: { readonly at: DateTime.Utc; readonly expiresAt: DateTime.Utc },
    ) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/EmailMessageStore") {}
