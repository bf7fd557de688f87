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

export const providers: Readonly<Record<string, Provider>> = {
  openai: {
    layer: (options) => layerOf(openAi, options),
    says: (text) => ({
      id: "x",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
    }),
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
    thought: (body) => [body.reasoning_effort, body.max_completion_tokens],
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
