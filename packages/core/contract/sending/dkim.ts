// Contract tests of the port that signs messages. An independent verifier checks the signatures.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { decodeText, encodeText } from "../../src/kernel/Bytes.ts"
import { atOnce } from "../kernel/steps.ts"
import { compile } from "../../src/rendering/Compile.ts"
import { dkimSigned, type DkimKey, type DkimSigner, toBytes } from "../../src/rendering/message/Dkim.ts"
import { render } from "../../src/rendering/Render.ts"
import { ada, addresses, AnyHtml, approved, KeptText, recipient, sender } from "../emails/emailSamples.ts"
import { sampled } from "../kernel/draws.ts"

export interface DkimWorld {
  readonly key: DkimKey
  /** `pass`, or the verifier's other result for the message's only signature. */
  readonly verdict: (message: Uint8Array) => Effect.Effect<string>
}

const rendered = (email = approved(), to = recipient(), operational = false) =>
  atOnce(render(compile(email, sender, { operational, tracked: true, addresses }), to))

const long = approved({
  subject: "Grüße an {{contact.first_name}} ".repeat(9),
  fromName: "Söhne & Töchter GmbH und Compagnie, seit 1883 immer für Sie da",
  html: `<body>\r\n\r\n.\r\n<p>Ein langer  Absatz ${"über alles ".repeat(90)}</p> \t\r\n\r\n</body>\r\n\r\n`,
  text: ".\n..\n\n\nHi {{contact.first_name}} \n\n\n",
})

export const dkim = <E>(name: string, live: Layer.Layer<DkimSigner, E>, { key, verdict }: DkimWorld) =>
  layer(live, { excludeTestServices: true })(`DkimSigner (${name})`, (it) => {
    const sign = (email = approved(), to = recipient(), operational = false) =>
      dkimSigned(rendered(email, to, operational), key)

    it.effect("signs messages that another implementation verifies", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* verdict(yield* sign()), "pass")
        assert.strictEqual(yield* verdict(yield* sign(long)), "pass")
        assert.strictEqual(yield* verdict(yield* sign(long, recipient(), true)), "pass")
        const spaced = recipient({ feedbackId: " blast:  acme \t tentpole  " })
        assert.strictEqual(yield* verdict(yield* sign(long, spaced)), "pass")
      }),
    )

    it.effect.prop(
      "signs messages that verify for any email and recipient",
      { html: AnyHtml, value: KeptText, subject: KeptText },
      ({ html, value, subject }) =>
        Effect.gen(function* () {
          const email = approved({
            html: html.join(""),
            text: value,
            subject: `${subject}{{contact.first_name}}`,
            fromName: subject,
          })
          const to = recipient({ contact: { ...ada, firstName: value, lastName: subject } })
          assert.strictEqual(yield* verdict(yield* sign(email, to)), "pass")
        }),
      { arbitrary: { runs: sampled(100) } },
    )

    it.effect(
      "signs both unsubscribe headers, and each header once more than it occurs where additions must break the signature",
      () =>
        Effect.gen(function* () {
          const [, names = ""] = /\bh=([^;]*);/.exec(decodeText(yield* sign())) ?? []
          const count = new Map<string, number>()
          for (const each of names.replace(/\s/g, "").split(":")) count.set(each, (count.get(each) ?? 0) + 1)
          assert.deepStrictEqual(Object.fromEntries(count), {
            from: 2,
            to: 2,
            subject: 2,
            "reply-to": 2,
            date: 1,
            "message-id": 1,
            "list-unsubscribe": 1,
            "list-unsubscribe-post": 1,
            "list-id": 1,
            "feedback-id": 1,
            "mime-version": 1,
            "content-type": 2,
          })
        }),
    )

    it.effect.each(alterations)("it fails when %s is altered", ([, from, to]) =>
      Effect.gen(function* () {
        const before = decodeText(yield* sign())
        const after = before.replace(from, to)
        assert.notStrictEqual(after, before)
        assert.notStrictEqual(yield* verdict(encodeText(after)), "pass")
      }),
    )

    it.effect("puts the signature first, in lines of at most 78 characters, and changes nothing else", () =>
      Effect.gen(function* () {
        const text = decodeText(yield* sign(long))
        const end = text.search(/\r\n(?![ \t])/)
        const signature = text.slice(0, end)
        assert.isTrue(
          signature.startsWith(
            `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/simple;\r\n d=${key.domain}; s=${key.selector};`,
          ),
        )
        assert.notMatch(signature, /\bl=/)
        for (const line of signature.split("\r\n")) assert.isAtMost(line.length, 78)
        assert.strictEqual(text.slice(end + 2), decodeText(toBytes(rendered(long))))
      }),
    )

    it.effect("dies on a key that cannot be read", () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(dkimSigned(rendered(), { ...key, privateKeyPem: "no key" }))
        assert.isTrue(exit._tag === "Failure" && exit.cause.reasons.every((reason) => reason._tag === "Die"))
      }),
    )
  })

const alterations: ReadonlyArray<readonly [what: string, from: string | RegExp, to: string]> = [
  ["From", `"Acme"`, `"Acne"`],
  ["To", "To: ada@", "To: eve@"],
  ["Reply-To", "reply@", "other@"],
  ["Subject", "Subject: Hello", "Subject: Hallo"],
  ["Date", "11:13:09", "11:13:08"],
  ["Message-ID", "<0190a0de@", "<0190a0df@"],
  ["List-Unsubscribe", "/u/abc", "/u/abd"],
  ["List-Unsubscribe-Post", "=One-Click", "=Two-Click"],
  ["List-Id", "<blast.", "<blust."],
  ["Feedback-ID", ": blast:", ": blust:"],
  ["MIME-Version", "1.0", "1.1"],
  ["Content-Type", "multipart/alternative", "multipart/mixed"],
  ["a second From", /^/, "From: evil@example.test\r\n"],
  ["a second To", /^/, "To: evil@example.test\r\n"],
  ["a second Subject", /^/, "Subject: evil\r\n"],
  ["a second Reply-To", /^/, "Reply-To: evil@example.test\r\n"],
  ["a second Content-Type", /^/, "Content-Type: text/plain\r\n"],
  ["a second From at the end", "\r\n\r\n", "\r\nFrom: evil@example.test\r\n\r\n"],
  ["one byte of the body", "<p>Hi", "<p>Ho"],
  ["the end of the body", /$/, "x\r\n"],
]
