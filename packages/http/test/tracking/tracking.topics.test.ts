// Tests of the unsubscribe page of a message with a topic, and of the preference page.
import { choiceKey, consentRecords, topicChoices, topics } from "@tentpole/adapters/memory/topics/TopicTables"
import { assert, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { TopicId } from "@tentpole/core/kernel/Ids"
import type { Topic } from "@tentpole/core/topics/Topic"
import { Preferences } from "@tentpole/core/tracking/Preferences"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Context, DateTime, Effect } from "effect"
import { oneClick, sending } from "../fixtures/TrackingWorld.ts"

const now = DateTime.makeUnsafe(0)
const idOf = (number: number) => TopicId.make(`01990a51-4b0f-7d2e-9c11-2f4f6a1b0c0${number}`)
const topicOf = (number: number, over: Partial<Topic>): Topic => ({
  id: idOf(number),
  name: `Topic ${number}`,
  slug: `topic-${number}`,
  description: null,
  defaultSubscription: "subscribed",
  visibility: "public",
  doubleOptIn: true,
  position: number,
  status: "active",
  createdAt: now,
  updatedAt: now,
  ...over,
})
const letter = topicOf(1, { name: "News <b>&</b>", description: "Once a month" })
const offers = topicOf(2, { defaultSubscription: "unsubscribed" })
const hidden = topicOf(3, { defaultSubscription: "unsubscribed", visibility: "private" })
const old = topicOf(4, { status: "archived" })

/** Ann got a message of the topic `letter`. */
const begin = Effect.gen(function* () {
  const sent = yield* sending("<p>Hello</p>", undefined, letter.id)
  const { contactId, context, db, links, target } = sent
  for (const topic of [letter, offers, hidden, old]) yield* db.put(topics, target.workspaceId, topic.id, topic)
  const post = (url: string, fields: ReadonlyArray<readonly [string, string]>) =>
    sent.ask(url, { ...oneClick, body: new URLSearchParams(fields as Array<[string, string]>).toString() })
  return {
    ...sent,
    post,
    preferences: `${links.unsubscribe}/preferences`,
    statusOf: (topic: Topic) =>
      Effect.map(
        db.find(topicChoices, target.workspaceId, choiceKey(topic.id, contactId)),
        (choice) => choice?.status ?? null,
      ),
    records: Effect.map(db.all(consentRecords, target.workspaceId), (all) =>
      [...all]
        .sort((left, right) => (left.id < right.id ? -1 : 1))
        .map(({ action, ipPrefix, messageId, source, topicId }) => {
          assert.strictEqual(ipPrefix, null, "calls inside the process have no address")
          return { action, source, topicId, ofMessage: messageId === target.deliveryId }
        }),
    ),
    setOneClick: (oneClick: "topic" | "all") =>
      Context.get(context, Workspaces).update(target.workspaceId, { consent: { oneClick } }),
    linkOf: (hours: number) => Context.get(context, Preferences).createLink(target.workspaceId, contactId, hours),
  }
})

const withdrawn = { action: "withdrawn", ofMessage: true } as const
const ended = { ...withdrawn, source: "unsubscribe_page" } as const
const shown = [letter, offers, hidden, old].map(({ id }) => ["shown", id] as const)

it.live("the page of a message with a topic offers to end the topic or all, and changes nothing by itself", () =>
  Effect.gen(function* () {
    const { ask, links, preferences, records, statusOf } = yield* begin
    const { text } = yield* ask(links.unsubscribe)
    assert.include(text, `name="scope" value="topic">Stop “News &lt;b&gt;&amp;&lt;/b&gt;”</button>`)
    assert.include(text, `name="scope" value="all"`)
    assert.include(text, `<a href="${preferences.split("/u/")[1]}">`)
    assert.notMatch(text, /<script|<b>/)
    assert.deepStrictEqual([yield* statusOf(letter), yield* records], [null, []])
  }).pipe(Effect.scoped),
)

const postTest = tagged(it.live, "attack/unsubscribe-post")
postTest("the button of the topic ends the topic alone, once, with one record", () =>
  Effect.gen(function* () {
    const { contact, delivery, links, post, records, statusOf, suppressed } = yield* begin
    const fields = [
      ["confirm", "unsubscribe"],
      ["scope", "topic"],
    ] as const
    for (let time = 0; time < 2; time++) {
      const answer = yield* post(links.unsubscribe, fields)
      assert.strictEqual(answer.status, 200)
      assert.include(answer.text, "No more “News")
    }
    yield* Effect.all([post(links.unsubscribe, fields), post(links.unsubscribe, fields)], { concurrency: 2 })
    assert.strictEqual(yield* statusOf(letter), "unsubscribed")
    assert.deepStrictEqual(yield* records, [{ ...ended, topicId: letter.id }])
    assert.isFalse((yield* contact).unsubscribed)
    assert.isFalse(yield* suppressed)
    assert.isNotNull((yield* delivery).unsubscribedAt, "it counts for the message")
  }).pipe(Effect.scoped),
)

