// The handlers of single messages.
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { EmailMessages } from "@tentpole/core/messages/EmailMessages"
import type { RenderedContent } from "@tentpole/core/messages/MessageView"
import type { MessageKey } from "@tentpole/core/messages/EmailMessageStore"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, toCamelCase, toListing } from "../../Wire.ts"
import { toServed } from "../documents/ContentWire.ts"
import {
  isBatch,
  toBatchAnswer,
  toEmailMessageWire,
  toMessageWithEventsWire,
  toSentAnswer,
} from "./EmailMessageWire.ts"

/**
 * The key of a request, which the idempotency middleware has checked, with the hash of its body. Parsing before and copying
 * to a thread after it take time in proportion to the body: each has its turn of the event loop.
 */
const keyOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  yield* Effect.yieldNow
  const key = request.headers["idempotency-key"]
  if (key === undefined) return null
  const bytes = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
  const hashed: MessageKey = { key, bodyHash: createHash("sha256").update(bytes).digest() }
  yield* Effect.yieldNow
  return hashed
})

const htmlOf = ({ html }: RenderedContent): Effect.Effect<string, NotFound> =>
  html === null ? Effect.fail(new NotFound({ resource: "HTML of a message" })) : Effect.succeed(html)

export const layer = handlersOf("emailMessages", EmailMessages, (messages) => ({
  send: ({ payload, request }, { id }) =>
    Effect.flatMap(keyOf(request), (key) =>
      isBatch(payload)
        ? messages.sendMany(id, payload.items, key).pipe(answer(toBatchAnswer))
        : messages.send(id, payload, key).pipe(answer(toSentAnswer)),
    ),
  list: ({ query }, { id }) =>
    messages.list(id, toCamelCase(query)).pipe(answer(toListing("email_messages", toEmailMessageWire))),
  find: ({ params }, { id }) => messages.get(id, params.messageId).pipe(answer(toMessageWithEventsWire)),
  content: ({ params }, { id }) =>
    messages.content(id, params.messageId).pipe(Effect.flatMap(htmlOf), answer(toServed)),
  plainText: ({ params }, { id }) => messages.content(id, params.messageId).pipe(answer(({ text }) => toServed(text))),
  cancel: ({ params }, { id }) => messages.cancel(id, params.messageId).pipe(answer(toEmailMessageWire)),
  retry: ({ params, payload }, { id }) =>
    messages
      .retry(id, params.messageId, { includeUnconfirmed: payload?.include_unconfirmed ?? false })
      .pipe(answer(toEmailMessageWire)),
}))
