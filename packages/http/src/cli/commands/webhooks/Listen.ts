// The command `tentpole listen`: sends the events of the feed to a program on this machine, signed as webhooks.
import type { Client } from "@tentpole/client"
import { eventTypeNames } from "@tentpole/core/webhooks/EventCatalogue"
import { keyOf, secret_bytes, secretMessage, secretOf, signedHeaders } from "@tentpole/core/webhooks/Signature"
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { createHmac, randomBytes } from "node:crypto"
import { attempt, CallFailed, connected } from "../../Remote.ts"

const poll_ms = 1_000
const poll_after_failure_ms = 5_000
const answer_max_ms = 15_000
const page_limit = 100

type Feed = Pick<Client["events"], "list">
type EventType = (typeof eventTypeNames)[number]
type Event = Effect.Success<ReturnType<typeof eventsAfter>>["events"][number]

export interface ListenOptions {
  /** The URL that gets a POST for each event. */
  readonly url: string
  readonly key: Uint8Array
  /** Undefined: events of all types. */
  readonly type: EventType | undefined
}

const hmac = (key: Uint8Array, message: Uint8Array): Uint8Array => createHmac("sha256", key).update(message).digest()

/** One request, once. Returns how it ended. */
const send = async (url: string, key: Uint8Array, event: Event, now_ms: number): Promise<string> => {
  const body = JSON.stringify(event)
  const signed = signedHeaders(hmac, { id: event.id, time_s: Math.floor(now_ms / 1000), body, keys: [key] })
  try {
    const headers = { "content-type": "application/json", "user-agent": "Tentpole-Webhooks/1", ...signed }
    const signal = AbortSignal.timeout(answer_max_ms)
    const answer = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal })
    await answer.body?.cancel()
    return String(answer.status)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return `failed: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

const eventsAfter = (feed: Feed, cursor: string, type: EventType | undefined) =>
  attempt(() =>
    feed.list({ query: { order: "asc", limit: page_limit, cursor, ...(type === undefined ? {} : { type }) } }),
  )

/** No event is that old: the cursor is at the end of the feed. */
const endOf = (feed: Feed) => attempt(() => feed.list({ query: { order: "asc", until: "1970-01-01" } }))

/** Sends the events from now on, in order, each once. Does not end. */
export const follow = Effect.fnUntraced(function* (feed: Feed, { key, type, url }: ListenOptions) {
  let cursor = (yield* endOf(feed)).next_cursor ?? ""
  yield* Console.log(`Sending events to ${url}. Ctrl+C ends.`)
  const round = Effect.gen(function* () {
    const { events, next_cursor } = yield* eventsAfter(feed, cursor, type)
    for (const event of events) {
      const from_ms = yield* Clock.currentTimeMillis
      const end = yield* Effect.promise(() => send(url, key, event, from_ms))
      const took_ms = (yield* Clock.currentTimeMillis) - from_ms
      yield* Console.log(`${event.timestamp.slice(11, 19)} ${event.type} ${event.id}: ${end} in ${took_ms} ms`)
    }
    cursor = next_cursor ?? cursor
    if (events.length < page_limit) yield* Effect.sleep(poll_ms)
  }).pipe(
    Effect.catchTag("CallFailed", ({ reason }) =>
      Effect.andThen(Console.error(reason), Effect.sleep(poll_after_failure_ms)),
    ),
  )
  return yield* Effect.forever(round)
})

const flags = {
  forward: Flag.String("forward").pipe(Flag.withDescription("URL of your program")),
  secret: Flag.String("secret").pipe(
    Flag.withDescription("Secret of the signatures. Default: a random one, which is printed"),
    Flag.optional,
  ),
  type: Flag.Literals("type", eventTypeNames).pipe(
    Flag.withDescription("Sends only events of this type"),
    Flag.optional,
  ),
}

export const listen = Command.make("listen", flags, ({ forward, secret, type }) =>
  Effect.gen(function* () {
    if (!/^https?:\/\//.test(forward) || !URL.canParse(forward)) {
      return yield* new CallFailed({ reason: "--forward must be a URL, such as http://localhost:3000/hooks" })
    }
    const given = Option.getOrUndefined(secret)
    const key = given === undefined ? randomBytes(secret_bytes) : keyOf(given)
    if (key === null) return yield* new CallFailed({ reason: `--secret ${secretMessage}` })
    const { events } = yield* connected
    if (given === undefined) yield* Console.log(`The secret of the signatures is ${secretOf(key)}`)
    return yield* follow(events, { url: forward, key, type: Option.getOrUndefined(type) })
  }),
).pipe(Command.withDescription("Sends events to a program on this machine as signed webhooks, to try a receiver"))
