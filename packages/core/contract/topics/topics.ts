// Contract tests of `TopicStore` and `ConsentStore`.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import type { ContactId } from "../../src/kernel/Ids.ts"
import { SuppressionStore } from "../../src/sending/SuppressionStore.ts"
import { type Topic, topicStatuses, topicStatusOf } from "../../src/topics/Topic.ts"
import { WorkspaceChange } from "../../src/workspaces/Workspace.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { deleting } from "../contacts/contactWorld.ts"
import { drawFrom, seeds } from "../kernel/draws.ts"
import { at, type TopicPorts, topicWorld } from "./topicWorld.ts"

type World = Effect.Success<typeof topicWorld>

/** The counts of all topics, counted person by person. */
const countedBy = Effect.fnUntraced(function* (
  { consent, contacts, topics, workspace }: World,
  people: ReadonlyArray<ContactId>,
) {
  const found = yield* Effect.forEach(people, (id) => Effect.option(contacts.get(workspace, id)))
  const mailed = found.flatMap((each) => (each._tag === "Some" && !each.value.unsubscribed ? [each.value.id] : []))
  const chosen = yield* consent.choices(workspace, people, null)
  return (yield* topics.list(workspace)).map(({ topic }) => {
    const statusOf = (id: ContactId) =>
      topicStatusOf(topic, chosen.find(({ contactId, topicId }) => contactId === id && topicId === topic.id) ?? null)
    return [topic.name, mailed.filter((id) => statusOf(id) === "subscribed").length]
  })
})

/** The facts of a preference page, read from each room by itself. */
const factsBy = Effect.fnUntraced(function* ({ consent, contacts, topics, workspace }: World, id: ContactId) {
  const { email, emailNormalized, unsubscribed } = yield* contacts.get(workspace, id)
  const suppression = yield* Effect.option((yield* SuppressionStore).get(workspace, emailNormalized ?? ""))
  const choices = yield* consent.choices(workspace, [id], null)
  return {
    email,
    unsubscribed,
    addressUnsubscribed: suppression._tag === "Some" && suppression.value.reason === "unsubscribe",
    brand: (yield* (yield* WorkspaceStore).get(workspace)).brand,
    topics: (yield* topics.list(workspace)).map(({ topic }) => {
      const choice = choices.find(({ topicId }) => topicId === topic.id)
      return { topic, choice: choice === undefined ? null : { status: choice.status } }
    }),
  }
})

const merged = ({ contacts, transact, workspace }: World, target: ContactId, source: ContactId) =>
  Effect.gen(function* () {
    if (target === source) return
    const locked = yield* contacts.lockForDeletion(workspace, [target, source])
    const [into, from] = [locked.find(({ id }) => id === target), locked.find(({ id }) => id === source)]
    if (into === undefined || from === undefined) return
    const after = { ...into, unsubscribed: into.unsubscribed || from.unsubscribed }
    yield* contacts.apply(workspace, ContactsChange.merge({ target: into, source: from }, after, at(8)))
  }).pipe(transact)

/** Choices, contacts that leave, come back, are deleted and merged, and transactions that fail. */
const drawnChanges = Effect.fnUntraced(function* (
  world: World,
  { people, topics }: { readonly people: ReadonlyArray<ContactId>; readonly topics: ReadonlyArray<Topic> },
  seed: number,
) {
  const draw = drawFrom(seed)
  for (let step = 0; step < 14; step++) {
    const some = people.filter(() => draw.chance(0.3))
    const status = draw.of([...topicStatuses, null])
    switch (draw.below(8)) {
      case 0:
      case 1:
      case 2:
        yield* world.choose(draw.of(topics), some, status)
        break
      case 3:
      case 4:
        yield* world.patch(some, { unsubscribed: draw.chance(0.5) })
        break
      case 5:
        yield* Effect.ignore(world.transact(deleting(world.workspace, some.slice(0, 1))))
        break
      case 6:
        yield* merged(world, draw.of(people), draw.of(people))
        break
      case 7:
        yield* Effect.ignore(
          world.transact(Effect.andThen(world.choose(draw.of(topics), some, status), Effect.fail("undone"))),
        )
    }
  }
})

