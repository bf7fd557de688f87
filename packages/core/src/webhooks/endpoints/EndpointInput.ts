// What callers set of a webhook endpoint: the schemas with their limits, and the settings that a call leads to. Pure.
import { Result, Schema, SchemaGetter } from "effect"
import { Invalid } from "../../kernel/Refusal.ts"
import { batch_type } from "../deliveries/WebhookDelivery.ts"
import { checkEndpointUrl, type Reach } from "../EndpointUrl.ts"
import { keyOf, secretMessage } from "../Signature.ts"
import { type EventPattern, isEventPattern } from "./Wanted.ts"
import type { WebhookSettings } from "./WebhookEndpoint.ts"

export const description_length_max = 500
export const event_types_max = 100
export const filter_ids_max = 100
export const filter_tags_max = 10
export const tag_length_max = 100
export const headers_max = 10
export const header_name_length_max = 100
export const header_value_length_max = 1_000
export const in_flight_max = 100
export const in_flight_default = 20
export const batch_events_min = 2
export const batch_events_max = 500
export const batch_wait_max_ms = 30_000
export const overlap_hours_max = 168
export const overlap_hours_default = 24

/** Keys that mean more than a key where an object has a prototype. */
const prototypeKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

const listOf = <Item extends Schema.Top>(item: Item, most: number, what: string) => {
  const message = `must have 1 to ${most} ${what}`
  return Schema.Array(item).check(Schema.isMinLength(1, { message }), Schema.isMaxLength(most, { message }))
}

const whole = (minimum: number, maximum: number) => {
  const message = `must be a whole number from ${minimum} to ${maximum}`
  return Schema.Int.check(Schema.isBetween({ minimum, maximum }, { message })).annotate({ message })
}

const Value = Schema.String.annotate({ message: "must be text" })

/** An object of texts. `fault` says what is wrong with an entry; null: nothing. */
const textsOf = <Of extends string | null>(
  value: Schema.Codec<Of>,
  most: number,
  fault: (name: string, value: Of) => string | null,
) =>
  Schema.Record(Schema.String, value).check(
    Schema.makeFilter(
      (texts: Readonly<Record<string, Of>>) => {
        const entries = Object.entries(texts)
        if (entries.length > most) return `must have at most ${most} keys`
        return entries.flatMap(([name, value]) => {
          const issue = prototypeKeys.has(name) ? "is not a possible name" : fault(name, value)
          return issue === null ? [] : [{ path: [name], issue }]
        })
      },
      { toJsonSchema: () => ({ maxProperties: most }) },
    ),
  )

const patternMessage = "must be `*`, a type that GET /v1/event-types lists, or a group such as `contact.*`"

/** A type, a group, or all. */
const EventPatternSchema = Schema.String.annotate({ examples: ["contact.*", "email.bounced"] }).check(
  Schema.makeFilter((text: string) => isEventPattern(text) || patternMessage),
) as unknown as Schema.Codec<EventPattern, string>

export const EventPatterns = listOf(EventPatternSchema, event_types_max, "types")

/** The same, and the type of batches: what deliveries have. */
export const DeliveredPatterns = listOf(
  Schema.String.annotate({ examples: ["contact.*"] }).check(
    Schema.makeFilter((text: string) => text === batch_type || isEventPattern(text) || patternMessage),
  ),
  event_types_max,
  "types",
)

export const WebhookDescription = Schema.NullOr(
  Schema.String.check(
    Schema.isMaxLength(description_length_max, { message: `must have at most ${description_length_max} characters` }),
  ),
)

/** Of anything: nothing is looked up. Events have ids in lower case. */
const AnyId = Schema.String.check(Schema.isUUID(undefined, { message: "must be a UUID" })).pipe(
  Schema.decode({ decode: SchemaGetter.toLowerCase(), encode: SchemaGetter.passthrough() }),
)

const AnyIds = Schema.optionalKey(listOf(AnyId, filter_ids_max, "ids"))

const tagMessage = `must be a name of 1 to 50 of a-z, 0-9, _ and -, with a text of at most ${tag_length_max} characters`

export const WebhookFilterSchema = Schema.Struct({
  list_ids: AnyIds,
  blast_ids: AnyIds,
  flow_ids: AnyIds,
  tent_ids: AnyIds,
  topic_ids: AnyIds,
  import_run_ids: AnyIds,
  tags: Schema.optionalKey(
    textsOf(Value, filter_tags_max, (name, value) =>
      /^[a-z0-9_-]{1,50}$/.test(name) && value !== "" && value.length <= tag_length_max ? null : tagMessage,
    ),
  ),
}).annotate({
  identifier: "WebhookFilter",
  description: "An event passes if it has one of the ids of each key, and all tags. Other events do not pass",
})

