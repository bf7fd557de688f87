// What some of the rows say of the sources: no pattern may take for ever, nothing knows cookies, and no parser is lax.
import { assert, describe, it } from "vitest"
import { isShipped, project } from "../tidy/Source.ts"
import { nestedQuantifier } from "./Patterns.ts"

const shipped = project().filter(isShipped)

/** Nested all the same: each turn of the outer one begins with what the turn before can't hold, so that there is one way to cut. */
const unambiguous: Readonly<Record<string, string>> = {
  "packages/adapters/src/ai/fake/FakeColumns.ts": "each turn begins with a dot, which labels don't hold",
  "packages/core/src/ports/ContentType.ts": "white space, `<?` and `<!--` begin differently, and end at the first end",
  "packages/core/src/bounces/providers/Ses.ts": "each turn begins with a hyphen, which letters don't hold",
  "packages/core/src/kernel/values/EmailAddress.ts": "each turn begins with a dot, which atoms don't hold",
  "packages/core/src/emails/EmailLayout.ts": "each turn begins with a dot, which labels don't hold",
  "packages/http/src/tracking/Tracking.ts": "each turn is a line, and holds no end of one",
}

describe("a pattern", () => {
  it("repeats nothing that repeats already, but where it is told why", () => {
    const found = shipped.flatMap(({ path, tokens }) =>
      tokens.flatMap(({ kind, text }) => (kind === "regex" && nestedQuantifier(text) !== null ? [{ path, text }] : [])),
    )
    assert.deepStrictEqual(
      found.map(({ path, text }) => (path in unambiguous ? path : `${path}: ${text}`)).sort(),
      Object.keys(unambiguous).sort(),
      "say it without, or why it can be cut in one way only",
    )
  })

  it("that repeats what repeats is seen", () => {
    for (const bad of [
      "/^([a-z]+)+@/",
      "/(a*)*/",
      "/(?:x|y+)*z/",
      "/((a|b+)c?)+/",
      "/(a{2,})+/",
      "/(?<n>\\w+,?)*$/i",
    ]) {
      assert.isNotNull(nestedQuantifier(bad), bad)
    }
    for (const good of [
      "/(ab)+/",
      "/a+b*/",
      "/(a+)/",
      "/(a{1,9})+/",
      "/[(a+)+]+/",
      "/\\(a+\\)+/",
      "/(?:ab?)+c+/",
      "/(a+)?/",
    ]) {
      assert.isNull(nestedQuantifier(good), good)
    }
  })
})

it("no server reads requests less strictly than node does by itself", () => {
  const found = shipped.flatMap(({ path, tokens }) =>
    tokens.filter(({ text }) => text === "insecureHTTPParser").map(({ line }) => `${path}:${line}`),
  )
  assert.deepStrictEqual(found, [])
})

it("nothing reads a cookie, and nothing sets one", () => {
  const found = shipped.flatMap(({ path, tokens }) =>
    tokens.filter(({ text }) => /cookie/i.test(text)).map(({ line }) => `${path}:${line}`),
  )
  assert.deepStrictEqual(found, [])
})
