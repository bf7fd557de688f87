// Tests that identifier patterns match a contact in texts, and no other contact.
import {
  formerIdentifiers,
  matchesText,
  matchesCells,
  identifierPatternsOf,
} from "@tentpole/core/operations/privacy/IdentifierPatterns"
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"

const ann = identifierPatternsOf(["Ann@x.test", "ann@x.test", null], ["+14155550123", null, ""])

it("Identifier patterns are distinct, in lower case, and empty for a contact without identifiers", () => {
  assert.deepStrictEqual(ann, { emails: ["ann@x.test"], phones: ["+14155550123"] })
  assert.isFalse(matchesText(identifierPatternsOf([null], []))("ann@x.test"))
})

it("Identifier patterns match a contact in a text, and not contacts with similar addresses", () => {
  const names = matchesText(ann)
  for (const text of ["ann@x.test", '{"a":"ANN@X.test"}', "<Ann@x.test>", "write to ann@x.test.", "(+14155550123)"]) {
    assert.isTrue(names(text), text)
  }
  for (const text of [
    "joann@x.test",
    "ann@x.test.example",
    "ann@x.tests",
    "x.ann@x.test",
    "+141555501234",
    "annax.test",
  ]) {
    assert.isFalse(names(text), text)
  }
})

it("Identifier patterns match a number in cells in every common notation", () => {
  const names = matchesCells(ann)
  for (const cell of ["(415) 555-0123", "+1 415 555 0123", "001 415.555.0123"]) assert.isTrue(names(cell), cell)
  for (const cell of ["555-012", "415 555 0124", "14155550123 and more"]) assert.isFalse(names(cell), cell)
})

it("Identifier patterns include the former and new addresses and numbers of a timeline", () => {
  const changes = [
    { field: "email", from: "a@x.test", to: "b@x.test" },
    { field: "city", from: "Rome", to: "Oslo" },
    { field: "phone", from: null, to: "+1" },
  ]
  assert.deepStrictEqual(formerIdentifiers({ changes }, "email"), ["a@x.test", "b@x.test"])
  assert.deepStrictEqual(formerIdentifiers({ changes }, "phone"), ["+1"])
  assert.deepStrictEqual(formerIdentifiers({}, "email"), [])
})

const Local = Schema.String.check(Schema.isPattern(/^[!#$%&'*+/=?^_`{|}~a-z0-9-]{1,20}$/))
const Other = Schema.String.check(Schema.isPattern(/^[ ,;:<>()[\]"]{0,5}$/))

it.prop(
  "Identifier patterns match any address between characters that cannot belong to one, and not after a letter",
  [Local, Other, Other],
  ([local, before, after]) => {
    const email = `${local}@x.test`
    const names = matchesText(identifierPatternsOf([email], []))
    assert.isTrue(names(`${before}${email}${after}`))
    assert.isFalse(names(`a${email}`))
  },
)
