// Contract tests of bounce reports: each counts once and affects its recipient and the address.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import type { DeliveryId } from "../../src/kernel/Ids.ts"
import type { BounceReport } from "../../src/bounces/Report.ts"
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
  wholeAudience,
} from "../sending/deliveryScenario.ts"
import { eventsOf } from "../contacts/notifications.ts"

const hard: BounceReport = { _tag: "bounced", kind: "hard", words: "5.1.1 no such user" }
const soft: BounceReport = { _tag: "bounced", kind: "soft", words: "5.2.2 full" }
const delivered: BounceReport = { _tag: "delivered" }
const complained: BounceReport = { _tag: "complained" }

const address = "person0@example.test"

/** One message to one contact, accepted by the mail server. */
const sent = Effect.gen(function* () {
  const fixture = yield* begin
  const { blast, contacts } = yield* fixture.started(people(1))
  const claimed = one(yield* fixture.claim())
  yield* fixture.grant([claimed])
  yield* fixture.settle([settlement(claimed, accepted)])
  const row = Effect.map(fixture.scenario.written(fixture.workspace, blast), one)
  const contact = fixture.scenario.contact(fixture.workspace, one(contacts))
  const suppression = fixture.scenario.suppressionOf(fixture.workspace, address)
  return { ...fixture, blast, contacts, claimed, row, contact, suppression }
})