it.live("the button of all marketing, and a form without a scope, end all", () =>
  Effect.gen(function* () {
    for (const more of [[["scope", "all"] as const], []]) {
      const { contact, links, post, records, statusOf } = yield* begin
      assert.strictEqual((yield* post(links.unsubscribe, [["confirm", "unsubscribe"], ...more])).status, 200)
      assert.isTrue((yield* contact).unsubscribed)
      assert.isNull(yield* statusOf(letter))
      assert.deepStrictEqual(yield* records, [{ ...ended, topicId: null }])
    }
  }).pipe(Effect.scoped),
)

it.live("one click ends the topic, or all marketing if the workspace says so", () =>
  Effect.gen(function* () {
    for (const scope of ["topic", "all"] as const) {
      const { ask, contact, links, records, setOneClick, statusOf } = yield* begin
      yield* setOneClick(scope)
      assert.strictEqual((yield* ask(links.unsubscribe, oneClick)).status, 200)
      assert.strictEqual((yield* contact).unsubscribed, scope === "all")
      assert.strictEqual(yield* statusOf(letter), scope === "all" ? null : "unsubscribed")
      const topicId = scope === "all" ? null : letter.id
      assert.deepStrictEqual(yield* records, [{ ...withdrawn, source: "one_click", topicId }])
    }
  }).pipe(Effect.scoped),
)

postTest("an unknown scope, and the topic of a message without one, change nothing", () =>
  Effect.gen(function* () {
    const { contact, db, links, post, records, target } = yield* begin
    const form = (scope: string) => [["confirm", "unsubscribe"] as const, ["scope", scope] as const]
    assert.strictEqual((yield* post(links.unsubscribe, form("x"))).status, 400)
    yield* db.remove(topics, target.workspaceId, letter.id)
    assert.strictEqual((yield* post(links.unsubscribe, form("topic"))).status, 400)
    assert.isFalse((yield* contact).unsubscribed)
    assert.deepStrictEqual(yield* records, [])
    assert.strictEqual((yield* post(links.unsubscribe, [["List-Unsubscribe", "One-Click"]])).status, 200)
    assert.isTrue((yield* contact).unsubscribed, "without its topic the message is one of all marketing")
  }).pipe(Effect.scoped),
)

it.live("the preference page shows public topics and the contact's private ones, as they are", () =>
  Effect.gen(function* () {
    const { ask, changeContact, contactId, db, preferences, target } = yield* begin
    const boxes = Effect.map(ask(preferences), ({ status, text }) => {
      assert.strictEqual(status, 200)
      assert.include(text, "ann@example.test")
      assert.include(text, "<fieldset><legend>")
      const found = text.matchAll(/<input type="checkbox" name="topics" value="([^"]+)"( checked)?>/g)
      return Array.from(found, ([, id, checked]) => [id, checked !== undefined])
    })
    const open = [
      [letter.id, true],
      [offers.id, false],
    ]
    assert.deepStrictEqual(yield* boxes, open)
    const choice = { contactId, topicId: hidden.id, status: "subscribed", source: "api", changedAt: now } as const
    yield* db.put(topicChoices, target.workspaceId, choiceKey(hidden.id, contactId), choice)
    assert.deepStrictEqual(yield* boxes, [...open, [hidden.id, true]])
    yield* changeContact({ unsubscribed: true })
    assert.deepStrictEqual(
      (yield* boxes).map(([, checked]) => checked),
      [false, false, false],
    )
  }).pipe(Effect.scoped),
)

it.live("a saved answer changes the topics of the page that it changes, with a record for each", () =>
  Effect.gen(function* () {
    const { contact, delivery, post, preferences, records, statusOf } = yield* begin
    const answer = [
      ["action", "save"] as const,
      ["topics", offers.id] as const,
      ["topics", hidden.id] as const,
      ...shown,
    ]
    for (let time = 0; time < 2; time++) assert.strictEqual((yield* post(preferences, answer)).status, 200)
    const statuses = [letter, offers, hidden, old].map(statusOf)
    assert.deepStrictEqual(yield* Effect.all(statuses), ["unsubscribed", "subscribed", null, null])
    const page = { source: "preference_page", ofMessage: true } as const
    assert.sameDeepMembers(yield* records, [
      { action: "withdrawn", topicId: letter.id, ...page },
      { action: "granted", topicId: offers.id, ...page },
    ])
    assert.isFalse((yield* contact).unsubscribed)
    assert.isNotNull((yield* delivery).unsubscribedAt)
    const other = [["action", "save"] as const, ["shown", offers.id] as const, ["topics", letter.id] as const]
    yield* post(preferences, other)
    assert.deepStrictEqual([yield* statusOf(letter), yield* statusOf(offers)], ["unsubscribed", "unsubscribed"])
  }).pipe(Effect.scoped),
)

