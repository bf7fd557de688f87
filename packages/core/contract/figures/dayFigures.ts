// Contract tests of `DayFigureStore`: its sums are what the stores of contacts, messages, documents and choices did.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import type { Contact } from "../../src/contacts/Contact.ts"
import { newContact, patchContact } from "../../src/contacts/ContactPatch.ts"
import { ContactsChange, type ContactStep } from "../../src/contacts/ContactsChange.ts"
import type { DocumentTypes } from "../../src/documents/Document.ts"
import {
  contactFigures,
  countsOfChoices,
  creditFigures,
  type CreditKind,
  type DayCount,
  type DayFigure,
  topicFigures,
} from "../../src/figures/DayFigures.ts"
import { DayFigureStore } from "../../src/figures/DayFigureStore.ts"
import type { ContactId, WorkspaceId } from "../../src/kernel/Ids.ts"
import { dayOf } from "../../src/traffic/Analytics.ts"
import { TentChange } from "../../src/tents/machine.ts"
import { TentStore } from "../../src/tents/TentStore.ts"
import { type Topic, topicStatuses } from "../../src/topics/Topic.ts"
import { begin as beginContacts, email, type Ports as ContactPorts } from "../contacts/contactWorld.ts"
import {
  at,
  begin as beginDocuments,
  emailSample,
  emailTemplateSample,
  type Ports as DocumentPorts,
  type Sample,
  tentTemplateSample,
} from "../documents/documentWorld.ts"
import { type Draw, drawFrom, seeds } from "../kernel/draws.ts"
import { accepted, begin as beginDeliveries, type ScenarioContact, settlement } from "../sending/deliveryScenario.ts"
import { moves } from "../tents/tentMoves.ts"
import { type TopicPorts, topicWorld } from "../topics/topicWorld.ts"

type Ports = ContactPorts | DocumentPorts | TentStore | DayFigureStore | TopicPorts

const day_ms = 86_400_000
const days_count = 4
/** A time within four days. */
const someTime = (draw: Draw) =>
  DateTime.makeUnsafe(Date.parse("2026-05-01T00:00:00Z") + draw.below(days_count * day_ms))

const sources = ["api", "import", "form", "flow", "a fair"] as const

const key = ({ day, detail, figure }: DayCount) => `${day} ${figure} ${detail}`

/** As a store returns them. */
const added = (counts: ReadonlyArray<DayCount>): ReadonlyArray<DayCount> =>
  [...Map.groupBy(counts, key).values()]
    .flatMap(([first, ...rest]) =>
      first === undefined ? [] : [{ ...first, count: rest.reduce((sum, { count }) => sum + count, first.count) }],
    )
    .sort((left, right) => (key(left) < key(right) ? -1 : 1))

const one = (when: DateTime.Utc, figure: DayFigure, detail = ""): DayCount => ({
  day: dayOf(when),
  figure,
  detail,
  count: 1,
})

const stored = (workspace: WorkspaceId, figures: ReadonlyArray<DayFigure>, first = "1970-01-01") =>
  Effect.flatMap(DayFigureStore, (store) => store.from(workspace, first, figures))

/** Creates, unsubscribes and deletes contacts of its own, also in transactions that fail. Returns what that counts. */
const drawnChanges = Effect.fnUntraced(function* (
  { id, store, transact, workspace }: Effect.Success<typeof beginContacts>,
  seed: number,
) {
  const draw = drawFrom(seed)
  const present = new Map<ContactId, Contact>()
  const wanted: Array<DayCount> = []

  const created = Effect.fnUntraced(function* (when: DateTime.Utc) {
    const after = yield* id
    const source = draw.of(sources)
    const patch = { email: email(`${after}@example.test`), ...(source === "a fair" ? { originalSource: source } : {}) }
    return newContact(after, patch, source === "a fair" ? "api" : source, when)
  })
  const changed = (before: Contact, when: DateTime.Utc): ContactStep => ({
    before,
    after: patchContact(before, draw.chance(0.7) ? { unsubscribed: draw.chance(0.6) } : { city: `${seed}` }, when),
    at: when,
  })
  const steps = Effect.fnUntraced(function* (when: DateTime.Utc) {
    const chosen = [...present.values()].filter(() => draw.chance(0.3))
    const old = chosen.map((before): ContactStep =>
      draw.chance(0.5) ? { before, after: null, at: when } : changed(before, when),
    )
    const young = yield* Effect.forEach(Array.from({ length: draw.below(3) }), () => created(when))
    return [...old, ...young.map((after): ContactStep => ({ before: null, after, at: when }))]
  })
  const note = ({ after, at: when, before }: ContactStep) => {
    if (after === null) {
      present.delete(before.id)
      return wanted.push(one(when, "contacts_deleted"))
    }
    present.set(after.id, after)
    if (before === null) {
      const source = after.originalSource ?? ""
      return wanted.push(one(when, "contacts_created", source === "a fair" ? "other" : source))
    }
    if (!before.unsubscribed && after.unsubscribed) wanted.push(one(after.updatedAt, "contacts_unsubscribed"))
  }
  for (let round = 0; round < 10; round++) {
    const drawn = yield* steps(someTime(draw))
    const fails = draw.chance(0.2)
    const ids = drawn.flatMap(({ before }) => before?.id ?? [])
    const write = store
      .lockForDeletion(workspace, ids)
      .pipe(
        Effect.andThen(store.apply(workspace, ContactsChange.of(drawn))),
        Effect.andThen(fails ? Effect.fail("no") : Effect.void),
      )
    yield* Effect.ignore(transact(write))
    if (!fails) drawn.forEach(note)
  }
  return { wanted, present: present.size }
})

