// Contract tests of the queue of webhooks: the events that it reads, and the deliveries that are added to it.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { newContact } from "../../src/contacts/ContactPatch.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { ContactId } from "../../src/kernel/Ids.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import { enable, remove } from "../../src/webhooks/endpoints/EndpointChange.ts"
import type { WebhookEndpoint } from "../../src/webhooks/endpoints/WebhookEndpoint.ts"
import { begin, ids, stays, type WebhookPorts } from "./webhookWorld.ts"

type Live<E> = Layer.Layer<WebhookPorts | ContactStore, E>

export const webhookFanOut = <E>(name: string, live: Live<E>) => {
  additions(name, live)
  claimedAdditions(name, live)
}

const additions = <E>(name: string, live: Live<E>) =>
  layer(live, { excludeTestServices: true })(`WebhookQueue, fan-out (${name})`, (it) => {
    it.effect("reads all events after a position, each with its contact as it is now", () =>
      Effect.gen(function* () {
        const { create, fresh, now, queue, transact, workspace, write } = yield* begin
        const contacts = yield* ContactStore
        yield* create()
        const id = ContactId.make(yield* fresh.id)
        const ann = newContact(id, { email: parseEmail(`${id}@example.org`), displayName: "Ann Lee" }, "api", now)
        yield* transact(contacts.apply(workspace, ContactsChange.of([{ before: null, after: ann, at: now }])))
        yield* write(2)
        const all = yield* queue.eventsAfter(workspace, "0", 10)
        assert.deepStrictEqual(
          all.map(({ event }) => event.type),
          ["contact_created", "flow_paused", "flow_paused"],
        )
        assert.deepStrictEqual(all[0]?.contact, {
          contact_id: id,
          email: ann.email,
          phone: null,
          display_name: "Ann Lee",
        })
        const [second] = yield* queue.eventsAfter(workspace, all[0]?.event.position ?? "", 1)
        assert.deepStrictEqual(second, all[1])
        const elsewhere = yield* fresh.workspace()
        assert.deepStrictEqual(yield* queue.eventsAfter(elsewhere, "0", 10), [])
      }),
    )

    it.effect("adds single deliveries and batches, and moves each position", () =>
      Effect.gen(function* () {
        const { acquired, create, deliveriesOf, eventsOf, queue, seen, transact, write } = yield* begin
        const [one, batched, none] = [yield* create(), yield* create(), yield* create()]
        const lease = yield* acquired()
        yield* write(3)
        const positions = yield* eventsOf(one)
        const [first = "", second = "", third = ""] = positions
        const deliveries = [
          ...(yield* deliveriesOf(one, [[first], [second], [third]])),
          ...(yield* deliveriesOf(batched, [[first, second]])),
        ]
        const moved = new Map([
          [one.id, third],
          [batched.id, second],
          [none.id, third],
        ])
        assert.isNotNull(yield* transact(queue.fanOut(lease, { deliveries, positions: moved })))
        for (const { delivery, pieces } of deliveries) {
          const of = delivery.endpointId === one.id ? one : batched
          const found = yield* seen(of, delivery)
          assert.deepStrictEqual(found.delivery, delivery)
          assert.deepStrictEqual(
            found.pieces.map(({ json, position }) => ({ json, position: String(BigInt(position)) })),
            pieces.map(({ json, position }) => ({ json, position })),
          )
        }
        assert.deepStrictEqual(
          [yield* eventsOf(one), yield* eventsOf(batched), yield* eventsOf(none)],
          [[], [third], []],
        )
      }),
    )

    it.effect("adds no event twice, and no position goes back", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, deliveriesOf, eventsOf, queue, transact, write } = yield* begin
        const endpoint = yield* create()
        const lease = yield* acquired()
        yield* write(2)
        const [first = "", second = ""] = yield* eventsOf(endpoint)
        const written = Effect.gen(function* () {
          const deliveries = yield* deliveriesOf(endpoint, [[first], [second]])
          return yield* transact(queue.fanOut(lease, { deliveries, positions: new Map([[endpoint.id, second]]) }))
        })
        yield* Effect.all([written, written], { concurrency: 2 })
        yield* transact(queue.fanOut(lease, { deliveries: [], positions: new Map([[endpoint.id, first]]) }))
        assert.deepStrictEqual(yield* eventsOf(endpoint), [])
        assert.lengthOf(yield* claim(lease, endpoint), 2)
      }),
    )

    it.effect("adds nothing for a deleted endpoint, and nothing when the transaction fails", () =>
      Effect.gen(function* () {
        const { acquired, apply, create, deliveriesOf, eventsOf, log, now, queue, transact, workspace, write } =
          yield* begin
        const endpoint = yield* create()
        const lease = yield* acquired()
        yield* write(1)
        const positions = yield* eventsOf(endpoint)
        const deliveries = yield* deliveriesOf(endpoint, [positions])
        const fanOut = queue.fanOut(lease, { deliveries, positions: new Map([[endpoint.id, positions[0] ?? ""]]) })
        yield* Effect.exit(transact(Effect.andThen(fanOut, Effect.fail("no"))))
        assert.deepStrictEqual(yield* eventsOf(endpoint), positions)
        yield* apply(remove(endpoint, now))
        assert.isNotNull(yield* transact(fanOut))
        const query = { after: null, limit: 10, status: null, eventType: null, since: null, until: null }
        assert.deepStrictEqual((yield* log.list(workspace, endpoint.id, query)).items, [])
      }),
    )
  })

