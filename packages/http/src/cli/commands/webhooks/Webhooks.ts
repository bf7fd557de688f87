// The commands `tentpole webhook …`: webhook endpoints, their deliveries, tests and replays.
import type { Client, WebhookDelivery, WebhookEndpoint } from "@tentpole/client"
import { deliveryStatuses } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import { eventTypeNames } from "@tentpole/core/webhooks/EventCatalogue"
import { Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { callCommand, isId, limitFlag, pageLimit } from "../../Answers.ts"
import { counted, countOf } from "../../Figures.ts"
import { commandGroup } from "../../Output.ts"
import { fieldsOf, tableOf, textOf } from "../../Table.ts"

const endpointArgument = Argument.String("endpoint").pipe(Argument.withDescription("Id or URL of the endpoint"))

/** The first entries of a listing. */
const newest = async <Entry>(all: AsyncIterable<Entry>, limit: number): Promise<ReadonlyArray<Entry>> => {
  const entries: Array<Entry> = []
  for await (const entry of all) {
    entries.push(entry)
    if (entries.length >= limit) break
  }
  return entries
}

/** The id of the only endpoint with this URL. */
const idOf = async (client: Client, text: string): Promise<string> => {
  if (isId(text)) return text
  const found: Array<string> = []
  for await (const { endpoint_id, url } of client.webhookEndpoints.list.each())
    if (url === text) found.push(endpoint_id)
  const [first, ...others] = found
  if (first === undefined) throw new Error(`No endpoint has the URL ${text}. \`tentpole webhook list\` shows all.`)
  if (others.length > 0) throw new Error(`Several have the URL ${text}. Use an id: ${found.join(", ")}.`)
  return first
}

const endpointText = (endpoint: WebhookEndpoint): string => {
  const { created_at, description, disabled_reason, endpoint_id, event_types, secret_prefix, stats, status, url } =
    endpoint
  return fieldsOf({
    url,
    endpoint_id,
    description,
    status,
    disabled_reason,
    event_types: event_types.join(", "),
    secret_prefix,
    pending: stats.pending_count,
    last_success_at: stats.last_success_at,
    last_error_code: stats.last_error_code,
    created_at,
  })
}

const list = callCommand(
  "list",
  "Lists the webhook endpoints, newest first",
  { limit: limitFlag },
  async (client, input) => {
    const entries = await newest(
      client.webhookEndpoints.list.each({ query: { limit: pageLimit(input.limit) } }),
      input.limit,
    )
    const rows = entries.map(({ disabled_reason, endpoint_id, stats, status, url }) => ({
      endpoint_id,
      status: disabled_reason === null ? status : `${status}: ${disabled_reason}`,
      pending: stats.pending_count,
      failed_24h: stats.failed_24h,
      last_error: stats.last_error_code,
      url,
    }))
    const total = `${countOf(entries.length, "endpoint")}.`
    return { document: entries, text: rows.length === 0 ? total : `${tableOf(rows)}\n${total}` }
  },
)

const create = callCommand(
  "create",
  "Creates a webhook endpoint and prints its secret, once",
  {
    url: Argument.String("url").pipe(
      Argument.withDescription("Where events are sent, such as https://example.org/hooks"),
    ),
    types: Flag.String("types").pipe(
      Flag.withDescription("Types of events, by commas: contact.created, email.*. Default: all"),
      Flag.withDefault("*"),
    ),
    description: Flag.String("description").pipe(Flag.withDescription("Description of the endpoint"), Flag.optional),
    thin: Flag.Boolean("thin").pipe(Flag.withDescription("Sends ids alone"), Flag.withDefault(false)),
    ordered: Flag.Boolean("ordered").pipe(
      Flag.withDescription("Sends one event at a time, in order"),
      Flag.withDefault(false),
    ),
  },
  async (client, { description, ordered, thin, types, url }) => {
    const created = await client.webhookEndpoints.create({
      payload: {
        url,
        event_types: types.split(",").map((type) => type.trim()),
        payload: thin ? "thin" : "full",
        mode: ordered ? "ordered" : "parallel",
        ...(Option.isSome(description) ? { description: description.value } : {}),
      },
    })
    return { document: created, text: `${endpointText(created)}\n\nThe secret is ${created.secret}` }
  },
)

const deliveryText = ({ created_at, delivery_id, event_type, status, webhook_id }: WebhookDelivery): string =>
  fieldsOf({ delivery_id, webhook_id, event_type, status, created_at })

const test = callCommand(
  "test",
  "Sends an example of an event to an endpoint",
  {
    endpoint: endpointArgument,
    type: Flag.Literals("type", eventTypeNames).pipe(
      Flag.withDescription("Type of the event. Default: webhook.test"),
      Flag.optional,
    ),
  },
  async (client, { endpoint, type }) => {
    const endpointId = await idOf(client, endpoint)
    const payload = Option.isSome(type) ? { event_type: type.value } : {}
    const sent = await client.webhookEndpoints.test({ params: { endpointId }, payload })
    const hint = `\`tentpole webhook deliveries ${endpointId} ${sent.delivery_id}\` shows the answer.`
    return { document: sent, text: `${deliveryText(sent)}\n${hint}` }
  },
)

const deliveryArgument = Argument.String("delivery").pipe(
  Argument.withDescription("Id of one delivery, to show it with its attempts"),
  Argument.optional,
)

const deliveries = callCommand(
  "deliveries",
  "Lists the deliveries of an endpoint, newest first, or shows one",
  {
    endpoint: endpointArgument,
    delivery: deliveryArgument,
    status: Flag.Literals("status", deliveryStatuses).pipe(
      Flag.withDescription("Only deliveries with this status"),
      Flag.optional,
    ),
    limit: limitFlag,
  },
  async (client, { delivery, endpoint, limit, status }) => {
    const endpointId = await idOf(client, endpoint)
    if (Option.isSome(delivery)) {
      const params = { endpointId, deliveryId: delivery.value }
      const found = await client.webhookDeliveries.find({ params })
      const { payload: _, ...shown } = found
      return { document: found, text: textOf(shown) }
    }
    const query = { limit: pageLimit(limit), ...(Option.isSome(status) ? { status: status.value } : {}) }
    const entries = await newest(client.webhookDeliveries.list.each({ params: { endpointId }, query }), limit)
    const rows = entries.map(({ attempt_count, created_at, delivery_id, event_type, next_attempt_at, ...its }) => ({
      delivery_id,
      created_at,
      event_type,
      status: its.status,
      attempts: attempt_count,
      next_attempt_at,
    }))
    return { document: entries, text: rows.length === 0 ? "No deliveries." : tableOf(rows) }
  },
)

const replay = callCommand(
  "replay",
  "Sends one delivery again, or with --since all that failed",
  {
    endpoint: endpointArgument,
    delivery: Argument.String("delivery").pipe(Argument.withDescription("Id of one delivery"), Argument.optional),
    since: Flag.String("since").pipe(
      Flag.withDescription("Deliveries from this time on, such as 2026-05-01T10:00:00Z"),
      Flag.optional,
    ),
    until: Flag.String("until").pipe(Flag.withDescription("Deliveries before this time. Default: now"), Flag.optional),
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Also deliveries that succeeded or were skipped"),
      Flag.withDefault(false),
    ),
  },
  async (client, { all, delivery, endpoint, since, until }) => {
    const endpointId = await idOf(client, endpoint)
    if (Option.isSome(delivery)) {
      const sent = await client.webhookDeliveries.replay({ params: { endpointId, deliveryId: delivery.value } })
      return { document: sent, text: deliveryText(sent) }
    }
    if (Option.isNone(since)) throw new Error("Name a delivery, or a time with --since.")
    const payload = {
      since: since.value,
      status: all ? ("all" as const) : ("failed" as const),
      ...(Option.isSome(until) ? { until: until.value } : {}),
    }
    const started = await client.webhookDeliveries.replayAll({ params: { endpointId }, payload })
    return { document: started, text: `Deliveries that are sent again: ${counted(started.matched_count)}.` }
  },
)

export const webhook = commandGroup("webhook", "Webhook endpoints: list, create, test, deliveries, replay", [
  list,
  create,
  test,
  deliveries,
  replay,
])