it.live("who had ended all marketing gets the ticked topics, and no other one of the page", () =>
  Effect.gen(function* () {
    const { changeContact, contact, links, post, preferences, statusOf, suppressed } = yield* begin
    yield* post(links.unsubscribe, [["confirm", "unsubscribe"]])
    yield* changeContact({ marketingEmailSubscribed: false })
    assert.isTrue(yield* suppressed)
    yield* post(preferences, [["action", "save"], ...shown])
    assert.isTrue((yield* contact).unsubscribed, "nothing is ticked")
    yield* post(preferences, [["action", "save"], ["topics", offers.id], ...shown])
    const { marketingEmailSubscribed, unsubscribed } = yield* contact
    assert.deepStrictEqual(
      { marketingEmailSubscribed, unsubscribed },
      { marketingEmailSubscribed: true, unsubscribed: false },
    )
    assert.isFalse(yield* suppressed)
    assert.deepStrictEqual([yield* statusOf(letter), yield* statusOf(offers)], ["unsubscribed", "subscribed"])
  }).pipe(Effect.scoped),
)

it.live("the page ends all marketing, from a message and from a link of the caller's app", () =>
  Effect.gen(function* () {
    const { contact, linkOf, post, preferences, records, suppressed } = yield* begin
    const all = [["action", "unsubscribe_all"]] as const
    assert.strictEqual((yield* post(preferences, all)).status, 200)
    assert.isTrue((yield* contact).unsubscribed)
    const record = { action: "withdrawn", source: "preference_page", topicId: null } as const
    assert.deepStrictEqual(yield* records, [{ ...record, ofMessage: true }])
    yield* post(preferences, [
      ["action", "save"],
      ["topics", letter.id],
      ["shown", letter.id],
    ])
    assert.isFalse((yield* contact).unsubscribed)
    const { url } = yield* linkOf(1)
    for (let time = 0; time < 2; time++) assert.strictEqual((yield* post(url, all)).status, 200)
    assert.isTrue((yield* contact).unsubscribed)
    assert.isTrue(yield* suppressed)
    assert.deepStrictEqual((yield* records).slice(2), [{ ...record, ofMessage: false }])
  }).pipe(Effect.scoped),
)

const forgeryTest = tagged(it.live, "attack/token-forgery")
forgeryTest("one click, other answers, and tokens that are forged, foreign or too old change nothing there", () =>
  Effect.gen(function* () {
    const { ask, contact, linkOf, links, post, preferences, records } = yield* begin
    for (const fields of [[], [["List-Unsubscribe", "One-Click"]], [["action", "x"]]] as const) {
      assert.strictEqual((yield* post(preferences, fields)).status, 400)
    }
    const long = [["action", "save"] as const, ["x", "y".repeat(20_000)] as const]
    assert.oneOf((yield* post(preferences, long)).status, [400, 413])
    const { url } = yield* linkOf(1)
    const old = (yield* linkOf(0)).url
    const changed = url.replace(/\/u\/(.)/, (_, first: string) => `/u/${first === "A" ? "B" : "A"}`)
    const token = /\/u\/([^/]+)/.exec(url)?.[1] ?? ""
    // The tokens of the app and of the message, with another code at their end, a shorter and a longer one.
    const forged = [url, preferences].flatMap((each) =>
      [/.{5}(?=\/preferences$)/, /.(?=\/preferences$)/, /(?=\/preferences$)/].map((part, at) =>
        each.replace(part, ["AAAAA", "", "A"][at] ?? ""),
      ),
    )
    const others = [...forged, old, changed, `${links.view}/preferences`, new URL(`/u/${token}`, url).href]
    for (const address of others) {
      assert.strictEqual((yield* ask(address)).status, 404, address)
      assert.strictEqual((yield* post(address, [["action", "unsubscribe_all"]])).status, 404)
    }
    assert.strictEqual((yield* ask(url)).status, 200)
    assert.isFalse((yield* contact).unsubscribed)
    assert.deepStrictEqual(yield* records, [])
  }).pipe(Effect.scoped),
)
