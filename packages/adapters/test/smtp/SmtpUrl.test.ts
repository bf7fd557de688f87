// The parser of SMTP_URL.
import { parseSmtpUrl } from "@tentpole/adapters/smtp/SmtpUrl"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"

describe("SMTP_URL", () => {
  const parsed = (text: string) => Result.getOrThrow(parseSmtpUrl(text))
  const refused = (text: string) => Result.getOrThrow(Result.flip(parseSmtpUrl(text))).message

  it("names host, port, login and how TLS is used", () => {
    const options = parsed("smtp://ann%40x.test:p%25w@mail.example.com:2525/?name=sender.example.com&replyTimeout=700")
    assert.deepInclude(options, { host: "mail.example.com", port: 2525, secure: false, name: "sender.example.com" })
    assert.strictEqual(options.login?.user, "ann@x.test")
    assert.strictEqual(options.login && Redacted.value(options.login.password), "p%w")
    assert.strictEqual(options.reply_timeout_ms, 700_000)
  })

  it("uses the submission ports by default", () => {
    assert.strictEqual(parsed("smtp://mail.example.com").port, 587)
    assert.deepInclude(parsed("smtps://mail.example.com"), { port: 465, secure: true, requireTls: false })
    assert.strictEqual(parsed("smtp://[::1]:25").host, "::1")
  })

  it("requires TLS for a password over a network by default", () => {
    assert.isTrue(parsed("smtp://a:b@mail.example.com").requireTls)
    assert.isFalse(parsed("smtp://a:b@mail.example.com?requireTLS=false").requireTls)
    assert.isFalse(parsed("smtp://a:b@localhost:1025").requireTls)
    assert.isFalse(parsed("smtp://mail.example.com").requireTls)
  })

  it("verifies the certificate of every host but this machine by default", () => {
    assert.isTrue(parsed("smtp://mail.example.com").verifyCertificate)
    assert.isFalse(parsed("smtp://127.0.0.1").verifyCertificate)
    assert.isFalse(parsed("smtp://mail.example.com?verify=false").verifyCertificate)
  })

  it.each([
    ["", "no URL"],
    ["mail.example.com:25", "instead of smtp://"],
    ["http://mail.example.com", "instead of smtp://"],
    ["smtp://", "no host"],
    ["smtp://mail.example.com:99999", "no URL"],
    ["smtp://user@mail.example.com", "both a user and a password"],
    ["smtp://us%er:x@mail.example.com", "percent-encoded"],
    ["smtp://mail.example.com/path", "path"],
    ["smtp://mail.example.com?starttls=1", "parameter starttls"],
    ["smtp://mail.example.com?requireTLS=yes", "true or false"],
    ["smtp://mail.example.com?replyTimeout=0", "whole seconds"],
    ["smtps://mail.example.com?ignoreTLS=true", "contradicts"],
  ])("refuses %j with the reason", (text, why) => {
    assert.include(refused(text), why)
    assert.include(refused(text), "SMTP_URL")
    assert.notInclude(refused(text), "us%er")
  })
})
