import { WebhookEndpointId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { newHealth } from "@tentpole/core/webhooks/deliveries/EndpointHealth"
import { batch_bytes_max, bodyOf, fanOut, thin } from "@tentpole/core/webhooks/deliveries/FanOut"
import type { FannedOut, ServedEndpoint } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import type { WebhookSettings } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { type EventWithContact, publicEvent } from "@tentpole/core/webhooks/PublicEvent"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const workspace = WorkspaceId.make("01990a51-4b0f-7d2e-9c11-2f4f6a1b0c0a")
const endpointId = WebhookEndpointId.make("01990a51-4b0f-7d2e-9c11-2f4f6a1b0c0b")
const at = (ms: number) => DateTime.makeUnsafe(ms)
const idOf = (nth: number) => `01990a51-4b0f-7d2e-9c11-${String(nth).padStart(12, "0")}`

const served = (position: string, changed: Partial<WebhookSettings> = {}): ServedEndpoint => ({
  endpoint: {
    id: endpointId,
    settings: {
      url: "https://example.org/hooks",
      description: null,
      eventTypes: ["contact.created"],
      filter: null,
      payload: "full",
      mode: "parallel",
      batch: null,
      inFlight_max: 20,
      ...changed,
    },
    status: "enabled",
    disabledReason: null,
    disabledAt: null,
    sealedHeaders: null,
    headerNames: [],
    sealedSecret: new Uint8Array(),
    secretPrefix: "whsec_AbC1",
    previousSecret: null,
    replay: null,
    skipsThrough: null,
    createdAt: at(0),
    updatedAt: at(0),
  },
  position,
  health: newHealth(at(0), 20),
})

/** An event that the endpoint wants, or one that it does not want. */
const eventOf = (position: number, isWanted: boolean, source = "api"): EventWithContact => ({
  event: {
    position: String(position),
    type: isWanted ? "contact_created" : "flow_paused",
    contactId: null,
    at: at(position * 1_000),
    data: isWanted ? { original_source: source } : { flow_id: idOf(1) },
  },
  contact: null,
})

const counter = () => {
  let nth = 0
  return () => idOf(++nth)
}

const positionsOf = (deliveries: ReadonlyArray<FannedOut>) => deliveries.map(({ delivery }) => delivery.positions)

const Wanted = Schema.Array(Schema.Boolean).check(Schema.isMaxLength(60))
const Size = Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 7 }))

