// Validation middleware: reports all issues of path, query and body in one answer, including unknown and repeated parameters.
// NUL, lone surrogates and too deep nesting are refused before schemas run.
import { type Issue, issuesOf } from "@tentpole/core/kernel/Refusal"
import { hasTooManyUnknownKeys, unknown_keys_max } from "@tentpole/core/kernel/UnknownKeys"
import { Effect, Layer, Schema, type Types } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { type Body, body, errors } from "./Errors.ts"
import { jsonErrorPosition } from "@tentpole/core/kernel/JsonErrors"

export class Validation extends HttpApiMiddleware.Service<Validation>()("tentpole/http/Validation", {
  error: errors(
    "validation_failed",
    "invalid_id",
    "invalid_json",
    "payload_too_large",
    "unsupported_media_type",
    "too_complex",
    "internal_error",
    "unavailable",
  ),
}) {}

type Response = HttpServerResponse.HttpServerResponse
type Refused = Body<"validation_failed" | "invalid_id" | "invalid_json" | "unsupported_media_type">

/** Maximum nesting of a JSON body. Rule trees have their own, lower limit. */
export const json_depth_max = 64

/** Maximum number of values in a JSON body: parsing and checking take time and memory for each. */
export const json_values_max = 250_000

/** Maximum length of a key in a JSON body: the path of each issue repeats it. */
export const json_key_length_max = 1_000

/** Why a JSON text is refused before it is parsed; null if it is not. Strings are skipped. */
const excessOf = (text: string): string | null => {
  let depth = 0
  let values_count = 1
  let string_length = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) {
      const from = ++at
      for (let inner = text.charCodeAt(at); inner !== 0x22 && at < text.length; inner = text.charCodeAt(at)) {
        at += inner === 0x5c ? 2 : 1
      }
      string_length = at - from
    } else if (unit === 0x3a) {
      if (string_length > json_key_length_max) return `has a key of more than ${json_key_length_max} characters`
    } else if (unit === 0x7b || unit === 0x5b) {
      values_count++
      if (++depth > json_depth_max) return `is nested deeper than ${json_depth_max} levels`
    } else if (unit === 0x7d || unit === 0x5d) depth--
    else if (unit === 0x2c) values_count++
    if (values_count > json_values_max) return `has more than ${json_values_max} values`
  }
  return null
}

/** Issues of text that can't be stored: NUL, or half of a surrogate pair. Keys are checked, too. */
export const unstorable = (value: unknown, path: string): ReadonlyArray<Issue> => {
  if (typeof value === "string") {
    const bad = value.includes("\0") ? "NUL" : value.isWellFormed() ? null : "half of a surrogate pair"
    return bad === null ? [] : [{ path, message: `must not contain ${bad}` }]
  }
  if (typeof value !== "object" || value === null) return []
  const below = (key: string) => (path === "" ? key : `${path}.${key}`)
  return Object.entries(value).flatMap(([key, inner]) => [
    ...unstorable(key, below("(key)")),
    ...unstorable(inner, below(key)),
  ])
}

const strict = { errors: "all", onExcessProperty: "error" } as const

const decode = (schema: Schema.Top | undefined, value: unknown): Effect.Effect<ReadonlyArray<Issue>> =>
  schema === undefined
    ? Effect.succeed([])
    : (Schema.decodeUnknownEffect(schema, strict)(value) as Effect.Effect<unknown, Schema.SchemaError>).pipe(
        Effect.match({ onSuccess: () => [], onFailure: issuesOf }),
      )

