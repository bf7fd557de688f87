// Tests of messages that reuse memory: each is the same as in memory of its own, and no message sees another's bytes.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ada, addresses, AnyHtml, AnyText, approved, recipient, sender } from "../../../contract/emails/emailSamples.ts"
import { atOnce } from "../../../contract/kernel/steps.ts"
import { compile } from "../../../src/rendering/Compile.ts"
import { toBytes } from "../../../src/rendering/message/Dkim.ts"
import { MessageMemory } from "../../../src/rendering/message/MessageMemory.ts"
import { render } from "../../../src/rendering/Render.ts"

const compiled = (html: string) =>
  compile(approved({ html, text: "{{contact.first_name}}", subject: "{{contact.first_name}}" }), sender, {
    operational: false,
    tracked: true,
    addresses,
  })
const personOf = (firstName: string) => recipient({ contact: { ...ada, firstName } })

describe("MessageMemory", () => {
  it.prop(
    "holds messages as new memory would, whatever it contained, and does not touch messages in use",
    {
      html: AnyHtml,
      people: Schema.Array(Schema.Struct({ name: AnyText, isBack: Schema.Boolean })).check(Schema.isMaxLength(8)),
    },
    ({ html, people }) => {
      const email = compiled(html.join(""))
      const memory = new MessageMemory()
      const out = people.map(({ name, isBack }) => {
        const message = atOnce(render(email, personOf(name), memory))
        const bytes = toBytes(message)
        const expected = toBytes(atOnce(render(email, personOf(name))))
        assert.deepStrictEqual(bytes, expected)
        if (isBack) memory.release(message.body)
        return { message, bytes, expected, isBack }
      })
      for (const { bytes, expected, isBack, message } of out) {
        // A message whose subject does not fit in front of it was copied: no other message has that memory either.
        if (bytes.length > 0 || !isBack) assert.deepStrictEqual(bytes, expected)
        assert.strictEqual(message.body.length === 0, isBack)
      }
    },
    { arbitrary: { runs: 100 } },
  )

  it("never shows an earlier message to a later one", () => {
    const memory = new MessageMemory()
    const first = atOnce(render(compiled("<p>{{contact.first_name}}</p>"), personOf("Secret"), memory))
    const whole = toBytes(first)
    const held = [first.body, whole, whole.subarray(10), new Uint8Array(whole.buffer)]
    memory.release(first.body)
    const second = atOnce(render(compiled("<p>{{contact.first_name}}</p>"), personOf("Other"), memory))
    assert.isAbove(second.body.length, 0)
    for (const bytes of held) assert.strictEqual(bytes.length, 0)
  })

  it("lends the same memory again, to one message at a time", () => {
    const memory = new MessageMemory()
    const first = memory.take(100)
    first.fill(7)
    memory.release(first)
    memory.release(first)
    const [second, third] = [memory.take(100), memory.take(100)]
    assert.strictEqual(second[0], 7, "it was not cleared, which is what it is for")
    assert.notStrictEqual(second.buffer, third.buffer)
    assert.strictEqual(third[0], 0)
    memory.release(first)
    assert.strictEqual(second[0], 7, "what is back already can't be given back for someone else")
  })

  it("accepts only memory that it lent", () => {
    const memory = new MessageMemory()
    const foreign = new Uint8Array(16 * 1024).fill(9)
    memory.release(foreign)
    new MessageMemory().release(memory.take(1))
    assert.strictEqual(foreign[0], 9)
    assert.strictEqual(memory.take(1)[0], 0)
  })

  it("grows as needed and drops memory larger than usual messages", () => {
    const memory = new MessageMemory()
    for (const size_bytes of [1, 50_000, 100, 3_000_000, 1]) {
      const bytes = memory.take(size_bytes)
      assert.isAtLeast(bytes.length, size_bytes)
      assert.isBelow(bytes.length, Math.max(size_bytes, 50_000) + 16 * 1024)
      memory.release(bytes.subarray(0, 1))
    }
  })
})
