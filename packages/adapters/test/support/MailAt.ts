// The mail connection port over SMTP, to the server of an URL.
import * as Smtp from "@tentpole/adapters/smtp/SmtpConnections"
import { parseSmtpUrl } from "@tentpole/adapters/smtp/SmtpUrl"
import { MailConnections } from "@tentpole/core/sending/MailConnection"
import { Effect, Result } from "effect"

/** `url` as `SMTP_URL`. */
export const mailAt = (url: string) =>
  MailConnections.pipe(Effect.provide(Smtp.layer(Result.getOrThrow(parseSmtpUrl(url)))))
