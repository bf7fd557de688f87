// Fan-out: the deliveries that events make for an endpoint, and the body of each. Pure.
import { DateTime } from "effect"
import { encodeText } from "../../kernel/Bytes.ts"
import type { Json } from "../../kernel/Decoding.ts"
import { WebhookDeliveryId, type WebhookEndpointId, type WorkspaceId } from "../../kernel/Ids.ts"
import type { WebhookSettings } from "../endpoints/WebhookEndpoint.ts"
import { wants } from "../endpoints/Wanted.ts"
import { sequenceOf } from "../EventId.ts"
import { type EventWithContact, type PublicEvent, publicEvent } from "../PublicEvent.ts"
import { batch_type } from "./WebhookDelivery.ts"
import type { ClaimedDelivery, FannedOut, ServedEndpoint } from "./WebhookQueue.ts"

/** A batch has at most so many bytes of events. */
export const batch_bytes_max = 1_048_576

type Piece = FannedOut["pieces"][number] & { readonly id: string; readonly type: string; readonly at_ms: number }

export interface FanOut {
  readonly deliveries: ReadonlyArray<FannedOut>
  /** The last event that is taken over. */
  readonly position: string
  /** When events that wait for a full batch are sent without it; null: none wait. */
  readonly waitsUntil: DateTime.Utc | null
}

/**
 * The deliveries of an endpoint. `events` are all that follow its position, ascending, `more` if there are others after them. Ids
 * are taken from `nextId`.
 */
export const fanOut = (
  workspace: WorkspaceId,
  { endpoint: { id, settings }, position }: Pick<ServedEndpoint, "endpoint" | "position">,
  {
    events,
    more,
    nextId,
    now,
  }: {
    readonly events: ReadonlyArray<EventWithContact>
    readonly more: boolean
    readonly nextId: () => string
    readonly now: DateTime.Utc
  },
): FanOut => {
  const wanted = events.flatMap((each) => (isOwnEnd(id, each) ? [] : (pieceOf(workspace, settings, each) ?? [])))
  const groups = settings.batch === null ? wanted.map((piece) => [piece]) : batchesOf(wanted, settings.batch.events_max)
  const last = groups.at(-1)
  const waitsUntil = more || last === undefined ? null : endOfWait(settings, last, now)
  const sent = waitsUntil === null ? groups : groups.slice(0, -1)
  const deliveries = sent.map((pieces): FannedOut => {
    const deliveryId = WebhookDeliveryId.make(nextId())
    const [first] = pieces
    return {
      delivery: {
        ...pendingAt(now),
        id: deliveryId,
        endpointId: id,
        webhookId: settings.batch === null && first !== undefined ? first.id : deliveryId,
        positions: pieces.map((piece) => piece.position),
        eventType: settings.batch === null && first !== undefined ? first.type : batch_type,
        isTest: false,
        createdAt: now,
      },
      pieces: pieces.map(({ contactId, json, position: at }) => ({ contactId, json, position: at })),
    }
  })
  const held = waitsUntil === null ? undefined : last?.[0]
  const end = held === undefined ? events.at(-1)?.event.position : before(held.position)
  return { deliveries, position: end ?? position, waitsUntil }
}

/** The state of a delivery whose first attempt is due. */
export const pendingAt = (now: DateTime.Utc) =>
  ({
    status: "pending",
    reason: null,
    attemptCount: 0,
    failedCount: 0,
    isReplay: false,
    nextAttemptAt: now,
    deliveredAt: null,
  }) as const

const before = (position: string): string => (BigInt(position) - 1n).toString()

/** Whether the event says that the endpoint itself is disabled. Only the others get it. */
const isOwnEnd = (id: WebhookEndpointId, { event: { data } }: EventWithContact): boolean => data["endpoint_id"] === id

const pieceOf = (workspace: WorkspaceId, settings: WebhookSettings, each: EventWithContact): Piece | null => {
  const event = publicEvent(workspace, each)
  if (event === null || !wants(settings, event)) return null
  const { at, contactId, position } = each.event
  const json = JSON.stringify(settings.payload === "thin" ? thin(event) : event)
  return { position, contactId, json, id: event.id, type: event.type, at_ms: at.epochMilliseconds }
}

/** The event with ids alone: receivers read the rest with their own rights. */
export const thin = (event: PublicEvent): PublicEvent => ({ ...event, data: idsOf(event.data) })

const idsOf = (data: Json): Json =>
  Object.fromEntries(
    Object.entries(data).flatMap(([key, value]): ReadonlyArray<[string, unknown]> => {
      if (key.endsWith("_id") || key === "source") return [[key, value]]
      if (key !== "contact") return []
      const { contact_id } = (value ?? {}) as { readonly contact_id?: string }
      return [[key, contact_id === undefined ? null : { contact_id }]]
    }),
  )

/** Batches of at most so many events, and of at most `batch_bytes_max`. */
const batchesOf = (pieces: ReadonlyArray<Piece>, events_max: number): ReadonlyArray<ReadonlyArray<Piece>> => {
  const batches: Array<Array<Piece>> = []
  let bytes = 0
  for (const piece of pieces) {
    const length = encodeText(piece.json).length + 1
    const open = batches.at(-1)
    if (open === undefined || open.length === events_max || bytes + length > batch_bytes_max) {
      batches.push([piece])
      bytes = length
    } else {
      open.push(piece)
      bytes += length
    }
  }
  return batches
}

/** When the last batch is sent although it is not full; null: now. */
const endOfWait = (
  { batch }: WebhookSettings,
  pieces: ReadonlyArray<Piece>,
  now: DateTime.Utc,
): DateTime.Utc | null => {
  const [first] = pieces
  if (batch === null || first === undefined || pieces.length === batch.events_max) return null
  const end = DateTime.makeUnsafe(first.at_ms + batch.wait_max_ms)
  return DateTime.isGreaterThan(end, now) ? end : null
}

/** The body of a request: the same in all attempts. Null: none of its events is left. */
export const bodyOf = (workspace: WorkspaceId, { delivery, pieces }: ClaimedDelivery): string | null => {
  const [first] = pieces
  if (first === undefined) return null
  if (delivery.eventType !== batch_type) return first.json
  const { createdAt, positions, webhookId } = delivery
  const head = {
    id: webhookId,
    type: batch_type,
    timestamp: DateTime.formatIso(createdAt),
    sequence: sequenceOf(positions.at(-1) ?? "0"),
    workspace_id: workspace,
    test: false,
  }
  return `${JSON.stringify(head).slice(0, -1)},"data":{"events":[${pieces.map(({ json }) => json).join(",")}]}}`
}