/** Names of the query parameters of an endpoint. */
export const parameterNames = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<string> => {
  const ast = endpoint.query?.ast
  return ast !== undefined && ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

/** Issues of unknown, repeated and empty parameters. Only `daysBack` may be empty, because it has a fallback. */
const queryIssues = (endpoint: HttpApiEndpoint.Top, search: URLSearchParams): ReadonlyArray<Issue> => {
  const known = parameterNames(endpoint)
  return [...new Set(search.keys())].flatMap((name): ReadonlyArray<Issue> => {
    if (!known.includes(name)) {
      const list = known.length === 0 ? "there are none" : `known are ${known.join(", ")}`
      return [{ path: name, message: `is not a parameter of this call: ${list}` }]
    }
    const values = search.getAll(name)
    if (values.length > 1) return [{ path: name, message: "must be given once" }]
    if (values[0] === "" && name !== "daysBack") return [{ path: name, message: "must not be empty: omit it" }]
    return unstorable(values[0], name)
  })
}

/** From this length on, each step of reading a body has its turn of the event loop. */
const long_length = 2 ** 19

/** Lets other requests continue between two steps that each take time in proportion to the body. */
const pause = (text: string): Effect.Effect<void> => (text.length < long_length ? Effect.void : Effect.yieldNow)

interface JsonBody {
  readonly parsed: unknown
  readonly issues: ReadonlyArray<Issue>
}

const takesJson = (endpoint: HttpApiEndpoint.Top): boolean => endpoint.payload.has("application/json")

/** The media type of a Content-Type header, without parameters. */
export const mediaType = (header: string | undefined): string =>
  (header ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

const notJson = (text: string) => {
  const { column, line } = jsonErrorPosition(text)
  return body("invalid_json", `The body is not valid JSON: see line ${line}, column ${column}`, {
    details: { line, column },
  })
}

/** Parses the JSON body, if the endpoint has one. */
const jsonBody = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!takesJson(endpoint)) return { parsed: undefined, issues: [] } satisfies JsonBody
  const text = yield* Effect.orDie(request.text)
  const type = mediaType(request.headers["content-type"])
  if (type !== "application/json" && !(type === "" && text === "")) {
    return yield* Effect.fail(
      body("unsupported_media_type", "The body must be JSON with the header `Content-Type: application/json`"),
    )
  }
  if (text === "") return { parsed: undefined, issues: [] } satisfies JsonBody
  yield* pause(text)
  const excess = excessOf(text)
  if (excess !== null) return yield* Effect.fail(body("validation_failed", `The body ${excess}`))
  yield* pause(text)
  const json = text.startsWith("\ufeff") ? text.slice(1) : text
  const parsed = yield* Effect.try({ try: (): unknown => JSON.parse(json), catch: () => notJson(json) })
  if (endpoint.payload.get("application/json")?.schemas.every((schema) => hasTooManyUnknownKeys(schema, parsed))) {
    return yield* Effect.fail(body("validation_failed", `The body has more than ${unknown_keys_max} unknown keys`))
  }
  yield* pause(text)
  // Only an escape can stand for NUL or half of a surrogate pair.
  return { parsed, issues: text.includes("\\u") ? unstorable(parsed, "") : [] } satisfies JsonBody
})

/** Maximum number of issues in an answer, so that it is not larger than the request. */
export const issues_max = 1_000

/** Longer paths are cut: a key may be as long as the body. */
const path_length_max = 200

const shortened = ({ message, path }: Issue): Issue =>
  path.length > path_length_max
    ? { message, path: `${path.slice(0, path_length_max).toWellFormed()}…` }
    : { message, path }

const refuse = (all: ReadonlyArray<Issue>, onlyPath: boolean): Body<"validation_failed" | "invalid_id"> => {
  const issues = all.slice(0, issues_max).map(shortened)
  const where = issues.slice(0, 3).map(({ path, message }) => `${path === "" ? "the body" : path} ${message}`)
  const message = `The request is not valid: ${where.join("; ")}${all.length > 3 ? `; and ${all.length - 3} more` : ""}`
  return body(onlyPath ? "invalid_id" : "validation_failed", message, {
    details: { issues },
  })
}

/** All issues of a request; the framework reports only those of the first schema that fails. */
const everyIssue = Effect.fnUntraced(function* (
  endpoint: HttpApiEndpoint.Top,
  json: JsonBody,
  search: URLSearchParams,
) {
  const { params } = yield* HttpRouter.RouteContext
  const refused = yield* decode(endpoint.params, params)
  const path = refused.length > 0 ? refused : unstorable(params, "")
  const named = queryIssues(endpoint, search)
  const query = yield* decode(endpoint.query, Object.fromEntries(search))
  const payload = endpoint.payload.get("application/json")
  // A call whose body may be absent takes null for it.
  const inBody = payload === undefined ? [] : yield* decode(Schema.Union(payload.schemas), json.parsed ?? null)
  const seen = new Set(named.map((issue) => issue.path))
  const rest = [...named, ...query.filter((issue) => !seen.has(issue.path)), ...inBody]
  return path.length > 0 ? refuse([...path, ...rest], true) : refuse(rest, false)
})

const check = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, search: URLSearchParams) {
  const { params } = yield* HttpRouter.RouteContext
  const inPath = unstorable(params, "")
  const json = yield* jsonBody(endpoint)
  const early = [...inPath, ...queryIssues(endpoint, search), ...json.issues]
  if (early.length > 0) {
    // Schemas may find more issues, unless the body has text that can't be stored.
    return yield* Effect.fail(json.issues.length > 0 ? refuse(early, false) : yield* everyIssue(endpoint, json, search))
  }
  return json
})

export const layer = Layer.succeed(
  Validation,
  Validation.of((handle, { endpoint }) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const at = request.url.indexOf("?")
      const search = new URLSearchParams(at < 0 ? "" : request.url.slice(at))
      const json = yield* check(endpoint, search)
      return yield* Effect.catch(
        handle,
        (error): Effect.Effect<Response, Types.unhandled | Refused, HttpRouter.RouteContext> => {
          if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.fail(error)
          // A response that does not match its schema is a defect: `Edge.ts` answers 500.
          if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
          return Effect.flatMap(everyIssue(endpoint, json, search), (refused) => Effect.fail(refused))
        },
      )
    }),
  ),
)
