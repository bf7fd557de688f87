// Anthropic's wire format (Messages).
import { Redacted, Result, Schema } from "effect"
import { type Attachment, contentOf, cut_off, declined, thinking_tokens } from "./Conversation.ts"
import { dialect } from "./Provider.ts"

const Answer = Schema.Struct({
  stop_reason: Schema.NullOr(Schema.String),
  content: Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optional(Schema.String) })),
})

const Event = Schema.Struct({
  type: Schema.String,
  delta: Schema.optional(
    Schema.Struct({
      type: Schema.optional(Schema.String),
      text: Schema.optional(Schema.String),
      stop_reason: Schema.optional(Schema.NullOr(Schema.String)),
    }),
  ),
  error: Schema.optional(Schema.Struct({ type: Schema.String })),
})

const blockOf = ({ kind, fileName, contentType, base64 }: Attachment) => {
  const source = { type: "base64", media_type: contentType, data: base64 }
  return kind === "picture" ? { type: "image", source } : { type: "document", title: fileName, source }
}

export const anthropic = dialect({
  name: "anthropic",
  format: "Messages",
  default_base_url: "https://api.anthropic.com/v1",
  default_model: "claude-sonnet-4-5",
  keyHeaders: (key) => ({ "x-api-key": Redacted.value(key), "anthropic-version": "2023-06-01" }),
  path: "/messages",
  limitNames: { own: "max_tokens", compatible: "max_tokens" },
  body: (conversation, model, tokens_max, limitName) => {
    const budget_tokens = thinking_tokens[conversation.reasoning ?? "min"]
    return {
      model,
      [limitName]: tokens_max + budget_tokens,
      ...(budget_tokens === 0 ? {} : { thinking: { type: "enabled", budget_tokens } }),
      system: conversation.system,
      messages: [{ role: "user", content: contentOf(conversation, blockOf) }],
    }
  },
  answer: Answer,
  read: ({ content, stop_reason }) => {
    if (stop_reason === "refusal") return Result.fail(declined)
    if (stop_reason === "max_tokens") return Result.fail(cut_off)
    return Result.succeed(content.map(({ text = "", type }) => (type === "text" ? text : "")).join(""))
  },
  event: Event,
  readEvent: ({ delta, error, type }) => {
    if (type === "error") return { error: error?.type ?? "an error" }
    if (type === "content_block_delta") return delta?.type === "text_delta" ? { text: delta.text ?? "" } : {}
    return type === "message_delta" ? { stop: delta?.stop_reason ?? null } : {}
  },
  toAnswer: ({ stop, text }) => ({ stop_reason: stop, content: [{ type: "text", text }] }),
})
