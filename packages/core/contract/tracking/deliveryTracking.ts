// Contract tests of tracking: each event of a recipient counts once, alone and in batches.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, type Layer, Schema } from "effect"
import { EngagementChange, type Event, type TimedEvent } from "../../src/tracking/Engagement.ts"
import { DeliveryId } from "../../src/kernel/Ids.ts"
import {
  accepted,
  at,
  begin,
  type DeliveryPorts,
  one,
  people,
  settlement,
  type WrittenDelivery,
} from "../sending/deliveryScenario.ts"
import { eventsOf } from "../contacts/notifications.ts"
import { sampled } from "../kernel/draws.ts"

export const deliveryTracking = <E>(name: string, live: Layer.Layer<DeliveryPorts, E>) =>
  layer(live, { excludeTestServices: true })(`EngagementStore (${name})`, (it) => {
    it.effect("counts an open, a click and an unsubscription once each, on the delivery and the contact", () =>
      Effect.gen(function* () {
        const { claim, grant, record, scenario, settle, started, workspace } = yield* begin
        const { blast, contacts } = yield* started(people(1))
        const claimed = one(yield* claim())
        yield* grant([claimed])
        yield* settle([settlement(claimed, accepted)])
        const times = [1, 2, 3].map((hours) => DateTime.add(at, { hours }))
        const [first, second, third] = times
        assert(first && second && third)
        for (const when of [first, second])
          yield* record(claimed.id, { _tag: "clicked", url: `https://x.test/${when.epochMilliseconds}` }, when)
        yield* record(claimed.id, { _tag: "opened" }, second)
        for (const when of [third, third]) yield* record(claimed.id, { _tag: "unsubscribed" }, when)
        const row = one(yield* scenario.written(workspace, blast))
        assert.strictEqual(row.openedAt?.epochMilliseconds, first.epochMilliseconds, "who clicks has opened")
        assert.strictEqual(row.clickedAt?.epochMilliseconds, first.epochMilliseconds)
        assert.strictEqual(row.clickedUrl, `https://x.test/${first.epochMilliseconds}`)
        assert.strictEqual(row.unsubscribedAt?.epochMilliseconds, third.epochMilliseconds)
        const contact = yield* scenario.contact(workspace, one(contacts))
        assert.isTrue(contact.unsubscribed)
        assert.strictEqual(contact.lastActivityAt?.epochMilliseconds, third.epochMilliseconds)
        assert.deepStrictEqual(
          contact.timeline.filter((type) => type !== "email_sent" && type !== "email_delivered").sort(),
          ["email_clicked", "email_opened", "email_unsubscribed"],
        )
        assert.strictEqual(yield* scenario.suppressionOf(workspace, "person0@example.test"), "unsubscribe")
        const types = (yield* eventsOf(workspace)).map((event) => event.type)
        for (const type of ["email_clicked", "email_opened", "email_unsubscribed", "contact_updated"]) {
          assert.strictEqual(types.filter((each) => each === type).length, 1, type)
        }
      }),
    )

    it.effect("counts ten concurrent opens once", () =>
      Effect.gen(function* () {
        const { claim, grant, record, scenario, settle, started, workspace } = yield* begin
        const { contacts } = yield* started(people(1))
        const claimed = one(yield* claim())
        yield* grant([claimed])
        yield* settle([settlement(claimed, accepted)])
        const changes = yield* Effect.all(
          Array.from({ length: 10 }, () => record(claimed.id, { _tag: "opened" })),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(changes.filter((change) => change !== undefined).length, 1)
        const { timeline } = yield* scenario.contact(workspace, one(contacts))
        assert.strictEqual(timeline.filter((type) => type === "email_opened").length, 1)
      }),
    )

    it.effect("unsubscribes the address of a deleted contact, and keeps a stronger suppression", () =>
      Effect.gen(function* () {
        const { claim, grant, record, scenario, settle, started, workspace } = yield* begin
        const { contacts } = yield* started(people(2))
        const claimed = yield* claim()
        yield* grant(claimed)
        yield* settle(claimed.map((each) => settlement(each, accepted)))
        const [gone] = contacts
        assert(gone !== undefined)
        yield* scenario.setContact(workspace, gone, "deleted")
        yield* scenario.suppress(workspace, "person1@example.test", "complaint")
        for (const each of claimed) yield* record(each.id, { _tag: "unsubscribed" })
        assert.strictEqual(yield* scenario.suppressionOf(workspace, "person0@example.test"), "unsubscribe")
        assert.strictEqual(yield* scenario.suppressionOf(workspace, "person1@example.test"), "complaint")
      }),
    )

    it.effect("takes a click on an unconfirmed message as proof that it was sent", () =>
      Effect.gen(function* () {
        const { claim, grant, record, scenario, settle, started, sweep, workspace } = yield* begin
        const { blast, contacts } = yield* started(people(1))
        const claimed = one(yield* claim())
        yield* grant([claimed], 0)
        yield* Effect.sleep("5 millis")
        yield* sweep
        yield* record(claimed.id, { _tag: "clicked", url: "https://x.test/" })
        const row = one(yield* scenario.written(workspace, blast))
        assert.deepInclude(row, { state: "sent", reason: null })
        assert.isNotNull(row.sentAt)
        assert.isNotNull(row.deliveredAt)
        assert.isEmpty(yield* settle([settlement(claimed, accepted)]), "its worker says the same, later")
        const { timeline } = yield* scenario.contact(workspace, one(contacts))
        assert.deepStrictEqual([...timeline].sort(), ["email_clicked", "email_delivered", "email_opened", "email_sent"])
      }),
    )

    it.effect("stores machine hits without counting them", () =>
      Effect.gen(function* () {
        const { claim, engagement, grant, recordAll, scenario, started, sweep, workspace } = yield* begin
        const { blast, contacts } = yield* started(people(1))
        const claimed = one(yield* claim())
        yield* grant([claimed], 0)
        yield* Effect.sleep("5 millis")
        yield* sweep
        const before = yield* scenario.written(workspace, blast)
        const writtenEvents = (yield* eventsOf(workspace)).length
        const later = DateTime.add(at, { hours: 1 })
        for (const when of [at, later]) {
          yield* recordAll([
            { deliveryId: claimed.id, event: { _tag: "openedByMachine" }, at: when },
            { deliveryId: claimed.id, event: { _tag: "clickedByMachine" }, at: when },
          ])
        }
        const { machineClickedAt, machineOpenedAt } = yield* engagement.get(workspace, claimed.id)
        assert.strictEqual(machineOpenedAt?.epochMilliseconds, at.epochMilliseconds, "the first time is kept")
        assert.strictEqual(machineClickedAt?.epochMilliseconds, at.epochMilliseconds)
        assert.deepStrictEqual(
          (yield* scenario.written(workspace, blast)).map((row) => [row.state, row.openedAt, row.clickedAt]),
          before.map((row) => [row.state, row.openedAt, row.clickedAt]),
        )
        const { lastActivityAt, timeline } = yield* scenario.contact(workspace, one(contacts))
        assert.deepStrictEqual([lastActivityAt, timeline], [null, []])
        assert.strictEqual((yield* eventsOf(workspace)).length, writtenEvents)
      }),
    )

    /** Two blasts to the same three contacts, all sent. */
    const twoMessagesEach = Effect.gen(function* () {
      const fixture = yield* begin
      const { claim, grant, scenario, settle, started, workspace } = fixture
      const { blast, contacts } = yield* started(people(3))
      const { blast: second } = yield* started(people(3), { again: contacts })
      const claimed = [...(yield* claim()), ...(yield* claim())]
      yield* grant(claimed)
      yield* settle(claimed.map((each) => settlement(each, accepted)))
      const inOrder = (rows: ReadonlyArray<WrittenDelivery>) =>
        [...rows].sort((left, right) => contacts.indexOf(left.contactId) - contacts.indexOf(right.contactId))
      const rows = Effect.map(
        Effect.all([scenario.written(workspace, blast), scenario.written(workspace, second)]),
        (written) => written.flatMap(inOrder),
      )
      return { ...fixture, contacts, rows, ids: (yield* rows).map((row) => row.id) }
    })

    const Something = Schema.Struct({
      whose: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })),
      what: Schema.Literals(["opened", "clicked", "unsubscribed", "openedByMachine", "clickedByMachine"]),
    })

    it.effect.prop(
      "writes for a batch what its events write one by one",
      { happened: Schema.Array(Something).check(Schema.isMaxLength(12)) },
      ({ happened }) =>
        Effect.gen(function* () {
          const whole = yield* twoMessagesEach
          const single = yield* twoMessagesEach
          const happenings = (ids: ReadonlyArray<DeliveryId>): ReadonlyArray<TimedEvent> =>
            happened.flatMap(({ whose, what }, nth) => {
              const deliveryId = ids[whose]
              const event: Event = what === "clicked" ? { _tag: what, url: `https://x.test/${nth}` } : { _tag: what }
              return deliveryId === undefined ? [] : [{ deliveryId, event, at: DateTime.add(at, { minutes: nth }) }]
            })
          yield* whole.recordAll(happenings(whole.ids))
          for (const each of happenings(single.ids)) yield* single.recordAll([each])
          const left = ({ contacts, engagement, ids, rows, scenario, workspace }: typeof whole) =>
            Effect.gen(function* () {
              return {
                rows: (yield* rows).map((row) => [row.openedAt, row.clickedAt, row.clickedUrl, row.unsubscribedAt]),
                machines: yield* Effect.forEach(ids, (id) =>
                  Effect.map(engagement.get(workspace, id), (row) => [row.machineOpenedAt, row.machineClickedAt]),
                ),
                contacts: yield* Effect.forEach(contacts, (contact) =>
                  Effect.map(scenario.contact(workspace, contact), ({ lastActivityAt, timeline, unsubscribed }) => ({
                    lastActivityAt,
                    timeline: [...timeline].sort(),
                    unsubscribed,
                  })),
                ),
                suppressed: yield* Effect.forEach([0, 1, 2], (person) =>
                  scenario.suppressionOf(workspace, `person${person}@example.test`),
                ),
                writtenEvents: (yield* eventsOf(workspace))
                  .filter(({ type }) => type !== "email_sent" && type !== "email_delivered")
                  .map(({ at: when, contactId, data, type }) => ({
                    type,
                    at: when.epochMilliseconds,
                    whom: contacts.findIndex((contact) => contact === contactId),
                    delivery: ids.findIndex((id) => id === data["recipient_id"]),
                  })),
              }
            })
          assert.deepStrictEqual(yield* left(whole), yield* left(single))
        }),
      { arbitrary: { runs: sampled(10) } },
    )

    it.effect("neither deadlocks nor counts twice when batches name the same deliveries in opposite orders", () =>
      Effect.gen(function* () {
        const { claim, engagement, grant, scenario, settle, started, transact, workspace } = yield* begin
        const { blast } = yield* started(people(60))
        const claimed = yield* claim()
        yield* grant(claimed)
        yield* settle(claimed.map((each) => settlement(each, accepted)))
        const ids = claimed.map((each) => each.id)
        let runs = 0
        const batches = Array.from({ length: 10 }, (_, nth) => (nth % 2 === 0 ? ids : [...ids].reverse()))
        const written = yield* Effect.forEach(
          batches,
          (batch) =>
            transact(
              Effect.gen(function* () {
                runs++
                const found = yield* engagement.lock(workspace, batch)
                const opened = batch.map((deliveryId): TimedEvent => ({ deliveryId, event: { _tag: "opened" }, at }))
                const changes = EngagementChange.ofAll(found, opened)
                yield* engagement.apply(workspace, changes)
                return changes.length
              }),
            ),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(runs, batches.length, "none had to be run again")
        assert.strictEqual(
          written.reduce((sum, count) => sum + count, 0),
          ids.length,
        )
        assert.isTrue((yield* scenario.written(workspace, blast)).every((row) => row.openedAt !== null))
      }),
    )

    it.effect("skips unknown deliveries of a batch and writes the rest", () =>
      Effect.gen(function* () {
        const { engagement, fresh, ids, recordAll, rows, transact, workspace } = yield* twoMessagesEach
        const [there] = ids
        assert(there !== undefined)
        const unknown = DeliveryId.make("00000000-0000-4000-8000-000000000000")
        const locked = yield* transact(engagement.lock(workspace, [unknown, there, there]))
        assert.deepStrictEqual([...locked.keys()], [there])
        assert.deepStrictEqual(locked.get(there), yield* engagement.get(workspace, there))
        assert.strictEqual((yield* transact(engagement.lock(workspace, []))).size, 0)
        const opened = [unknown, there].map((deliveryId): TimedEvent => ({ deliveryId, event: { _tag: "opened" }, at }))
        assert.isEmpty(yield* recordAll(opened, yield* fresh.workspace()), "another workspace's")
        assert.strictEqual((yield* recordAll(opened)).length, 1)
        assert.deepStrictEqual(
          (yield* rows).map((row) => row.openedAt !== null),
          [true, false, false, false, false, false],
        )
      }),
    )

    it.effect("writes nothing of a batch with a change that was decided on another state", () =>
      Effect.gen(function* () {
        const { claim, engagement, grant, scenario, started, sweep, transact, workspace } = yield* begin
        const { blast } = yield* started(people(2))
        const claimed = yield* claim()
        yield* grant(claimed, 0)
        const found = yield* transact(
          engagement.lock(
            workspace,
            claimed.map((each) => each.id),
          ),
        )
        yield* Effect.sleep("5 millis")
        yield* sweep
        const opened = claimed.map(({ id }): TimedEvent => ({ deliveryId: id, event: { _tag: "opened" }, at }))
        const stale = EngagementChange.ofAll(found, opened)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(transact(engagement.apply(workspace, stale)))))
        assert.isTrue((yield* scenario.written(workspace, blast)).every((row) => row.openedAt === null))
      }),
    )
  })
