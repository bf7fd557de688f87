// OpenAI's wire format (Chat Completions), which many other servers implement.
import { Redacted, Result, Schema } from "effect"
import { type Attachment, contentOf, cut_off, declined, thinking_tokens } from "./Conversation.ts"
import { dialect } from "./Provider.ts"

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

const Event = Schema.Struct({
  choices: Schema.optional(
    Schema.Array(
      Schema.Struct({
        finish_reason: Schema.optional(Schema.NullOr(Schema.String)),
        delta: Schema.optional(
          Schema.Struct({
            content: Schema.optional(Schema.NullOr(Schema.String)),
            refusal: Schema.optional(Schema.NullOr(Schema.String)),
          }),
        ),
      }),
    ),
  ),
  error: Schema.optional(Schema.NullOr(Schema.Unknown)),
})

/** Sent only when set: many servers of this format do not support reasoning effort. */
const efforts = { min: "low", medium: "medium", high: "high", max: "high" } as const

const partOf = ({ kind, fileName, contentType, base64 }: Attachment) => {
  const url = `data:${contentType};base64,${base64}`
  return kind === "picture"
    ? { type: "image_url", image_url: { url } }
    : { type: "file", file: { filename: fileName, file_data: url } }
}

export const openAi = dialect({
  name: "openai",
  format: "Chat Completions",
  default_base_url: "https://api.openai.com/v1",
  default_model: "gpt-5",
  keyHeaders: (key) => ({ authorization: `Bearer ${Redacted.value(key)}` }),
  path: "/chat/completions",
  body: (conversation, model, tokens_max) => ({
    model,
    max_completion_tokens: tokens_max + thinking_tokens[conversation.reasoning ?? "min"],
    ...(conversation.reasoning ? { reasoning_effort: efforts[conversation.reasoning] } : {}),
    messages: [
      { role: "system", content: conversation.system },
      { role: "user", content: contentOf(conversation, partOf) },
    ],
  }),
  answer: Answer,
  read: ({ choices: [{ finish_reason, message }] }) => {
    if (message.refusal || finish_reason === "content_filter") return Result.fail(declined)
    if (finish_reason === "length") return Result.fail(cut_off)
    return Result.succeed(message.content ?? "")
  },
  event: Event,
  readEvent: ({ choices = [], error }) => {
    if (error !== undefined && error !== null) return { error: "an error in the stream" }
    const [choice] = choices
    return {
      text: choice?.delta?.content ?? "",
      stop: choice?.finish_reason ?? null,
      isRefusal: (choice?.delta?.refusal ?? "") !== "",
    }
  },
  toAnswer: ({ isRefusal, stop, text }): typeof Answer.Type => ({
    choices: [{ finish_reason: stop, message: { content: text, refusal: isRefusal ? "refused" : null } }],
  }),
})
