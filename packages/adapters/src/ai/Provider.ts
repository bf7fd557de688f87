// The client of language model providers: one request, a limit on the time and size of its answer, and retries while the
// provider is busy. A `Dialect` describes the differences between providers.
import { Ai, AiRefused, AiUnavailable, type PageRequest } from "@tentpole/core/ports/Ai"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Parser, Parsers } from "@tentpole/core/ports/Parsers"
import { Clock, Duration, Effect, Layer, Option, Random, type Redacted, Ref, Result, Schema, Stream } from "effect"
import { Sse } from "effect/encoding"
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

/** What an event of a streamed answer adds. */
export interface Delta {
  readonly text?: string
  /** The answer is complete; a dialect's `read` decides what its reason means. */
  readonly stop?: string | null
  readonly isRefusal?: boolean
  /** The provider failed in the middle of its answer. */
  readonly error?: string | null
}

/** The wire format of a provider. */
interface Format<Answer, Event> {
  readonly name: string
  readonly format: string
  readonly default_base_url: string
  readonly default_model: string
  readonly keyHeaders: (key: Redacted.Redacted) => Readonly<Record<string, string>>
  readonly path: string
  /** What the limit of an answer is called: by the provider itself, and by other servers of the format. */
  readonly limitNames: { readonly own: string; readonly compatible: string }
  readonly body: (conversation: Conversation, model: string, tokens_max: number, limitName: string) => object
  readonly answer: Schema.Codec<Answer, unknown>
  /** The text of an answer, or why there is none. */
  readonly read: (answer: Answer) => Result.Result<string, string>
  /** The data of a server-sent event. */
  readonly event: Schema.Codec<Event, unknown>
  readonly readEvent: (event: Event) => Delta
  /** The answer that the deltas of a stream add up to. */
  readonly toAnswer: (delta: Required<Pick<Delta, "text" | "stop" | "isRefusal">>) => Answer
}

export interface Dialect extends Omit<Format<never, never>, "answer" | "read" | "event" | "readEvent" | "toAnswer"> {
  /** The text in the JSON of an answer. */
  readonly read: (json: string) => Result.Result<string, AiRefused | AiUnavailable>
  /** The delta in the data of an event; null for data that the format does not have. */
  readonly readEvent: (data: string) => Delta | null
  /** The text of a streamed answer. */
  readonly readStream: (delta: Required<Pick<Delta, "text" | "stop" | "isRefusal">>) => Result.Result<string, AiRefused>
}

