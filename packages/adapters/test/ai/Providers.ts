// The AI providers of the tests: their answers in their wire formats, and where a request contains what.
import { anthropic } from "@tentpole/adapters/ai/Anthropic"
import { openAi } from "@tentpole/adapters/ai/OpenAi"
import { layerOf, type ProviderOptions } from "@tentpole/adapters/ai/Provider"
import type { Ai } from "@tentpole/core/ports/Ai"
import type { Layer } from "effect"
import type { HttpClient } from "effect/http"
import type { IncomingHttpHeaders } from "node:http"

/** A request that a provider received. */
export interface Seen {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: ReturnType<typeof JSON.parse>
}

export interface Provider {
  readonly layer: (options: ProviderOptions) => Layer.Layer<Ai, never, HttpClient.HttpClient>
  readonly says: (text: string) => unknown
  /** The events of a streamed answer in two pieces, as the provider sends them. */
  readonly streams: (text: string, stop?: "cutOff" | "declines") => ReadonlyArray<string>
  /** An error in the middle of a stream. */
  readonly breaks: string
  readonly cutOff: unknown
  readonly declines: unknown
  /** Calls an unknown tool, with text besides if there is any. */
  readonly calls: (text: string | null) => unknown
  readonly path: string
  readonly key: (headers: IncomingHttpHeaders) => unknown
  /** Type, bytes and name of the attachments. */
  readonly files: (body: Seen["body"]) => ReadonlyArray<string>
  readonly thought: (body: Seen["body"]) => unknown
  /** The reasoning effort: default, minimal, medium and maximal. */
  readonly thoughts: ReadonlyArray<unknown>
}

const halves = (text: string): readonly [string, string] => {
  const middle = Math.floor(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

export const providers: Readonly<Record<string, Provider>> = {
  openai: {
    layer: (options) => layerOf(openAi, options),
    says: (text) => ({
      id: "x",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
    }),
    streams: (text, stop) => {
      const chunk = (delta: object, finish_reason: string | null = null) =>
        `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", model: "m-1", choices: [{ index: 0, delta, logprobs: null, finish_reason }] })}\n\n`
      const [first, second] = halves(text)
      return [
        chunk({ role: "assistant", content: "", refusal: null }),
        ...(stop === "declines"
          ? [chunk({ refusal: "I can't help" })]
          : [chunk({ content: first }), chunk({ content: second })]),
        chunk({}, stop === "cutOff" ? "length" : "stop"),
        `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":9}}\n\n`,
        "data: [DONE]\n\n",
      ]
    },
    breaks: `data: {"error":{"message":"The server had an error","type":"server_error"}}\n\n`,
    cutOff: { choices: [{ finish_reason: "length", message: { content: "<html><body>" } }] },
    declines: { choices: [{ finish_reason: "stop", message: { content: null, refusal: "No." } }] },
    calls: (content) => {
      const tool_calls = [
        { id: "1", type: "function", function: { name: "fetch", arguments: `{"url":"http://a.test"}` } },
      ]
      return {
        choices: [{ index: 0, finish_reason: "tool_calls", message: { role: "assistant", content, tool_calls } }],
      }
    },
    path: "/v1/chat/completions",
    key: (headers) => headers.authorization,
    files: ({ messages }) =>
      [messages[1].content].flat().flatMap((part: Seen["body"]) => {
        const [, type, bytes] = /^data:(.*);base64,(.*)$/.exec(part.image_url?.url ?? part.file?.file_data) ?? []
        return type === undefined ? [] : [[type, bytes, part.file?.filename].filter(Boolean).join(" ")]
      }),
    thought: (body) => [body.reasoning_effort, body.max_tokens],
    thoughts: [
      [undefined, 16_000],
      ["low", 16_000],
      ["medium", 20_000],
      ["high", 40_000],
    ],
  },
  anthropic: {
    layer: (options) => layerOf(anthropic, options),
    says: (text) => ({
      id: "x",
      stop_reason: "end_turn",
      content: [
        { type: "thinking", thinking: "…" },
        { type: "text", text },
      ],
    }),
    streams: (text, stop) => {
      const event = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
      const [first, second] = halves(text)
      const delta = (index: number, part: object) => event("content_block_delta", { index, delta: part })
      const stop_reason = stop === "cutOff" ? "max_tokens" : stop === "declines" ? "refusal" : "end_turn"
      return [
        event("message_start", {
          message: {
            id: "msg_1",
            type: "message",
            role: "assistant",
            content: [],
            model: "m-1",
            stop_reason: null,
            usage: { input_tokens: 9, output_tokens: 1 },
          },
        }),
        event("content_block_start", { index: 0, content_block: { type: "thinking", thinking: "" } }),
        event("ping", {}),
        delta(0, { type: "thinking_delta", thinking: "<html>not this</html>" }),
        delta(0, { type: "signature_delta", signature: "c2ln" }),
        event("content_block_stop", { index: 0 }),
        event("content_block_start", { index: 1, content_block: { type: "text", text: "" } }),
        delta(1, { type: "text_delta", text: first }),
        delta(1, { type: "text_delta", text: second }),
        event("content_block_stop", { index: 1 }),
        event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } }),
        event("message_stop", {}),
      ]
    },
    breaks: `event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n`,
    cutOff: { stop_reason: "max_tokens", content: [{ type: "text", text: "<html><body>" }] },
    declines: { stop_reason: "refusal", content: [] },
    calls: (text) => {
      const call = { type: "tool_use", id: "1", name: "fetch", input: { url: "http://a.test" } }
      return { id: "x", stop_reason: "tool_use", content: [...(text === null ? [] : [{ type: "text", text }]), call] }
    },
    path: "/v1/messages",
    key: (headers) => headers["x-api-key"],
    files: ({ messages }) =>
      [messages[0].content]
        .flat()
        .flatMap((part: Seen["body"]) =>
          part.source === undefined
            ? []
            : [[part.source.media_type, part.source.data, part.title].filter(Boolean).join(" ")],
        ),
    thought: (body) => [body.thinking?.budget_tokens, body.max_tokens],
    thoughts: [
      [undefined, 16_000],
      [undefined, 16_000],
      [4_000, 20_000],
      [24_000, 40_000],
    ],
  },
}
