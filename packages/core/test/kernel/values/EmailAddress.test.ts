// Tests of email addresses: which are valid, and which spellings are equal.
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { parseEmail } from "@tentpole/core/kernel/values/EmailAddress"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

/** Parts of addresses, and what users and attackers put between them. */
const pieces: ReadonlyArray<string> = [
  ..."aZ09.-_+'=~@@@@..",
  ...' "()<>,;:\\[]%|{}/?&*#!$^`\r\n\t\0',
  "e\u0301",
  "é",
  "İ",
  "ß",
  "Σ",
  "ς",
  "😀",
  "\u00ad",
  "\u200b",
  "\u3002",
  "\uff0e",
  "ａ",
  "①",
  "\ud800",
  "\u202e",
  "SMTPUTF8",
  "RCPT TO:",
  "\r\nBcc: b@x.test",
  "mailto:",
  "a".repeat(64),
  "b".repeat(63),
  ".com",
]
const domains = [
  "example.com",
  "x.test",
  "bücher.de",
  "BÜCHER.example",
  "xn--bcher-kva.example",
  "localhost",
  "127.0.0.1",
  "[::1]",
]
const Pieces = Schema.Array(Schema.Literals(pieces)).check(Schema.isMaxLength(4))
const Domain = Schema.Literals(domains)

const runs = { arbitrary: { runs: 3000 } }

const taken = (text: string): string => parseEmail(text)?.normalized ?? assert.fail(`${text} was refused`)

describe("Email address", () => {
  it.prop(
    "is one mailbox when it is valid, and cannot end a header, a command or the address",
    [Pieces, Pieces, Domain],
    ([local, before, domain]) => {
      const address = parseEmail(`${local.join("")}@${before.join("")}${domain}`)
      if (address === null) return
      const { written, normalized } = address
      for (const text of [written, normalized]) {
        assert.notMatch(
          text,
          /[\p{Cc}\p{Cf}\p{Cs}\p{White_Space}"(),:;<>@[\\\]%]{2}|[\p{Cc}\p{Cf}\p{Cs}\p{White_Space}"(),:;<>[\\\]%]/u,
        )
        assert.strictEqual(text.split("@").length, 2, text)
      }
      const [mailbox = "", host = ""] = normalized.split("@")
      assert.isAtMost(encodeText(mailbox).length, 64)
      assert.match(host, /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/)
      assert.isAtMost(normalized.length, 254)
    },
    { ...runs, tags: ["attack/address-spoofing"] },
  )

  it.prop(
    "normalises to itself in each of its forms",
    [Pieces, Domain],
    ([local, domain]) => {
      const address = parseEmail(`${local.join("")}@${domain}`)
      if (address === null) return
      const { written, normalized } = address
      assert.deepStrictEqual(parseEmail(normalized), { written: normalized, normalized })
      assert.deepStrictEqual(parseEmail(` ${written}\n`), address)
      assert.strictEqual(parseEmail(written.normalize("NFD"))?.normalized, normalized)
      assert.strictEqual(parseEmail(written.normalize("NFC"))?.normalized, normalized)
    },
    runs,
  )

  it.prop(
    "is the same in either case",
    [Schema.String.check(Schema.isPattern(/^[a-z0-9][a-zA-Z0-9+_-]{0,20}$/))],
    ([local]) => {
      const lower = taken(`${local}@x.test`)
      assert.strictEqual(taken(`${local.toUpperCase()}@X.TEST`), lower)
      assert.strictEqual(lower, `${local.toLowerCase()}@x.test`)
    },
  )

  it("is stored as it was written, trimmed", () => {
    assert.deepStrictEqual(parseEmail(" \u00a0An.Na+x@Bücher.Example\n"), {
      written: "An.Na+x@Bücher.Example",
      normalized: "an.na+x@xn--bcher-kva.example",
    })
  })

  it("is equal in every composition and every spelling of its domain", { tags: ["attack/text-folding"] }, () => {
    assert.strictEqual(taken("re\u0301my@x.test"), taken("R\u00c9MY@X.TEST"))
    for (const domain of ["bücher.example", "BU\u0308CHER.Example", "xn--bcher-kva.example", "XN--BCHER-KVA.EXAMPLE"]) {
      assert.strictEqual(taken(`a@${domain}`), "a@xn--bcher-kva.example")
    }
    assert.strictEqual(taken("a@straße.example"), "a@xn--strae-oqa.example")
    assert.strictEqual(taken("ΟΔΟΣ@x.test"), taken("οδος@x.test"))
  })

  it("is refused when it has no mailbox or looks like another address", { tags: ["attack/address-spoofing"] }, () => {
    const bad = [
      "",
      " ",
      "@",
      "a",
      "a@",
      "@x.test",
      "no-at-sign",
      "a@@x.test",
      "a@b@x.test",
      "a b@x.test",
      "a@x .test",
      "a@ x.test",
      '"a@evil.test x"@good.test',
      '"a b"@good.test',
      '"a"@good.test',
      "a@good.test(x)evil.test",
      "a(x)@good.test",
      "a@x,b@y",
      "a@x.test,b@y.test",
      "a@x.test;b@y.test",
      "<a@x.test>",
      "Ann <a@x.test>",
      "mailto:a@x.test",

      "a@go\u00adod.test",
      "a@good\u3002test",
      "a@good\uff0etest",
      "a@good\uff61test",
      "a\u200b@x.test",
      "a\u202e@x.test",
      "a@ｅxample.com",
      "a@①②⑦.test",
      "a@exa%6dple.com",
      "a%b.test@x.test",
      "a\r\nBcc: b@x.test",
      "a@x.test\0",

      "a@localhost",
      "a@127.0.0.1",
      "a@[127.0.0.1]",
      "a@[::1]",
      "a@-x.test",
      "a@x-.test",
      "a@x..test",
      "a@.x.test",
      "a@x.test.",
      "a..b@x.test",
      ".a@x.test",
      "a.@x.test",
      "a@x_y.test",
      "a@xn--a.test",
      "a@x.123",
      "\ud800@x.test",

      `${"a".repeat(65)}@x.test`,
      `${"é".repeat(33)}@x.test`,
      `a@${"b".repeat(64)}.test`,
      `a@${"b.".repeat(130)}test`,
    ]
    for (const text of bad) assert.isNull(parseEmail(text), JSON.stringify(text))
  })
})
