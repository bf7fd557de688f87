// Streamed answers of real AI providers, against a server with their wire formats and typical failures.
import { Ai } from "@tentpole/core/ports/Ai"
import { assert, describe, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { providers } from "./Providers.ts"
import { asking, email, emailRequest, html, request, workspace } from "./ProviderServer.ts"

for (const [name, provider] of Object.entries(providers)) {
  describe(name, () => {
    const { ask, refusal } = asking(provider)
    const aiOutputTest = tagged(it.live, "attack/ai-output")

    it.live("streams pages and emails, and reads text that arrives in pieces", () =>
      Effect.gen(function* () {
        const long = html.replace("Hi", `Hi ☃ ${"€ and more ".repeat(500)}`)
        const page = yield* ask({ events: provider.streams(`Here:\n${long}`) })
        assert.strictEqual(yield* page.ai.generatePage(workspace, request), long)
        assert.strictEqual(page.seen[0]?.body.stream, true)
        const mail = yield* ask({ events: provider.streams(`Subject: S\nPreview: P\n${email}`) })
        assert.deepStrictEqual(yield* mail.ai.generateEmail(workspace, emailRequest), {
          html: email,
          subject: "S",
          previewText: "P",
        })
        assert.strictEqual(mail.seen[0]?.body.stream, true)
        const short = yield* ask({ body: provider.says("yes") })
        yield* short.ai.asksForPage(workspace, "x", { hasTemplate: false })
        assert.notProperty(short.seen[0]?.body, "stream")
      }).pipe(Effect.scoped),
    )

    it.live("distinguishes a refusal and a cut-off in a stream, and does not retry them", () =>
      Effect.gen(function* () {
        for (const [stop, sentence] of [
          ["declines", "declined"],
          ["cutOff", "cut off"],
        ] as const) {
          const { tag, reason, times } = yield* refusal({ events: provider.streams(html, stop) })
          assert.deepStrictEqual([tag, times], ["AiRefused", 1])
          assert.include(reason, sentence)
        }
      }).pipe(Effect.scoped),
    )

    it.live("retries a stream that ends early, reports an error, breaks off or answers with a failure", () =>
      Effect.gen(function* () {
        const events = provider.streams(html)
        const { ai, seen } = yield* ask(
          { events: events.slice(0, 3) },
          { events: [...events.slice(0, 3), provider.breaks] },
          { events: events.slice(0, 3), ending: "breaks" },
          { events },
        )
        assert.strictEqual(yield* ai.generatePage(workspace, request), html)
        assert.strictEqual(seen.length, 4)
        const failing = yield* ask({ status: 500, body: {} }, { status: 503, body: "<html>" }, { events })
        assert.strictEqual(yield* failing.ai.generatePage(workspace, request), html)
        const broken = yield* refusal({ events: events.slice(0, 3) })
        assert.deepStrictEqual([broken.tag, broken.times], ["AiUnavailable", 4])
        assert.include(broken.reason, "broke off")
      }).pipe(Effect.scoped),
    )

    aiOutputTest("ends a stream without an end, skips events that it does not know, and drops a huge event", () =>
      Effect.gen(function* () {
        const events = provider.streams(html)
        const odd = [
          ": comment\n\n",
          "retry: 10\n\n",
          "data: {\n\n",
          "data: 5\n\n",
          'event: new\ndata: {"type":"new"}\n\n',
        ]
        const known = yield* ask({
          events: odd.flatMap((each) => [each, ...events.slice(0, 1)]).concat(events.slice(1)),
        })
        assert.strictEqual(yield* known.ai.generatePage(workspace, request), html)
        const huge = yield* refusal({
          headers: { "content-type": "text/event-stream" },
          body: `data: ${"x".repeat(2 ** 21)}`,
        })
        assert.deepStrictEqual([huge.tag, huge.times], ["AiUnavailable", 1])
      }).pipe(Effect.scoped),
    )

    it.effect("gives up on a stream that falls silent", () =>
      Effect.gen(function* () {
        const silent = HttpClient.make((asked) =>
          Effect.sync(() => {
            const begun = new ReadableStream<Uint8Array>({
              start: (controller) => controller.enqueue(Buffer.from(provider.streams(html)[0] ?? "")),
            })
            return HttpClientResponse.fromWeb(
              asked,
              new Response(begun, { headers: { "content-type": "text/event-stream" } }),
            )
          }),
        )
        const options = { apiKey: Redacted.make("k"), baseUrl: "http://provider.test/v1", model: "m" }
        const ai = yield* Effect.provide(
          Ai,
          provider.layer(options).pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, silent))),
        )
        const waiting = yield* Effect.forkChild(Effect.flip(ai.generatePage(workspace, request)))
        while (waiting.pollUnsafe() === undefined) {
          // Parts of the stream arrive outside the test's clock.
          yield* Effect.promise(() => new Promise(setImmediate))
          yield* TestClock.adjust("1 minute")
        }
        assert.include((yield* Fiber.join(waiting)).reason, "no answer in time")
      }),
    )
  })
}
