// By what somebody is found in texts, and that nobody else is taken for them.
import {
  formerIdentifiers,
  matchesText,
  matchesCells,
  identifierPatternsOf,
} from "@tentpole/core/operations/privacy/IdentifierPatterns"
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"

const ann = identifierPatternsOf(["Ann@x.test", "ann@x.test", null], ["+14155550123", null, ""])

it("traces are each there once, in lower case, and nothing is none", () => {
  assert.deepStrictEqual(ann, { emails: ["ann@x.test"], phones: ["+14155550123"] })
  assert.isFalse(matchesText(identifierPatternsOf([null], []))("ann@x.test"))
})

it("somebody is found in a text, and those who are only called alike are not", () => {
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

it("in cells a number is found as people write it", () => {
  const names = matchesCells(ann)
  for (const cell of ["(415) 555-0123", "+1 415 555 0123", "001 415.555.0123"]) assert.isTrue(names(cell), cell)
  for (const cell of ["555-012", "415 555 0124", "14155550123 and more"]) assert.isFalse(names(cell), cell)
})

it("a timeline tells what addresses and numbers were, and became", () => {
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
  "whatever an address is made of, it is found between what can't belong to one, and not behind a letter",
  [Local, Other, Other],
  ([local, before, after]) => {
    const email = `${local}@x.test`
    const names = matchesText(identifierPatternsOf([email], []))
    assert.isTrue(names(`${before}${email}${after}`))
    assert.isFalse(names(`a${email}`))
  },
)
