// The command `tentpole listen`: sends the events of the feed to a program on this machine, signed as webhooks.
import { layer } from "@tentpole/adapters/webhooks/HttpWebhookCaller"
import type { Client } from "@tentpole/client"
import { eventTypeNames } from "@tentpole/core/webhooks/EventCatalogue"
import { WebhookCaller } from "@tentpole/core/webhooks/deliveries/WebhookCaller"
import { checkEndpointUrl } from "@tentpole/core/webhooks/EndpointUrl"
import { parseNetwork } from "@tentpole/core/webhooks/NetworkAddress"
import { keyOf, secret_bytes, secretMessage, secretOf, signedHeaders } from "@tentpole/core/webhooks/Signature"
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { createHmac, randomBytes } from "node:crypto"
import { attempt, CallFailed, connected } from "../../Remote.ts"

const poll_ms = 1_000
const poll_after_failure_ms = 5_000
const attempt_max_ms = 15_000
const page_limit = 100

/** The program may be anywhere: the command calls no other address than the one that its user names. */
const everywhere = ["0.0.0.0/0", "::/0"].flatMap((text) => parseNetwork(text) ?? [])

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
const send = Effect.fnUntraced(function* ({ key, url }: ListenOptions, event: Event) {
  const caller = yield* WebhookCaller
  const body = JSON.stringify(event)
  const time_s = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const signed = signedHeaders(hmac, { id: event.id, time_s, body, keys: [key] })
  const headers = { "content-type": "application/json", "user-agent": "Tentpole-Webhooks/1", ...signed }
  const { duration_ms, error, statusCode } = yield* caller.call({
    endpoint: "",
    connections_max: 1,
    url,
    headers,
    body,
  })
  return `${statusCode ?? error} in ${duration_ms} ms`
})

const eventsAfter = (feed: Feed, cursor: string, type: EventType | undefined) =>
  attempt(() =>
    feed.list({ query: { order: "asc", limit: page_limit, cursor, ...(type === undefined ? {} : { type }) } }),
  )

/** No event is that old: the cursor is at the end of the feed. */
const endOf = (feed: Feed) => attempt(() => feed.list({ query: { order: "asc", until: "1970-01-01" } }))

/** Sends the events from now on, in order, each once. Does not end. */
export const follow = Effect.fnUntraced(function* (feed: Feed, options: ListenOptions) {
  const { type, url } = options
  const caller = layer({ exceptions: everywhere, timeout_ms: attempt_max_ms, ownPorts: new Set() })

  let cursor = (yield* endOf(feed)).next_cursor ?? ""
  yield* Console.log(`Sending events to ${url}. Ctrl+C ends.`)
  const round = Effect.gen(function* () {
    const { events, next_cursor } = yield* eventsAfter(feed, cursor, type)
    for (const event of events) {
      yield* Console.log(`${event.timestamp.slice(11, 19)} ${event.type} ${event.id}: ${yield* send(options, event)}`)
    }
    cursor = next_cursor ?? cursor
    if (events.length < page_limit) yield* Effect.sleep(poll_ms)
  }).pipe(
    Effect.catchTag("CallFailed", ({ reason }) =>
      Effect.andThen(Console.error(reason), Effect.sleep(poll_after_failure_ms)),
    ),
  )
  return yield* Effect.provide(Effect.forever(round), caller)
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
    const reach = { exceptions: everywhere, own: new Set<string>() }
    const url = yield* Effect.fromResult(checkEndpointUrl("--forward", forward, reach))
    const given = Option.getOrUndefined(secret)
    const key = given === undefined ? randomBytes(secret_bytes) : keyOf(given)
    if (key === null) return yield* new CallFailed({ reason: `--secret ${secretMessage}` })
    const { events } = yield* connected
    if (given === undefined) yield* Console.log(`The secret of the signatures is ${secretOf(key)}`)
    return yield* follow(events, { url, key, type: Option.getOrUndefined(type) })
  }),
).pipe(Command.withDescription("Sends events to a program on this machine as signed webhooks, to try a receiver"))
