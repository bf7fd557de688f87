// Contract tests of the activities that are times of deliveries: the timeline shows them in order, rules match them, and no row
// repeats them.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { deliveryActivityTypes } from "../../src/contacts/Activity.ts"
import type { ActivityCondition, RuleTree } from "../../src/segments/RuleTree.ts"
import { SegmentStore } from "../../src/segments/SegmentStore.ts"
import { accepted, at, begin, type DeliveryPorts, one, people, settlement } from "../sending/deliveryScenario.ts"

/** A blast to this many contacts, all of whose messages were accepted at `at`. */
const mailed = Effect.fnUntraced(function* (count: number) {
  const fixture = yield* begin
  const contacts = yield* ContactStore
  const { blast, contacts: recipients } = yield* fixture.started(people(count))
  const claimed = yield* fixture.claim()
  yield* fixture.grant(claimed)
  assert.isEmpty(yield* fixture.settle(claimed.map((each) => settlement(each, accepted))))
  return { ...fixture, blast, claimed, contacts, recipients }
})

export const deliveryTimeline = <E>(name: string, live: Layer.Layer<DeliveryPorts, E>) =>
  layer(live, { excludeTestServices: true })(`Timelines of messages (${name})`, (it) => {
    it.effect("shows a message as sent, delivered, opened and clicked, in pages of one and in both orders", () =>
      Effect.gen(function* () {
        const { blast, claimed, contacts, recipients, record, workspace } = yield* mailed(1)
        const id = one(recipients)
        const message = one(claimed)
        // The open is recorded at the time of the delivery: the time orders first, then the cause.
        yield* record(message.id, { _tag: "opened" }, at)
        yield* record(message.id, { _tag: "clicked", url: "https://x.test/" }, DateTime.add(at, { minutes: 1 }))
        const page = (order: "asc" | "desc", number: number, limit = 1) =>
          contacts.activities(workspace, id, { page: number, limit, order })
        const pages = (order: "asc" | "desc") =>
          Effect.map(
            Effect.forEach([1, 2, 3, 4, 5], (number) => page(order, number)),
            (all) => all.map(({ items, total }) => [total, ...items.map(({ type }) => type)]),
          )
        const types = ["email_sent", "email_delivered", "email_opened", "email_clicked"]
        assert.deepStrictEqual(yield* pages("asc"), [...types.map((type) => [4, type]), [4]])
        assert.deepStrictEqual(yield* pages("desc"), [...types.toReversed().map((type) => [4, type]), [4]])
        const { items } = yield* page("asc", 1, 10)
        const identifiers = { blast_id: blast, recipient_id: message.id }
        assert.deepStrictEqual(
          items.map(({ at: when, contactId, metadata }) => [
            when.epochMilliseconds - at.epochMilliseconds,
            contactId,
            metadata,
          ]),
          [
            [0, id, identifiers],
            [0, id, identifiers],
            [0, id, identifiers],
            [60_000, id, { ...identifiers, url: "https://x.test/" }],
          ],
        )
        const ids = items.map((item) => item.id)
        assert.strictEqual(new Set(ids).size, 4)
        assert.deepStrictEqual(
          (yield* page("asc", 1, 10)).items.map((item) => item.id),
          ids,
          "the ids are stable",
        )
      }),
    )

    it.effect("stores no row for the times of a delivery, whatever sets them", () =>
      Effect.gen(function* () {
        const { claim, claimed, grant, recipients, record, reported, scenario, started, sweep, workspace } =
          yield* mailed(1)
        const doubtful = yield* started(people(1), { again: recipients })
        const again = one(yield* claim())
        yield* grant([again], 0)
        yield* Effect.sleep("5 millis")
        yield* sweep
        yield* record(again.id, { _tag: "opened" })
        yield* reported(one(claimed).id, { _tag: "complained" })
        assert.deepStrictEqual(doubtful.contacts, recipients)
        const { stored, timeline } = yield* scenario.contact(workspace, one(recipients))
        assert.deepStrictEqual([...stored].sort(), ["email_complained", "email_opened"])
        assert.deepStrictEqual(timeline.filter((type) => deliveryActivityTypes.some((each) => each === type)).sort(), [
          "email_delivered",
          "email_delivered",
          "email_sent",
          "email_sent",
        ])
      }),
    )

    it.effect("shows a message that bounced later as sent and not as delivered", () =>
      Effect.gen(function* () {
        const { claimed, contacts, recipients, reported, workspace } = yield* mailed(1)
        const later = DateTime.add(at, { hours: 1 })
        yield* reported(one(claimed).id, { _tag: "bounced", kind: "soft", words: "5.2.2 full" }, later)
        const query = { page: 1, limit: 10, order: "asc" } as const
        const { items, total } = yield* contacts.activities(workspace, one(recipients), query)
        assert.deepStrictEqual([total, ...items.map(({ type }) => type)], [2, "email_sent", "email_bounced"])
      }),
    )

    it.effect("matches rules on sent and delivered messages within a time window", () =>
      Effect.gen(function* () {
        const { claimed, contacts, recipients, reported, workspace } = yield* mailed(2)
        const segments = yield* SegmentStore
        const bounced = one(claimed)
        yield* reported(bounced.id, { _tag: "bounced", kind: "soft", words: "5.2.2 full" })
        const other = one(recipients.filter((id) => id !== bounced.contact?.id))
        const matching = Effect.fnUntraced(function* (
          activityType: ActivityCondition["activityType"],
          operator: ActivityCondition["operator"],
          minutes: number | null,
          now = DateTime.add(at, { minutes: 5 }),
        ) {
          const timeWindow = minutes === null ? {} : { timeWindow: { amount: minutes, unit: "minute" } as const }
          const condition = { kind: "condition", source: "activity", activityType, operator, ...timeWindow } as const
          const tree: RuleTree = { kind: "group", operator: "and", conditions: [condition] }
          const query = { page: 1, limit: 10, sort: "created_at", order: "asc", search: null } as const
          const { items, total } = yield* segments.list(workspace, { tree, fields: [], now }, query)
          assert.strictEqual(total, items.length)
          return items.map(({ id }) => id).sort()
        })
        const both = [...recipients].sort()
        assert.deepStrictEqual(yield* matching("email_sent", "has_activity", null), both)
        assert.deepStrictEqual(yield* matching("email_sent", "has_activity", 5), both)
        assert.deepStrictEqual(yield* matching("email_sent", "has_activity", 4), [])
        assert.deepStrictEqual(yield* matching("email_sent", "has_no_activity", 4), both)
        assert.deepStrictEqual(yield* matching("email_delivered", "has_activity", 5), [other])
        assert.deepStrictEqual(yield* matching("email_delivered", "has_no_activity", null), [bounced.contact?.id])
        const tree: RuleTree = {
          kind: "group",
          operator: "or",
          conditions: deliveryActivityTypes.map(
            (activityType) =>
              ({ kind: "condition", source: "activity", activityType, operator: "has_activity" }) as const,
          ),
        }
        const [subject] = yield* segments.subjects(workspace, [yield* contacts.get(workspace, other)], tree)
        assert.deepStrictEqual(subject?.activities.map(({ type, at: when }) => [type, when.epochMilliseconds]).sort(), [
          ["email_delivered", at.epochMilliseconds],
          ["email_sent", at.epochMilliseconds],
        ])
      }),
    )
  })
