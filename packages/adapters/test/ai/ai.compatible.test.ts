// Failures in the providers' documented shapes, and servers that speak OpenAI's protocol with differences.
import { openAi } from "@tentpole/adapters/ai/OpenAi"
import { layerOf } from "@tentpole/adapters/ai/Provider"
import { Ai } from "@tentpole/core/ports/Ai"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { busy, maxCompletionTokensRefused, maxTokensRefused, permanent } from "./ProviderErrors.ts"
import { providers } from "./Providers.ts"
import { asking, html, request, workspace } from "./ProviderServer.ts"

for (const [name, provider] of Object.entries(providers)) {
  describe(name, () => {
    const { ask, refusal } = asking(provider)

    it.live("sends a request again after a documented failure that passes", () =>
      Effect.gen(function* () {
        const failures = busy[name] ?? []
        const { ai, seen } = yield* ask(...failures, { body: provider.says(html) })
        assert.strictEqual(yield* ai.generatePage(workspace, request), html)
        assert.strictEqual(seen.length, failures.length + 1)
      }).pipe(Effect.scoped),
    )

    it.live("does not repeat a documented failure that stays, and logs the provider's reason without the key", () =>
      Effect.gen(function* () {
        for (const [failure, logged] of permanent[name] ?? []) {
          const { tag, reason, times } = yield* refusal(failure)
          assert.deepStrictEqual([tag, times], ["AiUnavailable", 1], failure.source)
          assert.include(reason, `${name}: ${logged}`)
          assert.notInclude(reason, "key-1")
        }
      }).pipe(Effect.scoped),
    )
  })
}

describe("a server that speaks OpenAI's protocol", () => {
  const openai = providers["openai"]
  assert(openai !== undefined)
  const { ask, refusal } = asking(openai)
  const limits = (seen: ReadonlyArray<{ readonly body: Record<string, unknown> }>) =>
    seen.map(({ body }) =>
      Object.keys(body)
        .filter((key) => key.startsWith("max_"))
        .join(),
    )

  it.live("gets max_tokens, the name that all of them know", () =>
    Effect.gen(function* () {
      const { ai, seen } = yield* ask({ body: openai.says(html) })
      yield* ai.generatePage(workspace, request)
      assert.deepStrictEqual(limits(seen), ["max_tokens"])
    }).pipe(Effect.scoped),
  )

  it.live("gets max_completion_tokens once it has refused max_tokens", () =>
    Effect.gen(function* () {
      const { ai, seen } = yield* ask(maxTokensRefused, { body: openai.says(html) })
      assert.strictEqual(yield* ai.generatePage(workspace, request), html)
      assert.strictEqual(yield* ai.generatePage(workspace, request), html)
      assert.deepStrictEqual(limits(seen), ["max_tokens", "max_completion_tokens", "max_completion_tokens"])
    }).pipe(Effect.scoped),
  )

  it.live("that refuses both names is not asked a third time", () =>
    Effect.gen(function* () {
      const { tag, times } = yield* refusal(maxTokensRefused, maxCompletionTokensRefused)
      assert.deepStrictEqual([tag, times], ["AiUnavailable", 2])
    }).pipe(Effect.scoped),
  )

  it.effect("OpenAI itself gets max_completion_tokens", () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      const client = HttpClient.make((asked) =>
        Effect.sync(() => {
          sent.push(asked.body._tag === "Uint8Array" ? new TextDecoder().decode(asked.body.body) : "")
          return HttpClientResponse.fromWeb(asked, Response.json(openai.says(html)))
        }),
      )
      const options = { apiKey: Redacted.make("k"), baseUrl: openAi.default_base_url, model: "gpt-5" }
      const layer = layerOf(openAi, options).pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, client)))
      yield* (yield* Effect.provide(Ai, layer)).generatePage(workspace, request)
      assert.match(sent[0] ?? "", /"max_completion_tokens":16000/)
      assert.notInclude(sent[0] ?? "", "max_tokens")
    }),
  )

  it.live("may send its reasoning beside the answer, streamed or not", () =>
    Effect.gen(function* () {
      const reasoning_content = "The user wants <html>…</html>, so"
      const message = { role: "assistant", content: html, reasoning_content }
      const whole = yield* ask({ body: { id: "x", choices: [{ index: 0, finish_reason: "stop", message }] } })
      assert.strictEqual(yield* whole.ai.generatePage(workspace, request), html)
      const chunk = (delta: object, finish_reason: string | null = null) =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`
      const events = [
        chunk({ role: "assistant", content: null, reasoning_content: "" }),
        chunk({ content: null, reasoning_content }),
        chunk({ content: html.slice(0, 20), reasoning_content: null }),
        chunk({ content: html.slice(20), reasoning_content: null }),
        chunk({ content: "", reasoning_content: null }, "stop"),
        "data: [DONE]\n\n",
      ]
      const streamed = yield* ask({ events })
      assert.strictEqual(yield* streamed.ai.generatePage(workspace, request), html)
    }).pipe(Effect.scoped),
  )

  it.live("may think aloud in the answer, or answer in parts", () =>
    Effect.gen(function* () {
      const thought = "<think>I could write <html>a draft</html>. No, better:</think>"
      const aloud = yield* ask({ body: openai.says(`${thought}\n${html}`) })
      assert.strictEqual(yield* aloud.ai.generatePage(workspace, request), html)
      const unsure = yield* ask({ body: openai.says("<think>No? Rather yes.</think>No") })
      assert.isFalse(yield* unsure.ai.asksForPage(workspace, "x", { hasTemplate: false }))
      const content = [
        { type: "thinking", thinking: [{ type: "text", text: "<html>a draft</html>" }] },
        { type: "text", text: html },
      ]
      const parts = yield* ask({ body: { choices: [{ finish_reason: "stop", message: { content } }] } })
      assert.strictEqual(yield* parts.ai.generatePage(workspace, request), html)
    }).pipe(Effect.scoped),
  )
})
