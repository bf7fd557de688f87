// The values of the form of an endpoint, and the requests that they make.
import type { CreateWebhookEndpoint, EditWebhookEndpoint, WebhookEndpoint } from "@tentpole/client"
import type { Patterns } from "../patterns.ts"

export type Filter = NonNullable<WebhookEndpoint["filter"]>

/** The parts of a filter that are chosen here. Others, such as tags, are set over the API, and stay. */
export const filter_keys = ["list_ids", "blast_ids", "flow_ids", "tent_ids"] as const

export type FilterKey = (typeof filter_keys)[number]

export interface Header {
  readonly name: string
  readonly value: string
}

/** A number of a field; empty while it is being typed. */
export type Typed = number | string

export interface Values {
  readonly url: string
  readonly description: string
  readonly event_types: Patterns
  readonly filter: Filter
  readonly payload: WebhookEndpoint["payload"]
  readonly mode: WebhookEndpoint["mode"]
  readonly max_in_flight: Typed
  readonly isBatched: boolean
  readonly max_events: Typed
  readonly wait_s: Typed
  /** Null: they stay as they are. Values are never read. */
  readonly headers: ReadonlyArray<Header> | null
}

export const in_flight_max = 100
export const batch_events_max = 500
export const batch_wait_max_s = 30
export const headers_max = 10
export const description_length_max = 500
export const url_length_max = 2_048

const second_ms = 1_000
const in_flight_default = 20

export const blank: Values = {
  url: "",
  description: "",
  event_types: ["*"],
  filter: {},
  payload: "full",
  mode: "parallel",
  max_in_flight: in_flight_default,
  isBatched: false,
  max_events: 100,
  wait_s: 1,
  headers: [],
}

export const valuesOf = (endpoint: WebhookEndpoint): Values => ({
  url: endpoint.url,
  description: endpoint.description ?? "",
  event_types: endpoint.event_types,
  filter: endpoint.filter ?? {},
  payload: endpoint.payload,
  mode: endpoint.mode,
  max_in_flight: endpoint.max_in_flight,
  isBatched: endpoint.batch !== null,
  max_events: endpoint.batch?.max_events ?? blank.max_events,
  wait_s: endpoint.batch === null ? blank.wait_s : endpoint.batch.max_wait_ms / second_ms,
  headers: Object.keys(endpoint.headers).length === 0 ? [] : null,
})

const isFilled = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0

/** The filter without empty parts; null: all events of the types. */
const filterOf = (filter: Filter): Filter | null => {
  const filled = Object.entries(filter).filter(([, value]) => isFilled(value))
  return filled.length === 0 ? null : (Object.fromEntries(filled) as Filter)
}

const named = (headers: ReadonlyArray<Header>): ReadonlyArray<Header> =>
  headers.filter(({ name }) => name.trim() !== "")

/** All settings, in the terms of the API. */
const settingsOf = (values: Values) => ({
  url: values.url.trim(),
  event_types: [...values.event_types],
  description: values.description.trim() === "" ? null : values.description.trim(),
  filter: filterOf(values.filter),
  payload: values.payload,
  mode: values.mode,
  batch: values.isBatched
    ? { max_events: Number(values.max_events), max_wait_ms: Math.round(Number(values.wait_s) * second_ms) }
    : null,
  max_in_flight: Number(values.max_in_flight),
})

const headersOf = (headers: ReadonlyArray<Header>): Record<string, string> =>
  Object.fromEntries(named(headers).map(({ name, value }) => [name.trim(), value]))

/** Headers with the value null keep the one that is stored. */
const changedHeadersOf = (headers: ReadonlyArray<Header>, before: WebhookEndpoint["headers"]) =>
  Object.fromEntries(
    Object.entries(headersOf(headers)).map(([name, value]) => [
      name,
      value === "" && Object.hasOwn(before, name.toLowerCase()) ? null : value,
    ]),
  )

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const differences = <Settings extends object>(settings: Settings, before: Settings): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(settings).filter(([key, value]) => !isSame(value, before[key as keyof Settings])),
  ) as Partial<Settings>

/** The URL, the types, and the settings that differ from the defaults. */
export const creationOf = (values: Values): CreateWebhookEndpoint => {
  const { event_types, url } = settingsOf(values)
  const headers = headersOf(values.headers ?? [])
  return {
    url,
    event_types,
    ...differences(settingsOf(values), settingsOf({ ...blank, url: values.url, event_types: values.event_types })),
    ...(isFilled(headers) ? { headers } : {}),
  }
}

/** What differs from the endpoint. Headers are replaced as a whole. */
export const changesOf = (values: Values, endpoint: WebhookEndpoint): EditWebhookEndpoint => {
  const headers = values.headers === null ? null : changedHeadersOf(values.headers, endpoint.headers)
  return {
    ...differences(settingsOf(values), settingsOf(valuesOf(endpoint))),
    ...(headers === null || (!isFilled(headers) && !isFilled(endpoint.headers)) ? {} : { headers }),
  }
}

/** Whether the form can be sent; what the fields contain is judged by the service. */
export const isReady = ({ event_types, url }: Values): boolean => url.trim() !== "" && event_types.length > 0

/** The field that an issue's path belongs to: that of a header is `headers.<name>`. */
export const fieldOf = (path: string): string => {
  const [first = "", second = ""] = path.split(".")
  if (first === "headers" && second !== "") return `headers.${path.slice(first.length + 1)}`
  if (first === "batch") return second === "max_wait_ms" ? "wait_s" : "max_events"
  return first
}
