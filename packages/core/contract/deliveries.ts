// The laws of the sending pipeline's ports: nothing is sent twice, nobody is forgotten.
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, type Layer, Schema } from "effect"
import type { DeliveryTally } from "../src/deliveries/Delivery.ts"
import { type DeliveryState, type Ending, finalStates, type IntentAnswer, move, type Standing } from "../src/deliveries/Delivery.ts"
import { type Claim, type ClaimedDelivery, DeliveryStore } from "../src/deliveries/DeliveryStore.ts"
import { EngagementChange, type Event } from "../src/deliveries/Engagement.ts"
import { EngagementStore } from "../src/deliveries/EngagementStore.ts"
import type { Outcome } from "../src/deliveries/MailConnection.ts"
import { Settlement } from "../src/deliveries/Settlement.ts"
import { blockReason, type SuppressionReason } from "../src/deliveries/Suppression.ts"
import { BlastId, type ContactId, DeliveryId, type WorkspaceId } from "../src/Ids.ts"
import { Outbox } from "../src/Outbox.ts"
import { Transactor } from "../src/Transactor.ts"
import { Fresh } from "./fresh.ts"

/** A contact of a scenario, as far as sending cares. */
export interface ScenarioContact {
  readonly email: string | null
  readonly unsubscribed?: boolean
  readonly marketingEmailSubscribed?: boolean | null
  readonly marketingEmailInvalid?: boolean
  /** Of its address. */
  readonly suppression?: SuppressionReason
}

/** A delivery as it is written. */
export interface WrittenDelivery {
  readonly id: DeliveryId
  readonly contactId: ContactId
  readonly state: DeliveryState
  readonly reason: string | null
  readonly token: number | null
  readonly attempts: number
  readonly sentAt: DateTime.Utc | null
  readonly deliveredAt: DateTime.Utc | null
  readonly openedAt: DateTime.Utc | null
  readonly clickedAt: DateTime.Utc | null
  readonly clickedUrl: string | null
  readonly bouncedAt: DateTime.Utc | null
  readonly unsubscribedAt: DateTime.Utc | null
  readonly reply: string | null
}

/** How an adapter's rows come about without the other rooms, and how they are looked at. */
export class DeliveryScenario extends Context.Service<
  DeliveryScenario,
  {
    /** Contacts in a static list, and a blast of it that is sending. */
    readonly blast: (
      workspace: WorkspaceId,
      contacts: ReadonlyArray<ScenarioContact>,
      options?: { readonly operational?: boolean },
    ) => Effect.Effect<{ readonly blast: BlastId; readonly contacts: ReadonlyArray<ContactId> }>
    readonly setBlast: (workspace: WorkspaceId, blast: BlastId, to: "sending" | "paused" | "cancelled") => Effect.Effect<void>
    readonly removeList: (workspace: WorkspaceId, blast: BlastId) => Effect.Effect<void>
    readonly setContact: (
      workspace: WorkspaceId,
      contact: ContactId,
      fields: Omit<ScenarioContact, "email" | "suppression"> | "deleted",
    ) => Effect.Effect<void>
    readonly suppress: (workspace: WorkspaceId, email: string, reason: SuppressionReason) => Effect.Effect<void>
    readonly written: (workspace: WorkspaceId, blast: BlastId) => Effect.Effect<ReadonlyArray<WrittenDelivery>>
    readonly contact: (
      workspace: WorkspaceId,
      contact: ContactId,
    ) => Effect.Effect<{
      readonly unsubscribed: boolean
      readonly marketingEmailInvalid: boolean
      readonly lastActivityAt: DateTime.Utc | null
      readonly timeline: ReadonlyArray<string>
    }>
    readonly suppressionOf: (workspace: WorkspaceId, email: string) => Effect.Effect<SuppressionReason | null>
    /** The kept counters, null where an adapter has none and counts. */
    readonly tally: (workspace: WorkspaceId, blast: BlastId) => Effect.Effect<DeliveryTally | null>
  }
>()("tentpole/contract/DeliveryScenario") {}

type Needs = DeliveryStore | EngagementStore | Outbox | Transactor | Fresh | DeliveryScenario

const at = DateTime.makeUnsafe(1_700_000_000_000)
const long_ms = 60_000

const people = (count: number): ReadonlyArray<ScenarioContact> =>
  Array.from({ length: count }, (_, index) => ({ email: `person${index}@example.test` }))

