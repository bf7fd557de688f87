// Conventions of all operations in the OpenAPI document: the idempotency key of POSTs and the headers of responses.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { type Json, isObject, listIn, mapped, objectIn, withComponents, withOperations } from "./Json.ts"
import { codesOf, schemaOf } from "./ErrorResponses.ts"

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
  description:
    "Makes the request safe to retry for 24 hours. A request with the same key, path and body gets the first response again, with `Idempotency-Replayed: true`. Another body gets 409 `idempotency_key_reused`. While the first request is running, the response is 409 `idempotency_in_progress`. Status 500 and above, and refusals before processing (401, 413, 415, 429, invalid JSON), do not use up the key. A response of more than 8 MB is not stored: its repetition gets 409 `conflict`",
}

const integer = (description: string) => ({ schema: { type: "integer" }, description })

const text = (description: string) => ({ schema: { type: "string" }, description })

const headers = {
  "X-Request-Id": text("Id of the request in the service's log: the id that the caller sent, or a new one"),
  "RateLimit-Limit": integer("Requests per minute that the key can make"),
  "RateLimit-Remaining": integer("Requests that the key can make now"),
  "RateLimit-Reset": integer("Seconds until the full limit is available again"),
  "Retry-After": integer("Seconds to wait before the next attempt"),
  "WWW-Authenticate": text("`Bearer`"),
  "Idempotency-Replayed": text("`true` if this is the stored response to an earlier request with the same key"),
} as const

type HeaderName = keyof typeof headers

const refersTo = (...names: ReadonlyArray<HeaderName>): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const limits = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const

const headersOf = (method: string, status: string, limited: boolean): Json =>
  refersTo(
    "X-Request-Id",
    ...(limited && status !== "401" ? limits : []),
    ...(status === "401" ? (["WWW-Authenticate"] as const) : []),
    ...(status === "429" || status === "503" ? (["Retry-After"] as const) : []),
    ...(limited && method === "post" && Number(status) < 300 ? (["Idempotency-Replayed"] as const) : []),
  )

/** Codes that a POST with an idempotency key can also return. */
const repeated: ReadonlyArray<ErrorCode> = ["idempotency_key_reused", "idempotency_in_progress", "conflict"]

/** Codes that the idempotency middleware declares for all operations and that only POSTs return. */
const onlyPosts: ReadonlySet<ErrorCode> = new Set(["idempotency_key_reused", "idempotency_in_progress"])

/** The 409 response of an operation; undefined if it has none. */
const conflict = (method: string, response: unknown): unknown => {
  const own = codesOf(response)
  const codes = [...new Set(method === "post" ? [...own, ...repeated] : own.filter((code) => !onlyPosts.has(code)))]
  if (codes.length === 0) return undefined
  return { ...(isObject(response) ? response : {}), content: { "application/json": { schema: schemaOf(codes) } } }
}

const operation =
  (limited: boolean) =>
  (declared: Json, { method }: { readonly method: string }): Json => {
    const { 409: own, ...others } = objectIn(declared, "responses")
    const response409 = limited ? conflict(method, own) : own
    const all = response409 === undefined ? others : { ...others, 409: response409 }
    const responses = mapped(all, (status, response) =>
      isObject(response)
        ? { ...response, headers: { ...objectIn(response, "headers"), ...headersOf(method, status, limited) } }
        : response,
    )
    return {
      ...declared,
      ...(limited && method === "post" ? { parameters: [...listIn(declared, "parameters"), idempotencyKey] } : {}),
      responses,
    }
  }

/** Adds the conventions to the document. For `limited`, see `completeDocument`. */
export const conventions = (description: Json, { limited }: { readonly limited: boolean }): Json =>
  withComponents(withOperations(description, operation(limited)), "headers", headers)
