// The use cases of single messages.
import { Context, DateTime, Effect, Layer, Option, Result } from "effect"
import { ContactStore } from "../contacts/ContactStore.ts"
import type { MessageId, WorkspaceId } from "../kernel/Ids.ts"
import { type BrokenCursor, type Listed, listed, sliceOf } from "../kernel/Page.ts"
import { Invalid, InvalidState, NotFound } from "../kernel/Refusal.ts"
import { AuditLog } from "../kernel/changes/AuditLog.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import { Links } from "../rendering/Links.ts"
import { withinSize } from "../rendering/MessageTooLarge.ts"
import { renderContent } from "../rendering/Render.ts"
import { move } from "../sending/machine.ts"
import { strangerOf } from "../sending/messages/MessageContent.ts"
import { MessageContentStore } from "../sending/messages/MessageContentStore.ts"
import { messageMail } from "../sending/messages/MessageMail.ts"
import { retriedUntil } from "./Acceptance.ts"
import { type EmailMessage, type MessageEvent, messageEvents, messageStatus } from "./EmailMessage.ts"
import { EmailMessageStore, type MessageKey } from "./EmailMessageStore.ts"
import type { MessageKeyReused } from "./MessageErrors.ts"
import { messageSending } from "./MessageSending.ts"
import {
  type ListedMessages,
  type MessageView,
  type RenderedContent,
  type SendRefusal,
  type SentBatch,
  type SentMessage,
  viewOf,
} from "./MessageView.ts"

export class EmailMessages extends Context.Service<
  EmailMessages,
  {
    /**
     * Accepts one message. Takes the undecoded JSON body (`NewMessageInput` describes it), because the same checks hold for the
     * items of a batch. The message may be `blocked` at once: the call was right. `key`: the Idempotency-Key with a hash of the
     * body; these calls do not use the general keys.
     */
    readonly send: (
      workspace: WorkspaceId,
      body: unknown,
      key: MessageKey | null,
    ) => Effect.Effect<SentMessage, SendRefusal | MessageKeyReused>
    /**
     * Accepts 1 to 100 messages, all accepted items in one transaction; without attachments. A wrong item is rejected alone. Fails
     * with `Invalid` when there are none or too many.
     */
    readonly sendMany: (
      workspace: WorkspaceId,
      items: ReadonlyArray<unknown>,
      key: MessageKey | null,
    ) => Effect.Effect<SentBatch, Invalid | MessageKeyReused>
    /** Newest first. */
    readonly list: (
      workspace: WorkspaceId,
      by: ListedMessages,
    ) => Effect.Effect<Listed<MessageView>, Invalid | BrokenCursor>
    readonly get: (
      workspace: WorkspaceId,
      id: MessageId,
    ) => Effect.Effect<MessageView & { readonly events: ReadonlyArray<MessageEvent> }, NotFound>
    /** `NotFound` once the content is not stored any more. */
    readonly content: (workspace: WorkspaceId, id: MessageId) => Effect.Effect<RenderedContent, NotFound>
    /** Ends a message that was not handed over yet as `blocked`, with the reason `cancelled`. */
    readonly cancel: (workspace: WorkspaceId, id: MessageId) => Effect.Effect<MessageView, NotFound | InvalidState>
    /** Queues a message again that failed for a passing reason. An unconfirmed one may then arrive twice. */
    readonly retry: (
      workspace: WorkspaceId,
      id: MessageId,
      options: { readonly includeUnconfirmed: boolean },
    ) => Effect.Effect<MessageView, NotFound | InvalidState>
  }
