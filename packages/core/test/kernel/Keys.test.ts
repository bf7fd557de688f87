import { inverse, renamed } from "@tentpole/core/kernel/Keys"
import { assert, it } from "@effect/vitest"

const names = { subject: "subject", fromName: "from_name", replyTo: "reply_to" } as const

it("renamed has the fields of the table under their names, and no other fields", () => {
  const source: { subject: string; fromName: string | null; replyTo?: string; html: string } = {
    subject: "Hello",
    fromName: null,
    html: "<p>",
  }
  assert.deepStrictEqual(renamed(source, names), { subject: "Hello", from_name: null })
})

it("inverse restores the fields", () => {
  const fields = { subject: "Hello", fromName: null, replyTo: "a@example.test" }
  assert.deepStrictEqual(renamed(renamed(fields, names), inverse(names)), fields)
})
