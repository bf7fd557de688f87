// Anthropic's wire format (Messages).
import { AiRefused, AiUnavailable } from "@tentpole/core/ai/Ai"
import { Redacted, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { cut_off, declined } from "./Conversation.ts"
import { type Dialect, layerOf, type ProviderOptions } from "./Provider.ts"

export const default_base_url = "https://api.anthropic.com/v1"
export const default_model = "claude-sonnet-4-5"

const version = "2023-06-01"

export const layer = (options: ProviderOptions) => layerOf(dialect, options)

const Answer = Schema.Struct({
  stop_reason: Schema.NullOr(Schema.String),
  content: Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optional(Schema.String) })),
})

const decode = Schema.decodeUnknownResult(Answer)

const dialect: Dialect = {
  name: "anthropic",
  request: ({ system, user }, { apiKey, baseUrl, model, tokens_max }) =>
    HttpClientRequest.post(`${baseUrl}/messages`).pipe(
      HttpClientRequest.setHeaders({ "x-api-key": Redacted.value(apiKey), "anthropic-version": version }),
      HttpClientRequest.acceptJson,
      HttpClientRequest.bodyJsonUnsafe({
        model,
        max_tokens: tokens_max,
        system,
        messages: [{ role: "user", content: user }],
      }),
    ),
  read: (answer) => {
    const decoded = decode(answer)
    if (Result.isFailure(decoded)) {
      return Result.fail(new AiUnavailable({ reason: "anthropic: an answer of another shape than Messages have" }))
    }
    const { stop_reason, content } = decoded.success
    if (stop_reason === "refusal") return Result.fail(new AiRefused({ reason: declined }))
    if (stop_reason === "max_tokens") return Result.fail(new AiRefused({ reason: cut_off }))
    const texts = content.flatMap((part) => (part.type === "text" && part.text !== undefined ? [part.text] : []))
    return Result.succeed(texts.join(""))
  },
}