>()("tentpole/EmailMessages") {
  static readonly layer = Layer.effect(
    EmailMessages,
    Effect.gen(function* () {
      const store = yield* EmailMessageStore
      const contents = yield* MessageContentStore
      const contactStore = yield* ContactStore
      const links = yield* Links
      const compiledMessage = yield* messageMail
      const audit = yield* AuditLog
      const { transact } = yield* Transactor

      const sending = yield* messageSending

      return EmailMessages.of({
        ...sending,

        list: Effect.fn("EmailMessages.list")(function* (workspace, by) {
          const now = yield* DateTime.now
          const slice = yield* sliceOf(by)
          const tag = by.tag === undefined ? null : yield* Effect.fromResult(readTag(by.tag))
          const to = by.to === undefined ? null : (parseEmail(by.to)?.normalized ?? null)
          if (by.to !== undefined && to === null) return { items: [], next: null }
          const page = yield* store.list(workspace, {
            ...slice,
            status: by.status ?? null,
            to,
            contactId: by.contactId ?? null,
            emailId: by.emailId ?? null,
            tag,
            since: by.createdAfter ?? null,
            until: by.createdBefore ?? null,
            now,
          })
          const { items, next } = listed(page)
          return { items: items.map((message) => viewOf(message, now)), next }
        }),

        get: Effect.fn("EmailMessages.get")(function* (workspace, id) {
          const message = yield* store.get(workspace, id)
          return { ...viewOf(message, yield* DateTime.now), events: messageEvents(message) }
        }),

        content: Effect.fn("EmailMessages.content")(function* (workspace, id) {
          const message = yield* store.get(workspace, id)
          const content = yield* contents.get(workspace, id)
          if (content.body === null) return yield* contentGone
          const { createdAt, contactId, to } = message
          const contact = contactId === null ? null : yield* Effect.option(contactStore.get(workspace, contactId))
          const approvalId = yield* contents.approvalOf(workspace, id)
          const compiled = yield* compiledMessage(
            workspace,
            { id, approvalId, operational: message.operational },
            { ...content, trackOpens: false, trackClicks: false },
            content.body,
          ).pipe(Effect.catchTag("TooComplex", Effect.die))
          const { html, subject, text } = yield* Effect.mapError(
            withinSize(
              renderContent(compiled, {
                contact:
                  contact === null || Option.isNone(contact)
                    ? strangerOf(id, createdAt, to.email, to.name)
                    : contact.value,
                data: content.body.data,
                dynamic: {},
                links: links.of({ workspaceId: workspace, deliveryId: id }),
              }),
            ),
            () => contentGone,
          )
          return { subject, html: html === "" ? null : html, text }
        }),

        cancel: Effect.fn("EmailMessages.cancel")(function* (workspace, id) {
          const at = yield* DateTime.now
          const message = yield* store.lock(workspace, id)
          if (message.state !== "queued" && message.state !== "claimed") {
            return yield* invalidState(message, at, "cancelled")
          }
          yield* store.cancel(workspace, id, at)
          yield* audit.append([{ workspaceId: workspace, action: "message.cancelled", target: id, details: {} }])
          return viewOf({ ...message, state: "blocked", reason: "cancelled", blockedAt: at }, at)
        }, transact),

        retry: Effect.fn("EmailMessages.retry")(function* (workspace, id, { includeUnconfirmed }) {
          const at = yield* DateTime.now
          const message = yield* store.lock(workspace, id)
          const { attempts, reason, state } = message
          const after = move(
            { state, reason, attempts, token: null },
            { _tag: "retry", unconfirmed: includeUnconfirmed },
          )
          if (after === undefined) return yield* invalidState(message, at, "sent again")
          const { body } = yield* contents.get(workspace, id)
          if (body === null) return yield* invalidState(message, at, "sent again: its content is not stored any more")
          const expiresAt = retriedUntil(message.expiresAt, at)
          yield* store.retry(workspace, id, { at, expiresAt })
          yield* audit.append([
            {
              workspaceId: workspace,
              action: "message.retried",
              target: id,
              details: { unconfirmed: state === "unconfirmed" },
            },
          ])
          return viewOf({ ...message, ...after, failedAt: null, expiresAt, scheduledAt: null }, at)
        }, transact),
      })
    }),
  )
}

const contentGone = new NotFound({ resource: "content of this message" })

const readTag = (text: string): Result.Result<{ readonly name: string; readonly value: string }, Invalid> => {
  const at = text.indexOf(":")
  return at < 1
    ? Result.fail(Invalid.at("tag", "must be name:value, such as kind:receipt"))
    : Result.succeed({ name: text.slice(0, at), value: text.slice(at + 1) })
}

const invalidState = (message: EmailMessage, now: DateTime.Utc, move: string) =>
  new InvalidState({ resource: "message", status: messageStatus(message, now), move })
