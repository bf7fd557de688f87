// Log lines: one line each, limited in length, without control characters, secrets and addresses.
import { formats, scrub } from "@tentpole/adapters/Logging"
import { assert, describe, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect, Logger, References, Schema } from "effect"

/** The output for a message with annotations. */
const lineOf = (format: keyof typeof formats, message: string, annotations: Record<string, unknown> = {}) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.map(formats[format], (line) => void lines.push(line))
    yield* Effect.logError(message).pipe(
      Effect.annotateLogs(annotations),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All"),
    )
    return lines.join("\n")
  })

const controls = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
const hostile = "\u001b[31mred\u001b[0m\r\nline two\u2028three\u0085four\u202egnp.exe\u009b2J\0"

describe.each(["json", "readable"] as const)("a line of the %s format", (format) => {
  it.effect.prop(
    "is a single line without cursor movements for any message",
    { text: Schema.String },
    ({ text }) =>
      Effect.gen(function* () {
        for (const message of [text, `${hostile}${text}`]) {
          const line = yield* lineOf(format, message, { reply: message, [`key ${message}`]: 1 })
          assert.notMatch(line, controls)
          if (format === "json") assert.isObject(JSON.parse(line))
        }
      }),
    { tags: ["attack/log-injection"] },
  )

  const logInjectionTest = tagged(it.effect, "attack/log-injection")
  logInjectionTest("is cut at a maximum length, and contains no part of an address", () =>
    Effect.gen(function* () {
      const megabyte = "x".repeat(1_000_000)
      for (const message of [megabyte, `${megabyte}@example.test`, "a ".repeat(500_000), "@".repeat(1_000_000)]) {
        const line = yield* lineOf(format, message, { reply: message })
        assert.isBelow(line.length, 70_000)
        assert.match(line, /characters more\)/)
      }
      const length_max = format === "json" ? 8_000 : 32_000
      // The other parts of a line precede the message.
      for (let before = length_max - 110; before < length_max + 10; before += 2) {
        const line = yield* lineOf(format, `${"y ".repeat(before / 2)}someone@example.test ${"z ".repeat(2_000)}`)
        assert.notMatch(line, /someone/, `${before}`)
      }
    }),
  )
})

it("scrub finds secrets and addresses next to any text, also in long words", { tags: ["attack/log-injection"] }, () => {
  assert.strictEqual(
    scrub(`to <ann@example.test>, "bob@x.co.uk" Bearer abc tp_live_0aB postgres://u:secret@host/db`),
    `to <<address>>, "<address>" Bearer <key> <key> postgres://u:<password>@host/db`,
  )
  assert.strictEqual(scrub(`${"x".repeat(200_000)}@example.test`), "<address>")
  assert.strictEqual(scrub("x".repeat(1_000_000)).length, 1_000_000)
})
