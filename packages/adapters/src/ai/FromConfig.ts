// The AI adapter that the configuration selects, and the check that its provider accepts the key.
import type { Ai } from "@tentpole/core/ports/Ai"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { anthropic } from "./Anthropic.ts"
import * as FakeAi from "./fake/FakeAi.ts"
import { openAi } from "./OpenAi.ts"
import { layerOf } from "./Provider.ts"

export interface AiOptions {
  readonly provider: "fake" | "openai" | "anthropic"
  /** Null for the fake AI only. */
  readonly apiKey: Redacted.Redacted | null
  /** Null: the provider's default address. */
  readonly baseUrl: string | null
  readonly model: string | null
}

const access = ({ apiKey, baseUrl, model, provider }: AiOptions) => {
  const dialect = provider === "anthropic" ? anthropic : openAi
  return {
    dialect,
    apiKey: apiKey ?? Redacted.make(""),
    baseUrl: (baseUrl ?? dialect.default_base_url).replace(/\/+$/, ""),
    model: model ?? dialect.default_model,
  }
}

export const layer = (options: AiOptions): Layer.Layer<Ai> => {
  if (options.provider === "fake") return FakeAi.layer
  const { dialect, ...provider } = access(options)
  return layerOf(dialect, provider).pipe(Layer.provide(FetchHttpClient.layer))
}

const timeout_ms = 10_000

/**
 * The HTTP status of a request for the provider's list of models, which costs nothing. Fails with the error's name when there
 * is no answer.
 */
export const reach = (options: AiOptions): Effect.Effect<number, string> => {
  const { apiKey, baseUrl, dialect } = access(options)
  return Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${baseUrl}/models`, {
        headers: dialect.keyHeaders(apiKey),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]),
      })
      await response.body?.cancel()
      return response.status
    },
    catch: (cause) => (cause instanceof Error ? cause.name : "unknown"),
  })
}
