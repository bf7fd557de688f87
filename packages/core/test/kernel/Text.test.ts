import { byCodePoint, charactersIn, fold, isBlank, slugify, trim } from "@tentpole/core/kernel/Text"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const WellFormed = Schema.String.check(Schema.makeFilter((text: string) => text.isWellFormed()))

const byBytes = (left: string, right: string): number => {
  const [a, b] = [encodeText(left), encodeText(right)]
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    if (a[at] !== b[at]) return Math.sign((a[at] ?? 0) - (b[at] ?? 0))
  }
  return Math.sign(a.length - b.length)
}

/**
 * Case, composition, the Turkish i's, sigmas, compatibility characters, astral characters, lone surrogates, and plain text.
 */
const Unicode = Schema.Array(
  Schema.Literals([..."aAzZ 0\u007f\u0080ÄäİıÅÅKßẞΣσςΐ😀𐐀", "e\u0301", "i\u0307", "\u0345", "\ud800", "\udc00"]),
)

/** The definition of folding in one line, for every text. */
const defined = (text: string): string => text.normalize("NFC").toLowerCase().replaceAll("ς", "σ").normalize("NFC")

describe("Folding", () => {
  it.prop(
    "is composition, lower case and one sigma, for plain text too",
    [Unicode, Schema.String],
    ([units, plain]) => {
      for (const text of [units.join(""), plain, `${plain}ς`]) assert.strictEqual(fold(text), defined(text))
    },
  )

  it.prop("is idempotent", [Schema.String], ([text]) => fold(fold(text)) === fold(text))

  it("folds each character by itself, also before an accent", () => {
    for (let code = 0; code < 0x3000; code++) {
      for (const text of [String.fromCharCode(code), `a${String.fromCharCode(code)}\u0301`]) {
        assert.strictEqual(fold(text), defined(text))
      }
    }
  })

  it("makes equal what users write for the same text", () => {
    for (const [left, right] of [
      ["CAFÉ", "cafe\u0301"],
      ["ΟΔΟΣ", "οδος"],
      ["Å", "A\u030a"],
    ] as const) {
      assert.strictEqual(fold(left), fold(right))
    }
  })

  it("keeps different texts different", () => {
    assert.notStrictEqual(fold("strasse"), fold("straße"))
    assert.notStrictEqual(fold("i"), fold("ı"))
  })
})

describe("Order", () => {
  it.prop(
    "equals the order of the UTF-8 bytes",
    [WellFormed, WellFormed],
    ([left, right]) => byCodePoint(left, right) === byBytes(left, right),
  )

  it("puts characters beyond the 16-bit plane last", () => {
    assert.strictEqual(byCodePoint("\uffff", "😀"), -1)
    assert.strictEqual(byCodePoint("😀", "\uffff"), 1)
    assert.strictEqual(byCodePoint("a", "ab"), -1)
  })
})

describe("charactersIn", () => {
  it.prop("counts code points, as iteration does", [Unicode, Schema.String], ([units, plain]) => {
    for (const text of [units.join(""), plain]) assert.strictEqual(charactersIn(text), Array.from(text).length)
  })
})

describe("Trimming and slugs", () => {
  it("trims Unicode white space at both ends, and nothing else", () => {
    assert.strictEqual(trim("\u2003\u00a0 a b\t\n"), "a b")
    assert.strictEqual(trim("\u200ba"), "\u200ba")
    assert.isTrue(isBlank("\u3000 "))
  })

  it("trims the characters with the property White_Space, and no others", () => {
    const wrong: Array<string> = []
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code)
      const isTrimmed = /\p{White_Space}/u.test(character)
      for (const text of [character, `${character}x`, `x${character}`]) {
        if (trim(text) !== (isTrimmed ? text.replace(character, "") : text)) wrong.push(text)
      }
    }
    assert.deepStrictEqual(wrong, [])
  })

  it.prop(
    "treats a text as blank exactly when trimming leaves nothing",
    [Schema.Array(Schema.Literals([" ", "\u3000", "\n", "a"]))],
    ([units]) => {
      assert.strictEqual(isBlank(units.join("")), trim(units.join("")) === "")
    },
  )

  it.prop("builds slugs of Latin letters, digits and inner hyphens only", [Schema.String], ([text]) =>
    /^([a-z0-9]+(-[a-z0-9]+)*)?$/.test(slugify(text)),
  )

  it("builds a readable slug", () => {
    assert.strictEqual(slugify("Crème brûlée, 2 × daily!"), "creme-brulee-2-daily")
    assert.strictEqual(slugify("日本"), "")
  })
})
