// Tests of the largest requests that send messages, over the real listener.
import { inProcess, Parsers } from "@tentpole/core/ports/Parsers"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { verifiedSender } from "../../attacks/AttackFixture.ts"
import { listeningOn } from "../../fixtures/Listening.ts"
import { testKey, world } from "../../fixtures/World.ts"

const mebibyte = 2 ** 20

it.live("a message has its files decoded by a parser, and may be larger than other bodies; a batch may not", () =>
  Effect.gen(function* () {
    const parsed: Array<readonly [name: string, size: number]> = []
    const parsers: Parsers = {
      run: (parser, input, workspace) => {
        parsed.push([parser.name, parser.sizeOf(input)])
        return inProcess.run(parser, input, workspace)
      },
    }
    const { api, context, workspace } = yield* listeningOn(world.pipe(Layer.provide(Layer.succeed(Parsers, parsers))))
    yield* verifiedSender(workspace, context)
    const post = (path: string, body: unknown) =>
      Effect.promise(async () => {
        const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" }
        const response = await fetch(`http://127.0.0.1:${api}${path}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        })
        const { message = "" } = (await response.json()) as { readonly message?: string }
        return { status: response.status, message }
      })
    const message = {
      to: { email: "ann@example.org" },
      subject: "Your plan",
      text: "It is attached.",
      from_address: "a@example.test",
    }
    const file = (bytes: number) => ({ file_name: "plan.pdf", content: Buffer.alloc(bytes, 7).toString("base64") })
    const most = yield* post("/v1/email-messages", { ...message, attachments: [file(10 * mebibyte)] })
    assert.strictEqual(most.status, 202, most.message)
    assert.isTrue(parsed.some(([name, size]) => name === "base64" && size > 13 * mebibyte))
    const more = yield* post("/v1/email-messages", { ...message, attachments: [file(10 * mebibyte), file(1)] })
    assert.deepStrictEqual([more.status, more.message.includes("attachments must have at most")], [400, true])
    const tooMuch = yield* post("/v1/email-messages", { ...message, text: "x".repeat(15 * mebibyte) })
    assert.deepStrictEqual([tooMuch.status, tooMuch.message], [413, "The body exceeds the limit of 15 MB"])
    const batch = yield* post("/v1/email-messages", { items: [{ ...message, text: "x".repeat(5 * mebibyte) }] })
    assert.deepStrictEqual([batch.status, batch.message], [413, "The body exceeds the limit of 5 MB"])
    const other = yield* post("/v1/emails", { name: "x".repeat(5 * mebibyte) })
    assert.strictEqual(other.status, 413)
  }).pipe(Effect.scoped),
)
