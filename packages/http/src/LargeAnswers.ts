// Large answers in JSON: encoded in steps and sent in pieces, so that other requests continue, and no copy of the whole text is in
// memory. The framework encodes other answers, at once. The bytes are the same.
import { isLongJson, jsonPieces } from "@tentpole/core/kernel/runtime/JsonPieces"
import { inSteps, inTurn, type Steps } from "@tentpole/core/kernel/runtime/Steps"
import { Context, Effect, Predicate, Schema, SchemaAST, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, type HttpApiEndpoint, HttpApiSchema, type HttpApiGroup } from "effect/http-api"

type Options = SchemaAST.ParseOptions | undefined

interface Encoding {
  readonly schema: Schema.Top
  readonly status: number
  readonly options: Options
}

/** How the endpoints encode their answers. Those with several kinds of answers, or with headers, have no large ones. */
const encodingsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const encodings = new Map<HttpApiEndpoint.Constraint, Encoding>()
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations, successes }) => {
      const [only, ...others] = successes
      if (only === undefined || endpoint.success.size + others.length > 1) return
      if ([...endpoint.success].some(HttpApiSchema.isWithHeaders)) return
      const [status, [schema]] = only
      const options =
        Context.getOrUndefined(mergedAnnotations, HttpApi.SuccessParseOptions) ??
        Context.getOrUndefined(mergedAnnotations, HttpApi.ParseOptions)
      encodings.set(endpoint, { schema, status, options })
    },
  })
  return encodings
}

/** Neither text, bytes nor a response. */
const isPlain = (value: unknown): boolean =>
  Array.isArray(value) || (Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype)

/** Encodes the fields of an object and the items of a list in steps. What has rules of its own is encoded at once. */
function* encodeInSteps(ast: SchemaAST.AST, value: unknown, options: Options): Steps<unknown> {
  yield
  if (isLongJson(value) && !hasOwnRules(ast)) {
    if (SchemaAST.isArrays(ast) && isList(ast, value)) return yield* encodeItems(ast, value, options)
    if (SchemaAST.isObjects(ast) && hasFields(ast, value)) return yield* encodeFields(ast, value, options)
  }
  return encodedWhole(ast, value, options)
}

const hasOwnRules = ({ checks, encoding }: SchemaAST.AST): boolean => checks !== undefined || encoding !== undefined

const isList = ({ elements, rest }: SchemaAST.Arrays, value: unknown): value is ReadonlyArray<unknown> =>
  Array.isArray(value) && elements.length === 0 && rest.length === 1

/** Whether the value has these fields and no others. */
const hasFields = (
  { indexSignatures, propertySignatures }: SchemaAST.Objects,
  value: unknown,
): value is Record<PropertyKey, unknown> =>
  Predicate.isObject(value) &&
  indexSignatures.length === 0 &&
  Object.keys(value).every((key) => propertySignatures.some(({ name }) => name === key)) &&
  propertySignatures.every(
    ({ name, type }) => type.encoding === undefined && (Object.hasOwn(value, name) || SchemaAST.isOptional(type)),
  )

function* encodeFields(
  { propertySignatures }: SchemaAST.Objects,
  value: Record<PropertyKey, unknown>,
  options: Options,
): Steps<unknown> {
  const encoded: Record<PropertyKey, unknown> = {}
  for (const { name, type } of propertySignatures) {
    if (Object.hasOwn(value, name)) encoded[name] = yield* encodeInSteps(type, value[name], options)
  }
  return encoded
}

/** The items that are encoded in one step, unless their JSON is long. */
const step_items = 100

function* encodeItems(list: SchemaAST.Arrays, items: ReadonlyArray<unknown>, options: Options): Steps<unknown> {
  const [item = list] = list.rest
  const encoded: Array<unknown> = []
  for (let at = 0; at < items.length; at += step_items) {
    const some = items.slice(at, at + step_items)
    if (isLongJson(some)) for (const each of some) encoded.push(yield* encodeInSteps(item, each, options))
    else encoded.push(...encodedWhole<ReadonlyArray<unknown>>(list, some, options))
    yield
  }
  return encoded
}

const encodedWhole = <A>(ast: SchemaAST.AST, value: unknown, options: Options): A =>
  Schema.encodeUnknownSync(Schema.make<Schema.Codec<A>>(ast), options)(value)

/** Each piece is made and encoded when the one before is on its way. */
export const bytesOf = (pieces: Generator<string, void>): Stream.Stream<Uint8Array> =>
  Stream.unfold(pieces, (left) =>
    Effect.map(inTurn(left), (next) => (next.done === true ? undefined : ([Buffer.from(next.value), left] as const))),
  )

const contentType = "application/json"

/** An answer that can be stored under an idempotency key has its bytes in memory. */
const answerOf = Effect.fnUntraced(function* (value: unknown, { status, isStored }: Sending) {
  const bytes = bytesOf(jsonPieces(value))
  if (!isStored) return HttpServerResponse.stream(bytes, { status, contentType })
  return HttpServerResponse.uint8Array(Buffer.concat(yield* Stream.runCollect(bytes)), { status, contentType })
})

interface Sending {
  readonly status: number
  readonly isStored: boolean
}

export interface HandledRequest {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly endpoint: HttpApiEndpoint.Constraint
}

/** Returns the response for a large answer of an API, and other answers as they are. */
export const largeAnswers = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
) => {
  const encodings = encodingsOf(api)
  return ({ endpoint, request }: HandledRequest) =>
    (value: unknown): Effect.Effect<unknown> => {
      const encoding = encodings.get(endpoint)
      if (encoding === undefined || !isPlain(value) || !isLongJson(value)) return Effect.succeed(value)
      const { options, schema, status } = encoding
      const isStored = request.headers["idempotency-key"] !== undefined
      // What made the value took its own turn.
      return Effect.yieldNow.pipe(
        Effect.andThen(inSteps(encodeInSteps(schema.ast, value, options))),
        Effect.flatMap((encoded) => answerOf(encoded, { status, isStored })),
      )
    }
}
