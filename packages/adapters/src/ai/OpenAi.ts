// OpenAI's wire format (Chat Completions), which many other servers implement.
import { Redacted, Result, Schema } from "effect"
import { type Attachment, contentOf, cut_off, declined, thinking_tokens } from "./Conversation.ts"
import { dialect } from "./Provider.ts"

/** Text, or parts of which those of type `text` count: Mistral's models that reason answer in parts. */
const Content = Schema.Union([
  Schema.String,
  Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optional(Schema.NullOr(Schema.String)) })),
])

const textIn = (content: typeof Content.Type | null | undefined): string =>
  typeof content === "string"
    ? content
    : (content ?? []).map(({ text, type }) => (type === "text" ? (text ?? "") : "")).join("")

/** Models that think aloud begin with it. Servers that know the model put it into `reasoning_content`, which is ignored. */
const withoutThoughts = (text: string): string => {
  const end = /^\s*<think>/.test(text) ? text.indexOf("</think>") : -1
  return end < 0 ? text : text.slice(end + "</think>".length)
}

const Answer = Schema.Struct({
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      finish_reason: Schema.optional(Schema.NullOr(Schema.String)),
      message: Schema.Struct({
        content: Schema.optional(Schema.NullOr(Content)),
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
            content: Schema.optional(Schema.NullOr(Content)),
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
  // OpenAI's models that reason refuse `max_tokens`; other servers may know only that.
  limitNames: { own: "max_completion_tokens", compatible: "max_tokens" },
  body: (conversation, model, tokens_max, limitName) => ({
    model,
    [limitName]: tokens_max + thinking_tokens[conversation.reasoning ?? "min"],
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
    return Result.succeed(withoutThoughts(textIn(message.content)))
  },
  event: Event,
  readEvent: ({ choices = [], error }) => {
    if (error !== undefined && error !== null) return { error: "an error in the stream" }
    const [choice] = choices
    return {
      text: textIn(choice?.delta?.content),
      stop: choice?.finish_reason ?? null,
      isRefusal: (choice?.delta?.refusal ?? "") !== "",
    }
  },
  toAnswer: ({ isRefusal, stop, text }): typeof Answer.Type => ({
    choices: [{ finish_reason: stop, message: { content: text, refusal: isRefusal ? "refused" : null } }],
  }),
})
