// OpenAI's wire format (Chat Completions), which many other servers implement.
import { AiRefused, AiUnavailable } from "@tentpole/core/ports/Ai"
import { Redacted, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { type Attachment, type Conversation, cut_off, declined, thinking_tokens } from "./Conversation.ts"
import { type Dialect, layerOf, type ProviderOptions } from "./Provider.ts"

export const default_base_url = "https://api.openai.com/v1"
export const default_model = "gpt-5"

export const layer = (options: ProviderOptions) => layerOf(dialect, options)

const Answer = Schema.Struct({
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      finish_reason: Schema.optional(Schema.NullOr(Schema.String)),
      message: Schema.Struct({
        content: Schema.optional(Schema.NullOr(Schema.String)),
        refusal: Schema.optional(Schema.NullOr(Schema.String)),
      }),
    }),
  ),
})

/** Sent only when set: many servers of this format do not support reasoning effort. */
const efforts = { min: "low", medium: "medium", high: "high", max: "high" } as const

/** Files come before the text that refers to them. */
const contentOf = ({ user, attachments = [] }: Conversation) =>
  attachments.length === 0 ? user : [...attachments.map(partOf), { type: "text", text: user }]

const partOf = ({ kind, fileName, contentType, base64 }: Attachment) => {
  const url = `data:${contentType};base64,${base64}`
  return kind === "picture"
    ? { type: "image_url", image_url: { url } }
    : { type: "file", file: { filename: fileName, file_data: url } }
}

const decode = Schema.decodeUnknownResult(Answer)

const dialect: Dialect = {
  name: "openai",
  request: (conversation, { apiKey, baseUrl, model, tokens_max }) =>
    HttpClientRequest.post(`${baseUrl}/chat/completions`).pipe(
      HttpClientRequest.bearerToken(Redacted.value(apiKey)),
      HttpClientRequest.acceptJson,
      HttpClientRequest.bodyJsonUnsafe({
        model,
        max_completion_tokens: tokens_max + thinking_tokens[conversation.reasoning ?? "min"],
        ...(conversation.reasoning ? { reasoning_effort: efforts[conversation.reasoning] } : {}),
        messages: [
          { role: "system", content: conversation.system },
          { role: "user", content: contentOf(conversation) },
        ],
      }),
    ),
  read: (answer) => {
    const decoded = decode(answer)
    if (Result.isFailure(decoded)) {
      return Result.fail(new AiUnavailable({ reason: "openai: an answer of another shape than Chat Completions have" }))
    }
    const { finish_reason, message } = decoded.success.choices[0]
    if (message.refusal || finish_reason === "content_filter") return Result.fail(new AiRefused({ reason: declined }))
    if (finish_reason === "length") return Result.fail(new AiRefused({ reason: cut_off }))
    return Result.succeed(message.content ?? "")
  },
}
