// Anthropic's wire format (Messages).
import { AiRefused, AiUnavailable } from "@tentpole/core/ports/Ai"
import { Redacted, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { type Attachment, type Conversation, cut_off, declined, thinking_tokens } from "./Conversation.ts"
import { type Dialect, layerOf, type ProviderOptions } from "./Provider.ts"

export const default_base_url = "https://api.anthropic.com/v1"
export const default_model = "claude-sonnet-4-5"

const version = "2023-06-01"

export const layer = (options: ProviderOptions) => layerOf(dialect, options)

const Answer = Schema.Struct({
  stop_reason: Schema.NullOr(Schema.String),
  content: Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optional(Schema.String) })),
})

const thinkingOf = ({ reasoning }: Conversation) => {
  const budget_tokens = thinking_tokens[reasoning ?? "min"]
  return budget_tokens === 0 ? {} : { thinking: { type: "enabled", budget_tokens } }
}

/** Files come before the text that refers to them. */
const contentOf = ({ user, attachments = [] }: Conversation) =>
  attachments.length === 0 ? user : [...attachments.map(blockOf), { type: "text", text: user }]

const blockOf = ({ kind, fileName, contentType, base64 }: Attachment) => {
  const source = { type: "base64", media_type: contentType, data: base64 }
  return kind === "picture" ? { type: "image", source } : { type: "document", title: fileName, source }
}

const decode = Schema.decodeUnknownResult(Answer)

const dialect: Dialect = {
  name: "anthropic",
  request: (conversation, { apiKey, baseUrl, model, tokens_max }) =>
    HttpClientRequest.post(`${baseUrl}/messages`).pipe(
      HttpClientRequest.setHeaders({ "x-api-key": Redacted.value(apiKey), "anthropic-version": version }),
      HttpClientRequest.acceptJson,
      HttpClientRequest.bodyJsonUnsafe({
        model,
        max_tokens: tokens_max + thinking_tokens[conversation.reasoning ?? "min"],
        ...thinkingOf(conversation),
        system: conversation.system,
        messages: [{ role: "user", content: contentOf(conversation) }],
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
