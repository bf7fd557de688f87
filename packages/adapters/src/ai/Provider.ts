// The client of language model providers: one request, a limit on the time and size of its answer, and retries while the
// provider is busy. A `Dialect` describes the differences between providers.
import { Ai, AiRefused, AiUnavailable, type PageRequest } from "@tentpole/core/ports/Ai"
import { type Parser, Parsers } from "@tentpole/core/ports/Parsers"
import { Clock, Duration, Effect, Layer, Random, type Redacted, Result, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { emailAnswers, pageAnswers } from "./Answers.ts"
import { columnsConversation, readMatches } from "./ColumnsPrompt.ts"
import type { Conversation } from "./Conversation.ts"
import { emailConversation } from "./EmailPrompt.ts"
import { intentConversation, pageConversation, readIntent } from "./PagePrompt.ts"

export interface ProviderOptions {
  readonly apiKey: Redacted.Redacted
  /** Without a final slash: `https://api.example.com/v1`. */
  readonly baseUrl: string
  readonly model: string
  /** The backoff before the second attempt; doubled for each later attempt. The default is 500 ms. */
  readonly retryFrom_ms?: number
}

/** The wire format of a provider. */
interface Format<Answer> {
  readonly name: string
  readonly format: string
  readonly default_base_url: string
  readonly default_model: string
  readonly keyHeaders: (key: Redacted.Redacted) => Readonly<Record<string, string>>
  readonly path: string
  readonly body: (conversation: Conversation, model: string, tokens_max: number) => object
  readonly answer: Schema.Codec<Answer, unknown>
  /** The text of an answer, or why there is none. */
  readonly read: (answer: Answer) => Result.Result<string, string>
}

export interface Dialect extends Omit<Format<never>, "answer" | "read"> {
  /** The text in the JSON of an answer. */
  readonly read: (json: string) => Result.Result<string, AiRefused | AiUnavailable>
}

export const dialect = <Answer>({ answer, read, ...rest }: Format<Answer>): Dialect => {
  const decode = Schema.decodeUnknownResult(answer)
  return {
    ...rest,
    read: (json) =>
      Result.gen(function* () {
        const unavailable = (what: string) => () => new AiUnavailable({ reason: `${rest.name}: an answer ${what}` })
        const parsed = yield* Result.try({
          try: (): unknown => JSON.parse(json),
          catch: unavailable("that is no JSON"),
        })
        const decoded = yield* Result.mapError(decode(parsed), unavailable(`of another shape than ${rest.format} have`))
        return yield* Result.mapError(read(decoded), (reason) => new AiRefused({ reason }))
      }),
  }
}

const answer_bytes_max = 5 * 2 ** 20
/** For a page or an email. */
const document_tokens_max = 16_000
/** Includes tokens for a model that reasons before it answers. */
const intent_tokens_max = 1_000
const document_time_max = Duration.minutes(3)
/** For requests with high or maximum reasoning. */
const thoughtful_time_max = Duration.minutes(8)
const isThoughtful = ({ reasoning }: PageRequest): boolean => reasoning === "high" || reasoning === "max"
const intent_time_max = Duration.seconds(20)
/** For two hundred columns, with tokens for reasoning. */
const columns_tokens_max = 16_000
const columns_time_max = Duration.seconds(10)
const attempts_max = 4
const wait_max_ms = 60_000

export const layerOf = (dialect: Dialect, options: ProviderOptions): Layer.Layer<Ai, never, HttpClient.HttpClient> =>
  Layer.effect(
    Ai,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const parsers = yield* Parsers
      const read = <A extends object>(parser: Parser<string, A | { readonly refused: string }>, answer: string) =>
        parsers.run(parser, answer, null).pipe(
          Effect.mapError(({ message }) => new AiRefused({ reason: message })),
          Effect.flatMap((found) =>
            "refused" in found
              ? Effect.fail(new AiRefused({ reason: found.refused }))
              : Effect.succeed(found as Exclude<A, { readonly refused: string }>),
          ),
        )
      // Trace headers are not sent to providers.
      const send = (request: HttpClientRequest.HttpClientRequest) =>
        Effect.provideService(client.execute(request), HttpClient.TracerPropagationEnabled, false)

      const complete = (what: string, conversation: Conversation, tokens_max: number, time_max: Duration.Duration) =>
        withRetries(
          { name: dialect.name, retryFrom_ms: options.retryFrom_ms ?? 500 },
          send(
            HttpClientRequest.post(`${options.baseUrl}${dialect.path}`).pipe(
              HttpClientRequest.setHeaders(dialect.keyHeaders(options.apiKey)),
              HttpClientRequest.acceptJson,
              HttpClientRequest.bodyJsonUnsafe(dialect.body(conversation, options.model, tokens_max)),
            ),
          ).pipe(
            Effect.mapError((error) => new Temporary({ what: error.reason._tag, wait_ms: 0 })),
            Effect.flatMap(bodyOf),
            Effect.timeoutOrElse({
              duration: time_max,
              orElse: () => Effect.fail(new Temporary({ what: "no answer in time", wait_ms: 0 })),
            }),
          ),
        ).pipe(
          Effect.flatMap((text) => Effect.fromResult(dialect.read(text))),
          Effect.tapError((error) =>
            Effect.logWarning("the AI provider gave no answer").pipe(
              Effect.annotateLogs({ provider: dialect.name, asked_for: what, reason: error.reason }),
            ),
          ),
        )

      return Ai.of({
        generatePage: Effect.fn("Ai.page")(function* (request) {
          const time_max = isThoughtful(request) ? thoughtful_time_max : document_time_max
          const answer = yield* complete("a page", pageConversation(request), document_tokens_max, time_max)
          return (yield* read(pageAnswers, answer)).html
        }),
        generateEmail: Effect.fn("Ai.email")(function* (request) {
          const answer = yield* complete("an email", emailConversation(request), document_tokens_max, document_time_max)
          return yield* read(emailAnswers, answer)
        }),
        asksForPage: Effect.fn("Ai.asksForPage")(function* (prompt, { hasTemplate }) {
          const answer = complete(
            "an intent",
            intentConversation(prompt, hasTemplate),
            intent_tokens_max,
            intent_time_max,
          )
          return yield* answer.pipe(
            Effect.map(readIntent),
            // A refusal or too much reasoning counts as yes: the page generation itself will show the problem.
            Effect.catchTag("AiRefused", () => Effect.succeed(true)),
          )
        }),
        matchColumns: Effect.fn("Ai.matchColumns")(function* (request) {
          const answer = yield* complete("columns", columnsConversation(request), columns_tokens_max, columns_time_max)
          return yield* Effect.fromResult(readMatches(answer))
        }),
      })
    }),
  )

