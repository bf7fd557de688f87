// Validation middleware: reports all issues of path, query and body in one answer, including unknown and repeated parameters.
// NUL, lone surrogates and too deep nesting are refused before schemas run.
import { type Issue, issuesOf } from "@tentpole/core/kernel/Refusal"
import { Settings } from "@tentpole/core/kernel/Settings"
import { hasTooManyUnknownKeys, unknown_keys_max } from "@tentpole/core/kernel/UnknownKeys"
import { ByteSize, Context, Effect, Layer, Option, Schema, type Types } from "effect"
import {
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  type HttpServerResponse,
} from "effect/http"
import { type HttpApiEndpoint, HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { LargeBody } from "../Endpoint.ts"
import { type Body, body, bounded, errors, issues_max } from "./Errors.ts"
import { jsonErrorPosition } from "@tentpole/core/kernel/JsonErrors"
import { jsonExcess } from "@tentpole/core/kernel/JsonExcess"
import { sizeIssues } from "@tentpole/core/kernel/SizeIssues"

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

/**
 * Issues of text that can't be stored: NUL, or half of a surrogate pair. Keys are checked, too. Finds one more than an answer may
 * have at most.
 */
export const unstorable = (value: unknown, path: string, found: Array<Issue> = []): ReadonlyArray<Issue> => {
  if (typeof value === "string") {
    const bad = value.includes("\0") ? "NUL" : value.isWellFormed() ? null : "half of a surrogate pair"
    if (bad !== null) found.push({ path, message: `must not contain ${bad}` })
  } else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (found.length > issues_max) break
      // Most values are no texts, and need no path.
      if (typeof inner !== "string" && typeof inner !== "object" && Array.isArray(value)) continue
      const below = (name: string) => (path === "" ? name : `${path}.${name}`)
      if (!Array.isArray(value)) unstorable(key, below("(key)"), found)
      unstorable(inner, below(key), found)
    }
  }
  return found
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

/** From this length on, texts and lists that are too long are refused before the schema checks what is in them. */
const sized_length = 2 ** 16

const tooLarge = (bytes_max: number) =>
  Effect.fail(body("payload_too_large", `The body exceeds the limit of ${bytes_max / 2 ** 20} MB`))

const isTooLarge = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) &&
  error.reason._tag === "RequestParseError" &&
  error.reason.reason === "BodyTooLarge"

const usual = Effect.map(HttpIncomingMessage.MaxBodySize, (size) =>
  size === undefined ? Number.MAX_SAFE_INTEGER : ByteSize.toNumberUnsafe(size),
)

/** How the body of an endpoint is read, and its size checked once its kind is known. */
const bodyOf = ({ annotations }: HttpApiEndpoint.Top, message_bytes_max: number) => {
  const large = Option.getOrNull(Context.getOption(annotations, LargeBody))
  const textOf = (request: HttpServerRequest.HttpServerRequest) => {
    if (large === null) return Effect.orDie(request.text)
    return Effect.flatMap(usual, (bytes_max) => {
      const most = Math.max(bytes_max, message_bytes_max)
      return request.text.pipe(
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(most)),
        Effect.catch((error) => (isTooLarge(error) ? tooLarge(message_bytes_max) : Effect.die(error))),
      )
    })
  }
  const checkSize = (text: string, parsed: unknown) => {
    if (large === null) return Effect.void
    return Effect.flatMap(usual, (bytes_max) => {
      const most = large.unless(parsed) ? bytes_max : message_bytes_max
      return Buffer.byteLength(text) > most ? tooLarge(most) : Effect.void
    })
  }
  return { textOf, checkSize }
}

const payloadOf = (endpoint: HttpApiEndpoint.Top): Schema.Top | undefined => {
  const json = endpoint.payload.get("application/json")
  return json === undefined ? undefined : Schema.Union(json.schemas)
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
const jsonBody = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, message_bytes_max: number) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!takesJson(endpoint)) return { parsed: undefined, issues: [] } satisfies JsonBody
  const { checkSize, textOf } = bodyOf(endpoint, message_bytes_max)
  const text = yield* textOf(request)
  const type = mediaType(request.headers["content-type"])
  if (type !== "application/json" && !(type === "" && text === "")) {
    return yield* Effect.fail(
      body("unsupported_media_type", "The body must be JSON with the header `Content-Type: application/json`"),
    )
  }
  if (text === "") return { parsed: undefined, issues: [] } satisfies JsonBody
  yield* pause(text)
  const excess = yield* jsonExcess(text)
  if (excess !== null) return yield* Effect.fail(body("validation_failed", `The body ${excess}`))
  yield* pause(text)
  const json = text.startsWith("\ufeff") ? text.slice(1) : text
  const parsed = yield* Effect.try({ try: (): unknown => JSON.parse(json), catch: () => notJson(json) })
  yield* checkSize(text, parsed)
  yield* pause(text)
  const payload = payloadOf(endpoint)
  const sizes = payload === undefined || text.length < sized_length ? [] : sizeIssues(payload, parsed)
  if (sizes.length > 0) return yield* Effect.fail(refuse(sizes, false))
  if (payload !== undefined && hasTooManyUnknownKeys(payload, parsed)) {
    return yield* Effect.fail(body("validation_failed", `The body has more than ${unknown_keys_max} unknown keys`))
  }
  yield* pause(text)
  // Only an escape can stand for NUL or half of a surrogate pair.
  return { parsed, issues: text.includes("\\u") ? unstorable(parsed, "") : [] } satisfies JsonBody
})

const refuse = (all: ReadonlyArray<Issue>, onlyPath: boolean): Body<"validation_failed" | "invalid_id"> => {
  const issues = bounded(all)
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
  // A call whose body may be absent takes null for it.
  const inBody = yield* decode(payloadOf(endpoint), json.parsed ?? null)
  const seen = new Set(named.map((issue) => issue.path))
  const rest = [...named, ...query.filter((issue) => !seen.has(issue.path)), ...inBody]
  return path.length > 0 ? refuse([...path, ...rest], true) : refuse(rest, false)
})

const check = Effect.fnUntraced(function* (
  endpoint: HttpApiEndpoint.Top,
  search: URLSearchParams,
  message_bytes_max: number,
) {
  const { params } = yield* HttpRouter.RouteContext
  const inPath = unstorable(params, "")
  const json = yield* jsonBody(endpoint, message_bytes_max)
  const early = [...inPath, ...queryIssues(endpoint, search), ...json.issues]
  if (early.length > 0) {
    // Schemas may find more issues, unless the body has text that can't be stored.
    return yield* Effect.fail(json.issues.length > 0 ? refuse(early, false) : yield* everyIssue(endpoint, json, search))
  }
  return json
})

export const layer = Layer.effect(
  Validation,
  Effect.map(Settings, ({ message_bytes_max }) =>
    Validation.of((handle, { endpoint }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const at = request.url.indexOf("?")
        const search = new URLSearchParams(at < 0 ? "" : request.url.slice(at))
        const json = yield* check(endpoint, search, message_bytes_max)
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
  ),
)