/** What adds and claims the delivery of a new event. */
const claimedEvent = Effect.fnUntraced(function* (
  { deliveriesOf, eventsOf, write }: Effect.Success<typeof begin>,
  endpoint: WebhookEndpoint,
) {
  yield* write(1)
  const [position = ""] = yield* eventsOf(endpoint)
  const deliveries = yield* deliveriesOf(endpoint, [[position]])
  return { deliveries, positions: new Map([[endpoint.id, position]]), claimed: new Set(ids(deliveries)) }
})

const claimedAdditions = <E>(name: string, live: Live<E>) =>
  layer(live, { excludeTestServices: true })(`WebhookQueue, fan-out with claims (${name})`, (it) => {
    it.effect("claims what is added, so that no other claim gets it before it is settled", () =>
      Effect.gen(function* () {
        const { acquired, claim, create, deliveriesOf, eventsOf, queue, seen, settle, settledAs, transact, write } =
          yield* begin
        const endpoint = yield* create()
        const lease = yield* acquired()
        yield* write(3)
        const positions = yield* eventsOf(endpoint)
        const deliveries = yield* deliveriesOf(
          endpoint,
          positions.map((position) => [position]),
        )
        const [a, b, c] = deliveries.map(({ delivery }) => delivery)
        assert(a !== undefined && b !== undefined && c !== undefined)
        const written = {
          deliveries,
          positions: new Map([[endpoint.id, positions.at(-1) ?? ""]]),
          claimed: new Set([a.id, c.id]),
        }
        assert.deepStrictEqual(yield* transact(queue.fanOut(lease, written)), written.claimed)
        assert.deepStrictEqual(ids(yield* claim(lease, endpoint)), [b.id])
        yield* settle(lease, [settledAs(a, "delivered"), stays(c)])
        assert.strictEqual((yield* seen(endpoint, a)).delivery.status, "delivered")
        assert.deepStrictEqual(ids(yield* claim(lease, endpoint)), [c.id])
        // They were added before: this lease need not have claimed them.
        assert.deepStrictEqual(yield* transact(queue.fanOut(lease, written)), new Set())
      }),
    )

    it.effect("frees what it has claimed with the end of the lease", () =>
      Effect.gen(function* () {
        const world = yield* begin
        const { acquired, claim, create, queue, transact, workspace } = world
        const endpoint = yield* create()
        const lease = yield* acquired()
        const written = yield* claimedEvent(world, endpoint)
        yield* transact(queue.fanOut(lease, written))
        assert.isTrue((yield* queue.nextDue(workspace)).has(endpoint.id))
        yield* transact(queue.release(lease))
        assert.deepStrictEqual(ids(yield* claim(yield* acquired(), endpoint)), [...written.claimed])
      }),
    )

    it.effect("claims nothing for an endpoint that skips what it missed", () =>
      Effect.gen(function* () {
        const world = yield* begin
        const { acquired, apply, claim, create, disable, now, queue, skipMissed, transact } = world
        const endpoint = yield* create()
        const lease = yield* acquired()
        yield* apply(enable(yield* disable(endpoint), { now, skipsMissed: true }))
        const written = yield* claimedEvent(world, endpoint)
        assert.deepStrictEqual(yield* transact(queue.fanOut(lease, written)), new Set())
        assert.deepStrictEqual(yield* claim(lease, endpoint), [])
        yield* skipMissed(endpoint)
        assert.deepStrictEqual(ids(yield* claim(lease, endpoint)), [...written.claimed])
      }),
    )

    it.effect("claims no delivery whose event is gone", () =>
      Effect.gen(function* () {
        const world = yield* begin
        const { acquired, create, deliveriesOf, queue, transact } = world
        const endpoint = yield* create()
        const lease = yield* acquired()
        const { claimed, deliveries, positions } = yield* claimedEvent(world, endpoint)
        const gone = String(BigInt(positions.get(endpoint.id) ?? 0) + 1n)
        const all = [...deliveries, ...(yield* deliveriesOf(endpoint, [[gone]]))]
        const written = { deliveries: all, positions: new Map([[endpoint.id, gone]]), claimed: new Set(ids(all)) }
        assert.deepStrictEqual(yield* transact(queue.fanOut(lease, written)), claimed)
      }),
    )
  })
