// What holds for every call, written into the API's description once: the header that makes a POST repeatable, and the headers
// that tell what is left of the rate limit.

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
  description:
    "Makes the call repeatable for 24 hours: the same key, path and body get the first answer again, with `Idempotency-Replayed: true`; another body 409 `idempotency_key_reused`; while the first still runs 409 `idempotency_in_progress`. Answers of 500 and above, and refusals before the call began (401, 413, 415, 429, invalid JSON), leave the key free. An answer of more than 8 MB is not kept: its repetition is 409 `conflict`",
}

const integer = (description: string) => ({ schema: { type: "integer" }, description })

const limitHeaders = {
  "RateLimit-Limit": integer("Requests a minute that the key may make"),
  "RateLimit-Remaining": integer("Requests that may follow at once"),
  "RateLimit-Reset": integer("Seconds until all of them may again"),
}

const conflict = {
  description: "`idempotency_key_reused`, `idempotency_in_progress`, or `conflict` when the first answer was not kept",
}

const withHeaders = (response: unknown): unknown =>
  isObject(response)
    ? { ...response, headers: { ...(isObject(response["headers"]) ? response["headers"] : {}), ...limitHeaders } }
    : response

const operation = (method: string, described: unknown): unknown => {
  if (!isObject(described)) return described
  const parameters: ReadonlyArray<unknown> = Array.isArray(described["parameters"]) ? described["parameters"] : []
  const responses = isObject(described["responses"]) ? described["responses"] : {}
  const whole = method === "post" ? { 409: conflict, ...responses } : responses
  return {
    ...described,
    ...(method === "post" ? { parameters: [...parameters, idempotencyKey] } : {}),
    responses: Object.fromEntries(
      Object.entries(whole).map(([status, response]) => [status, status === "401" ? response : withHeaders(response)]),
    ),
  }
}

const mapped = (value: unknown, change: (key: string, inner: unknown) => unknown): Json =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(key, inner)])) : {}

/** The description with the conventions in it. */
export const conventions = (description: Json): Json => ({
  ...description,
  paths: mapped(description["paths"], (_, path) => mapped(path, operation)),
})
