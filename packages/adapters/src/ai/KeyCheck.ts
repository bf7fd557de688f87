// The check that an AI provider accepts the key: a request for its list of models, which costs nothing.
import { Effect, Redacted } from "effect"
import * as Anthropic from "./Anthropic.ts"
import type { AiOptions } from "./FromConfig.ts"
import * as OpenAi from "./OpenAi.ts"

const timeout_ms = 10_000

const requestOf = ({ apiKey, baseUrl, provider }: AiOptions) => {
  const key = apiKey === null ? "" : Redacted.value(apiKey)
  const base = baseUrl ?? (provider === "anthropic" ? Anthropic : OpenAi).default_base_url
  const headers: Record<string, string> =
    provider === "anthropic"
      ? { "x-api-key": key, "anthropic-version": "2023-06-01" }
      : { authorization: `Bearer ${key}` }
  return { url: `${base.replace(/\/+$/, "")}/models`, headers }
}

/** The HTTP status of the answer. Fails with the error's name when there is no answer. */
export const reach = (options: AiOptions): Effect.Effect<number, string> => {
  const { url, headers } = requestOf(options)
  return Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        headers,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]),
      })
      await response.body?.cancel()
      return response.status
    },
    catch: (cause) => (cause instanceof Error ? cause.name : "unknown"),
  })
}