export const WebhookBatchSchema = Schema.Struct({
  max_events: whole(batch_events_min, batch_events_max),
  max_wait_ms: whole(0, batch_wait_max_ms).annotate({
    description: "How long the first event of a batch waits for others",
  }),
}).annotate({ identifier: "WebhookBatch", description: "Several events in one request" })

export const MaxInFlight = whole(1, in_flight_max)

export const OverlapHours = whole(0, overlap_hours_max)

/** Of HTTP itself, of the service, and those that the service's HTTP client can't send. */
const refusedHeaders =
  /^(?:host|content-.*|webhook-.*|connection|keep-alive|transfer-encoding|te|upgrade|trailer|expect|user-agent)$/i

const headerFault = (name: string, value: string | null): string | null => {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) || name.length > header_name_length_max) {
    return `is not the name of a header: 1 to ${header_name_length_max} letters, digits and marks`
  }
  if (refusedHeaders.test(name)) return "can't be set: the service sets it, or HTTP does"
  if (value === null) return null
  return /^[\x20-\x7e]+$/.test(value) && value.trim() !== "" && value.length <= header_value_length_max
    ? null
    : `must have 1 to ${header_value_length_max} printable characters`
}

const headersOf = <Of extends string | null>(value: Schema.Codec<Of>) =>
  textsOf(value, headers_max, headerFault).check(
    Schema.makeFilter((headers: Readonly<Record<string, Of>>) => {
      const names = Object.keys(headers)
      const lower = names.map((name) => name.toLowerCase())
      return names.flatMap((name, at) =>
        lower.indexOf(name.toLowerCase()) < at ? [{ path: [name], issue: "is the same name as another one" }] : [],
      )
    }),
  )

export const WebhookHeaders = headersOf(Value).annotate({
  description: "Sent with each request. They are stored encrypted, and read as null",
})

export const ChangedWebhookHeaders = headersOf(Schema.NullOr(Value)).annotate({
  description: "All of them. null keeps the stored value of the name; a name that is left out is not sent any more",
})

export const WebhookSecret = Schema.String.annotate({
  description: "Default: a random one",
  examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
}).check(Schema.makeFilter((text: string) => keyOf(text) !== null || secretMessage))

/** What a call sets. Absent fields keep their value, or get their default. */
export interface EndpointFields extends Partial<WebhookSettings> {
  /** Names in any case. Null: the stored value. */
  readonly headers?: Readonly<Record<string, string | null>>
}

export interface NewEndpoint extends EndpointFields {
  readonly url: WebhookSettings["url"]
  readonly eventTypes: WebhookSettings["eventTypes"]
  readonly headers?: Readonly<Record<string, string>>
  readonly secret?: string
}

/** The headers with the stored values of those that are null. Names are in lower case. */
export const withStored = (
  headers: Readonly<Record<string, string | null>>,
  stored: Readonly<Record<string, string>>,
): Result.Result<Readonly<Record<string, string>>, Invalid> => {
  const entries = Object.entries(headers).map(([name, value]) => ({
    name,
    value: value ?? (Object.hasOwn(stored, name.toLowerCase()) ? stored[name.toLowerCase()] : undefined),
  }))
  const unknown = entries.find(({ value }) => value === undefined)
  return unknown === undefined
    ? Result.succeed(Object.fromEntries(entries.map(({ name, value }) => [name.toLowerCase(), value ?? ""])))
    : Result.fail(Invalid.at(`headers.${unknown.name}`, "must be text: no value of this name is stored"))
}

const defaults = {
  description: null,
  filter: null,
  payload: "full",
  mode: "parallel",
  batch: null,
  inFlight_max: in_flight_default,
} satisfies Partial<WebhookSettings>

/** The settings of a new endpoint. */
export const newSettings = (
  { headers: _headers, secret: _secret, ...fields }: NewEndpoint,
  reach: Reach,
): Result.Result<WebhookSettings, Invalid> =>
  Result.map(checkEndpointUrl("url", fields.url, reach), (url) => ({ ...defaults, ...fields, url }))

/** The settings after a change. A URL that stays is not checked again. */
export const changedSettings = (
  before: WebhookSettings,
  { headers: _headers, ...fields }: EndpointFields,
  reach: Reach,
): Result.Result<WebhookSettings, Invalid> =>
  Result.map(
    fields.url === undefined ? Result.succeed(before.url) : checkEndpointUrl("url", fields.url, reach),
    (url) => ({
      ...before,
      ...fields,
      url,
    }),
  )
