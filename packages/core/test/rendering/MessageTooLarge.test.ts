// Tests of the maximum size of a message, and of large messages.
import { assert, describe, it } from "@effect/vitest"
import type { Steps } from "../../src/kernel/runtime/Steps.ts"
import type { Contact } from "../../src/contacts/Contact.ts"
import { atOnce } from "../../contract/kernel/steps.ts"
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
    assert.throws(() => atOnce(render(compiled, quotes)), MessageTooLarge)
    assert.throws(() => atOnce(renderContent(compiled, quotes)), MessageTooLarge)
  })

  it("counts the encoded message: a character of three octets has nine bytes", () => {
    const rendered = (value: string) =>
      atOnce(
        render(
          compile(approved({ html: "{{contact.first_name}}", text: "x" }), sender, small),
          recipient({ contact: withValue(value) }),
        ),
      )
    assert.isAtMost(rendered("€".repeat(10_000)).body.length, 100_000)
    assert.throws(() => rendered("€".repeat(11_000)), MessageTooLarge)
  })

  it("counts the characters of values, also where escaping removes them", () => {
    const html = `<p style="${many}">`
    const contact = withValue("<".repeat(200))
    const rendered = (message_bytes_max: number) => () =>
      atOnce(render(compile(approved({ html }), sender, { ...tracked, message_bytes_max }), recipient({ contact })))
    assert.throws(rendered(199_000), MessageTooLarge)
    assert.isAtMost(rendered(210_000)().body.length, 10_000)
  })

  it("may be exactly the maximum", () => {
    const size = atOnce(render(compile(approved(), sender, tracked), recipient())).body.length
    const rendered = (message_bytes_max: number) => () =>
      atOnce(render(compile(approved(), sender, { ...tracked, message_bytes_max }), recipient()))
    assert.strictEqual(rendered(size)().body.length, size)
    assert.throws(rendered(size - 1), MessageTooLarge)
  })

  it("does not let a link lead to an address that is larger", () => {
    const compiled = compile(approved({ html: `<a href="https://a.test/?a=${many}">x</a>` }), sender, small)
    assert.isNull(linkTarget(compiled, 0, quotes))
  })

  it("does not let a link lead to an address of more than a million characters", () => {
    const compiled = compile(approved({ html: `<a href="https://a.test/?a=${many}">x</a>` }), sender, tracked)
    assert.strictEqual(linkTarget(compiled, 0, recipient({ contact: withValue("x".repeat(100)) }))?.length, 100_018)
    assert.isNull(linkTarget(compiled, 0, recipient({ contact: withValue("x".repeat(1_100)) })))
  })
})

describe("Rendering", () => {
  const pausesOf = (steps: Steps<unknown>): number => {
    let count = 0
    while (steps.next().done !== true) count++
    return count
  }
  const token = "{{contact.first_name}}"

  it("makes a usual message without a pause", () => {
    const compiled = compile(approved({ html: `<p>${token.repeat(50)}`, text: token.repeat(50) }), sender, tracked)
    assert.strictEqual(pausesOf(render(compiled, recipient())), 0)
  })

  it.each([
    ["long values", "x".repeat(10_000), `<p>${token.repeat(200)}`],
    ["values that a place removes", "<".repeat(10_000), `<p style="${token.repeat(200)}">`],
    ["many tokens without a value", "", `<p>${token.repeat(4_500)}`],
    ["long constant texts", "", `<p>${`${"x".repeat(50_000)}${token}`.repeat(40)}`],
  ])("pauses in a large message: %s", (_, value, html) => {
    const compiled = compile(approved({ html }), sender, tracked)
    const to = recipient({ contact: withValue(value) })
    assert.isAtLeast(pausesOf(render(compiled, to)), 6)
    assert.isAtLeast(pausesOf(renderContent(compiled, to)), 12)
  })
})
