// Tests of headers with hostile values: a message has exactly the expected headers and names the right addresses, whatever
// any field contains.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import PostalMime from "postal-mime"
import { ada, addresses, approved, recipient, sender } from "../../../contract/emails/emailSamples.ts"
import { decodeText, encodeText } from "../../../src/kernel/Bytes.ts"
import { parseEmail } from "../../../src/kernel/values/EmailAddress.ts"
import { atOnce } from "../../../contract/kernel/steps.ts"
import { compile } from "../../../src/rendering/Compile.ts"
import { toBytes } from "../../../src/rendering/message/Dkim.ts"
import { SenderAddress } from "../../../src/workspaces/Sender.ts"
import { wireAddress } from "../../../src/rendering/message/Headers.ts"
import { render } from "../../../src/rendering/Render.ts"

/** Characters that end lines, headers, names, words or addresses in some parser. */
const lineEnds = ["\r\n", "\n", "\r", "\0", "\t", "\v", "\f", "\x1b[2J", "\u0085", "\u2028", "\u2029"] as const
const invisible = ["\u202e", "\ufeff", "\u200b", "\u00ad"] as const
const headers = ["Bcc: eve@evil.test", "\r\nBcc: eve@evil.test", "\r\n\r\n<script>", "\r\n .\r\n", "X-A: b"] as const
const encoded = ["=?utf-8?q?=0D=0ABcc:_eve@evil.test?=", "=?utf-8?B?DQpCY2M6IGE=?=", "=?", "?=", "=0D=0A"] as const
const marks = ['"', "\\", "<", ">", "(", ")", "[", "]", ",", ";", ":", "@", ".", " ", "  ", "<eve@evil.test>"] as const
const words = [
  "é",
  "ẞ",
  "漢",
  "🦊",
  "\u0301",
  "plain",
  "word ",
  ", eve@evil.test",
  "x".repeat(80),
  "ä".repeat(90),
] as const
const pieces = [...lineEnds, ...invisible, ...headers, ...encoded, ...marks, ...words] as const

const Hostile = Schema.Array(Schema.Union([Schema.Literals(pieces), Schema.String])).check(Schema.isMaxLength(8))
const text = (parts: ReadonlyArray<string>): string => parts.join("").replaceAll("{{", "{").toWellFormed()

const expected =
  "from to reply-to subject date message-id list-unsubscribe list-unsubscribe-post list-id feedback-id mime-version content-type".split(
    " ",
  )

describe("Message headers", () => {
  it.effect.prop(
    "are the expected ones, each once, for any field values",
    { subject: Hostile, name: Hostile, value: Hostile, workspace: Hostile, ids: Hostile, address: Hostile },
    ({ address, ids, name, subject, value, workspace }) =>
      Effect.gen(function* () {
        const email = approved({
          subject: `${text(subject)}{{contact.first_name}}`,
          fromName: `${text(name)}{{contact.first_name}}{{workspace.name}}`,
          fromAddress: `news${text(address)}@example.test`,
          replyToEmail: `reply${text(address)}@example.test`,
        })
        const from = { ...sender, workspaceName: text(workspace), postalAddress: text(workspace) }
        const compiled = compile(email, from, { operational: false, tracked: true, addresses })
        const to = recipient({
          contact: { ...ada, firstName: text(value), email: text(value) },
          address: `ann${text(address)}@example.org`,
          messageId: `${text(ids)}@example.test`,
          listId: text(ids),
          feedbackId: text(ids),
        })
        const raw = toBytes(atOnce(render(compiled, to)))
        const whole = decodeText(raw)
        const head = whole.slice(0, whole.indexOf("\r\n\r\n"))
        assert.notMatch(head, /\r(?!\n)|(?<!\r)\n|\0/)
        const names = head.split(/\r\n(?![ \t])/).map((line) => line.slice(0, line.indexOf(":")).toLowerCase())
        assert.deepStrictEqual(names, expected)
        for (const line of head.split("\r\n")) assert.isAbove(line.trim().length, 0)
        const read = yield* Effect.promise(() => PostalMime.parse(raw))
        assert.sameMembers(
          read.headers.map(({ key }) => key),
          expected,
        )
        assert.isUndefined(read.bcc)
      }),
    { tags: ["attack/header-injection"], arbitrary: { runs: 300 } },
  )

  it.effect.prop(
    "name one person each, with the right address, for any name",
    { local: Hostile, host: Hostile, name: Hostile },
    ({ local, host, name }) =>
      Effect.gen(function* () {
        for (const written of [
          `${text(local)}@example.org`,
          `ann${text(local)}@${text(host)}.org`,
          `ann@${text(host)}example.org`,
        ]) {
          const taken = parseEmail(written)
          if (taken === null) continue
          const wire = wireAddress(taken.written)
          assert.strictEqual(parseEmail(wire)?.normalized, taken.normalized)
          const at = wire.lastIndexOf("@")
          assert.isAtMost(encodeText(wire.slice(0, at)).length, 64)
          assert.isAtMost(wire.length - at - 1, 255)
          assert.match(wire.slice(at + 1), /^[A-Za-z0-9.-]+$/)
          const email = approved({ fromName: text(name), fromAddress: taken.written, replyToEmail: taken.written })
          const compiled = compile(email, sender, { operational: true, tracked: false, addresses })
          const raw = toBytes(atOnce(render(compiled, recipient({ address: taken.written }))))
          const read = yield* Effect.promise(() => PostalMime.parse(raw))
          assert.deepStrictEqual([read.from?.address, read.to?.length, read.replyTo?.length], [wire, 1, 1])
          assert.deepStrictEqual([read.to?.[0]?.address, read.replyTo?.[0]?.address], [wire, wire])
        }
      }),
    { tags: ["attack/header-injection"], arbitrary: { runs: 300 } },
  )
})

describe("Addresses", () => {
  it("are measured in octets, as they are sent", () => {
    assert.isNotNull(parseEmail(`${"a".repeat(64)}@example.org`))
    assert.isNull(parseEmail(`${"a".repeat(65)}@example.org`))
    assert.isNotNull(parseEmail(`${"ü".repeat(32)}@example.org`))
    assert.isNotNull(parseEmail(`${"u\u0308".repeat(32)}@example.org`))
    assert.isNull(parseEmail(`${"ü".repeat(33)}@example.org`))
    assert.isNotNull(parseEmail(`${"ß".repeat(32)}@example.org`))
    assert.isNull(parseEmail(`${"ẞ".repeat(32)}@example.org`))
  })

  it("are sent composed, with A-labels", () => {
    assert.strictEqual(wireAddress("ju\u0308rgen@müller.example"), "jürgen@xn--mller-kva.example")
  })

  it("of senders are ASCII before the @", () => {
    const takes = Schema.is(SenderAddress)
    assert.isTrue(takes("news@example.com"))
    assert.isTrue(takes(" news@bücher.example "))
    assert.isFalse(takes("grüße@example.com"))
    assert.isFalse(takes("news@a@example.com"))
  })
})