const settlement = (claimed: ClaimedDelivery, outcome: Outcome): Settlement =>
  Settlement.of(claimed, { _tag: "outcome", outcome }, { at, acceptMeansDelivered: true })

const accepted: Outcome = { _tag: "accepted", reply: "250 2.0.0 ok" }
const refused = (code: number, reply: string): Outcome => ({ _tag: "refused", code, reply })

const begin = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const engagement = yield* EngagementStore
  const scenario = yield* DeliveryScenario
  const { transact } = yield* Transactor
  const fresh = yield* Fresh
  const outbox = yield* Outbox
  const workspace = yield* fresh.workspace()
  const started = (contacts: ReadonlyArray<ScenarioContact>, options?: { readonly operational?: boolean }) =>
    Effect.gen(function* () {
      const made = yield* scenario.blast(workspace, contacts, options)
      yield* transact(store.fixAudience(workspace, made.blast))
      return made
    })
  const claim = (limit = 100, lease_ms = long_ms) => transact(store.claim(workspace, { limit, lease_ms }))
  const grant = (claims: ReadonlyArray<Claim>, lease_ms = long_ms) => store.grant(workspace, claims, lease_ms)
  const settle = (settlements: ReadonlyArray<Settlement>) => transact(store.settle(workspace, settlements))
  const sweep = transact(store.sweep(workspace))
  const giveBack = (claims: ReadonlyArray<Claim>) => transact(store.giveBack(workspace, claims))
  const rest = transact(store.rest(workspace))
  /** What stands in each state, in the order of the alphabet. */
  const states = (blast: BlastId) =>
    Effect.map(scenario.written(workspace, blast), (rows) => rows.map((row) => row.state).sort())
  const record = (id: DeliveryId, event: Event, when = at) =>
    transact(
      Effect.gen(function* () {
        const tracked = yield* engagement.lock(workspace, id)
        const change = EngagementChange.of(tracked, event, when)
        if (change !== undefined) yield* engagement.apply(workspace, change)
        return change
      }),
    )
  return {
    store, engagement, scenario, transact, fresh, outbox, workspace, started, claim, grant, settle, sweep, giveBack, rest,
    states, record,
  }
})

const one = <A>(items: ReadonlyArray<A>): A => {
  const [first] = items
  assert(first !== undefined, "there must be one")
  return first
}

const tallyOf = (rows: ReadonlyArray<WrittenDelivery>): DeliveryTally => {
  const count = (holds: (row: WrittenDelivery) => boolean) => rows.filter(holds).length
  return {
    queued: count((row) => !finalStates.has(row.state)),
    sent: count((row) => row.state === "sent"),
    failed: count((row) => row.state === "failed" || row.state === "unconfirmed"),
    blocked: count((row) => row.state === "blocked"),
    delivered: count((row) => row.deliveredAt !== null),
    opened: count((row) => row.openedAt !== null),
    clicked: count((row) => row.clickedAt !== null),
    bounced: count((row) => row.bouncedAt !== null),
    complained: 0,
    unsubscribed: count((row) => row.unsubscribedAt !== null),
  }
}

