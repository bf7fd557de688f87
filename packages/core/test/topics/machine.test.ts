// Tests of the machine of topics, and of decisions about choices.
import { ContactId } from "@tentpole/core/kernel/Ids"
import { decideChoices } from "@tentpole/core/topics/ChoiceDecision"
import { ChoicesChange } from "@tentpole/core/topics/ChoicesChange"
import { consentSources } from "@tentpole/core/topics/ConsentRecord"
import { ipPrefixOf } from "@tentpole/core/topics/IpPrefix"
import { TopicChange } from "@tentpole/core/topics/machine"
import { active_topics_max, isStricter, type Topic, type TopicChoice, topicStatuses } from "@tentpole/core/topics/Topic"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import { topicIdOf, topicOf } from "./Topics.ts"

const now = DateTime.makeUnsafe(1_000)
const wanted = (name: string) => ({
  id: topicIdOf(999),
  name,
  description: null,
  defaultSubscription: "subscribed" as const,
  visibility: "private" as const,
  doubleOptIn: true,
  position: null,
})
const tags = (result: Result.Result<unknown, { readonly _tag: string }>) =>
  Result.isFailure(result) ? result.failure._tag : "ok"

describe("TopicChange", () => {
  const full = Array.from({ length: active_topics_max }, (_, nth) => topicOf(nth))

  it("limits active topics, not archived ones, and counts the one that becomes active again", () => {
    const archived = topicOf(500, { status: "archived" })
    assert.strictEqual(tags(TopicChange.create(wanted("New"), full, now)), "TopicLimitReached")
    assert.strictEqual(tags(TopicChange.create(wanted("New"), [...full.slice(1), archived], now)), "ok")
    const again = (all: ReadonlyArray<Topic>) => tags(TopicChange.update(archived.id, { status: "active" }, all, now))
    assert.deepStrictEqual(
      [again([...full, archived]), again([...full.slice(1), archived])],
      ["TopicLimitReached", "ok"],
    )
  })

  it("writes an audit entry for what changes, and none for an edit without effect", () => {
    const audited = (edit: object) =>
      Result.getOrThrow(TopicChange.update(topicIdOf(1), edit, [topicOf(1)], now)).change.audit.map(
        ({ action }) => action,
      )
    assert.deepStrictEqual(
      [audited({ status: "archived" }), audited({ name: "Other" }), audited({ name: "Topic 1" })],
      [["topic.archived"], ["topic.updated"], []],
    )
  })

  it("gives free slugs, and names of one folded form to one topic only", () => {
    const slugOf = (name: string, slugs: ReadonlyArray<string>) =>
      Result.getOrThrow(
        TopicChange.create(
          wanted(name),
          slugs.map((slug, nth) => topicOf(nth, { slug })),
          now,
        ),
      ).topic.slug
    assert.deepStrictEqual(
      [slugOf("Ünique!", []), slugOf("News", ["news", "news-2"]), slugOf("新闻", []), slugOf("新闻", ["topic"])],
      ["unique", "news-3", "topic", "topic-2"],
    )
    assert.isAtMost(slugOf("x".repeat(100), ["x".repeat(56)]).length, 63)
    assert.strictEqual(tags(TopicChange.create(wanted("TOPIC 1"), [topicOf(1)], now)), "TopicNameExists")
    assert.strictEqual(tags(TopicChange.update(topicIdOf(1), { name: "TOPIC 1" }, [topicOf(1)], now)), "ok")
  })
})

describe("decideChoices", () => {
  const contactId = ContactId.make(topicIdOf(1))
  const choiceOf = (status: TopicChoice["status"], source: TopicChoice["source"]): TopicChoice => ({
    contactId,
    topicId: topicIdOf(1),
    status,
    source,
    changedAt: now,
  })
  const decide = (topic: Topic, choice: TopicChoice | null, more: object = {}) =>
    Result.getOrThrow(
      decideChoices([{ topicId: topic.id, status: "subscribed", ...more }], {
        contactId,
        topics: [topic],
        choices: choice === null ? [] : [choice],
        actor: "key:tp_live_abcd",
        now,
      }),
    )
  const consent = { text: "Yes", source: "checkout" }

  it("needs consent to subscribe if the topic has double opt-in, or the person left themselves", () => {
    const single = topicOf(1, { doubleOptIn: false })
    for (const status of topicStatuses) {
      for (const source of consentSources) {
        const choice = choiceOf(status, source)
        const own = ["form", "preference_page", "unsubscribe_page", "one_click", "complaint"].includes(source)
        const isRefused = (topic: Topic, more?: object) => decide(topic, choice, more).items[0]?.isRefused
        assert.strictEqual(isRefused(topicOf(1)), status !== "subscribed")
        assert.strictEqual(isRefused(single), status === "unsubscribed" && own)
        assert.isFalse(isRefused(topicOf(1), { consent }))
      }
    }
    assert.isFalse(decide(single, null).items[0]?.isRefused)
  })

  it("writes one record for each change and for each consent, which carries the key", () => {
    const { steps } = decide(topicOf(1), null, { consent })
    assert.deepStrictEqual(
      steps.map(({ action, evidence, of }) => [action, evidence.source, evidence.keyPrefix, of?.before, of?.after]),
      [["granted", "api", "tp_live_abcd", null, "subscribed"]],
    )
    const again = choiceOf("subscribed", "api")
    assert.strictEqual(decide(topicOf(1), again).steps.length, 0)
    const vouched = decide(topicOf(1), again, { consent }).steps
    const change = ChoicesChange.of(vouched, [topicIdOf(7) as never])
    assert.deepStrictEqual([change.records.length, change.moves.length, change.events.length], [1, 0, 0])
  })
})

describe("isStricter", () => {
  it("orders unsubscribed by the person, unsubscribed, pending, subscribed", () => {
    const order = [
      { status: "unsubscribed", source: "one_click" },
      { status: "unsubscribed", source: "api" },
      { status: "pending", source: "form" },
      { status: "subscribed", source: "api" },
    ] as const
    for (const [at, left] of order.entries()) {
      for (const [other, right] of order.entries()) assert.strictEqual(isStricter(left, right), at < other)
    }
  })
})

describe("ipPrefixOf", () => {
  it("keeps the network of an address, and nothing of other texts", () => {
    assert.deepStrictEqual(
      ["203.0.113.77", "2001:db8:1:2::7", "::ffff:203.0.113.77", "203.0.113.777", "a::b::c", "here"].map(ipPrefixOf),
      ["203.0.113.0/24", "2001:db8:1::/48", "203.0.113.0/24", null, null, null],
    )
  })
})