/** The provider is busy, fails or does not answer. It may say how long to wait. */
class Temporary extends Schema.TaggedError<Temporary>()("Temporary", { what: Schema.String, wait_ms: Schema.Number }) {}

/** The request or the account is at fault, so another attempt is useless. */
class Permanent extends Schema.TaggedError<Permanent>()("Permanent", { what: Schema.String }) {}

const bodyOf = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const { status } = response
  if (status === 408 || status === 429 || status >= 500) {
    const wait_ms = retryAfter_ms(response.headers["retry-after"], yield* Clock.currentTimeMillis)
    return yield* new Temporary({ what: `status ${status}`, wait_ms })
  }
  if (status < 200 || status > 299) return yield* new Permanent({ what: `status ${status}` })
  let size_bytes = 0
  const parts: Array<Uint8Array> = []
  yield* response.stream.pipe(
    Stream.mapError((error) => new Temporary({ what: error.reason._tag, wait_ms: 0 })),
    Stream.runForEach((part) => {
      size_bytes += part.length
      parts.push(part)
      return size_bytes > answer_bytes_max ? Effect.fail(new Permanent({ what: "an endless answer" })) : Effect.void
    }),
  )
  return Buffer.concat(parts).toString("utf8")
})

/** A number of seconds, or a date; 0 when the header has neither. */
export const retryAfter_ms = (header: string | undefined, now_ms: number): number => {
  if (header === undefined) return 0
  if (/^\d{1,6}$/.test(header.trim())) return Number(header.trim()) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, at - now_ms)
}

const withRetries = <R>(
  provider: { readonly name: string; readonly retryFrom_ms: number },
  once: Effect.Effect<string, Temporary | Permanent, R>,
  attempt = 1,
): Effect.Effect<string, AiUnavailable, R> =>
  Effect.catch(once, (error) => {
    const gaveUp = new AiUnavailable({ reason: `${provider.name}: ${error.what}` })
    if (error._tag === "Permanent" || attempt >= attempts_max || error.wait_ms > wait_max_ms) return Effect.fail(gaveUp)
    return Random.nextBetween(provider.retryFrom_ms, 2 * provider.retryFrom_ms).pipe(
      Effect.map((base_ms) => Math.max(error.wait_ms, base_ms * 2 ** (attempt - 1))),
      Effect.flatMap((pause_ms) => Effect.sleep(pause_ms)),
      Effect.andThen(withRetries(provider, once, attempt + 1)),
    )
  })