export const deliveryReports = <E>(name: string, live: Layer.Layer<DeliveryPorts, E>) =>
  layer(live, { excludeTestServices: true })(`ReportStore (${name})`, (it) => {
    it.effect("counts a hard bounce once, marks the contact's address as invalid and suppresses it", () =>
      Effect.gen(function* () {
        const { blast, claimed, contact, reported, row, scenario, suppression, workspace } = yield* sent
        const later = DateTime.add(at, { hours: 1 })
        for (const report of [hard, hard, delivered, soft]) yield* reported(claimed.id, report, later)
        const written = yield* row
        assert.deepInclude(written, { state: "sent", bounceKind: "hard", deliveredAt: null })
        assert.strictEqual(written.bouncedAt?.epochMilliseconds, later.epochMilliseconds)
        const { lastActivityAt, marketingEmailInvalid, timeline, unsubscribed } = yield* contact
        assert.isTrue(marketingEmailInvalid)
        assert.isFalse(unsubscribed)
        assert.isNull(lastActivityAt, "the person has done nothing")
        assert.deepStrictEqual(
          timeline.filter((type) => type === "email_bounced"),
          ["email_bounced"],
        )
        assert.strictEqual(yield* suppression, "bounce")
        const events = (yield* eventsOf(workspace)).map(({ type }) => type)
        assert.strictEqual(events.filter((type) => type === "email_bounced").length, 1)
        assert.strictEqual(events.filter((type) => type === "contact_updated").length, 1)
        const tally = yield* scenario.tally(workspace, blast)
        if (tally !== null) assert.deepStrictEqual(tally, tallyOf([written]))
      }),
    )

    it.effect("unsubscribes the contact after a complaint, which is stronger than an unsubscription", () =>
      Effect.gen(function* () {
        const { claimed, contact, record, reported, row, suppression } = yield* sent
        const later = DateTime.add(at, { hours: 1 })
        yield* record(claimed.id, { _tag: "unsubscribed" })
        for (const report of [complained, complained]) yield* reported(claimed.id, report, later)
        assert.strictEqual((yield* row).complainedAt?.epochMilliseconds, later.epochMilliseconds)
        const { lastActivityAt, marketingEmailInvalid, timeline, unsubscribed } = yield* contact
        assert.isTrue(unsubscribed)
        assert.isFalse(marketingEmailInvalid)
        assert.strictEqual(lastActivityAt?.epochMilliseconds, later.epochMilliseconds)
        assert.strictEqual(timeline.filter((type) => type === "email_complained").length, 1)
        assert.strictEqual(yield* suppression, "complaint")
        yield* reported(claimed.id, hard)
        assert.strictEqual(yield* suppression, "complaint", "a bounce is weaker")
      }),
    )

    it.effect("adds up reports of several messages to one contact in one batch", () =>
      Effect.gen(function* () {
        const { claim, claimed, contact, contacts, grant, reportedAll, settle, started, suppression } = yield* sent
        yield* started(people(1), { again: contacts })
        const second = one(yield* claim())
        yield* grant([second])
        yield* settle([settlement(second, accepted)])
        yield* reportedAll(
          new Map<DeliveryId, BounceReport>([
            [claimed.id, hard],
            [second.id, complained],
          ]),
        )
        assert.deepInclude(yield* contact, { marketingEmailInvalid: true, unsubscribed: true })
        assert.strictEqual(yield* suppression, "complaint")
      }),
    )

    it.effect("settles an unconfirmed message by a report; a later settlement does not undo an earlier report", () =>
      Effect.gen(function* () {
        const { claim, grant, reported, scenario, settle, started, sweep, workspace } = yield* begin
        const { blast } = yield* started(people(3))
        const claimed = yield* claim()
        yield* grant(claimed, 0)
        const [first, second, third] = claimed
        assert(first && second && third)
        yield* reported(first.id, hard)
        yield* reported(second.id, delivered)
        assert.isEmpty(yield* settle([settlement(first, accepted)]), "its sender says the same")
        yield* Effect.sleep("5 millis")
        yield* sweep
        const state = (id: string) =>
          Effect.map(scenario.written(workspace, blast), (rows) => rows.find((row) => row.id === id))
        assert.deepInclude(yield* state(first.id), { state: "sent", bounceKind: "hard", deliveredAt: null })
        assert.deepInclude(yield* state(second.id), { state: "sent", reason: null })
        assert.deepInclude(yield* state(third.id), { state: "unconfirmed" })
        yield* reported(third.id, soft)
        const doubted = yield* state(third.id)
        assert.deepInclude(doubted, { state: "sent", reason: null, bounceKind: "soft", deliveredAt: null })
        assert.isNotNull(doubted?.sentAt)
      }),
    )

    it.effect(
      "ignores reports of messages that were not handed over, and suppresses the address of a deleted contact",
      () =>
        Effect.gen(function* () {
          const { blast, claimed, contacts, reported, scenario, started, suppression, workspace } = yield* sent
          yield* started([{ email: "other@example.test" }])
          yield* scenario.setContact(workspace, one(contacts), "deleted")
          yield* reported(claimed.id, complained)
          assert.strictEqual(yield* suppression, "complaint")
          assert.isEmpty(
            (yield* scenario.contact(workspace, one(contacts))).timeline.filter((t) => t === "email_complained"),
          )
          const queued = yield* started([{ email: "queued@example.test" }])
          const untouched = one(yield* scenario.written(workspace, queued.blast))
          for (const report of [hard, soft, delivered, complained])
            assert.isEmpty(yield* reported(untouched.id, report))
          assert.deepStrictEqual(one(yield* scenario.written(workspace, queued.blast)), untouched)
          assert.isNotEmpty(yield* scenario.written(workspace, blast))
        }),
    )

    it.effect(
      "suppresses an address after five soft bounces in a row, not after four, nor with a delivery between",
      () =>
        Effect.gen(function* () {
          const fixture = yield* begin
          const { reported, scenario, workspace } = fixture
          const { contacts } = yield* fixture.started(people(1))
          /** Another message to the same contact: a soft bounce of one of two forms, or a delivery. */
          const next = Effect.fnUntraced(function* (what: "reported" | "refused" | "delivered") {
            const { blast: again } = yield* scenario.blast(workspace, people(1), { again: contacts })
            yield* fixture.transact(wholeAudience(fixture.store, workspace, again))
            const claimed = one((yield* fixture.claim()).filter(({ blastId }) => blastId === again))
            yield* fixture.grant([claimed])
            yield* fixture.settle([
              settlement(claimed, what === "refused" ? refused(552, "552 5.2.2 mailbox full") : accepted),
            ])
            if (what === "reported") yield* reported(claimed.id, soft)
            return claimed.id
          })
          const suppression = scenario.suppressionOf(workspace, address)
          for (const what of ["reported", "refused", "reported", "refused"] as const) yield* next(what)
          const mended = yield* next("delivered")
          for (const what of ["reported", "refused", "reported", "reported"] as const) yield* next(what)
          assert.isNull(yield* suppression)
          yield* reported(mended, soft)
          assert.strictEqual(yield* suppression, "bounce", "a late report closes the row")
        }),
    )

    it.effect("counts a refusal at sending as the fifth soft bounce", () =>
      Effect.gen(function* () {
        const fixture = yield* begin
        const { scenario, workspace } = fixture
        const { contacts } = yield* fixture.started(people(1))
        for (let nth = 1; nth <= 5; nth++) {
          assert.isNull(yield* scenario.suppressionOf(workspace, address))
          const { blast: again } = yield* scenario.blast(workspace, people(1), { again: contacts })
          yield* fixture.transact(wholeAudience(fixture.store, workspace, again))
          const claimed = one((yield* fixture.claim()).filter(({ blastId }) => blastId === again))
          yield* fixture.grant([claimed])
          yield* fixture.settle([settlement(claimed, refused(552, "552 5.2.2 mailbox full"))])
        }
        assert.strictEqual(yield* scenario.suppressionOf(workspace, address), "bounce")
        assert.isFalse((yield* scenario.contact(workspace, one(contacts))).marketingEmailInvalid)
      }),
    )

    it.effect("suppresses an address that the mail server refuses as bad", () =>
      Effect.gen(function* () {
        const { claim, grant, scenario, settle, started, workspace } = yield* begin
        yield* started(people(1))
        const claimed = one(yield* claim())
        yield* grant([claimed])
        yield* settle([settlement(claimed, refused(550, "550 5.1.1 no such user"))])
        assert.strictEqual(yield* scenario.suppressionOf(workspace, address), "bounce")
      }),
    )

    it.effect("finds no delivery of another workspace, and a failed transaction writes nothing", () =>
      Effect.gen(function* () {
        const { claimed, contact, fresh, reports, row, suppression, transact, workspace, reported } = yield* sent
        const other = yield* fresh.workspace()
        assert.isEmpty(yield* transact(reports.lock(other, [claimed.id])))
        const before = yield* row
        yield* Effect.exit(transact(Effect.andThen(reported(claimed.id, hard), Effect.fail("no"))))
        assert.deepStrictEqual(yield* row, before)
        assert.isFalse((yield* contact).marketingEmailInvalid)
        assert.isNull(yield* suppression)
        assert.strictEqual((yield* transact(reports.lock(workspace, [claimed.id, claimed.id]))).length, 1)
      }),
    )

    it.effect("counts ten concurrent copies of a report once", () =>
      Effect.gen(function* () {
        const { claimed, contact, reported } = yield* sent
        yield* Effect.all(
          Array.from({ length: 10 }, () => reported(claimed.id, hard)),
          { concurrency: "unbounded" },
        )
        assert.strictEqual((yield* contact).timeline.filter((type) => type === "email_bounced").length, 1)
      }),
    )
  })
