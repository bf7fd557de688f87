// Tests of the maximum size of a message.
import { assert, describe, it } from "@effect/vitest"
import type { Contact } from "../../src/contacts/Contact.ts"
import { compile } from "../../src/rendering/Compile.ts"
import { MessageTooLarge } from "../../src/rendering/MessageTooLarge.ts"
import { linkTarget, render, renderContent } from "../../src/rendering/Render.ts"
import { ada, addresses, approved, recipient, sender } from "../../contract/emails/emailSamples.ts"

const tracked = { operational: false, tracked: true, addresses }
const withValue = (firstName: string): Contact => ({ ...ada, firstName })

describe("The size of a message", () => {
  const small = { ...tracked, message_bytes_max: 100_000 }
  const quotes = recipient({ contact: withValue('"'.repeat(10_000)) })
  const many = "{{contact.first_name}}".repeat(1_000)

  it.each([
    ["the HTML", { html: `<p>${many}` }],
    ["the plain text", { text: many }],
    ["the subject", { subject: many }],
  ])("is limited while the tokens of %s are filled in", (_, email) => {
    const compiled = compile(approved(email), sender, small)
    assert.throws(() => render(compiled, quotes), MessageTooLarge)
    assert.throws(() => renderContent(compiled, quotes), MessageTooLarge)
  })

  it("counts the encoded message: a character of three octets has nine bytes", () => {
    const rendered = (value: string) =>
      render(
        compile(approved({ html: "{{contact.first_name}}", text: "x" }), sender, small),
        recipient({ contact: withValue(value) }),
      )
    assert.isAtMost(rendered("€".repeat(10_000)).body.length, 100_000)
    assert.throws(() => rendered("€".repeat(11_000)), MessageTooLarge)
  })

  it("may be exactly the maximum", () => {
    const size = render(compile(approved(), sender, tracked), recipient()).body.length
    const rendered = (message_bytes_max: number) => () =>
      render(compile(approved(), sender, { ...tracked, message_bytes_max }), recipient())
    assert.strictEqual(rendered(size)().body.length, size)
    assert.throws(rendered(size - 1), MessageTooLarge)
  })

  it("does not let a link lead to an address that is larger", () => {
    const compiled = compile(approved({ html: `<a href="https://a.test/?a=${many}">x</a>` }), sender, small)
    assert.isNull(linkTarget(compiled, 0, quotes))
  })
})