export const topics = <E>(name: string, live: Layer.Layer<TopicPorts, E>) =>
  layer(live, { excludeTestServices: true })(`TopicStore and ConsentStore (${name})`, (it) => {
    it.effect("stores topics in their order, changes them, and deletes those without choices", () =>
      Effect.gen(function* () {
        const { choose, edit, fresh, person, remove, topic, topics: store, workspace } = yield* topicWorld
        const news = yield* topic("News")
        const offers = yield* topic("Offers", { position: 0, defaultSubscription: "subscribed" })
        assert.deepStrictEqual(
          (yield* store.list(workspace)).map(({ topic: { name: each, slug } }) => [each, slug]),
          [
            ["News", "news"],
            ["Offers", "offers"],
          ],
        )
        yield* edit(news.id, { name: "Monthly news", position: 4, status: "archived" })
        const { topic: after } = yield* store.get(workspace, news.id)
        assert.deepStrictEqual(
          [after.name, after.slug, after.status, after.createdAt, after.updatedAt],
          ["Monthly news", "news", "archived", news.createdAt, at(9)],
        )
        yield* choose(offers, [yield* person()], "unsubscribed")
        const other = yield* fresh.workspace()
        assert.strictEqual((yield* Effect.flip(remove(news.id, other)))._tag, "NotFound")
        assert.deepStrictEqual([yield* store.list(other), yield* store.many(other, [news.id])], [[], []])
        const refused = yield* Effect.flip(remove(offers.id))
        assert.deepStrictEqual(refused._tag === "TopicInUse" && refused.users, [
          { type: "contacts", id: null, name: null, count: 1 },
        ])
        yield* remove(news.id)
        assert.strictEqual((yield* Effect.flip(store.get(workspace, news.id)))._tag, "NotFound")
        assert.deepStrictEqual(
          (yield* store.many(workspace, [news.id, offers.id])).map(({ id }) => id),
          [offers.id],
        )
      }),
    )

    it.effect("writes choices with their records, activities and counts", () =>
      Effect.gen(function* () {
        const { choose, consent, contacts, person, topic, topics: store, workspace } = yield* topicWorld
        const [news, offers] = [yield* topic("News"), yield* topic("Offers", { defaultSubscription: "subscribed" })]
        const [ann, ben] = [yield* person(), yield* person()]
        yield* choose(news, [ann, ben], "pending", { action: "requested", source: "form" })
        yield* choose(news, [ann], "subscribed", { action: "confirmed", source: "form" })
        yield* choose(offers, [ann], "unsubscribed", { action: "withdrawn", source: "one_click" })
        const chosen = yield* consent.choices(workspace, [ann, ben], [news.id])
        assert.deepStrictEqual(chosen.map(({ status }) => status).toSorted(), ["pending", "subscribed"])
        assert.deepStrictEqual(
          (yield* store.list(workspace)).map(({ subscribedCount }) => subscribedCount),
          [1, 1],
        )
        const first = yield* consent.records(workspace, ann, { after: null, limit: 2 })
        const rest = yield* consent.records(workspace, ann, { after: first.next, limit: 2 })
        assert.deepStrictEqual(
          // Of the same time: by id.
          [...first.items, ...rest.items].map(({ action, source }) => `${action} ${source}`),
          ["requested form", "confirmed form", "withdrawn one_click"],
        )
        assert.strictEqual(rest.items[0]?.text, "Yes, send me the letter.")
        const { items } = yield* contacts.activities(workspace, ann, { page: 1, limit: 100, order: "asc" })
        assert.deepStrictEqual(items.map(({ type }) => type).toSorted(), [
          "contact_created",
          "subscription_changed",
          "subscription_confirmed",
          "subscription_requested",
        ])
      }),
    )

    it.effect("keeps the stricter choice and all records when contacts are merged", () =>
      Effect.gen(function* () {
        const world = yield* topicWorld
        const { choose, consent, person, topic, workspace } = world
        const all = yield* Effect.forEach(["a", "b", "c"], (each) => topic(each))
        const [ann, ben] = [yield* person(), yield* person()]
        const [a, b, c] = all
        if (a === undefined || b === undefined || c === undefined) return
        yield* choose(a, [ann], "subscribed")
        yield* choose(a, [ben], "unsubscribed")
        yield* choose(b, [ann], "pending")
        yield* choose(b, [ben], "subscribed")
        yield* choose(c, [ben], "subscribed")
        const left = yield* topic("left")
        yield* choose(left, [ann], "unsubscribed")
        yield* choose(left, [ben], "unsubscribed", { action: "withdrawn", source: "one_click" })
        yield* merged(world, ann, ben)
        const [own] = yield* consent.choices(workspace, [ann], [left.id])
        assert.strictEqual(own?.source, "one_click", "an act of the person is stricter")
        const chosen = yield* consent.choices(workspace, [ann, ben], null)
        assert.deepStrictEqual(
          all.map(({ id }) => chosen.filter(({ topicId }) => topicId === id).map(({ status }) => status)),
          [["unsubscribed"], ["pending"], ["subscribed"]],
        )
        const { items } = yield* consent.records(workspace, ann, { after: null, limit: 100 })
        assert.strictEqual(items.length, 7)
      }),
    )

    it.effect("reads the facts of a preference page as the other rooms do", () =>
      Effect.gen(function* () {
        const world = yield* topicWorld
        const { choose, consent, edit, fresh, patch, person, topic, transact, workspace } = world
        const [ann, ben, cid, nameless] = [
          yield* person(),
          yield* person(),
          yield* person(),
          yield* person({ email: null, phone: "+14152000001" }),
        ]
        const same = Effect.gen(function* () {
          const facts = yield* Effect.forEach([ann, ben, cid, nameless], (id) => consent.preferences(workspace, id))
          const expected = yield* Effect.forEach([ann, ben, cid, nameless], (id) => factsBy(world, id))
          assert.deepStrictEqual(facts, expected)
          return facts
        })
        assert.deepStrictEqual(
          (yield* same).map(({ topics }) => topics),
          [[], [], [], []],
        )
        const [news, offers, old] = [yield* topic("News"), yield* topic("Offers"), yield* topic("Old")]
        yield* edit(old.id, { status: "archived" })
        yield* edit(news.id, { position: 9 })
        yield* choose(news, [ann, ben], "pending", { action: "requested", source: "form" })
        yield* choose(offers, [ann], "unsubscribed", { action: "withdrawn" })
        yield* patch([ben], { unsubscribed: true })
        const suppressions = yield* SuppressionStore
        const workspaces = yield* WorkspaceStore
        for (const [id, reason] of [
          [cid, "unsubscribe"],
          [ann, "bounce"],
        ] as const) {
          yield* transact(suppressions.suppress(workspace, { email: `${id}@example.com`, reason, createdAt: at(1) }))
        }
        const before = yield* workspaces.get(workspace)
        const branded = WorkspaceChange.update(before, { brand: { name: "Ann Lee" } }, at(2))
        yield* transact(workspaces.apply(yield* Effect.fromResult(branded)))
        const facts = yield* same
        assert.deepStrictEqual(
          facts.map(({ addressUnsubscribed, unsubscribed }) => [unsubscribed, addressUnsubscribed]),
          [
            [false, false],
            [true, false],
            [false, true],
            [false, false],
          ],
        )
        assert.deepStrictEqual(
          facts[0]?.topics.map(({ choice, topic: { name } }) => [name, choice?.status]),
          [
            ["Offers", "unsubscribed"],
            ["Old", undefined],
            ["News", "pending"],
          ],
        )
        const elsewhere = yield* Effect.flip(consent.preferences(yield* fresh.workspace(), ann))
        assert.strictEqual(elsewhere._tag, "NotFound")
      }),
    )

    it.effect("counts as many as are subscribed, after concurrent sequences of changes", () =>
      Effect.gen(function* () {
        for (const seed of seeds(3)) {
          const world = yield* topicWorld
          const people = yield* Effect.forEach(Array.from({ length: 10 }), () => world.person())
          const made = yield* Effect.forEach(["subscribed", "unsubscribed"] as const, (each) =>
            world.topic(each, { defaultSubscription: each }),
          )
          yield* Effect.forEach([1, 2, 3, 4], (nth) => drawnChanges(world, { people, topics: made }, seed * 10 + nth), {
            concurrency: 4,
          })
          assert.deepStrictEqual(
            (yield* world.topics.list(world.workspace)).map((each) => [each.topic.name, each.subscribedCount]),
            yield* countedBy(world, people),
          )
        }
      }),
    )

    it.effect("makes a decision about topics wait for an earlier one, so that no name is used twice", () =>
      Effect.gen(function* () {
        const { topic, topics: store, workspace } = yield* topicWorld
        const names = ["News", "NEWS", "Café", "Cafe"]
        const made = yield* Effect.forEach(names, (name) => Effect.exit(topic(name)), { concurrency: 4 })
        assert.strictEqual(made.filter(({ _tag }) => _tag === "Success").length, 3)
        const slugs = (yield* store.list(workspace)).map(({ topic: { slug } }) => slug)
        assert.deepStrictEqual(slugs.toSorted(), ["cafe", "cafe-2", "news"])
      }),
    )

    it.effect("does not delete a topic that a contact chooses at the same time", () =>
      Effect.gen(function* () {
        const { choose, person, remove, topic, topics: store, workspace } = yield* topicWorld
        const ann = yield* person()
        for (let round = 0; round < 6; round++) {
          const news = yield* topic(`News ${round}`)
          const chosen = Effect.exit(choose(news, [ann], "subscribed"))
          yield* Effect.all(
            round % 2 === 0 ? [chosen, Effect.exit(remove(news.id))] : [Effect.exit(remove(news.id)), chosen],
            {
              concurrency: 2,
            },
          )
          const [found] = yield* store.many(workspace, [news.id])
          if (found === undefined) continue
          assert.strictEqual((yield* store.get(workspace, news.id)).subscribedCount, 1)
        }
      }),
    )
  })