describe("Fan-out", () => {
  it.prop("makes one delivery of each event that is wanted, in order", { wanted: Wanted }, ({ wanted }) => {
    const events = wanted.map((isWanted, nth) => eventOf(nth + 1, isWanted))
    const { deliveries, position, waitsUntil } = fanOut(workspace, served("0"), {
      events,
      more: false,
      nextId: counter(),
      now: at(0),
    })
    const expected = wanted.flatMap((isWanted, nth) => (isWanted ? [[String(nth + 1)]] : []))
    assert.deepStrictEqual(positionsOf(deliveries), expected)
    assert.deepStrictEqual([position, waitsUntil], [String(wanted.length), null])
    for (const { delivery, pieces } of deliveries) {
      const event = publicEvent(workspace, eventOf(Number(delivery.positions[0]), true))
      assert.strictEqual(delivery.webhookId, event?.id)
      assert.deepStrictEqual(JSON.parse(bodyOf(workspace, { delivery, pieces }) ?? ""), event)
    }
  })

  it.prop(
    "puts each event into one batch, whenever it is asked",
    { wanted: Wanted, size: Size, steps: Schema.Array(Size).check(Schema.isMaxLength(40)) },
    ({ size, steps, wanted }) => {
      const all = wanted.map((isWanted, nth) => eventOf(nth + 1, isWanted))
      const batch = { events_max: size, wait_max_ms: 5_000 }
      const nextId = counter()
      const batches: Array<ReadonlyArray<string>> = []
      let position = "0"
      let now_ms = 0
      const ask = (to_ms: number) => {
        now_ms = to_ms
        const events = all.filter(
          ({ event }) => Number(event.position) > Number(position) && event.at.epochMilliseconds <= now_ms,
        )
        const made = fanOut(workspace, served(position, { batch }), { events, more: false, nextId, now: at(now_ms) })
        assert.isAtLeast(Number(made.position), Number(position))
        if (made.waitsUntil !== null) assert.isAbove(made.waitsUntil.epochMilliseconds, now_ms)
        position = made.position
        batches.push(...positionsOf(made.deliveries))
      }
      for (const step of steps) ask(now_ms + step * 700)
      ask(1_000_000)
      const expected = wanted.flatMap((isWanted, nth) => (isWanted ? [String(nth + 1)] : []))
      assert.deepStrictEqual(batches.flat(), expected)
      assert.isTrue(batches.every(({ length }) => length >= 1 && length <= size))
    },
  )

  it("an incomplete batch waits, unless other events follow", () => {
    const batch = { events_max: 10, wait_max_ms: 5_000 }
    const events = [eventOf(1, true), eventOf(2, false), eventOf(3, true)]
    const made = (more: boolean, now_ms: number) =>
      fanOut(workspace, served("0", { batch }), { events, more, nextId: counter(), now: at(now_ms) })
    assert.deepStrictEqual(made(false, 3_000), { deliveries: [], position: "0", waitsUntil: at(6_000) })
    assert.deepStrictEqual(positionsOf(made(false, 6_000).deliveries), [["1", "3"]])
    assert.deepStrictEqual(positionsOf(made(true, 3_000).deliveries), [["1", "3"]])
  })

  it("a batch has at most a megabyte, and its body is one event of all", () => {
    const batch = { events_max: 500, wait_max_ms: 0 }
    const events = Array.from({ length: 500 }, (_, nth) => eventOf(nth + 1, true, "x".repeat(4_000)))
    const { deliveries } = fanOut(workspace, served("0", { batch }), {
      events,
      more: false,
      nextId: counter(),
      now: at(0),
    })
    assert.isAbove(deliveries.length, 1)
    const bodies = deliveries.map(({ delivery, pieces }) => bodyOf(workspace, { delivery, pieces }) ?? "")
    assert.isTrue(bodies.every(({ length }) => length <= batch_bytes_max + 500))
    const [first] = bodies.map((body) => JSON.parse(body))
    assert.strictEqual(first.type, "event.batch")
    assert.strictEqual(first.sequence, first.data.events.at(-1).sequence)
    // Events that are gone are left out, and the rest stays the same.
    const [batched] = deliveries
    assert(batched !== undefined)
    const { delivery, pieces } = batched
    const rest = JSON.parse(bodyOf(workspace, { delivery, pieces: pieces.slice(1) }) ?? "")
    assert.deepStrictEqual(rest, { ...first, data: { events: first.data.events.slice(1) } })
    assert.isNull(bodyOf(workspace, { delivery, pieces: [] }))
  })

  it("a thin event has ids alone", () => {
    const contact = { contact_id: idOf(2), email: "ann@example.org", phone: "+4940", display_name: "Ann Lee" }
    const data = { blast_id: idOf(3), flow_id: undefined, url: "https://example.org/a" }
    const event = publicEvent(workspace, {
      event: { position: "7", type: "email_clicked", contactId: null, at: at(0), data },
      contact,
    })
    assert(event !== null)
    const said = JSON.stringify(thin({ ...event, data: { ...event.data, contact } }))
    assert.include(said, idOf(2))
    assert.include(said, idOf(3))
    for (const text of ["ann@example.org", "+4940", "Ann Lee", "https://"]) assert.notInclude(said, text)
  })

  it("an endpoint does not get the event of its own end", () => {
    const event = {
      position: "1",
      type: "webhook_endpoint_disabled",
      contactId: null,
      at: at(0),
      data: { endpoint_id: endpointId, disabled_reason: "gone" },
    }
    const options = { events: [{ event, contact: null }], more: false, nextId: counter(), now: at(0) }
    const endpoint = served("0", { eventTypes: ["*"] })
    assert.deepStrictEqual(fanOut(workspace, endpoint, options).deliveries, [])
    const other = { ...event, data: { ...event.data, endpoint_id: idOf(9) } }
    const made = fanOut(workspace, endpoint, { ...options, events: [{ event: other, contact: null }] })
    assert.strictEqual(made.deliveries[0]?.delivery.eventType, "webhook_endpoint.disabled")
  })
})
