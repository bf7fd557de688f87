// The endpoints of local mail: messages that are written to files, because no mail server is set.
import type { LocalMail, OpenedMail } from "@tentpole/core/operations/localMail/LocalMails"
import { mailEvents, mailKinds } from "@tentpole/core/operations/localMail/MailFolder"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { link_index_max } from "@tentpole/core/rendering/Links"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, InstantWire, iso, listing, oneOf, searchParameter, toSnakeCase } from "../../Wire.ts"

const messageId = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{8}$/, { message: "must be the id of a message" }),
).annotate({ examples: ["2026-05-01T09-30-00-000Z-1f2e3d4c"] })

const summary = {
  message_id: messageId,
  at: InstantWire,
  to: Schema.String,
  from: Schema.String,
  subject: Schema.String,
  kind: Schema.Literals(mailKinds),
  bytes: Schema.Int,
}

const LocalMailWire = Schema.Struct(summary).annotate({ identifier: "LocalMail" })

const OpenedMailWire = Schema.Struct({
  ...summary,
  headers: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })).annotate({
    description: "In order. `Return-Path` and `Delivered-To` are the envelope",
  }),
  html: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  links: Schema.Array(
    Schema.Struct({
      link_index: Schema.Int.annotate({ description: "The place of the link in the email, from 0" }),
      url: Schema.String,
      text: Schema.String,
    }),
  ).annotate({ description: "The tracked links of the HTML. Their URLs count a click" }),
  attachments: Schema.Array(
    Schema.Struct({ file_name: Schema.NullOr(Schema.String), media_type: Schema.String, size_bytes: Schema.Int }),
  ),
}).annotate({ identifier: "OpenedLocalMail" })

export const toLocalMail = (mail: LocalMail): typeof LocalMailWire.Type => ({
  message_id: mail.id,
  at: iso(mail.createdAt),
  to: mail.to,
  from: mail.from,
  subject: mail.subject,
  kind: mail.kind,
  bytes: mail.size_bytes,
})

export const toOpenedMail = (mail: OpenedMail): typeof OpenedMailWire.Type => ({
  ...toLocalMail(mail),
  headers: mail.headers,
  html: mail.html,
  text: mail.text,
  links: mail.links.map(({ index, text, url }) => ({ link_index: index, url, text })),
  attachments: mail.attachments.map(toSnakeCase),
})

const SimulatedEvent = Schema.Struct({
  type: oneOf(...mailEvents),
  link_index: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween({ minimum: 0, maximum: link_index_max }, { message: "must be the `link_index` of a link" }),
    ).annotate({ description: "The link that is clicked" }),
  ),
}).annotate({ identifier: "SimulatedEvent" })

const Source = HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: "message/rfc822" }), {
  "content-disposition": Schema.String,
})

const params = { message_id: messageId }
const one = "/v1/outbox/:message_id"

export const OutboxApi = Endpoint.group(
  "outbox",
  "Local mail: messages that are written to files, because no mail server is set.",
).add(
  Endpoint.get("list", "/v1/outbox", {
    needs: "viewer",
    summary: "List local mail",
    description:
      "Returns the newest messages that were written to files, up to 5,000 of them. Where a mail server is set, and in production, every call of this group is 404.",
    query: {
      ...cursorQuery,
      to: searchParameter.annotate({ description: "Text that the recipient's address contains" }),
      subject: searchParameter.annotate({ description: "Text that the subject contains" }),
      blast_id: Schema.optionalKey(BlastId),
    },
    success: listing({ messages: Schema.Array(LocalMailWire) }),
    errors: ["not_found", "invalid_cursor"],
  }),
  Endpoint.get("find", one, {
    needs: "viewer",
    summary: "Get a local mail",
    description: "Returns the message with its headers, its texts and its links.",
    params,
    success: OpenedMailWire,
    errors: ["not_found"],
  }),
  Endpoint.get("source", `${one}/source`, {
    needs: "viewer",
    summary: "Get the source of a local mail",
    description: "Returns the file as it is (RFC 5322).",
    params,
    success: Source,
    errors: ["not_found"],
  }),
  Endpoint.post("simulate", `${one}/events`, {
    needs: "editor",
    summary: "Simulate an event",
    description:
      "Does what the recipient or the mail server would do: open the message, click a link, unsubscribe, report a bounce or a complaint. Figures, timelines and flows follow. An open or a click within two seconds of the sending counts as one of a machine. Messages of tests count nothing.",
    params,
    payload: SimulatedEvent,
    success: Schema.Struct({ message_id: messageId }).pipe(HttpApiSchema.status(202)),
    errors: ["not_found", "validation_failed"],
  }),
  Endpoint.delete("clear", "/v1/outbox", {
    needs: "editor",
    summary: "Delete local mail",
    description: "Deletes the files of this workspace's messages.",
    errors: ["not_found"],
  }),
)