export const dialect = <Answer, Event>({
  answer,
  read,
  event,
  readEvent,
  toAnswer,
  ...rest
}: Format<Answer, Event>): Dialect => {
  const decode = Schema.decodeUnknownResult(answer)
  const decodeEvent = Schema.decodeUnknownResult(Schema.fromJsonString(event))
  return {
    ...rest,
    readEvent: (data) => Result.getOrNull(Result.map(decodeEvent(data), readEvent)),
    readStream: (delta) => Result.mapError(read(toAnswer(delta)), (reason) => new AiRefused({ reason })),
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
/** A stream has an event for each few characters. Only their text is stored, up to `answer_bytes_max`. */
const stream_bytes_max = 64 * 2 ** 20
const event_length_max = 2 ** 20
/** For a page or an email. */
const document_tokens_max = 16_000
/** Includes tokens for a model that reasons before it answers. */
const intent_tokens_max = 1_000
/** Between two parts of a streamed answer. The whole answer has the limit of its generation. */
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
      const read = <A extends object>(
        workspace: WorkspaceId,
        parser: Parser<string, A | { readonly refused: string }>,
        answer: string,
      ) =>
        parsers.run(parser, answer, workspace).pipe(
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

      const { compatible, own } = dialect.limitNames
      /** The name that the server knows. */
      const limitName = yield* Ref.make(options.baseUrl === dialect.default_base_url ? own : compatible)

      const once = (
        conversation: Conversation,
        tokens_max: number,
        time_max: Duration.Duration,
        isStreamed: boolean,
        name: string,
      ) =>
        send(
          HttpClientRequest.post(`${options.baseUrl}${dialect.path}`).pipe(
            HttpClientRequest.setHeaders(dialect.keyHeaders(options.apiKey)),
            HttpClientRequest.accept(isStreamed ? "text/event-stream, application/json" : "application/json"),
            HttpClientRequest.bodyJsonUnsafe({
              ...dialect.body(conversation, options.model, tokens_max, name),
              ...(isStreamed ? { stream: true } : {}),
            }),
          ),
        ).pipe(
          Effect.mapError((error) => new Temporary({ what: error.reason._tag, wait_ms: 0 })),
          inTime(isStreamed ? time_max : null),
          Effect.flatMap((response) => answerOf(dialect, response, time_max)),
          inTime(isStreamed ? null : time_max),
        )

      /** A server that refuses the limit's name is asked with the other one, which is remembered if it is right. */
      const withLimit = Effect.fnUntraced(function* (ask: (name: string) => ReturnType<typeof once>) {
        const name = yield* Ref.get(limitName)
        const other = name === own ? compatible : own
        return yield* Effect.catchIf(
          ask(name),
          (error) => error._tag === "Permanent" && other !== name && error.complaint.includes(name),
          () => Effect.tap(ask(other), () => Ref.set(limitName, other)),
        )
      })

      const complete = (
        what: string,
        conversation: Conversation,
        tokens_max: number,
        time_max: Duration.Duration,
        isStreamed = false,
      ) =>
        withRetries(
          { name: dialect.name, retryFrom_ms: options.retryFrom_ms ?? 500 },
          withLimit((name) => once(conversation, tokens_max, time_max, isStreamed, name)),
        ).pipe(
          Effect.flatMap(Effect.fromResult),
          Effect.tapError((error) =>
            Effect.logWarning("the AI provider gave no answer").pipe(
              Effect.annotateLogs({ provider: dialect.name, asked_for: what, reason: error.reason }),
            ),
          ),
        )

      return Ai.of({
        provider: dialect.name,
        generatePage: Effect.fn("Ai.page")(function* (workspace, request) {
          const time_max = isThoughtful(request) ? thoughtful_time_max : document_time_max
          const answer = yield* complete("a page", pageConversation(request), document_tokens_max, time_max, true)
          return (yield* read(workspace, pageAnswers, answer)).html
        }),
        generateEmail: Effect.fn("Ai.email")(function* (workspace, request) {
          const conversation = emailConversation(request)
          const answer = yield* complete("an email", conversation, document_tokens_max, document_time_max, true)
          return yield* read(workspace, emailAnswers, answer)
        }),
        asksForPage: Effect.fn("Ai.asksForPage")(function* (_, prompt, { hasTemplate }) {
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
        matchColumns: Effect.fn("Ai.matchColumns")(function* (_, request) {
          const answer = yield* complete("columns", columnsConversation(request), columns_tokens_max, columns_time_max)
          return yield* Effect.fromResult(readMatches(answer))
        }),
      })
    }),
  )

/** The provider is busy, fails or does not answer. It may say how long to wait. */
class Temporary extends Schema.TaggedError<Temporary>()("Temporary", { what: Schema.String, wait_ms: Schema.Number }) {}

/** The request or the account is at fault, so another attempt is useless. `complaint`: the provider's words. */
class Permanent extends Schema.TaggedError<Permanent>()("Permanent", {
  what: Schema.String,
  complaint: Schema.String,
}) {}

const late = new Temporary({ what: "no answer in time", wait_ms: 0 })

/** Null: no limit. */
const inTime =
  (duration: Duration.Duration | null) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | Temporary, R> =>
    duration === null ? self : Effect.timeoutOrElse(self, { duration, orElse: () => Effect.fail(late) })

/** The text of an answer, streamed or not: some servers of a format ignore the request to stream. */
const answerOf = Effect.fnUntraced(function* (
  dialect: Dialect,
  response: HttpClientResponse.HttpClientResponse,
  pause_max: Duration.Duration,
) {
  yield* checkStatus(response)
  const isStream = /^text\/event-stream\b/i.test(response.headers["content-type"] ?? "")
  const parts = response.stream.pipe(
    Stream.mapError((error) => new Temporary({ what: error.reason._tag, wait_ms: 0 })),
    Stream.timeoutOrElse({ duration: pause_max, orElse: () => Stream.fail(late) }),
  )
  return yield* isStream ? streamed(dialect, parts) : Effect.map(bodyOf(parts), dialect.read)
})

const complaint_bytes_max = 16_384
const complaint_length_max = 300
const complaint_time_max = Duration.seconds(5)

/** The body of a failure, as far as it is read. */
const failureText = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<string> =>
  Stream.runFoldEffect(
    Stream.take(response.stream, 16),
    () => Buffer.alloc(0),
    (read, part) => Effect.succeed(Buffer.concat([read, part]).subarray(0, complaint_bytes_max)),
  ).pipe(
    Effect.map((read) => read.toString("utf8")),
    Effect.timeoutOption(complaint_time_max),
    Effect.map(Option.getOrElse(() => "")),
    Effect.catch(() => Effect.succeed("")),
  )

/** The account has no credit: waiting does not help. */
const spent = /insufficient_quota|billing_error|exceeded your current quota/

const checkStatus = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const { status } = response
  if (status >= 200 && status <= 299) return
  const text = yield* failureText(response)
  // A provider may repeat the key in its answer to a wrong one.
  const complaint = status === 401 || status === 403 ? "" : text
  const what = [`status ${status}`, complaintOf(complaint)].filter((part) => part !== "").join(": ")
  if (status === 408 || (status === 429 && !spent.test(text)) || status >= 500) {
    const header_ms = retryAfter_ms(response.headers["retry-after"], yield* Clock.currentTimeMillis)
    const wait_ms = header_ms > 0 ? header_ms : saidWait_ms(text)
    return yield* new Temporary({ what, wait_ms })
  }
  return yield* new Permanent({ what, complaint })
})

