// The endpoints of emails.
import { emailStatuses } from "@tentpole/core/emails/Email"
import {
  EmailName,
  type EmailFields,
  FromName,
  plain_text_length_max,
  PreviewText,
  SenderAddress,
  Subject,
} from "@tentpole/core/emails/EmailFields"
import { EmailId } from "@tentpole/core/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { errors } from "../../Errors.ts"
import { cursorQuery, Nothing, oneOf, searchParameter, Text, whole } from "../../Wire.ts"
import { ApprovedEmailWire, EmailsWire, EmailWire } from "./EmailWire.ts"

const params = { emailId: EmailId }

const headerFields = {
  subject: Schema.optionalKey(Schema.NullOr(Subject)),
  preview_text: Schema.optionalKey(Schema.NullOr(PreviewText)),
  from_name: Schema.optionalKey(Schema.NullOr(FromName)),
  from_address: Schema.optionalKey(Schema.NullOr(SenderAddress)),
  reply_to_email: Schema.optionalKey(Schema.NullOr(SenderAddress)),
}

const Html = Schema.String.annotate({ description: "At most 2 MB" })

export const CreateEmail = Schema.Struct({
  name: EmailName,
  ...headerFields,
  html: Schema.optionalKey(Html),
}).annotate({
  identifier: "CreateEmail",
  description: "Without `html` a blank branded scaffold. Sender fields left out are the workspace's defaults",
})

export const UpdateEmail = Schema.Struct({ name: Schema.optionalKey(EmailName), ...headerFields }).annotate({
  identifier: "UpdateEmail",
  description: "What is left out stays, null clears. `preview_text` is written into the current HTML in place",
})

const SetContent = Schema.Struct({ html: Html }).annotate({ identifier: "SetEmailContent" })

const SetPlainText = Schema.Struct({ text: Text(plain_text_length_max) }).annotate({
  identifier: "SetEmailPlainText",
})

const ApproveEmail = Schema.Struct({
  version: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1, { message: "must be a whole number from 1" })),
  ).annotate({ description: "What you believe is the newest version; refused when it is not" }),
}).annotate({ identifier: "ApproveEmail" })

/** What a user wrote is served as what it is, and is let do nothing on the API's origin. */
const headers = { "content-security-policy": "sandbox", "x-content-type-options": "nosniff" } as const

const served = (contentType: string) =>
  HttpApiSchema.WithHeaders(
    Schema.String.pipe(HttpApiSchema.asText({ contentType: `${contentType}; charset=utf-8` })),
    {
      "content-security-policy": Schema.Literal(headers["content-security-policy"]),
      "x-content-type-options": Schema.Literal(headers["x-content-type-options"]),
    },
  )

export const toServed = (body: string) => HttpApiSchema.withHeaders({ body, headers })

const listQuery = {
  ...cursorQuery,
  status: Schema.optionalKey(oneOf(...emailStatuses)),
  search: searchParameter,
}

const contentQuery = {
  version: Schema.optionalKey(whole(1, 1_000_000_000)).annotate({ description: "The current one when left out" }),
}

/** The fields that a body names, as the core calls them. */
export const toFields = (body: typeof UpdateEmail.Type): Partial<EmailFields> => ({
  ...(body.name === undefined ? {} : { name: body.name }),
  ...(body.subject === undefined ? {} : { subject: body.subject }),
  ...(body.preview_text === undefined ? {} : { previewText: body.preview_text }),
  ...(body.from_name === undefined ? {} : { fromName: body.from_name }),
  ...(body.from_address === undefined ? {} : { fromAddress: body.from_address }),
  ...(body.reply_to_email === undefined ? {} : { replyToEmail: body.reply_to_email }),
})

export const EmailsApi = HttpApiGroup.make("emails")
  .add(
    HttpApiEndpoint.get("list", "/v1/emails", {
      query: listQuery,
      success: EmailsWire,
      error: errors("invalid_cursor"),
    }),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/emails", {
      payload: CreateEmail,
      success: EmailWire.pipe(HttpApiSchema.status(201)),
      error: errors("validation_failed", "payload_too_large", "not_found"),
    }),
  )
  .add(HttpApiEndpoint.get("find", "/v1/emails/:emailId", { params, success: EmailWire, error: errors("not_found") }))
  .add(
    HttpApiEndpoint.patch("update", "/v1/emails/:emailId", {
      params,
      payload: UpdateEmail,
      success: EmailWire,
      error: errors("not_found", "validation_failed"),
    }),
  )
  .add(
    HttpApiEndpoint.get("content", "/v1/emails/:emailId/content", {
      params,
      query: contentQuery,
      success: served("text/html"),
      error: errors("not_found"),
    }),
  )
  .add(
    HttpApiEndpoint.put("setContent", "/v1/emails/:emailId/content", {
      params,
      payload: SetContent,
      success: EmailWire,
      error: errors("not_found", "validation_failed", "payload_too_large"),
    }),
  )
  .add(
    HttpApiEndpoint.get("plainText", "/v1/emails/:emailId/plain-text", {
      params,
      success: served("text/plain"),
      error: errors("not_found"),
    }),
  )
  .add(
    HttpApiEndpoint.put("setPlainText", "/v1/emails/:emailId/plain-text", {
      params,
      payload: SetPlainText,
      success: EmailWire,
      error: errors("not_found", "validation_failed"),
    }),
  )
  .add(
    HttpApiEndpoint.delete("unsetPlainText", "/v1/emails/:emailId/plain-text", {
      params,
      success: EmailWire,
      error: errors("not_found", "validation_failed"),
    }),
  )
  .add(
    HttpApiEndpoint.post("approve", "/v1/emails/:emailId/approve", {
      params,
      payload: [ApproveEmail, Schema.Undefined],
      success: ApprovedEmailWire,
      error: errors("not_found", "email_not_ready", "approval_version_stale", "template_not_ready"),
    }),
  )
  .add(
    HttpApiEndpoint.post("unapprove", "/v1/emails/:emailId/unapprove", {
      params,
      payload: [Nothing, Schema.Undefined],
      success: EmailWire,
      error: errors("not_found", "invalid_state", "email_in_use"),
    }),
  )