const contacts = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`DayFigureStore, contacts (${name})`, (it) => {
    it.effect("counts what concurrent writers did, and stays when contacts are deleted", () =>
      Effect.gen(function* () {
        for (const seed of seeds(3)) {
          const world = yield* beginContacts
          const parts = yield* Effect.forEach([0, 1, 2, 3, 4], (part) => drawnChanges(world, 10 * seed + part), {
            concurrency: 5,
          })
          const found = yield* stored(world.workspace, contactFigures)
          assert.deepStrictEqual(found.counts, added(parts.flatMap(({ wanted }) => wanted)), `seed ${seed}`)
          assert.strictEqual(
            found.contacts,
            parts.reduce((sum, { present }) => sum + present, 0),
          )
        }
      }),
    )

    it.effect("returns the requested figures from a day on, of one workspace", () =>
      Effect.gen(function* () {
        const { add, workspace } = yield* beginContacts
        const { workspace: other } = yield* beginContacts
        yield* add({ email: email("a@example.test") }, at(5 * day_ms - 1))
        yield* add({ email: email("b@example.test") }, at(5 * day_ms))
        const created = yield* stored(workspace, ["contacts_created"], "1970-01-06")
        assert.deepStrictEqual(created.counts, [
          { day: "1970-01-06", figure: "contacts_created", detail: "api", count: 1 },
        ])
        const deleted = yield* stored(workspace, ["contacts_deleted"])
        assert.deepStrictEqual([deleted.counts, deleted.contacts, deleted.credits], [[], 2, 1000])
        const theirs = yield* stored(other, contactFigures)
        assert.deepStrictEqual([theirs.counts, theirs.contacts], [[], 0])
      }),
    )

    it.effect("counts an unsubscription by a link or a complaint once for each contact, whatever its messages do", () =>
      Effect.gen(function* () {
        const { claim, grant, recordAll, record, reportedAll, scenario, settle, started, workspace } =
          yield* beginDeliveries
        const people: ReadonlyArray<ScenarioContact> = [
          { email: "ann@example.test" },
          { email: "bob@example.test" },
          { email: "eve@example.test" },
        ]
        const { blast: first, contacts: ids } = yield* started(people)
        const { blast: second } = yield* started(people, { again: ids })
        const claims = yield* claim()
        yield* grant(claims)
        yield* settle(claims.map((each) => settlement(each, accepted)))
        const rows = [...(yield* scenario.written(workspace, first)), ...(yield* scenario.written(workspace, second))]
        const messages = (contact: ContactId | undefined) => rows.filter(({ contactId }) => contactId === contact)
        assert.lengthOf(messages(ids[0]), 2)
        const [day1, day2] = [at(10 * day_ms), at(11 * day_ms)]
        const leave = (id: (typeof rows)[number]["id"], when: DateTime.Utc) =>
          record(id, { _tag: "unsubscribed" }, when)
        // Both messages of Ann at the same time, one of Bob twice.
        yield* Effect.forEach(messages(ids[0]), ({ id }) => leave(id, day1), { concurrency: 2 })
        const [bob] = messages(ids[1])
        if (bob !== undefined) {
          const event = { deliveryId: bob.id, event: { _tag: "unsubscribed" }, at: day2 } as const
          yield* recordAll([event, event])
        }
        // A complaint about each message, both of Eve in one batch.
        const complained = new Map(rows.map(({ id }) => [id, { _tag: "complained" } as const]))
        yield* reportedAll(complained, day2)
        const found = yield* stored(workspace, ["contacts_unsubscribed"])
        assert.deepStrictEqual(found.counts, [
          one(day1, "contacts_unsubscribed"),
          { ...one(day2, "contacts_unsubscribed"), count: 2 },
        ])
      }),
    )
  })

/** Over all days, since credits are counted at the present time. */
const creditsOf = Effect.fnUntraced(function* (workspace: WorkspaceId) {
  const today = dayOf(yield* DateTime.now)
  const { counts, credits: balance } = yield* stored(workspace, creditFigures)
  const days = counts.map(({ day }) => day)
  const yesterday = dayOf(DateTime.subtract(yield* DateTime.now, { days: 1 }))
  assert.deepStrictEqual(
    days.filter((day) => day !== today && day !== yesterday),
    [],
  )
  return {
    balance,
    counts: added(counts.map((each) => ({ ...each, day: "" }))).map(
      ({ count, detail, figure }) => `${figure} ${detail} ${count}`,
    ),
  }
})

