// Contract tests of the hand-over: no message is sent without an intent, and its outcome is written once by the holder of
// the claim.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { IntentAnswer } from "../../src/sending/Delivery.ts"
import { BlastId, DeliveryId } from "../../src/kernel/Ids.ts"
import type { Outcome } from "../../src/sending/MailConnection.ts"
import {
  accepted,
  at,
  begin,
  type DeliveryPorts,
  one,
  people,
  refused,
  settlement,
  tallyOf,
} from "./deliveryScenario.ts"
import { Fresh } from "../kernel/fresh.ts"
import { eventsOf } from "../contacts/notifications.ts"

const hour_ms = 3_600_000

export const deliveryOutcomes = <E>(name: string, live: Layer.Layer<DeliveryPorts, E>) =>
  layer(live, { excludeTestServices: true })(`DeliveryStore outcomes (${name})`, (it) => {
    it.effect("accepts a late settlement of an unconfirmed message with the same token and ignores another token", () =>
      Effect.gen(function* () {
        const { claim, grant, scenario, settle, started, sweep, workspace } = yield* begin
        const { blast } = yield* started(people(3))
        const claimed = yield* claim()
        yield* grant(claimed, 0)
        yield* Effect.sleep("5 millis")
        yield* sweep
        const [a, b, c] = claimed
        assert(a !== undefined && b !== undefined && c !== undefined)
        assert.deepStrictEqual(yield* settle([settlement({ ...a, token: a.token + 1_000_000 }, accepted)]), [a.id])
        assert.isEmpty(
          yield* settle([
            settlement(a, accepted),
            settlement(b, refused(554, "554 5.7.1 no")),
            settlement(c, refused(451, "451 4.3.0 later")),
          ]),
        )
        const rows = yield* scenario.written(workspace, blast)
        const of = (id: DeliveryId) => one(rows.filter((row) => row.id === id))
        assert.deepInclude(of(a.id), { state: "sent", reason: null })
        assert.deepInclude(of(b.id), { state: "failed", reason: "refused" })
        assert.deepInclude(of(c.id), { state: "failed", reason: "temporarily_refused" }, "never back into the queue")
      }),
    )

    it.effect("counts a deferred message once, whatever was reported of its first attempt before the second ends", () =>
      Effect.gen(function* () {
        const { claim, grant, reported, scenario, settle, started, workspace } = yield* begin
        const { blast } = yield* started(people(5))
        const attempt = (outcomes: ReadonlyArray<Outcome>) =>
          Effect.gen(function* () {
            const claimed = yield* claim()
            yield* grant(claimed)
            const results = claimed.map((each, index) => settlement(each, outcomes[index] ?? accepted))
            assert.isEmpty(yield* settle(results))
            yield* scenario.elapse(workspace, hour_ms)
            const rows = yield* scenario.written(workspace, blast)
            const tally = yield* scenario.tally(workspace, blast)
            if (tally !== null) assert.deepStrictEqual(tally, tallyOf(rows))
            return rows
          })
        const later = refused(451, "451 4.3.0 later")
        const deferred = (yield* attempt([later, later, later, later])).filter(({ state }) => state === "queued")
        const [a, b, c] = deferred
        assert(a !== undefined && b !== undefined && c !== undefined)
        for (const { id } of [a, c]) yield* reported(id, { _tag: "delivered" })
        yield* reported(b.id, { _tag: "bounced", kind: "soft", words: null })
        const rows = yield* attempt([accepted, accepted, later])
        assert.deepStrictEqual(
          rows.map(({ attempts, state }) => `${state} ${attempts}`).sort(),
          ["queued 2", ...Array.from({ length: 3 }, () => "sent 1"), "sent 0"].sort(),
        )
        assert.lengthOf(
          (yield* attempt([])).filter(({ state }) => state === "sent"),
          5,
        )
      }),
    )

    it.effect("grants an intent once, to the holder of the claim, during its lease", () =>
      Effect.gen(function* () {
        const { claim, grant, started } = yield* begin
        yield* started(people(2))
        const [a, b] = yield* claim()
        assert(a !== undefined && b !== undefined)
        const unknown = DeliveryId.make(yield* (yield* Fresh).id)
        const answers = yield* grant([a, { ...b, token: b.token + 1 }, { ...a, id: unknown }])
        assert.deepStrictEqual([...answers], [[a.id, "granted"]])
        assert.strictEqual((yield* grant([a])).size, 0)
        const otherBlast = BlastId.make(yield* (yield* Fresh).id)
        assert.strictEqual((yield* grant([{ ...b, blastId: otherBlast }])).size, 0, "it is the blast that is locked")
        assert.strictEqual((yield* grant([b])).get(b.id), "granted")
      }),
    )

    it.effect("dies on a request for an intent inside a transaction, which could still undo it", () =>
      Effect.gen(function* () {
        const { claim, grant, started, states, transact } = yield* begin
        const { blast } = yield* started(people(1))
        const claimed = yield* claim()
        const exit = yield* Effect.exit(transact(grant(claimed)))
        assert.strictEqual(exit._tag, "Failure")
        assert.deepStrictEqual(yield* states(blast), ["claimed"])
      }),
    )

    it.effect("grants no intent after a committed pause, and the delivery stays in the queue", () =>
      Effect.gen(function* () {
        const { claim, grant, scenario, started, workspace } = yield* begin
        const { blast } = yield* started(people(2))
        const [a, b] = yield* claim()
        assert(a !== undefined && b !== undefined)
        yield* scenario.setBlast(workspace, blast, "paused")
        assert.deepStrictEqual([...(yield* grant([a, b])).values()], ["paused", "paused"])
        for (const row of yield* scenario.written(workspace, blast)) {
          assert.deepInclude(row, { state: "queued", token: null, attempts: 0 })
        }
        yield* scenario.setBlast(workspace, blast, "sending")
        const again = yield* claim()
        assert.deepStrictEqual([...(yield* grant(again)).values()], ["granted", "granted"])
      }),
    )

    it.effect("blocks claimed deliveries at the intent after a committed cancellation", () =>
      Effect.gen(function* () {
        const { claim, grant, scenario, started, workspace } = yield* begin
        const { blast } = yield* started(people(1))
        const claimed = yield* claim()
        yield* scenario.setBlast(workspace, blast, "cancelled")
        assert.deepStrictEqual([...(yield* grant(claimed)).values()], ["cancelled"])
        assert.deepInclude(one(yield* scenario.written(workspace, blast)), { state: "blocked", reason: "cancelled" })
      }),
    )

    for (const operational of [false, true]) {
      it.effect(
        `blocks a contact with the reason that arises between claim and intent${operational ? ", unless the mail is operational" : ""}`,
        () =>
          Effect.gen(function* () {
            const { claim, grant, scenario, started, workspace } = yield* begin
            const { blast, contacts } = yield* started(people(8), { operational })
            const claimed = yield* claim()
            const [left, opted, invalid, bounced, byLink, complained, deleted] = contacts
            assert(left && opted && invalid && bounced && byLink && complained && deleted)
            yield* scenario.setContact(workspace, left, { unsubscribed: true })
            yield* scenario.setContact(workspace, opted, { marketingEmailSubscribed: false })
            yield* scenario.setContact(workspace, invalid, { marketingEmailInvalid: true })
            yield* scenario.suppress(workspace, "person3@example.test", "bounce")
            yield* scenario.suppress(workspace, "person4@example.test", "unsubscribe")
            yield* scenario.suppress(workspace, "person5@example.test", "complaint")
            yield* scenario.setContact(workspace, deleted, "deleted")
            const answers = yield* grant(claimed)
            const expected: ReadonlyArray<IntentAnswer> = operational
              ? [
                  "granted",
                  "granted",
                  "invalid_email",
                  "suppressed",
                  "granted",
                  "suppressed",
                  "contact_deleted",
                  "granted",
                ]
              : [
                  "unsubscribed",
                  "opt_out",
                  "invalid_email",
                  "suppressed",
                  "unsubscribed",
                  "suppressed",
                  "contact_deleted",
                  "granted",
                ]
            const rows = yield* scenario.written(workspace, blast)
            for (const [index, contact] of contacts.entries()) {
              const row = one(rows.filter((each) => each.contactId === contact))
              assert.strictEqual(answers.get(row.id), expected[index])
              assert.deepInclude(
                row,
                expected[index] === "granted"
                  ? { state: "handed_over", reason: null }
                  : { state: "blocked", reason: expected[index] ?? null, token: null },
              )
            }
            const recorded = (yield* eventsOf(workspace)).filter(({ type }) => type === "email_blocked")
            const blocked = rows.filter(({ reason, state }) => state === "blocked" && reason !== "contact_deleted")
            assert.deepStrictEqual(
              new Map(recorded.map(({ contactId, data }) => [contactId, data])),
              new Map(
                blocked.map((row) => [row.contactId, { blast_id: blast, recipient_id: row.id, reason: row.reason }]),
              ),
            )
          }),
      )
    }

    it.effect("writes a failure for a message whose outcome is unknown", () =>
      Effect.gen(function* () {
        const { claim, grant, scenario, settle, started, sweep, workspace } = yield* begin
        yield* started(people(3))
        const claimed = yield* claim()
        const [doubtful, lost] = claimed
        assert(doubtful !== undefined && lost !== undefined)
        yield* grant([doubtful, lost])
        assert.isEmpty(yield* settle([settlement(doubtful, { _tag: "inDoubt" })]))
        yield* scenario.elapse(workspace, hour_ms)
        assert.strictEqual((yield* sweep).unconfirmed, 1)
        const recorded = (yield* eventsOf(workspace)).map(({ data, type }) => [
          type,
          data["recipient_id"],
          data["reason"],
        ])
        assert.deepStrictEqual(recorded, [
          ["email_failed", doubtful.id, "unconfirmed"],
          ["email_failed", lost.id, "unconfirmed"],
        ])
      }),
    )

    it.effect("records a settled message once as sent and delivered, in timeline and events", () =>
      Effect.gen(function* () {
        const { claim, grant, scenario, settle, started, workspace } = yield* begin
        const { blast, contacts } = yield* started(people(2))
        const claimed = yield* claim()
        yield* grant(claimed)
        const settlements = claimed.map((each) => settlement(each, accepted))
        assert.isEmpty(yield* settle(settlements))
        assert.isEmpty(yield* settle(settlements), "the same again is no mistake")
        for (const row of yield* scenario.written(workspace, blast)) {
          assert.strictEqual(row.state, "sent")
          assert.strictEqual(row.sentAt?.epochMilliseconds, at.epochMilliseconds)
          assert.strictEqual(row.deliveredAt?.epochMilliseconds, at.epochMilliseconds)
          assert.strictEqual(row.reply, "250 2.0.0 ok")
        }
        for (const contact of contacts) {
          const { lastActivityAt, timeline } = yield* scenario.contact(workspace, contact)
          assert.deepStrictEqual([...timeline].sort(), ["email_delivered", "email_sent"])
          assert.isNull(lastActivityAt, "being written to is nothing that one does")
        }
        const events = (yield* eventsOf(workspace)).filter((event) => event.type.startsWith("email_"))
        assert.deepStrictEqual(events.map((event) => event.type).sort(), [
          "email_delivered",
          "email_delivered",
          "email_sent",
          "email_sent",
        ])
        assert.deepStrictEqual([...new Set(events.map((event) => event.data["blast_id"]))], [blast])
        assert.isTrue(events.every((event) => claimed.some((each) => each.id === event.data["recipient_id"])))
      }),
    )

    it.effect("sends nothing without an intent, whatever the claim's holder settles", () =>
      Effect.gen(function* () {
        const { claim, settle, started, states } = yield* begin
        const { blast } = yield* started(people(2))
        const [a, b] = yield* claim()
        assert(a !== undefined && b !== undefined)
        assert.deepStrictEqual(yield* settle([settlement(a, accepted), settlement(b, { _tag: "inDoubt" })]), [
          a.id,
          b.id,
        ])
        assert.deepStrictEqual(yield* states(blast), ["claimed", "claimed"])
      }),
    )

    it.effect("fails the delivery of a bad address, marks its contact, and writes an event", () =>
      Effect.gen(function* () {
        const { claim, grant, scenario, settle, started, workspace } = yield* begin
        const { blast, contacts } = yield* started(people(2))
        const claimed = yield* claim()
        const [early, late] = claimed
        assert(early !== undefined && late !== undefined)
        yield* grant([late])
        const hard = refused(550, "550 5.1.1 no such user")
        assert.isEmpty(yield* settle([settlement(early, hard), settlement(late, hard)]))
        for (const row of yield* scenario.written(workspace, blast)) {
          assert.deepInclude(row, { state: "failed", reason: "hard_bounce", sentAt: null })
          assert.strictEqual(row.bouncedAt?.epochMilliseconds, at.epochMilliseconds)
        }
        for (const contact of contacts) {
          const { marketingEmailInvalid, timeline } = yield* scenario.contact(workspace, contact)
          assert.isTrue(marketingEmailInvalid)
          assert.deepStrictEqual(timeline, ["email_bounced"])
        }
        const types = (yield* eventsOf(workspace)).map((event) => event.type)
        assert.strictEqual(types.filter((type) => type === "email_bounced").length, 2)
        assert.strictEqual(types.filter((type) => type === "contact_updated").length, 2)
        const failed = (yield* eventsOf(workspace)).filter(({ type }) => type === "email_failed")
        assert.deepStrictEqual(new Set(failed.map(({ contactId }) => contactId)), new Set(contacts))
        for (const { at: when, data } of failed) {
          assert.deepInclude(data, { blast_id: blast, reason: "hard_bounce" })
          assert.deepStrictEqual(when, at)
        }
      }),
    )

    it.effect("queues a temporarily refused delivery again after its backoff, with one more attempt counted", () =>
      Effect.gen(function* () {
        const { claim, grant, scenario, settle, started, workspace } = yield* begin
        const { blast } = yield* started(people(2))
        const [before, after] = yield* claim()
        assert(before !== undefined && after !== undefined)
        yield* grant([after])
        const later = refused(451, "451 4.7.1 greylisted")
        assert.isEmpty(yield* settle([settlement(before, later), settlement(after, later)]))
        for (const row of yield* scenario.written(workspace, blast)) {
          assert.deepInclude(row, { state: "queued", token: null, attempts: 1, reason: null })
        }
        assert.isEmpty(yield* claim(), "thirty seconds are not over")
      }),
    )
  })
