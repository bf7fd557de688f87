// The laws of tracking: what recipients do counts once.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { accepted, at, begin, type DeliveryLaws, one, people, settlement } from "./deliveryScenario.ts"
import { toldTo } from "./toldTo.ts"

export const deliveryTracking = <E>(name: string, live: Layer.Layer<DeliveryLaws, E>) =>
  layer(live, { timeout: "30 seconds", excludeTestServices: true })(`laws of tracking: ${name}`, (it) => {
    it.effect("an opening, a click and an unsubscription count once each, on the delivery and the contact", () =>
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
        const types = (yield* toldTo(workspace)).map((event) => event.type)
        for (const type of ["email_clicked", "email_opened", "email_unsubscribed", "contact_updated"]) {
          assert.strictEqual(types.filter((each) => each === type).length, 1, type)
        }
      }),
    )

    it.effect("ten openings at once are one", () =>
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

    it.effect("an unsubscription binds the address of a contact that is gone, and spares a stronger suppression", () =>
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

    it.effect("a click on an unconfirmed message proves that it was sent", () =>
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
  })