/** Starts three generations. One fails, and the document of another is deleted. */
const generate = <T extends DocumentTypes>(sample: Sample<T>) =>
  Effect.gen(function* () {
    const { begun, machine, move, remove, workspace } = yield* beginDocuments(sample)
    const [failing, removed] = [yield* begun(), yield* begun(), yield* begun()]
    const { document, generation } = failing
    yield* move(document.id, (locked) => machine.fail(locked, generation.id, "no answer", at(5_000)))
    yield* remove(removed.document.id)
    return yield* creditsOf(workspace)
  })

const credits = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`DayFigureStore, credits (${name})`, (it) => {
    it.effect("counts credits that generations take and give back, by what is generated", () =>
      Effect.gen(function* () {
        const ofEach = (kind: CreditKind) => ({
          balance: 999,
          counts: [`credits_returned ${kind} 2`, `credits_spent ${kind} 3`],
        })
        assert.deepStrictEqual(yield* generate(emailSample), ofEach("email"))
        assert.deepStrictEqual(yield* generate(emailTemplateSample), ofEach("email_template"))
        assert.deepStrictEqual(yield* generate(tentTemplateSample), ofEach("tent_template"))
      }),
    )

    it.effect("counts credits of tents, and none where there is no credit left", () =>
      Effect.gen(function* () {
        const { fresh, transact } = yield* beginContacts
        const store = yield* TentStore
        const workspace = yield* fresh.workspace({ credits: 4 })
        const { accept, change } = moves(store, transact, fresh)
        const accepting = Array.from({ length: 6 }, () => Effect.exit(accept(workspace, {})))
        const exits = yield* Effect.all(accepting, { concurrency: 6 })
        const tents = exits.flatMap((exit) => (exit._tag === "Success" ? [exit.value] : []))
        assert.lengthOf(tents, 4)
        const [failing] = tents
        assert(failing !== undefined)
        yield* change(workspace, failing.id, (tent) => TentChange.begin(tent, at(2)))
        yield* change(workspace, failing.id, (tent) => TentChange.fail(tent, "no answer", at(3)))
        assert.deepStrictEqual(yield* creditsOf(workspace), {
          balance: 1,
          counts: ["credits_returned tent 1", "credits_spent tent 4"],
        })
      }),
    )
  })

/** Choices of a few people for two topics, also in transactions that fail. Returns what they count. */
const drawnChoices = Effect.fnUntraced(function* (
  { choose, person, transact }: Effect.Success<typeof topicWorld>,
  made: ReadonlyArray<Topic>,
  seed: number,
) {
  const draw = drawFrom(seed)
  const people = yield* Effect.forEach([1, 2, 3], () => person())
  const counts: Array<DayCount> = []
  for (let round = 0; round < 12; round++) {
    const [topic, when] = [draw.of(made), someTime(draw)]
    const chosen = choose(
      topic,
      people.filter(() => draw.chance(0.6)),
      draw.of([...topicStatuses, null]),
      { when },
    )
    const fails = draw.chance(0.2)
    const decided = yield* Effect.option(fails ? transact(Effect.andThen(chosen, Effect.fail("no"))) : chosen)
    if (decided._tag === "Some") counts.push(...countsOfChoices(decided.value.moves))
  }
  return counts
})

const topics = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`DayFigureStore, topics (${name})`, (it) => {
    it.effect("counts what concurrent writers chose, and returns that of one topic, of one workspace", () =>
      Effect.gen(function* () {
        const world = yield* topicWorld
        const news = yield* world.topic("News")
        const offers = yield* world.topic("Offers", { defaultSubscription: "subscribed" })
        const parts = yield* Effect.forEach([1, 2, 3, 4], (seed) => drawnChoices(world, [news, offers], seed), {
          concurrency: 4,
        })
        const wanted = added(parts.flat())
        const { counts } = yield* stored(world.workspace, topicFigures)
        assert.deepStrictEqual(counts, wanted)
        assert.isAbove(counts.length, 4)
        const store = yield* DayFigureStore
        for (const { id } of [news, offers]) {
          const own = yield* store.from(world.workspace, "2026-05-02", topicFigures, id)
          assert.deepStrictEqual(
            own.counts,
            wanted.filter(({ day, detail }) => detail === id && day >= "2026-05-02"),
          )
        }
        const { workspace: other } = yield* topicWorld
        assert.deepStrictEqual((yield* store.from(other, "1970-01-01", topicFigures, news.id)).counts, [])
      }),
    )
  })

export const dayFigures = <E>(name: string, live: Layer.Layer<Ports, E>) => {
  contacts(name, live)
  credits(name, live)
  topics(name, live)
}
