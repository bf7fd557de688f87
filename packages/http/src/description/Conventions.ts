// What holds for every call, written into the API's description once: the header that makes a POST repeatable, and the headers
// that tell what is left of the rate limit.

import { type Json, isObject, listIn, mapped, objectIn, withComponents, withOperations } from "./Json.ts"

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
  description:
    "Makes the call repeatable for 24 hours: the same key, path and body get the first answer again, with `Idempotency-Replayed: true`; another body 409 `idempotency_key_reused`; while the first still runs 409 `idempotency_in_progress`. Answers of 500 and above, and refusals before the call began (401, 413, 415, 429, invalid JSON), leave the key free. An answer of more than 8 MB is not kept: its repetition is 409 `conflict`",
}

const integer = (description: string) => ({ schema: { type: "integer" }, description })

const text = (description: string) => ({ schema: { type: "string" }, description })

const headers = {
  "X-Request-Id": text("Names the request in the service's log: the caller's own id, or one made here"),
  "RateLimit-Limit": integer("Requests a minute that the key may make"),
  "RateLimit-Remaining": integer("Requests that may follow at once"),
  "RateLimit-Reset": integer("Seconds until all of them may again"),
  "Retry-After": integer("Seconds until the call may be made again"),
  "WWW-Authenticate": text("`Bearer`"),
  "Idempotency-Replayed": text("`true` when the answer is that of an earlier call with the same key"),
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

const refTo = (code: string) => `#/components/schemas/Error_${code}`

/** What a POST answers besides, when it is repeated under its key. */
const repeated = ["idempotency_key_reused", "idempotency_in_progress", "conflict"].map(refTo)

/** Told of every operation by the middleware that knows keys, and true of POSTs alone. */
const ofPosts = new Set(["idempotency_key_reused", "idempotency_in_progress"].map(refTo))

const refsIn = (response: unknown): ReadonlyArray<string> => {
  const schema = objectIn(objectIn(objectIn(response, "content"), "application/json"), "schema")
  const refs = "anyOf" in schema ? listIn(schema, "anyOf") : [schema]
  return refs.flatMap((each) => (isObject(each) && typeof each["$ref"] === "string" ? [each["$ref"]] : []))
}

/** The answer 409 of an operation; undefined where there is none. */
const conflict = (method: string, response: unknown): unknown => {
  const own = refsIn(response)
  const all = [...new Set(method === "post" ? [...own, ...repeated] : own.filter((ref) => !ofPosts.has(ref)))]
  if (all.length === 0) return undefined
  const schema = { anyOf: all.map(($ref) => ({ $ref })) }
  return { ...(isObject(response) ? response : {}), content: { "application/json": { schema } } }
}

const operation =
  (limited: boolean) =>
  (described: Json, { method }: { readonly method: string }): Json => {
    const { 409: own, ...responses } = objectIn(described, "responses")
    const told409 = limited ? conflict(method, own) : own
    const whole = told409 === undefined ? responses : { ...responses, 409: told409 }
    const told = mapped(whole, (status, response) =>
      isObject(response)
        ? { ...response, headers: { ...objectIn(response, "headers"), ...headersOf(method, status, limited) } }
        : response,
    )
    return {
      ...described,
      ...(limited && method === "post" ? { parameters: [...listIn(described, "parameters"), idempotencyKey] } : {}),
      responses: told,
    }
  }

/**
 * The description with the conventions in it. `limited`: whether calls are counted against a key's limit and may be repeated
 * under an idempotency key, as those of tenants are and those of the administration are not.
 */
export const conventions = (description: Json, { limited }: { readonly limited: boolean }): Json =>
  withComponents(withOperations(description, operation(limited)), "headers", headers)
