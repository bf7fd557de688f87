// Rules of the figures of a topic: which changes of choices count, and the report of a range.
import { assert, describe, it } from "@effect/vitest"
import { countsOfChoices, type DayCount, toTopicFigures } from "@tentpole/core/figures/DayFigures"
import { ConsentRecordId, ContactId, TopicId } from "@tentpole/core/kernel/Ids"
import { ChoicesChange, type ConsentStep } from "@tentpole/core/topics/ChoicesChange"
import { evidenceOf } from "@tentpole/core/topics/ConsentRecord"
import { topicDefaults, topicStatuses, type TopicStatus, topicStatusOf } from "@tentpole/core/topics/Topic"
import { dayOf, daysBetween } from "@tentpole/core/traffic/Analytics"
import { DateTime, Schema } from "effect"

const at = (day: number) => DateTime.makeUnsafe(Date.parse("2026-05-01T00:00:00Z") + day * 86_400_000)
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`
const topics = topicDefaults.map((defaultSubscription, n) => ({ id: TopicId.make(uuid(n)), defaultSubscription }))
const people = [7, 8, 9].map((n) => ContactId.make(uuid(n)))

const below = (limit: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limit - 1 }))
const Act = Schema.Struct({
  who: below(people.length),
  of: below(topics.length),
  after: Schema.NullOr(Schema.Literals(topicStatuses)),
  day: below(12),
})

/** The acts as steps, each of which begins where the last one of its person and topic ended, and the statuses after them. */
const played = (acts: ReadonlyArray<typeof Act.Type>) => {
  const statuses = new Map<string, TopicStatus | null>()
  const steps = acts.flatMap(({ after, day, of, who }): ReadonlyArray<ConsentStep> => {
    const [contactId, topic] = [people[who], topics[of]]
    if (contactId === undefined || topic === undefined) return []
    const before = statuses.get(`${contactId} ${topic.id}`) ?? null
    statuses.set(`${contactId} ${topic.id}`, after)
    const evidence = evidenceOf("api")
    return [{ contactId, action: "granted", evidence, at: at(day), of: { topic, before, after } }]
  })
  return { steps, statuses }
}

const countsOf = (steps: ReadonlyArray<ConsentStep>) =>
  countsOfChoices(
    ChoicesChange.of(
      steps,
      steps.map((_, n) => ConsentRecordId.make(uuid(100 + n))),
    ).moves,
  )

const difference = (counts: ReadonlyArray<DayCount>, topic: TopicId) =>
  counts
    .filter(({ detail }) => detail === topic)
    .reduce((sum, { count, figure }) => sum + (figure === "topic_subscribed" ? count : -count), 0)

describe("figures of a topic", () => {
  it.prop(
    "count as many subscriptions without unsubscriptions as there are more subscribers, for any division into changes",
    [Schema.Array(Act).check(Schema.isMaxLength(40)), below(40)],
    ([acts, cut]) => {
      const { statuses, steps } = played(acts)
      const counts = [...countsOf(steps.slice(0, cut)), ...countsOf(steps.slice(cut))]
      for (const topic of topics) {
        const grown = people.reduce((sum, person) => {
          const status = statuses.get(`${person} ${topic.id}`) ?? null
          const is = topicStatusOf(topic, status === null ? null : { status }) === "subscribed"
          return sum + Number(is) - Number(topic.defaultSubscription === "subscribed")
        }, 0)
        assert.strictEqual(difference(counts, topic.id), grown)
      }
      assert.isTrue(counts.every(({ count }) => count > 0))
    },
  )

  it.prop("have each day of a range, and the totals of it and of the time before", [Schema.Array(Act)], ([acts]) => {
    const counts = played(acts).steps.flatMap((step) => countsOf([step]))
    const [topic] = topics
    assert(topic !== undefined)
    const own = counts.filter(({ detail }) => detail === topic.id)
    const range = { days: daysBetween({ from: at(6), to: at(10) }), former: daysBetween({ from: at(2), to: at(6) }) }
    const { before, points, totals } = toTopicFigures(topic.id, range, { counts: own })
    const between = (first: number, end: number, figure: DayCount["figure"]) =>
      own
        .filter((each) => each.figure === figure && each.day >= dayOf(at(first)) && each.day < dayOf(at(end)))
        .reduce((sum, { count }) => sum + count, 0)
    const both = (first: number, end: number) => ({
      subscribed: between(first, end, "topic_subscribed"),
      unsubscribed: between(first, end, "topic_unsubscribed"),
    })
    assert.deepStrictEqual([totals, before], [both(6, 10), both(2, 6)])
    assert.deepStrictEqual(
      points,
      [6, 7, 8, 9].map((day) => ({ day: dayOf(at(day)), ...both(day, day + 1) })),
    )
  })

  it("count nothing for a second consent, a request that waits, and its end", () => {
    const { steps } = played([
      { who: 0, of: 1, after: "pending", day: 1 },
      { who: 0, of: 1, after: null, day: 2 },
      { who: 1, of: 1, after: "subscribed", day: 3 },
      { who: 1, of: 1, after: "subscribed", day: 4 },
      { who: 1, of: 1, after: "unsubscribed", day: 5 },
      { who: 1, of: 1, after: "unsubscribed", day: 6 },
    ])
    assert.deepStrictEqual(
      steps.flatMap((step) => countsOf([step])).map(({ day, figure }) => `${day} ${figure}`),
      ["2026-05-04 topic_subscribed", "2026-05-06 topic_unsubscribed"],
    )
  })
})
