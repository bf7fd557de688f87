// Bodies of failures in the shapes that the providers document or are reported to send. `source` names where.

export interface DocumentedFailure {
  readonly source: string
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body: unknown
}

const anthropicErrors = "https://docs.claude.com/en/api/errors"
const openAiErrors = "https://platform.openai.com/docs/guides/error-codes"

const anthropic = (status: number, type: string, message: string, headers = {}): DocumentedFailure => ({
  source: anthropicErrors,
  status,
  headers: { "request-id": "req_011CSHoEeqs5C35K2UUqR7Fy", ...headers },
  body: { type: "error", error: { type, message }, request_id: "req_011CSHoEeqs5C35K2UUqR7Fy" },
})

const openAi = (status: number, error: object, source = openAiErrors): DocumentedFailure => ({
  source,
  status,
  body: { error: { param: null, ...error } },
})

/** Failures that pass: the request is sent again. */
export const busy: Readonly<Record<string, ReadonlyArray<DocumentedFailure>>> = {
  openai: [
    openAi(429, {
      message:
        "Rate limit reached for m-1 in organization org-1 on tokens per min (TPM): Limit 30000, Used 28039, Requested 3906. Please try again in 12ms.",
      type: "tokens",
      code: "rate_limit_exceeded",
    }),
    openAi(500, { message: "The server had an error while processing your request", type: "server_error", code: null }),
    openAi(503, {
      message: "The engine is currently overloaded, please try again later",
      type: "server_error",
      code: null,
    }),
  ],
  anthropic: [
    anthropic(429, "rate_limit_error", "This request would exceed your organization's rate limit.", {
      "retry-after": "0",
    }),
    anthropic(500, "api_error", "Internal server error"),
    anthropic(529, "overloaded_error", "Overloaded"),
  ],
}

/** Failures that waiting does not end, and a part of what is logged. */
export const permanent: Readonly<Record<string, ReadonlyArray<readonly [DocumentedFailure, logged: string]>>> = {
  openai: [
    [
      openAi(429, {
        message: "You exceeded your current quota, please check your plan and billing details.",
        type: "insufficient_quota",
        code: "insufficient_quota",
      }),
      "status 429: You exceeded your current quota",
    ],
    [
      openAi(401, {
        message: "Incorrect API key provided: key-1.",
        type: "invalid_request_error",
        code: "invalid_api_key",
      }),
      "status 401",
    ],
    [
      openAi(404, {
        message: "The model `m-1` does not exist",
        type: "invalid_request_error",
        code: "model_not_found",
      }),
      "status 404: The model `m-1` does not exist",
    ],
  ],
  anthropic: [
    [anthropic(401, "authentication_error", "invalid x-api-key key-1"), "status 401"],
    [anthropic(400, "invalid_request_error", "max_tokens: Field required"), "status 400: max_tokens: Field required"],
    [anthropic(404, "not_found_error", "model: m-1"), "status 404: model: m-1"],
    [anthropic(413, "request_too_large", "Request exceeds the maximum size"), "status 413: Request exceeds"],
  ],
}

/** OpenAI's models that reason refuse the older name of the limit. */
export const maxTokensRefused = openAi(
  400,
  {
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    type: "invalid_request_error",
    param: "max_tokens",
    code: "unsupported_parameter",
  },
  "https://github.com/griptape-ai/ComfyUI-Griptape/issues/312",
)

/** Mistral refuses every key that it does not know. */
export const maxCompletionTokensRefused: DocumentedFailure = {
  source: "https://github.com/editor-code-assistant/eca/issues/231",
  status: 422,
  body: {
    object: "error",
    message: {
      detail: [
        { type: "extra_forbidden", loc: ["body", "max_completion_tokens"], msg: "Extra inputs are not permitted" },
      ],
    },
    type: "invalid_request_error",
    param: null,
    code: null,
  },
}
