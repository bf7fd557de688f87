// Contract tests of deleted contacts: which rows are deleted with them, and which remain.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { BlastStore } from "../../src/blasts/BlastStore.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { newContact } from "../../src/contacts/ContactPatch.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import type { ClaimedDelivery } from "../../src/sending/DeliveryStore.ts"
import { EngagementChange } from "../../src/tracking/Engagement.ts"
import type { ContactId } from "../../src/kernel/Ids.ts"
import type { List, StaticList } from "../../src/lists/List.ts"
import { recipientQuery } from "../blasts/blastWorld.ts"
import {
  at,
  begin,
  deleting,
  email,
  everything,
  identitiesOfContact,
  idsOf,
  oneAfterTheOther,
  type Ports,
} from "./contactWorld.ts"
import * as Deliveries from "../sending/deliveryScenario.ts"
import * as Lists from "../lists/listWorld.ts"
import { eventsOf } from "./notifications.ts"

const timelineOf = { page: 1, limit: 10, order: "asc" } as const

export const deletion = <E>(name: string, live: Layer.Layer<Ports, E>) => {
  ofContacts(name, live)
  ofRecipients(name, live)
}

const ofContacts = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ContactStore deletion (${name})`, (it) => {
    it.effect("deletes a contact, writes an event, and frees the email and phone for other contacts", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, add, id, write } = yield* begin
        const gone = yield* add({ email: email("a@x.test"), phone: "+14152000001" })
        const stays = yield* add({ email: email("b@x.test") })
        const unknown = yield* id
        assert.deepStrictEqual(yield* transact(deleting(workspace, [gone.id, unknown, gone.id])), [
          "deleted",
          "NOT_FOUND",
          "NOT_FOUND",
        ])
        assert.strictEqual((yield* Effect.flip(store.get(workspace, gone.id)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(store.activities(workspace, gone.id, timelineOf)))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.findByIdentity(workspace, identitiesOfContact(gone)), [])
        assert.deepStrictEqual(idsOf((yield* store.list(workspace, everything)).items), [stays.id])
        assert.strictEqual(yield* store.count(workspace), 1)
        const writtenEvents = (yield* eventsOf(workspace)).filter((event) => event.type === "contact_deleted")
        assert.deepStrictEqual(
          writtenEvents.map((event) => [event.contactId, event.at.epochMilliseconds, event.data]),
          [[gone.id, 5_000, {}]],
        )
        const heir = newContact(yield* id, { email: email("a@x.test"), phone: "+14152000001" }, "api", at(6_000))
        yield* write([{ before: null, after: heir, at: at(6_000) }])
        assert.deepStrictEqual(yield* store.get(workspace, heir.id), heir)
      }),
    )

    it.effect("deletes a contact in the same change that gives its address to another", () =>
      Effect.gen(function* () {
        const { store, workspace, add, id, write } = yield* begin
        const gone = yield* add({ email: email("a@x.test") })
        const heir = newContact(yield* id, { email: email("a@x.test") }, "api", at(6_000))
        const passing = newContact(yield* id, { email: email("p@x.test") }, "api", at(6_000))
        yield* write([
          { before: gone, after: null, at: at(6_000) },
          { before: null, after: heir, at: at(6_000) },
          { before: null, after: passing, at: at(6_000) },
          { before: passing, after: null, at: at(6_000) },
        ])
        assert.deepStrictEqual((yield* store.list(workspace, everything)).items, [heir])
      }),
    )

    it.effect("fails on a change of a contact that was deleted meanwhile", () =>
      Effect.gen(function* () {
        const { transact, store, workspace, add, set, write } = yield* begin
        const gone = yield* add({ email: email("a@x.test") })
        yield* transact(deleting(workspace, [gone.id]))
        const before = yield* eventsOf(workspace)
        assert.strictEqual((yield* Effect.exit(set(gone, { city: "B" }, at(7_000))))._tag, "Failure")
        const again = yield* Effect.exit(write([{ before: gone, after: null, at: at(7_000) }]))
        assert.strictEqual(again._tag, "Failure")
        assert.strictEqual(yield* store.count(workspace), 0)
        assert.strictEqual((yield* eventsOf(workspace)).length, before.length)
      }),
    )

    it.effect("removes a deleted contact from every list and updates the counts", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, people, makeStatic, audience, idsOf: membersOf } = yield* Lists.begin
        const [one, two, three] = yield* people(3)
        assert(one !== undefined && two !== undefined && three !== undefined)
        const whole = yield* makeStatic("whole", [one, two, three])
        const part = yield* makeStatic("part", [two])
        yield* transact(deleting(workspace, [two, one]))
        const left: ReadonlyArray<readonly [List, Array<ContactId>]> = [
          [whole, [three]],
          [part, []],
        ]
        for (const [list, held] of left) {
          assert.deepStrictEqual(yield* membersOf(list), held)
          assert.strictEqual(yield* store.countMembers(workspace, audience(list)), held.length)
          assert.strictEqual(((yield* store.get(workspace, list.id)) as StaticList).memberCount, held.length)
        }
      }),
    )

    it.effect("deletes nothing of another workspace, and nothing when the transaction fails", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, people, makeStatic, contacts, fresh } = yield* Lists.begin
        const ids = yield* people(2)
        const list = yield* makeStatic("kept", ids)
        const other = yield* fresh.workspace()
        assert.deepStrictEqual(yield* transact(contacts.lockForDeletion(other, ids)), [])
        assert.deepStrictEqual(yield* transact(deleting(other, ids)), ["NOT_FOUND", "NOT_FOUND"])
        yield* Effect.exit(transact(Effect.andThen(deleting(workspace, ids), Effect.fail("no"))))
        assert.strictEqual(yield* contacts.count(workspace), 2)
        assert.deepStrictEqual(yield* store.get(workspace, list.id), list)
        for (const id of ids) assert.strictEqual((yield* contacts.activities(workspace, id, timelineOf)).total, 2)
        assert.isFalse((yield* eventsOf(workspace)).some((event) => event.type === "contact_deleted"))
      }),
    )
  })

/** A blast with one contact in each state, the blocked ones last. */
const oneInEachState = Effect.gen(function* () {
  const fixture = yield* Deliveries.begin
  const { claim, grant, scenario, settle, started, workspace } = fixture
  const { blast, contacts } = yield* started([
    ...Deliveries.people(6),
    { email: "blocked@example.test", unsubscribed: true },
  ])
  const claimed = yield* claim(5)
  const [, handedOver, sent, failed, unconfirmed] = claimed
  assert(handedOver && sent && failed && unconfirmed)
  yield* grant([handedOver, sent, failed, unconfirmed])
  yield* settle([
    Deliveries.settlement(sent, Deliveries.accepted),
    Deliveries.settlement(failed, Deliveries.refused(554, "554 no")),
    Deliveries.settlement(unconfirmed, { _tag: "inDoubt" }),
  ])
  assert.deepStrictEqual(yield* fixture.states(blast), [
    "blocked",
    "claimed",
    "failed",
    "handed_over",
    "queued",
    "sent",
    "unconfirmed",
  ])
  const recipients = Effect.map(
    Effect.flatMap(BlastStore, (store) => store.recipients(workspace, blast, recipientQuery)),
    ({ items }) => items,
  )
  const timelines = Effect.map(
    Effect.forEach(contacts, (id) => scenario.contact(workspace, id)),
    (all) => all.flatMap(({ timeline }) => timeline),
  )
  const emailEvents = Effect.map(
    eventsOf(workspace),
    (events) => events.filter((event) => event.type.startsWith("email_")).length,
  )
  return { ...fixture, blast, contacts, claimed, recipients, timelines, emailEvents }
})

const ofRecipients = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`Messages of deleted contacts (${name})`, (it) => {
    it.effect(
      "keeps a message in any state and marks its contact as deleted; messages that were not handed over are never sent",
      () =>
        Effect.gen(function* () {
          const { transact, workspace, blast, contacts, claimed, claim, grant, scenario, recipients } =
            yield* oneInEachState
          assert.isTrue((yield* recipients).every((recipient) => !recipient.contactDeleted))
          yield* transact(deleting(workspace, contacts))
          const marked = yield* recipients
          assert.sameMembers(
            marked.map(({ contactId }) => contactId),
            [...contacts],
          )
          assert.isTrue(marked.every((recipient) => recipient.contactDeleted && recipient.email !== null))
          const rest = yield* claim()
          assert.deepStrictEqual(
            rest.map(({ contact }) => contact),
            [null],
          )
          const held = [...rest, ...claimed.slice(0, 1)]
          assert.deepStrictEqual([...(yield* grant(held)).values()], ["contact_deleted", "contact_deleted"])
          for (const row of yield* scenario.written(workspace, blast)) {
            if (!held.some(({ id }) => id === row.id)) continue
            assert.deepInclude(row, { state: "blocked", reason: "contact_deleted", token: null })
          }
        }),
    )

    it.effect("counts later events of a message, and writes no timeline for a deleted contact", () =>
      Effect.gen(function* () {
        const {
          transact,
          workspace,
          blast,
          contacts,
          claimed,
          settle,
          record,
          scenario,
          states,
          timelines,
          emailEvents,
        } = yield* oneInEachState
        assert.deepStrictEqual([...(yield* timelines)].sort(), ["email_delivered", "email_sent"])
        yield* transact(deleting(workspace, contacts))
        assert.deepStrictEqual(yield* timelines, [])
        const before = yield* emailEvents
        const [claimedOne, handedOver, sent, , unconfirmed] = claimed
        assert(claimedOne && handedOver && sent && unconfirmed)
        const hard = Deliveries.refused(550, "550 5.1.1 no such user")
        assert.isEmpty(
          yield* settle([
            Deliveries.settlement(claimedOne, hard),
            Deliveries.settlement(handedOver, Deliveries.accepted),
            Deliveries.settlement(unconfirmed, Deliveries.accepted),
          ]),
        )
        assert.strictEqual(yield* emailEvents, before)
        assert.deepStrictEqual(yield* states(blast), ["blocked", "failed", "failed", "queued", "sent", "sent", "sent"])
        yield* record(sent.id, { _tag: "clicked", url: "https://x.test/" })
        yield* record(sent.id, { _tag: "unsubscribed" })
        const row = Deliveries.one((yield* scenario.written(workspace, blast)).filter(({ id }) => id === sent.id))
        assert.isNotNull(row.clickedAt)
        assert.isNotNull(row.unsubscribedAt)
        assert.deepStrictEqual(yield* timelines, [])
      }),
    )

    it.effect("runs a settlement and a deletion one after the other, and leaves no timeline", () =>
      Effect.gen(function* () {
        const { transact, store, workspace, contacts, claimed, states, blast, timelines } = yield* oneInEachState
        const [, handedOver, , , unconfirmed] = claimed
        assert(handedOver && unconfirmed)
        const settling = (delivery: ClaimedDelivery) =>
          Effect.asVoid(store.settle(workspace, [Deliveries.settlement(delivery, Deliveries.accepted)]))
        const removing = (delivery: ClaimedDelivery) =>
          Effect.asVoid(deleting(workspace, delivery.contact === null ? [] : [delivery.contact.id]))
        yield* Effect.forEach(
          [
            [settling(handedOver), removing(handedOver)],
            [removing(unconfirmed), settling(unconfirmed)],
          ] as const,
          ([first, second]) => oneAfterTheOther(first, second),
        )
        assert.deepStrictEqual(
          (yield* states(blast)).filter((state) => state === "sent"),
          ["sent", "sent", "sent"],
        )
        yield* transact(deleting(workspace, contacts))
        assert.deepStrictEqual(yield* timelines, [])
      }),
    )

    it.effect("neither deadlocks nor leaves a timeline when a contact clicks while being deleted", () =>
      Effect.gen(function* () {
        const { engagement, transact, settle, workspace, claimed, scenario, timelines, contacts } =
          yield* oneInEachState
        const [, handedOver, sent] = claimed
        assert(handedOver && sent)
        yield* settle([Deliveries.settlement(handedOver, Deliveries.accepted)])
        for (const [delivery, order] of [
          [handedOver, "deletion first"],
          [sent, "link first"],
        ] as const) {
          const contact = delivery.contact ?? assert.fail("no contact")
          const removing = Effect.asVoid(deleting(workspace, [contact.id]))
          const following = Effect.gen(function* () {
            const found = yield* engagement.lock(workspace, [delivery.id])
            const unsubscribed = { deliveryId: delivery.id, event: { _tag: "unsubscribed" }, at: at(6_000) } as const
            return EngagementChange.ofAll(found, [unsubscribed])
          })
          const held: Array<EngagementChange> = []
          const reading = Effect.map(following, (changes) => {
            held.push(...changes)
          })
          const writing = Effect.suspend(() => {
            return held.length === 0 ? Effect.die("nothing to write") : engagement.apply(workspace, held)
          })
          yield* order === "link first"
            ? oneAfterTheOther(reading, removing, writing)
            : oneAfterTheOther(removing, Effect.andThen(reading, writing))
        }
        yield* transact(deleting(workspace, contacts))
        assert.deepStrictEqual(yield* timelines, [])
        for (const { address } of [handedOver, sent]) {
          assert.strictEqual(yield* scenario.suppressionOf(workspace, address), "unsubscribe")
        }
      }),
    )

    it.effect("keeps an unsubscribed address unsubscribed for its next contact", () =>
      Effect.gen(function* () {
        const { transact, workspace, contacts, scenario } = yield* oneInEachState
        const contactStore = yield* ContactStore
        yield* scenario.suppress(workspace, "person0@example.test", "unsubscribe")
        yield* transact(deleting(workspace, contacts.slice(0, 1)))
        assert.strictEqual(yield* scenario.suppressionOf(workspace, "person0@example.test"), "unsubscribe")
        const [gone] = contacts
        assert(gone !== undefined)
        const heir = newContact(gone, { email: email("person0@example.test") }, "api", at(6_000))
        yield* transact(
          contactStore.apply(workspace, ContactsChange.of([{ before: null, after: heir, at: at(6_000) }])),
        )
        assert.strictEqual(yield* scenario.suppressionOf(workspace, "person0@example.test"), "unsubscribe")
      }),
    )
  })
