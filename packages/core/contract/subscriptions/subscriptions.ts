// Contract tests of subscription requests: double opt-in from the request to its end.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { SubscriptionRequestId, TopicId } from "../../src/kernel/Ids.ts"
import { begin, type SubscriptionPorts, withUseCases } from "./subscriptionWorld.ts"

export const subscriptions = <E>(name: string, live: Layer.Layer<SubscriptionPorts, E>) =>
  layer(withUseCases(live), { excludeTestServices: true })(`Subscription requests (${name})`, (it) => {
    it.effect("wait for the person, with a contact that gets no marketing, a mail and evidence", () =>
      Effect.gen(function* () {
        const { ask, messages, person, requests, topic, workspace } = yield* begin()
        const news = yield* topic("News")
        const request = yield* ask([news], { contact: { first_name: "Ann" } })
        assert.deepInclude(request, { status: "pending", email: "Ann@example.org", madeContact: true })
        assert.deepStrictEqual(request.topics, [{ id: news.id, name: "News", status: "pending" }])
        const ann = (yield* person()) ?? assert.fail("no contact")
        assert.deepInclude(ann.contact, { firstName: "Ann", marketingEmailSubscribed: false, unsubscribed: false })
        assert.strictEqual(ann.statuses.get(news.id), "pending")
        assert.sameMembers(
          ann.records.map(({ action }) => action),
          ["requested", "confirmation_sent"],
        )
        const evidence = ann.records.find(({ action }) => action === "requested")
        assert.deepInclude(evidence, {
          text: "Yes, send me the letter.",
          ipPrefix: "203.0.113.0/24",
          sourceDetail: "checkout",
        })
        const sent = yield* messages.get(workspace, request.messageId ?? assert.fail("no mail"))
        assert.deepInclude(sent.message, { operational: true, trackClicks: false, retainContent: false })
        assert.strictEqual(sent.status, "queued")
        assert.deepStrictEqual({ ...(yield* requests.get(workspace, request.id)), topics: request.topics }, request)
      }),
    )

    it.effect("are confirmed once, and end every opt-out of the person", () =>
      Effect.gen(function* () {
        const { ask, confirm, contacts, person, suppress, topic, workspace } = yield* begin()
        const [news, plain] = [yield* topic("News"), yield* topic("Plain", { doubleOptIn: false })]
        const country = { id: workspace, defaultCountry: "US" }
        yield* contacts.create(country, [{ email: "ann@example.org", unsubscribed: true }])
        yield* suppress("ann@example.org", "unsubscribe")
        const request = yield* ask([news, plain])
        assert.strictEqual(request.status, "pending")
        assert.strictEqual((yield* person())?.statuses.get(plain.id), "pending")
        const [one, two] = yield* Effect.all([confirm(request.id), confirm(request.id)], { concurrency: 2 })
        assert.deepStrictEqual([one.status, two.status], ["confirmed", "confirmed"])
        const ann = (yield* person()) ?? assert.fail("no contact")
        assert.deepInclude(ann.contact, { unsubscribed: false, marketingEmailSubscribed: true })
        assert.deepStrictEqual([...ann.statuses.values()], ["subscribed", "subscribed"])
        const confirmed = ann.records.filter(({ action }) => action === "confirmed")
        assert.deepStrictEqual(new Set(confirmed.map(({ topicId }) => topicId)), new Set([news.id, plain.id]))
        assert.lengthOf(confirmed, 2)
        assert.deepInclude(confirmed[0], { userAgent: "Browser", messageId: request.messageId })
        assert.strictEqual((yield* ask([news])).status, "confirmed")
      }),
    )

    it.effect("are done at once for topics without double opt-in", () =>
      Effect.gen(function* () {
        const { ask, person, topic } = yield* begin()
        const [news, plain] = [yield* topic("News"), yield* topic("Plain", { doubleOptIn: false })]
        const done = yield* ask([plain])
        assert.deepInclude(done, { status: "confirmed", messageId: null })
        const ann = (yield* person()) ?? assert.fail("no contact")
        assert.strictEqual(ann.contact.marketingEmailSubscribed, true)
        assert.deepStrictEqual(
          ann.records.map(({ action }) => action),
          ["granted"],
        )
        const both = yield* ask([plain, news])
        assert.deepStrictEqual(
          both.topics.map(({ status }) => status),
          ["pending", "subscribed"],
        )
      }),
    )

    it.effect("expire: a contact of which nothing else is known is deleted, another one is as before", () =>
      Effect.gen(function* () {
        const {
          ahead,
          ask,
          confirmations,
          contacts,
          expire,
          person,
          requests,
          subscriptions,
          token,
          topic,
          workspace,
        } = yield* begin()
        const news = yield* topic("News")
        yield* contacts.create({ id: workspace, defaultCountry: "US" }, [{ email: "bo@example.org" }])
        const [ann, bo] = [yield* ask([news]), yield* ask([news], { email: "bo@example.org" })]
        const cy = yield* ask([news], { email: "cy@example.org" })
        const country = { id: workspace, defaultCountry: "US" }
        yield* contacts.updateOne(country, cy.contactId ?? assert.fail("no contact"), { last_name: "Lee" })
        const due = (days: number) => requests.due(workspace, DateTime.add(ann.createdAt, { days }), 10)
        assert.deepStrictEqual([yield* due(6), yield* due(8)], [[], [ann.id, bo.id, cy.id]])
        assert.strictEqual((yield* ahead({ days: 7 })(confirmations.get(token(ann.id)))).status, "expired")
        yield* ahead({ days: 8 })(expireAll(expire))
        assert.deepInclude(yield* subscriptions.get(workspace, ann.id), { status: "expired", contactId: null })
        assert.isNull(yield* person())
        assert.isNotNull(yield* person("cy@example.org"))
        const left = (yield* person("bo@example.org")) ?? assert.fail("no contact")
        assert.strictEqual(left.statuses.size, 0)
        assert.include(
          left.records.map(({ action }) => action),
          "expired",
        )
        assert.strictEqual(
          (yield* confirmations.confirm(token(bo.id), { ipPrefix: null, userAgent: null })).status,
          "expired",
        )
      }),
    )

    it.effect("that have expired can be asked for again, also after the contact was deleted", () =>
      Effect.gen(function* () {
        const { ahead, ask, confirm, confirmations, expire, person, subscriptions, token, topic, workspace } =
          yield* begin()
        const news = yield* topic("News")
        const first = yield* ask([news])
        yield* ahead({ days: 8 })(expireAll(expire))
        assert.isNull(yield* person())
        assert.strictEqual((yield* confirmations.renew(token(first.id))).status, "expired")
        // The mails of the last 24 hours count, also of a contact that is deleted.
        const held = yield* subscriptions.list(workspace, { status: "pending" })
        assert.lengthOf(held.items, 0)
        yield* ahead({ days: 2 })(confirmations.renew(token(first.id)))
        const [second] = (yield* subscriptions.list(workspace, { status: "pending" })).items
        assert.strictEqual((yield* confirm(second?.id ?? assert.fail("no request"))).status, "confirmed")
      }),
    )

    it.effect("are limited for each address, over all requests, and tell when to try again", () =>
      Effect.gen(function* () {
        const { ahead, ask, subscriptions, topic, workspace } = yield* begin()
        const news = yield* topic("News")
        const first = yield* ask([news])
        const refused = yield* Effect.flip(ask([news]))
        assert(refused._tag === "ConfirmationLimitReached")
        assert.isAtMost(refused.wait_s, 60)
        assert.isAtLeast(refused.wait_s, 1)
        const second = yield* ahead({ minutes: 2 })(subscriptions.resend(workspace, first.id))
        assert.notStrictEqual(second.messageId, first.messageId)
        const third = yield* ahead({ minutes: 4 })(ask([news]))
        assert.strictEqual((yield* subscriptions.get(workspace, first.id)).status, "superseded")
        assert.strictEqual((yield* ahead({ minutes: 6 })(Effect.flip(ask([news]))))._tag, "ConfirmationLimitReached")
        const late = yield* Effect.flip(subscriptions.resend(workspace, first.id))
        assert.strictEqual(late._tag, "InvalidState")
        assert.strictEqual((yield* ahead({ hours: 25 })(subscriptions.resend(workspace, third.id))).status, "pending")
      }),
    )

    it.effect("the link of a superseded request confirms the newer one, with the topics of both", () =>
      Effect.gen(function* () {
        const { ahead, ask, confirm, person, topic } = yield* begin()
        const [news, offers] = [yield* topic("News"), yield* topic("Offers")]
        const first = yield* ask([news])
        yield* ahead({ minutes: 2 })(ask([offers]))
        const { status, topics } = yield* confirm(first.id)
        assert.deepStrictEqual([status, topics.map(({ name }) => name)], ["confirmed", ["Offers", "News"]])
        assert.deepStrictEqual([...((yield* person())?.statuses.values() ?? [])], ["subscribed", "subscribed"])
      }),
    )

    it.effect("of a workspace are limited in an hour", () =>
      Effect.gen(function* () {
        const { ask, confirm, person, topic } = yield* begin({ consent: { confirmationsPerHour: 2 } })
        const news = yield* topic("News")
        const first = yield* ask([news], { email: "a@example.org" })
        yield* ask([news], { email: "b@example.org" })
        assert.strictEqual(
          (yield* Effect.flip(ask([news], { email: "c@example.org" })))._tag,
          "ConfirmationLimitReached",
        )
        // All of a request is written, or nothing.
        assert.isNull(yield* person("c@example.org"))
        yield* confirm(first.id)
        assert.strictEqual((yield* ask([news], { email: "c@example.org" })).status, "pending")
      }),
    )

    it.effect("of a workspace are limited exactly, also when many are made at the same time", () =>
      Effect.gen(function* () {
        const { ask, subscriptions, topic, workspace } = yield* begin({ consent: { confirmationsPerHour: 3 } })
        const news = yield* topic("News")
        const people = Array.from({ length: 12 }, (_, at) => `p${at}@example.org`)
        yield* Effect.forEach(people, (email) => Effect.exit(ask([news], { email })), { concurrency: 12 })
        assert.lengthOf((yield* subscriptions.list(workspace, { limit: 100 })).items, 3)
      }),
    )

    it.effect("are refused for addresses that get no mail, wrong topics and wrong links, and leave no trace", () =>
      Effect.gen(function* () {
        const { ask, confirmations, fresh, person, suppress, token, topic } = yield* begin()
        const [news, old] = [yield* topic("News"), yield* topic("Old", { status: "archived" })]
        yield* suppress("ann@example.org", "complaint")
        const tags = [
          (yield* Effect.flip(ask([news])))._tag,
          (yield* Effect.flip(ask([old])))._tag,
          (yield* Effect.flip(ask([{ ...news, id: TopicId.make(yield* fresh.id) }])))._tag,
          (yield* Effect.flip(ask([news], { email: "nobody" })))._tag,
          (yield* Effect.flip(ask([news], { redirectUrl: "javascript:alert(1)" })))._tag,
          (yield* Effect.flip(ask([news], { contact: { unsubscribed: false } })))._tag,
        ]
        assert.deepStrictEqual(tags, [
          "AddressSuppressed",
          "TopicArchived",
          "NotFound",
          "Invalid",
          "Invalid",
          "Invalid",
        ])
        assert.isNull(yield* person())
        const unknown = SubscriptionRequestId.make(yield* fresh.id)
        assert.strictEqual((yield* Effect.flip(confirmations.get(token(unknown))))._tag, "NotFound")
        const forged = token(unknown).replace(/.$/, (last) => (last === "A" ? "B" : "A"))
        assert.strictEqual((yield* Effect.flip(confirmations.get(forged)))._tag, "NotFound")
      }),
    )

    it.effect("are listed by status, topic and contact, the newest first, and none of another workspace", () =>
      Effect.gen(function* () {
        const { ask, subscriptions, topic, workspace } = yield* begin()
        const other = yield* begin()
        const [news, plain] = [yield* topic("News"), yield* topic("Plain", { doubleOptIn: false })]
        const a = yield* ask([news], { email: "a@example.org" })
        const b = yield* ask([plain], { email: "b@example.org" })
        const ids = (by: Parameters<typeof subscriptions.list>[1]) =>
          Effect.map(subscriptions.list(workspace, by), ({ items }) => items.map(({ id }) => id))
        assert.deepStrictEqual(yield* ids({}), [b.id, a.id])
        assert.deepStrictEqual(yield* ids({ status: "pending" }), [a.id])
        assert.deepStrictEqual(yield* ids({ topicId: plain.id }), [b.id])
        assert.deepStrictEqual(yield* ids({ contactId: a.contactId ?? assert.fail("no contact") }), [a.id])
        const { next } = yield* subscriptions.list(workspace, { limit: 1 })
        assert.deepStrictEqual(yield* ids({ limit: 1, cursor: next ?? assert.fail("no cursor") }), [a.id])
        assert.lengthOf((yield* other.subscriptions.list(other.workspace, {})).items, 0)
        assert.strictEqual((yield* Effect.flip(other.subscriptions.get(other.workspace, a.id)))._tag, "NotFound")
      }),
    )
  })

/** Other tests leave turns of their workspaces. */
const expireAll = (expire: Effect.Effect<void>) => Effect.andThen(expire, expire)
