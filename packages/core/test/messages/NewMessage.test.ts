// Tests of requests for messages: what is accepted, and the path of each issue.
// @module-tag attack/header-injection
import { readMessage } from "@tentpole/core/messages/NewMessage"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result, Schema } from "effect"

const now = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
const right = {
  to: { email: "ann@example.org", name: " Ann Lee " },
  subject: "Your order",
  text: "Thank you.",
  from_address: "orders@shop.example.org",
}

const read = (fields: Readonly<Record<string, unknown>>, options?: { readonly attachments: boolean }) =>
  readMessage({ ...right, ...fields }, now, options)

const paths = (fields: Readonly<Record<string, unknown>>, options?: { readonly attachments: boolean }) =>
  Result.match(read(fields, options), {
    onSuccess: () => [],
    onFailure: ({ issues }) => issues.map(({ path }) => path),
  })

const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })

describe("A request for a message", () => {
  it("has defaults: operational, untracked, retained, for a day", () => {
    const message = Result.getOrThrow(read({}))
    assert.deepInclude(message, {
      operational: true,
      trackOpens: false,
      trackClicks: false,
      retainContent: true,
      allowUnresolved: false,
      contact: "match",
      scheduledAt: null,
    })
    assert.deepStrictEqual(message.source, { kind: "inline", html: null, text: "Thank you." })
    assert.deepStrictEqual(message.to, {
      email: { written: "ann@example.org", normalized: "ann@example.org" },
      name: "Ann Lee",
    })
    assert.strictEqual(DateTime.formatIso(message.expiresAt), "2026-01-02T00:00:00.000Z")
    const later = Result.getOrThrow(read({ scheduled_at: "2026-01-05T00:00:00Z" }))
    assert.strictEqual(DateTime.formatIso(later.expiresAt), "2026-01-06T00:00:00.000Z")
  })

  it("has one recipient", () => {
    for (const [fields, path] of [
      [{ to: [{ email: "ann@example.org" }] }, "to"],
      [{ to: { email: ["ann@example.org"] } }, "to.email"],
      [{ to: { email: "ann@example.org, ben@example.org" } }, "to.email"],
      [{ to: "ann@example.org, ben@example.org" }, "to"],
      [{ to: undefined }, "to"],
      [{ contact_id: "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c01" }, "contact_id"],
      [{ cc: "ben@example.org" }, "cc"],
      [{ bcc: ["ben@example.org"] }, "bcc"],
    ] as const) {
      assert.deepStrictEqual(paths(fields), [path])
    }
    assert.include(
      Result.match(read({ cc: "ben@example.org" }), { onSuccess: () => "", onFailure: ({ message }) => message }),
      "one recipient",
    )
  })

  it("may name its recipient by the address alone", () => {
    assert.deepStrictEqual(Result.getOrThrow(read({ to: "Ann@Example.org" })).to, {
      email: { written: "Ann@Example.org", normalized: "ann@example.org" },
      name: null,
    })
  })

  it("has times with a UTC offset", () => {
    for (const at of ["2026", "2026-01-02", "2026-01-02T00:00:00"]) {
      assert.deepStrictEqual(paths({ scheduled_at: at, expires_at: at }), ["scheduled_at", "expires_at"])
    }
    assert.deepStrictEqual(paths({ scheduled_at: "2026-01-02T00:00:00+02:00" }), [])
  })

  it("has finite numbers in its data", () => {
    assert.deepStrictEqual(paths({ data: { a: JSON.parse("[1, 1e309]") } }), ["data.a.1"])
  })

  it("has one source", () => {
    const id = "01990a51-4b0f-7d2e-9c11-2f4f6a1b0c01"
    assert.deepStrictEqual(paths({ text: undefined }), ["email_id"])
    assert.deepStrictEqual(paths({ email_id: id }), ["text"])
    assert.deepStrictEqual(paths({ email_id: id, template_id: id, html: "<p>", text: undefined }), [
      "template_id",
      "html",
    ])
    assert.deepStrictEqual(paths({ html: "<p>a</p>" }), [])
    assert.deepStrictEqual(paths({ text: " " }), ["text"])
    assert.deepStrictEqual(paths({ html: "é".repeat(2 ** 20 + 1), text: undefined }), ["html"])
  })

  it("refuses inherited names in every free object", () => {
    for (const name of ["__proto__", "constructor", "prototype"]) {
      const object = JSON.parse(`{"${name}": "x"}`) as Readonly<Record<string, unknown>>
      for (const field of ["data", "tags", "metadata", "headers"]) {
        assert.deepStrictEqual(paths({ [field]: object }), [`${field}.${name}`])
      }
      assert.deepStrictEqual(paths({ data: { a: [{ b: object }] } }), [`data.a.0.b.${name}`])
    }
  })

  it("limits depth, names and size of data", () => {
    assert.deepStrictEqual(paths({ data: deep(10) }), [])
    assert.lengthOf(paths({ data: deep(11) }), 1)
    assert.deepStrictEqual(paths({ data: { "a-b": 1 } }), ["data.a-b"])
    assert.deepStrictEqual(paths({ data: { a: "é".repeat(2 ** 15) } }), ["data"])
    assert.deepStrictEqual(paths({ data: [] }), ["data"])
  })

  it("takes headers of a few names, in printable ASCII, once each", () => {
    assert.deepStrictEqual(
      paths({ headers: { "X-Entity-Ref-ID": "1", "In-Reply-To": "<a@b>", "auto-submitted": "no" } }),
      [],
    )
    for (const name of [
      "From",
      "Bcc",
      "Subject",
      "DKIM-Signature",
      "X-",
      "X-A: b",
      "X-A\r\nBcc",
      "X-PM-Tag",
      "X-SES-A",
    ]) {
      assert.lengthOf(paths({ headers: { [name]: "1" } }), 1, name)
    }
    for (const value of ["a\r\nBcc: b", "é", "", " ", "a".repeat(999), "a".repeat(901), 1]) {
      assert.deepStrictEqual(paths({ headers: { "X-A": value } }), ["headers.X-A"])
    }
    assert.deepStrictEqual(paths({ headers: { "X-A": "1", "x-a": "2" } }), ["headers.x-a"])
  })

  it("takes tags and metadata as texts", () => {
    assert.deepStrictEqual(paths({ tags: { kind: "a".repeat(100) }, metadata: { order: "a".repeat(500) } }), [])
    assert.deepStrictEqual(paths({ tags: { Kind: "a" } }), ["tags.Kind"])
    assert.deepStrictEqual(paths({ tags: { kind: 1 } }), ["tags.kind"])
    assert.deepStrictEqual(paths({ metadata: { order: "a".repeat(501) } }), ["metadata.order"])
    assert.deepStrictEqual(paths({ tags: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`a${at}`, ""])) }), [
      "tags",
    ])
  })

  it("refuses times that are too late, and an end before the beginning", () => {
    assert.deepStrictEqual(paths({ scheduled_at: "2026-02-05T00:00:00Z" }), ["scheduled_at"])
    assert.deepStrictEqual(paths({ expires_at: "2025-12-31T00:00:00Z" }), ["expires_at"])
    assert.deepStrictEqual(paths({ scheduled_at: "2026-01-03T00:00:00Z", expires_at: "2026-01-02T00:00:00Z" }), [
      "expires_at",
    ])
  })

  it("refuses files that mail servers drop, and content that is not base64", () => {
    const file = (fields: Readonly<Record<string, unknown>>) => ({
      attachments: [{ file_name: "a.pdf", content: "aGk=", ...fields }],
    })
    assert.deepStrictEqual(paths(file({})), [])
    for (const name of [
      "a.exe",
      "A.EXE",
      "a.pdf.js",
      "a.scr. .",
      "a/b.pdf",
      "a\\b",
      "a\nb",
      "a\u202egpj.b",
      " ",
      "a".repeat(256),
    ]) {
      assert.deepStrictEqual(paths(file({ file_name: name })), ["attachments.0.file_name"], name)
    }
    for (const content of ["aGk", "aG k=", "aGk=\n", "a===", "-_8=", ""]) {
      assert.deepStrictEqual(paths(file({ content })), ["attachments.0.content"], content)
    }
    for (const content_type of ["text", "text/html; x", "multipart/mixed", "message/rfc822", "a/b\r\nX: y"]) {
      assert.deepStrictEqual(paths(file({ content_type })), ["attachments.0.content_type"], content_type)
    }
    assert.deepStrictEqual(paths(file({ content_id: "a>b" })), ["attachments.0.content_id"])
    const large = { file_name: "a.pdf", content: "A".repeat(4 * 2 ** 20) }
    assert.deepStrictEqual(paths({ attachments: [large, large, large, large] }), ["attachments"])
    assert.deepStrictEqual(paths(file({}), { attachments: false }), ["attachments"])
  })

  it.effect.prop("never throws, whatever the JSON is", { json: Schema.Json }, ({ json }) =>
    Effect.sync(() => {
      readMessage(json, now)
      readMessage({ ...right, data: json, tags: json, headers: json, attachments: json, to: json }, now)
    }),
  )
})
