// The AI adapter that the configuration selects.
import type { Ai } from "@tentpole/core/ports/Ai"
import { Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Anthropic from "./Anthropic.ts"
import * as FakeAi from "./fake/FakeAi.ts"
import * as OpenAi from "./OpenAi.ts"

export interface AiOptions {
  readonly provider: "fake" | "openai" | "anthropic"
  /** Null for the fake AI only. */
  readonly apiKey: Redacted.Redacted | null
  /** Null: the provider's default address. */
  readonly baseUrl: string | null
  readonly model: string | null
}

export const layer = (options: AiOptions): Layer.Layer<Ai> => {
  if (options.provider === "fake") return FakeAi.layer
  const { layer: provider, default_base_url, default_model } = options.provider === "openai" ? OpenAi : Anthropic
  return provider({
    apiKey: options.apiKey ?? Redacted.make(""),
    baseUrl: (options.baseUrl ?? default_base_url).replace(/\/+$/, ""),
    model: options.model ?? default_model,
  }).pipe(Layer.provide(FetchHttpClient.layer))
}
