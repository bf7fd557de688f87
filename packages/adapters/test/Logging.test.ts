// Lines of a log: each is one line that a terminal only shows, of a length, and without what must not stand there.
import { formats, scrub } from "@tentpole/adapters/Logging"
import { assert, describe, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect, Logger, References, Schema } from "effect"

/** What is written of a message with annotations. */
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
    "is one line that moves no cursor, whatever is told",
    { text: Schema.String },
    ({ text }) =>
      Effect.gen(function* () {
        for (const told of [text, `${hostile}${text}`]) {
          const line = yield* lineOf(format, told, { reply: told, [`key ${told}`]: 1 })
          assert.notMatch(line, controls)
          if (format === "json") assert.isObject(JSON.parse(line))
        }
      }),
    { tags: ["attack/log-injection"] },
  )

  const logInjectionTest = tagged(it.effect, "attack/log-injection")
  logInjectionTest("is cut, however much is told, and holds no half of an address", () =>
    Effect.gen(function* () {
      const megabyte = "x".repeat(1_000_000)
      for (const told of [megabyte, `${megabyte}@example.test`, "a ".repeat(500_000), "@".repeat(1_000_000)]) {
        const line = yield* lineOf(format, told, { reply: told })
        assert.isBelow(line.length, 70_000)
        assert.match(line, /characters more\)/)
      }
      const length_max = format === "json" ? 8_000 : 32_000
      // Before the text stands what else a line has.
      for (let before = length_max - 110; before < length_max + 10; before += 2) {
        const line = yield* lineOf(format, `${"y ".repeat(before / 2)}somebody@example.test ${"z ".repeat(2_000)}`)
        assert.notMatch(line, /somebody/, `${before}`)
      }
    }),
  )
})

it(
  "what must not stand in a log is found beside whatever stands there, in long words too",
  { tags: ["attack/log-injection"] },
  () => {
    assert.strictEqual(
      scrub(`to <ann@example.test>, "bob@x.co.uk" Bearer abc tp_live_0aB postgres://u:secret@host/db`),
      `to <<address>>, "<address>" Bearer <key> <key> postgres://u:<password>@host/db`,
    )
    assert.strictEqual(scrub(`${"x".repeat(200_000)}@example.test`), "<address>")
    assert.strictEqual(scrub("x".repeat(1_000_000)).length, 1_000_000)
  },
)
