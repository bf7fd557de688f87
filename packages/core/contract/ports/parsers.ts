// Contract tests of `Parsers`.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { formParser } from "../../src/forms/Form.ts"
import { TentId, WorkspaceId } from "../../src/kernel/Ids.ts"
import { contentTypeParser } from "../../src/ports/ContentType.ts"
import { decideWith, type Parser, Parsers, parseNow } from "../../src/ports/Parsers.ts"
import { preheaderParser } from "../../src/rendering/Markup.ts"
import { plainTextParser } from "../../src/rendering/PlainText.ts"

const workspace = WorkspaceId.make("0190a0de-0000-7000-8000-000000000001")
const tentId = TentId.make("0190a0de-0000-7000-8000-000000000002")

/** HTML of about 12 KB around a text. */
const large = (html: string): string => `${html}${"<p>word</p>\n".repeat(1_000)}`

const unclosed = Array.from({ length: 190 }, (_, at) => `<b id=i${at}>`).join("")
/** A few kilobytes for which a parser without limits creates half a million elements. */
const bomb = `<p>${unclosed}${"<p>x".repeat(3_000)}`

export const parsers = <E>(name: string, live: Layer.Layer<never, E>) =>
  layer(live, { excludeTestServices: true })(`Parsers (${name})`, (it) => {
    const run = <Input, Output>(parser: Parser<Input, Output>, input: Input) =>
      Effect.flatMap(Parsers, (parsers) => parsers.run(parser, input, workspace))

    it.effect("returns what the parser returns, for small and large inputs", () =>
      Effect.gen(function* () {
        for (const html of ["<h1>Title</h1>", large("<h1>Title</h1>")]) {
          assert.strictEqual(yield* run(plainTextParser, html), parseNow(plainTextParser, html))
        }
      }),
    )

    it.effect("returns maps of objects, and the results of asynchronous parsers of bytes", () =>
      Effect.gen(function* () {
        const html = large(`<form id=f><input name=email></form>`)
        const form = (yield* run(formParser, { tentId, html })).get("f")
        const plain = { consent: null, checkboxes: new Map(), text: "" }
        assert.deepStrictEqual(form, { tentId, formId: "f", fields: ["email"], successUrl: null, ...plain })
        const png = new Uint8Array(60_000)
        png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
        assert.strictEqual(yield* run(contentTypeParser, png), "image/png")
      }),
    )

    it.effect("fails with TooComplex when the parser reaches its limit", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(run(formParser, { tentId, html: bomb }))
        assert.strictEqual(error.code, "too_complex")
        assert.strictEqual(error.reason, "repeats too many unclosed elements")
      }),
    )

    it.effect("gives a decision the results of its parsers in the order of its calls", () =>
      Effect.gen(function* () {
        const decide = decideWith(yield* Parsers, workspace)
        const [first, second] = [large("<p>first</p>"), "<p>second</p>"]
        const texts = yield* decide((parse) => [parse(plainTextParser, first), parse(plainTextParser, second)])
        assert.deepStrictEqual(texts, [first, second].map(plainTextParser.run))
        const failed = yield* Effect.flip(decide((parse) => parse(preheaderParser, { html: bomb, text: null })))
        assert.strictEqual(failed._tag, "TooComplex")
      }),
    )
  })
