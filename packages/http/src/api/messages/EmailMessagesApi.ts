// The API of single messages.
import { ContactId, EmailId } from "@tentpole/core/kernel/Ids"
import { batch_items_max, key_days, messageStatuses } from "@tentpole/core/messages/EmailMessage"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, DayOrInstant, nothing, oneOf, Text } from "../../Wire.ts"
import { served } from "../documents/ContentWire.ts"
import {
  EmailMessagesWire,
  EmailMessageWire,
  EmailMessageWithEventsWire,
  isBatch,
  RetryMessage,
  SendEmailMessages,
  SentAnswer,
} from "./EmailMessageWire.ts"

const all = "/v1/email-messages"
const one = "/v1/email-messages/:messageId"

export const EmailMessagesApi = Endpoint.group(
  "emailMessages",
  "Single messages to one recipient each, such as receipts and password links.",
).add(
  Endpoint.post("send", all, {
    needs: "sender",
    summary: "Send messages",
    description: `Sends one message (the message is the body) or up to ${batch_items_max} (\`items\`, without attachments): an approved email, an approved template, or inline content. The answer is 202 when the messages are accepted. One whose recipient may not get it has the status \`blocked\` at once. Of a batch all accepted items are stored together, and \`items\` of the answer says what was wrong with the others. With an \`Idempotency-Key\`, a repetition within ${key_days} days gets the messages of the first request, as they are then, also after a crash; a refused request does not use up the key. The body may have \`MESSAGE_BYTES_MAX\` bytes, that of a batch \`JSON_BYTES_MAX\`.`,
    payload: SendEmailMessages,
    success: SentAnswer,
    errors: [
      "validation_failed",
      "not_found",
      "email_not_ready",
      "email_not_approved",
      "template_not_approved",
      "unresolved_tokens",
      "free_plan_email_limit",
      "payload_too_large",
      "message_too_large",
      "too_complex",
      "topic_archived",
      "idempotency_key_reused",
    ],
  })
    .annotate(Endpoint.LargeBody, { unless: isBatch })
    .annotate(Endpoint.OwnKeys, true),
  Endpoint.get("list", all, {
    needs: "viewer",
    summary: "List messages",
    description: "Returns single messages, the newest first. Those of blasts and flows are not among them.",
    query: {
      ...cursorQuery,
      status: Schema.optionalKey(oneOf(...messageStatuses)),
      to: Schema.optionalKey(Text(320, 1)).annotate({
        description: "Returns only messages to this address, in any spelling",
      }),
      contact_id: Schema.optionalKey(ContactId),
      email_id: Schema.optionalKey(EmailId),
      tag: Schema.optionalKey(Text(151, 2)).annotate({
        description: "Returns only messages with this tag: its name, a colon and its value, such as `kind:receipt`",
      }),
      created_after: Schema.optionalKey(DayOrInstant),
      created_before: Schema.optionalKey(DayOrInstant),
    },
    success: EmailMessagesWire,
    errors: ["validation_failed", "invalid_cursor"],
  }),
  Endpoint.get("find", one, {
    needs: "viewer",
    summary: "Get a message",
    description: "Returns one message with what has happened to it.",
    success: EmailMessageWithEventsWire,
  }),
  Endpoint.get("content", `${one}/content`, {
    needs: "viewer",
    summary: "Get the HTML of a message",
    description:
      "Returns the HTML as it goes out, without open pixel and tracked links, with the present values of the contact. 404: the message has no HTML, or its content is not stored any more.",
    success: served("text/html"),
  }),
  Endpoint.get("plainText", `${one}/plain-text`, {
    needs: "viewer",
    summary: "Get the plain text of a message",
    description: "Returns the plain text as it goes out. 404: the content is not stored any more.",
    success: served("text/plain"),
  }),
  Endpoint.post("cancel", `${one}/cancel`, {
    needs: "sender",
    summary: "Cancel a message",
    description:
      "Blocks a message that is scheduled or queued, with the reason `cancelled`. One that a worker has begun to hand over can't be cancelled.",
    payload: nothing,
    success: EmailMessageWire,
    errors: ["not_found", "invalid_state"],
  }),
  Endpoint.post("retry", `${one}/retry`, {
    needs: "sender",
    summary: "Retry a message",
    description:
      "Queues a message again that failed for a passing reason: `refused`, `temporarily_refused` or `unreachable`, while its content is stored. One that is `unconfirmed` may have arrived: it is only sent again with `include_unconfirmed`.",
    payload: [RetryMessage, Schema.Undefined],
    success: EmailMessageWire.pipe(HttpApiSchema.status(202)),
    errors: ["validation_failed", "not_found", "invalid_state"],
  }),
)