export const deliveries = <E>(name: string, live: Layer.Layer<Needs, E>) =>
  layer(live, { timeout: "30 seconds", excludeTestServices: true })(`delivery laws: ${name}`, (it) => {
    it.effect("everyone in the audience gets one delivery, the blocked with their reason, and the blast its counts", () =>
      Effect.gen(function* () {
        const { scenario, store, transact, workspace } = yield* begin
        const contacts: ReadonlyArray<ScenarioContact> = [
          { email: "fine@example.test" },
          { email: "never-asked@example.test", marketingEmailSubscribed: null },
          { email: null },
          { email: "left@example.test", unsubscribed: true },
          { email: "no@example.test", marketingEmailSubscribed: false },
          { email: "bad@example.test", marketingEmailInvalid: true },
          { email: "bounced@example.test", suppression: "bounce" },
          { email: "complained@example.test", suppression: "complaint" },
          { email: "by-hand@example.test", suppression: "manual" },
          { email: "by-link@example.test", suppression: "unsubscribe" },
          { email: "all@example.test", unsubscribed: true, marketingEmailInvalid: true, suppression: "bounce" },
        ]
        for (const operational of [false, true]) {
          const ws = operational ? yield* (yield* Fresh).workspace() : workspace
          const made = yield* scenario.blast(ws, contacts, { operational })
          const fixed = yield* transact(store.fixAudience(ws, made.blast))
          const rows = yield* scenario.written(ws, made.blast)
          const expected = contacts.map((contact) =>
            blockReason(
              {
                emailNormalized: contact.email,
                unsubscribed: contact.unsubscribed ?? false,
                marketingEmailSubscribed: contact.marketingEmailSubscribed ?? null,
                marketingEmailInvalid: contact.marketingEmailInvalid ?? false,
                suppression: contact.suppression ?? null,
              },
              operational,
            ),
          )
          for (const [index, id] of made.contacts.entries()) {
            const row = one(rows.filter((each) => each.contactId === id))
            assert.strictEqual(row.reason, expected[index] ?? null, contacts[index]?.email ?? "no email")
            assert.strictEqual(row.state, expected[index] === undefined ? "queued" : "blocked")
          }
          assert.strictEqual(rows.length, contacts.length)
          assert.deepInclude(fixed, {
            recipientCount: contacts.length,
            qualifiedCount: expected.filter((reason) => reason === undefined).length,
            truncated: false,
          })
        }
      }),
    )

    it.effect("fixing an audience again adds nobody and answers the same", () =>
      Effect.gen(function* () {
        const { scenario, store, transact, workspace } = yield* begin
        const { blast } = yield* scenario.blast(workspace, people(3))
        const first = yield* transact(store.fixAudience(workspace, blast))
        const again = yield* Effect.all(
          Array.from({ length: 4 }, () => transact(store.fixAudience(workspace, blast))),
          { concurrency: "unbounded" },
        )
        for (const each of again) {
          assert.strictEqual(each?.recipientCount, 3)
          assert.strictEqual(each?.at.epochMilliseconds, first?.at.epochMilliseconds)
        }
        assert.strictEqual((yield* scenario.written(workspace, blast)).length, 3)
      }),
    )

    it.effect("eight who fix one audience at once make one delivery each", () =>
      Effect.gen(function* () {
        const { scenario, store, transact, workspace } = yield* begin
        const { blast } = yield* scenario.blast(workspace, people(20))
        yield* Effect.all(
          Array.from({ length: 8 }, () => transact(store.fixAudience(workspace, blast))),
          { concurrency: "unbounded" },
        )
        assert.strictEqual((yield* scenario.written(workspace, blast)).length, 20)
      }),
    )

    it.effect("a blast that is not sending gets no audience, one whose list is gone says so", () =>
      Effect.gen(function* () {
        const { scenario, store, transact, workspace } = yield* begin
        const cancelled = yield* scenario.blast(workspace, people(1))
        yield* scenario.setBlast(workspace, cancelled.blast, "cancelled")
        assert.isNull(yield* transact(store.fixAudience(workspace, cancelled.blast)))
        assert.isNull(yield* transact(store.fixAudience(workspace, BlastId.make(yield* (yield* Fresh).id))))
        const orphan = yield* scenario.blast(workspace, [{ email: "other@example.test" }])
        yield* scenario.removeList(workspace, orphan.blast)
        assert.strictEqual((yield* Effect.flip(transact(store.fixAudience(workspace, orphan.blast))))._tag, "AudienceGone")
        assert.isEmpty(yield* scenario.written(workspace, orphan.blast))
      }),
    )

    it.effect("an audience makes its workspace due, also an empty one, and a failed transaction leaves nothing", () =>
      Effect.gen(function* () {
        const { scenario, store, transact, workspace } = yield* begin
        const { blast } = yield* scenario.blast(workspace, [])
        yield* Effect.exit(transact(Effect.andThen(store.fixAudience(workspace, blast), Effect.fail("no"))))
        assert.notInclude(yield* store.dueWorkspaces(1000), workspace)
        yield* transact(store.fixAudience(workspace, blast))
        assert.include(yield* store.dueWorkspaces(1000), workspace)
        assert.include(yield* store.openWorkspaces(1000), workspace)
      }),
    )

    it.effect("a claim brings what a message is made of", () =>
      Effect.gen(function* () {
        const { claim, started } = yield* begin
        const { blast, contacts } = yield* started([{ email: "Ann.Müller@Exämple.test" }], { operational: true })
        const claimed = one(yield* claim())
        assert.deepInclude(claimed, { blastId: blast, operational: true, attempts: 0 })
        assert.strictEqual(claimed.address, "Ann.Müller@Exämple.test")
        assert.strictEqual(claimed.contact?.id, contacts[0])
      }),
    )

    it.effect("claimers at once get disjoint deliveries, and tokens only grow", () =>
      Effect.gen(function* () {
        const { claim, started, store, transact, workspace } = yield* begin
        yield* started(people(60))
        const claims = yield* Effect.all(
          Array.from({ length: 6 }, () => transact(store.claim(workspace, { limit: 10, lease_ms: long_ms }))),
          { concurrency: "unbounded" },
        )
        const ids = claims.flat().map((each) => each.id)
        assert.strictEqual(new Set(ids).size, ids.length)
        for (const each of claims) assert.isAtMost(each.length, 10)
        for (const batch of claims) assert.isAtMost(new Set(batch.map((each) => each.token)).size, 1)
        const rest = yield* claim()
        assert.strictEqual(ids.length + rest.length, 60)
        const later = rest[0]?.token ?? Infinity
        for (const each of claims.flat()) assert.isBelow(each.token, later)
      }),
    )

    it.effect("every sending blast has its share of a claim; a paused or cancelled one has none", () =>
      Effect.gen(function* () {
        const { claim, scenario, started, workspace } = yield* begin
        const first = yield* started(people(30))
        const second = yield* started(Array.from({ length: 30 }, (_, index) => ({ email: `b${index}@example.test` })))
        const both = yield* claim(20)
        assert.strictEqual(both.filter((each) => each.blastId === first.blast).length, 10)
        assert.strictEqual(both.filter((each) => each.blastId === second.blast).length, 10)
        yield* scenario.setBlast(workspace, first.blast, "paused")
        assert.deepStrictEqual(
          [...new Set((yield* claim(15)).map((each) => each.blastId))],
          [second.blast],
        )
        yield* scenario.setBlast(workspace, second.blast, "cancelled")
        assert.isEmpty(yield* claim())
        yield* scenario.setBlast(workspace, first.blast, "sending")
        assert.strictEqual((yield* claim()).length, 20)
      }),
    )

    it.effect("an expired claim comes back under a new token, and its old holder is granted nothing", () =>
      Effect.gen(function* () {
        const { claim, grant, settle, started, states, sweep } = yield* begin
        const { blast } = yield* started(people(1))
        const old = one(yield* claim(1, 0))
        assert.isEmpty(yield* claim())
        yield* Effect.sleep("5 millis")
        assert.strictEqual((yield* grant([old])).size, 0, "its lease has run out, swept or not")
        assert.deepStrictEqual(yield* sweep, { queued: 1, unconfirmed: 0 })
        const taken = one(yield* claim())
        assert.isAbove(taken.token, old.token)
        assert.strictEqual((yield* grant([old])).size, 0)
        assert.deepStrictEqual(yield* settle([settlement(old, refused(550, "550 5.1.1 no"))]), [old.id])
        assert.strictEqual((yield* grant([taken])).get(taken.id), "granted")
        assert.deepStrictEqual(yield* states(blast), ["handed_over"])
      }),
    )

    it.effect("an expired hand-over is unconfirmed and never queued again", () =>
      Effect.gen(function* () {
        const { claim, giveBack, grant, rest, scenario, started, states, sweep, workspace } = yield* begin
        const { blast } = yield* started(people(1))
        const claimed = one(yield* claim())
        assert.strictEqual((yield* grant([claimed], 0)).get(claimed.id), "granted")
        yield* Effect.sleep("5 millis")
        assert.deepStrictEqual(yield* sweep, { queued: 0, unconfirmed: 1 })
        assert.deepStrictEqual(yield* sweep, { queued: 0, unconfirmed: 0 })
        assert.deepStrictEqual(yield* states(blast), ["unconfirmed"])
        assert.strictEqual(one(yield* scenario.written(workspace, blast)).reason, "unconfirmed")
        assert.strictEqual(yield* giveBack([claimed]), 0, "its holder came too late")
        assert.isEmpty(yield* claim())
        assert.deepStrictEqual(yield* rest, { dry: true })
      }),
    )

    it.effect("a late truthful settle by the same token ends the doubt; by another token it changes nothing", () =>
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

    it.effect("an intent is granted once, to its holder, while its lease runs", () =>
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

    it.effect("an intent can't be asked for inside a transaction, where it could still be undone", () =>
      Effect.gen(function* () {
        const { claim, grant, started, states, transact } = yield* begin
        const { blast } = yield* started(people(1))
        const claimed = yield* claim()
        const exit = yield* Effect.exit(transact(grant(claimed)))
        assert.strictEqual(exit._tag, "Failure")
        assert.deepStrictEqual(yield* states(blast), ["claimed"])
      }),
    )

    it.effect("after a pause has committed no intent is granted, and the delivery waits in the queue", () =>
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

    it.effect("after a cancel has committed whoever is still claimed is blocked at the intent", () =>
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
      it.effect(`who leaves between claim and intent is blocked with the reason${operational ? ", unless the mail is operational" : ""}`, () =>
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
            ? ["granted", "granted", "invalid_email", "suppressed", "granted", "suppressed", "contact_deleted", "granted"]
            : ["unsubscribed", "opt_out", "invalid_email", "suppressed", "unsubscribed", "suppressed", "contact_deleted", "granted"]
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
        }),
      )
    }

    it.effect("a settled message is sent and delivered, on the timeline and among the events, once", () =>
      Effect.gen(function* () {
        const { claim, grant, outbox, scenario, settle, started, workspace } = yield* begin
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
        const events = (yield* outbox.read(workspace, "law", 100)).filter((event) => event.type.startsWith("email_"))
        assert.deepStrictEqual(
          events.map((event) => event.type).sort(),
          ["email_delivered", "email_delivered", "email_sent", "email_sent"],
        )
        assert.deepStrictEqual(
          [...new Set(events.map((event) => event.data["blast_id"]))],
          [blast],
        )
        assert.isTrue(events.every((event) => claimed.some((each) => each.id === event.data["recipient_id"])))
      }),
    )

    it.effect("nothing is sent without an intent, whatever its holder says", () =>
      Effect.gen(function* () {
        const { claim, settle, started, states } = yield* begin
        const { blast } = yield* started(people(2))
        const [a, b] = yield* claim()
        assert(a !== undefined && b !== undefined)
        assert.deepStrictEqual(
          yield* settle([settlement(a, accepted), settlement(b, { _tag: "inDoubt" })]),
          [a.id, b.id],
        )
        assert.deepStrictEqual(yield* states(blast), ["claimed", "claimed"])
      }),
    )

    it.effect("a bad address fails its delivery, marks its contact, and is told", () =>
      Effect.gen(function* () {
        const { claim, grant, outbox, scenario, settle, started, workspace } = yield* begin
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
        const types = (yield* outbox.read(workspace, "law", 100)).map((event) => event.type)
        assert.strictEqual(types.filter((type) => type === "email_bounced").length, 2)
        assert.strictEqual(types.filter((type) => type === "contact_updated").length, 2)
      }),
    )

    it.effect("refused for the moment, a delivery waits its time in the queue with one more try behind it", () =>
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

    it.effect("what its living holder gives back is free at once and has lost no try", () =>
      Effect.gen(function* () {
        const { claim, giveBack, grant, scenario, started, workspace } = yield* begin
        const { blast } = yield* started(people(2))
        const claimed = yield* claim()
        yield* grant([one(claimed)])
        assert.strictEqual(yield* giveBack(claimed.map((each) => ({ ...each, token: each.token - 1 }))), 0)
        assert.strictEqual(yield* giveBack(claimed), 2)
        assert.strictEqual(yield* giveBack(claimed), 0)
        for (const row of yield* scenario.written(workspace, blast)) {
          assert.deepInclude(row, { state: "queued", token: null, attempts: 0 })
        }
        assert.strictEqual((yield* claim()).length, 2)
      }),
    )

    it.effect("a renewed lease holds, claimed or handed over; what is lost can't be renewed", () =>
      Effect.gen(function* () {
        const { claim, grant, started, states, store, sweep, transact, workspace } = yield* begin
        const { blast } = yield* started(people(3))
        const claimed = yield* claim(100, 40)
        const [a, b] = claimed
        assert(a !== undefined && b !== undefined)
        yield* grant([a], 40)
        assert.strictEqual(yield* transact(store.renew(workspace, [a, b], long_ms)), 2)
        yield* Effect.sleep("60 millis")
        assert.deepStrictEqual(yield* sweep, { queued: 1, unconfirmed: 0 })
        assert.deepStrictEqual(yield* states(blast), ["claimed", "handed_over", "queued"])
        assert.strictEqual(yield* transact(store.renew(workspace, claimed, long_ms)), 2)
      }),
    )

    it.effect("a workspace leaves the line when nothing is open and no blast is unfinished, and not before", () =>
      Effect.gen(function* () {
        const { claim, grant, rest, scenario, settle, started, store, workspace } = yield* begin
        const { blast } = yield* started(people(2))
        const claimed = yield* claim()
        assert.deepStrictEqual(yield* rest, { dry: false })
        assert.notInclude(yield* store.dueWorkspaces(1000), workspace, "nothing to send just now")
        assert.include(yield* store.openWorkspaces(1000), workspace)
        yield* grant(claimed)
        yield* settle(claimed.map((each) => settlement(each, accepted)))
        assert.deepStrictEqual(yield* rest, { dry: true })
        assert.include(yield* store.openWorkspaces(1000), workspace, "its blast is not finished yet")
        yield* scenario.setBlast(workspace, blast, "cancelled")
        assert.deepStrictEqual(yield* rest, { dry: true })
        assert.notInclude(yield* store.openWorkspaces(1000), workspace)
      }),
    )

    it.effect("the workspace that waited longest has the next turn", () =>
      Effect.gen(function* () {
        const { claim, fresh, scenario, started, store, transact, workspace } = yield* begin
        const other = yield* fresh.workspace()
        yield* started(people(5))
        yield* Effect.sleep("5 millis")
        yield* transact(store.fixAudience(other, (yield* scenario.blast(other, people(5))).blast))
        const turns = Effect.map(store.dueWorkspaces(1000), (all) => all.filter((each) => each === workspace || each === other))
        assert.deepStrictEqual(yield* turns, [workspace, other])
        yield* Effect.sleep("5 millis")
        yield* claim(1)
        assert.deepStrictEqual(yield* turns, [other, workspace])
      }),
    )

    it.effect("an opening, a click and an unsubscription count once each, on the delivery and the contact", () =>
      Effect.gen(function* () {
        const { claim, grant, outbox, record, scenario, settle, started, workspace } = yield* begin
        const { blast, contacts } = yield* started(people(1))
        const claimed = one(yield* claim())
        yield* grant([claimed])
        yield* settle([settlement(claimed, accepted)])
        const times = [1, 2, 3].map((hours) => DateTime.add(at, { hours }))
        const [first, second, third] = times
        assert(first && second && third)
        for (const when of [first, second]) yield* record(claimed.id, { _tag: "clicked", url: `https://x.test/${when.epochMilliseconds}` }, when)
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
        const types = (yield* outbox.read(workspace, "law", 100)).map((event) => event.type)
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

    it.effect("another workspace sees nothing and moves nothing", () =>
      Effect.gen(function* () {
        const { claim, engagement, fresh, grant, started, states, store, transact } = yield* begin
        const { blast } = yield* started(people(2))
        const [a, b] = yield* claim(100, 0)
        assert(a !== undefined && b !== undefined)
        const other = yield* fresh.workspace()
        yield* Effect.sleep("5 millis")
        assert.isNull(yield* transact(store.fixAudience(other, blast)))
        assert.isEmpty(yield* transact(store.claim(other, { limit: 10, lease_ms: long_ms })))
        assert.strictEqual(yield* transact(store.renew(other, [a], long_ms)), 0)
        assert.strictEqual((yield* store.grant(other, [a], long_ms)).size, 0)
        assert.deepStrictEqual(yield* transact(store.settle(other, [settlement(a, refused(550, "550 no"))])), [a.id])
        assert.strictEqual(yield* transact(store.giveBack(other, [a])), 0)
        assert.deepStrictEqual(yield* transact(store.sweep(other)), { queued: 0, unconfirmed: 0 })
        assert.deepStrictEqual(yield* transact(store.rest(other)), { dry: true })
        assert.strictEqual((yield* Effect.flip(engagement.find(other, a.id)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(transact(engagement.lock(other, a.id))))._tag, "NotFound")
        assert.deepStrictEqual(yield* states(blast), ["claimed", "claimed"])
        assert.strictEqual((yield* grant([a])).size, 0)
      }),
    )

    it.effect("a failed transaction settles, claims and records nothing", () =>
      Effect.gen(function* () {
        const { claim, grant, outbox, scenario, started, states, store, transact, workspace } = yield* begin
        const { blast, contacts } = yield* started(people(1))
        const failing = <A, E2, R>(body: Effect.Effect<A, E2, R>) => Effect.exit(transact(Effect.andThen(body, Effect.fail("no"))))
        yield* failing(store.claim(workspace, { limit: 10, lease_ms: long_ms }))
        assert.deepStrictEqual(yield* states(blast), ["queued"])
        const claimed = one(yield* claim())
        yield* grant([claimed])
        yield* failing(store.settle(workspace, [settlement(claimed, accepted)]))
        assert.deepStrictEqual(yield* states(blast), ["handed_over"])
        assert.isEmpty((yield* scenario.contact(workspace, one(contacts))).timeline)
        assert.isEmpty((yield* outbox.read(workspace, "law", 10)).filter((event) => event.type.startsWith("email_")))
      }),
    )

    const Command = Schema.Struct({
      what: Schema.Literals(["claim", "grant", "accept", "refuse", "defer", "doubt", "giveBack", "sweep", "pause", "resume", "open"]),
      /** Whose old claim is used. */
      whose: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
    })

    it.effect.prop(
      "whatever is done in whatever order, rows follow the machine and the counters are a recount",
      { commands: Schema.Array(Command).check(Schema.isMaxLength(30)) },
      ({ commands }) =>
        Effect.gen(function* () {
          const law = yield* begin
          const { scenario, workspace } = law
          const { blast } = yield* law.started(people(4))
          const model = new Map<DeliveryId, Standing>(
            (yield* scenario.written(workspace, blast)).map((row) => [
              row.id,
              { state: row.state, reason: null, token: row.token, attempts: row.attempts },
            ]),
          )
          const ids = [...model.keys()]
          const claims: Array<ClaimedDelivery> = []
          let paused = false
          const moved = (id: DeliveryId, by: Parameters<typeof move>[1]) => {
            const from = model.get(id)
            const after = from === undefined ? undefined : move(from, by)
            if (after !== undefined) model.set(id, after)
          }
          const ended = (claimed: ClaimedDelivery, outcome: Outcome, ending: Ending) =>
            Effect.gen(function* () {
              yield* law.settle([settlement(claimed, outcome)])
              moved(claimed.id, { _tag: "settle", token: claimed.token, ending })
            })
          for (const { what, whose } of [...commands, { what: "sweep" as const, whose: 0 }]) {
            const claimed = claims[whose % Math.max(1, claims.length)]
            if (what === "claim") {
              for (const each of yield* law.claim(2)) {
                claims.unshift(each)
                moved(each.id, { _tag: "claim", token: each.token })
              }
            } else if (what === "sweep") yield* law.sweep
            else if (what === "pause" || what === "resume") {
              paused = what === "pause"
              yield* scenario.setBlast(workspace, blast, paused ? "paused" : "sending")
            } else if (what === "open") {
              const id = ids[whose]
              if (id !== undefined) {
                yield* law.record(id, { _tag: "opened" })
                moved(id, { _tag: "evidence", of: "sent" })
              }
            } else if (claimed !== undefined) {
              const { token } = claimed
              switch (what) {
                case "grant":
                  yield* law.grant([claimed])
                  moved(claimed.id, { _tag: "intent", token, answer: paused ? "paused" : "granted" })
                  break
                case "accept":
                  yield* ended(claimed, accepted, { state: "sent" })
                  break
                case "refuse":
                  yield* ended(claimed, refused(554, "554 no"), { state: "failed", reason: "refused" })
                  break
                case "defer":
                  yield* ended(claimed, refused(451, "451 no"), { state: "queued" })
                  break
                case "doubt":
                  yield* ended(claimed, { _tag: "inDoubt" }, { state: "unconfirmed" })
                  break
                case "giveBack":
                  yield* law.giveBack([claimed])
                  moved(claimed.id, { _tag: "giveBack", token })
              }
            }
          }
          const rows = yield* scenario.written(workspace, blast)
          for (const row of rows) {
            const { attempts, reason, state, token } = row
            assert.deepStrictEqual({ attempts, reason, state, token }, model.get(row.id))
          }
          const tally = yield* scenario.tally(workspace, blast)
          if (tally !== null) assert.deepStrictEqual(tally, tallyOf(rows))
        }),
      { arbitrary: { runs: 25 } },
    )
  })