const Failure = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.optional(Schema.Union([Schema.String, Schema.Struct({ message: Schema.optional(Schema.String) })])),
    message: Schema.optional(Schema.Unknown),
    detail: Schema.optional(Schema.Unknown),
  }),
)
const decodeFailure = Schema.decodeUnknownResult(Failure)

/** The message in a body like `{"error": {"message": …}}`, for the log. */
const complaintOf = (text: string): string => {
  const body = Result.getOrNull(decodeFailure(text))
  const found = typeof body?.error === "string" ? body.error : (body?.error?.message ?? body?.message ?? body?.detail)
  const said = found === undefined ? "" : typeof found === "string" ? found : JSON.stringify(found)
  return said.replace(/\s+/g, " ").slice(0, complaint_length_max)
}

const endless = new Permanent({ what: "an endless answer", complaint: "" })

const bodyOf = Effect.fnUntraced(function* (answer: Stream.Stream<Uint8Array, Temporary>) {
  let size_bytes = 0
  const parts: Array<Uint8Array> = []
  yield* Stream.runForEach(answer, (part) => {
    size_bytes += part.length
    parts.push(part)
    return size_bytes > answer_bytes_max ? Effect.fail(endless) : Effect.void
  })
  return Buffer.concat(parts).toString("utf8")
})

/** Collects the text of a stream. One that breaks off before it says why it stops is a failure of the provider. */
const streamed = Effect.fnUntraced(function* (dialect: Dialect, answer: Stream.Stream<Uint8Array, Temporary>) {
  const texts: Array<string> = []
  let size_bytes = 0
  let text_length = 0
  let stop: string | null = null
  let isRefusal = false
  let error: string | null = null
  const parser = Sse.makeParser(
    (event) => {
      const delta = event._tag === "Event" ? dialect.readEvent(event.data) : null
      if (delta === null) return
      text_length += delta.text?.length ?? 0
      texts.push(delta.text ?? "")
      stop ??= delta.stop ?? null
      isRefusal ||= delta.isRefusal === true
      error ??= delta.error ?? null
    },
    { maxEventSize: event_length_max },
  )
  const decoder = new TextDecoder()
  yield* Stream.runForEach(answer, (part): Effect.Effect<void, Temporary | Permanent> => {
    size_bytes += part.length
    const tooLarge = parser.feed(decoder.decode(part, { stream: true }))
    if (error !== null) return Effect.fail(new Temporary({ what: error, wait_ms: 0 }))
    const isEndless = tooLarge !== undefined || size_bytes > stream_bytes_max || text_length > answer_bytes_max
    return isEndless ? Effect.fail(endless) : Effect.void
  })
  if (stop === null) return yield* new Temporary({ what: "an answer that broke off", wait_ms: 0 })
  return dialect.readStream({ text: texts.join(""), stop, isRefusal })
})

/** A number of seconds, or a date; 0 when the header has neither. */
export const retryAfter_ms = (header: string | undefined, now_ms: number): number => {
  if (header === undefined) return 0
  if (/^\d{1,6}$/.test(header.trim())) return Number(header.trim()) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, at - now_ms)
}

/** OpenAI's message ends in "Please try again in 3.89s." */
const saidWait_ms = (text: string): number => {
  const [, amount = "0", unit] = /\btry again in (\d{1,5}(?:\.\d{1,4})?)(ms|s)\b/.exec(text) ?? []
  return Number(amount) * (unit === "s" ? 1000 : 1)
}

const withRetries = <A, R>(
  provider: { readonly name: string; readonly retryFrom_ms: number },
  once: Effect.Effect<A, Temporary | Permanent, R>,
  attempt = 1,
): Effect.Effect<A, AiUnavailable, R> =>
  Effect.catch(once, (error) => {
    const gaveUp = new AiUnavailable({ reason: `${provider.name}: ${error.what}` })
    if (error._tag === "Permanent" || attempt >= attempts_max || error.wait_ms > wait_max_ms) return Effect.fail(gaveUp)
    return Random.nextBetween(provider.retryFrom_ms, 2 * provider.retryFrom_ms).pipe(
      Effect.map((base_ms) => Math.max(error.wait_ms, base_ms * 2 ** (attempt - 1))),
      Effect.flatMap((pause_ms) => Effect.sleep(pause_ms)),
      Effect.andThen(withRetries(provider, once, attempt + 1)),
    )
  })
