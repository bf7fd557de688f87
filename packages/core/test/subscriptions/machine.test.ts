// Tests of the state machine of subscription requests, with the steps of choices that belong to it.
import { assert, describe, it } from "@effect/vitest"
import { ConsentRecordId, ContactId, MessageId, SubscriptionRequestId, TopicId } from "@tentpole/core/kernel/Ids"
import { type Decision, hasOptedOut, splitTopics, SubscriptionChange } from "@tentpole/core/subscriptions/machine"
import type { SubscriptionRequest } from "@tentpole/core/subscriptions/SubscriptionRequest"
import { ChoicesChange } from "@tentpole/core/topics/ChoicesChange"
import { evidenceOf } from "@tentpole/core/topics/ConsentRecord"
import type { TopicChoice } from "@tentpole/core/topics/Topic"
import { DateTime, Schema } from "effect"

const uuid = (n: number) => `7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d${n.toString(16).padStart(4, "0")}`
const contactId = ContactId.make(uuid(1))
const now = DateTime.makeUnsafe("2026-05-02T10:00:00Z")
const later = (days: number) => DateTime.add(now, { days })
const topic = (n: number, doubleOptIn = true) =>
  ({ id: TopicId.make(uuid(100 + n)), defaultSubscription: "unsubscribed", doubleOptIn }) as const
const [news, offers, jobs] = [topic(1), topic(2), topic(3)]
const mail = (n: number) => MessageId.make(uuid(200 + n))

/** The choices of a person, changed by decisions as a store does. */
class Person {
  choices: ReadonlyArray<TopicChoice> = []
  readonly actions: Array<string> = []

  constructor(choices: ReadonlyArray<Pick<TopicChoice, "topicId" | "status" | "source">> = []) {
    this.choices = choices.map((choice) => ({ ...choice, contactId, changedAt: now }))
  }

  /** Throws when the steps do not fit the choices, or each other. */
  take({ change, steps }: Decision): SubscriptionRequest {
    const ids = steps.map((_, at) => ConsentRecordId.make(uuid(1_000 + at)))
    for (const { after, before, topicId } of ChoicesChange.of(steps, ids).moves) {
      assert.strictEqual(this.choices.find((choice) => choice.topicId === topicId)?.status ?? null, before)
      const others = this.choices.filter((choice) => choice.topicId !== topicId)
      this.choices = after === null ? others : [...others, { ...after, topicId, contactId }]
    }
    this.actions.push(...steps.map(({ action }) => action))
    return change.requests[0]?.after ?? assert.fail("a decision has no request")
  }

  statuses() {
    return Object.fromEntries(this.choices.map(({ source, status, topicId }) => [topicId, [status, source]]))
  }

  ask(
    n: number,
    topics: ReadonlyArray<ReturnType<typeof topic>>,
    {
      at = now,
      messageId = mail(n),
      open = null,
    }: Partial<Pick<Parameters<typeof SubscriptionChange.ask>[1], "messageId">> & {
      readonly at?: DateTime.Utc
      readonly open?: SubscriptionRequest | null
    } = {},
  ) {
    const options = { optedOut: false, byForm: false, doubleOptIn: null }
    const { granted, waiting } = splitTopics(topics, this.choices, options)
    const wanted = {
      id: SubscriptionRequestId.make(uuid(300 + n)),
      contactId,
      email: "Ann@example.org",
      emailNormalized: "ann@example.org",
      evidence: evidenceOf("api", { text: "Yes", sourceDetail: "checkout" }),
      madeContact: false,
      confirmationEmailId: null,
      redirectUrl: null,
      expiresAt: DateTime.add(at, { days: 7 }),
      collectedAt: at,
    }
    const known = [news, offers, jobs]
    const opened =
      open === null ? null : { request: open, topics: known.filter(({ id }) => open.topicIds.includes(id)) }
    return SubscriptionChange.ask(wanted, { choices: this.choices, now: at, granted, waiting, open: opened, messageId })
  }

  facts(at: DateTime.Utc) {
    return { choices: this.choices, now: at }
  }
}

const by = { ipPrefix: "203.0.113.0/24", userAgent: "Browser" }

const all = [news, offers, jobs]
const Act = Schema.Struct({
  act: Schema.Literals(["ask", "held", "resend", "confirm", "expire"]),
  topics: Schema.Tuple([Schema.Boolean, Schema.Boolean, Schema.Boolean]),
})

const decisionOf = (
  ann: Person,
  { act, topics }: typeof Act.Type,
  n: number,
  open: SubscriptionRequest | null,
): Decision | null => {
  const wanted = all.filter((_, at) => topics[at])
  if (act === "ask") return wanted.length === 0 ? null : ann.ask(n, wanted, { open })
  if (open === null) return null
  const known = all.filter(({ id }) => open.topicIds.includes(id))
  switch (act) {
    case "held":
      return wanted.length === 0 ? null : ann.ask(n, wanted, { open, messageId: null })
    case "resend":
      return SubscriptionChange.resend(open, known, mail(n), ann.facts(now))
    case "confirm":
      return SubscriptionChange.confirm(open, known, ann.facts(now), by)
    case "expire":
      return SubscriptionChange.expire(open, known, ann.facts(later(30)), false)
  }
}

describe("Subscription requests", () => {
  it("wait until they are confirmed, with evidence of each step", () => {
    const ann = new Person()
    const request = ann.take(ann.ask(1, [news, offers]))
    assert.strictEqual(request.status, "pending")
    assert.deepStrictEqual(ann.statuses(), { [news.id]: ["pending", "api"], [offers.id]: ["pending", "api"] })
    const decision = SubscriptionChange.confirm(request, [news, offers], ann.facts(later(1)), by)
    assert.isNotNull(decision)
    const confirmed = ann.take(decision)
    assert.strictEqual(confirmed.status, "confirmed")
    assert.deepInclude(decision.steps[0]?.evidence, { ...by, text: "Yes", messageId: mail(1) })
    assert.deepStrictEqual(ann.statuses(), { [news.id]: ["subscribed", "api"], [offers.id]: ["subscribed", "api"] })
    const actions = ["requested", "confirmation_sent", "confirmed"].flatMap((action) => [action, action])
    assert.deepStrictEqual(ann.actions, actions)
    assert.isNull(SubscriptionChange.confirm(confirmed, [news, offers], ann.facts(later(1)), by))
  })

  it("are done at once for topics without double opt-in, and for those of subscribers", () => {
    const ann = new Person([{ topicId: news.id, status: "subscribed", source: "import" }])
    const request = ann.take(ann.ask(1, [news, topic(9, false)]))
    assert.deepInclude(request, { status: "confirmed", confirmedAt: now })
    assert.deepStrictEqual(request.topicIds, [])
    assert.deepStrictEqual(ann.actions, ["granted", "granted"])
  })

  it("leave what was recorded when they expire, with the source of a choice", () => {
    const ann = new Person([{ topicId: news.id, status: "unsubscribed", source: "unsubscribe_page" }])
    const before = ann.statuses()
    const request = ann.take(ann.ask(1, [news, offers]))
    assert.isNull(SubscriptionChange.expire(request, [news, offers], ann.facts(later(6)), false))
    const decision = SubscriptionChange.expire(request, [news, offers], ann.facts(later(7)), false)
    assert.strictEqual(ann.take(decision ?? assert.fail()).status, "expired")
    assert.deepStrictEqual(ann.statuses(), before)
    assert.isNull(SubscriptionChange.confirm(request, [news], ann.facts(later(7)), by))
    assert.isNull(SubscriptionChange.resend(request, [news], mail(2), ann.facts(later(7))))
  })

  it("do not touch what the person has chosen since", () => {
    const ann = new Person()
    const request = ann.take(ann.ask(1, [news, offers]))
    ann.choices = ann.choices.map((choice) =>
      choice.topicId === offers.id ? { ...choice, status: "unsubscribed", source: "preference_page" } : choice,
    )
    const second = ann.ask(2, [jobs], { open: request })
    assert.deepStrictEqual(second.change.requests[0]?.after.topicIds, [jobs.id, news.id])
    ann.take(SubscriptionChange.expire(request, [news, offers], ann.facts(later(8)), false) ?? assert.fail())
    assert.deepStrictEqual(ann.statuses(), { [offers.id]: ["unsubscribed", "preference_page"] })
  })

  it("are superseded by a newer one with a mail, which has the topics of both", () => {
    const ann = new Person([{ topicId: news.id, status: "unsubscribed", source: "one_click" }])
    const first = ann.take(ann.ask(1, [news]))
    const decision = ann.ask(2, [offers], { open: first })
    const second = ann.take(decision)
    assert.deepStrictEqual([second.topicIds, second.previous.length], [[offers.id, news.id], 1])
    assert.deepInclude(decision.change.requests[1]?.after, { status: "superseded", supersededBy: second.id })
    ann.take(SubscriptionChange.expire(second, [news, offers], ann.facts(later(7)), false) ?? assert.fail())
    assert.deepStrictEqual(ann.statuses(), { [news.id]: ["unsubscribed", "one_click"] })
  })

  it("take over topics without a mail while a limit holds, under the link that was sent", () => {
    const ann = new Person()
    const first = ann.take(ann.ask(1, [news]))
    const joined = ann.take(ann.ask(2, [offers], { open: first, messageId: null }))
    assert.deepStrictEqual([joined.id, joined.topicIds, joined.messageId], [first.id, [offers.id, news.id], mail(1)])
    assert.deepStrictEqual(ann.actions, ["requested", "confirmation_sent", "requested"])
  })

  it("by a form, need a confirmation from a person who left the topic", () => {
    const plain = topic(9, false)
    const left = new Person([{ topicId: plain.id, status: "unsubscribed", source: "unsubscribe_page" }]).choices
    const waiting = (byForm: boolean, optedOut = false) =>
      splitTopics([plain], left, { byForm, optedOut, doubleOptIn: null }).waiting.length
    assert.deepStrictEqual([waiting(true), waiting(false), waiting(false, true)], [1, 0, 1])
    assert.isTrue(hasOptedOut({ unsubscribed: false, marketingEmailSubscribed: false }, false))
    assert.isFalse(hasOptedOut({ unsubscribed: false, marketingEmailSubscribed: null }, false))
  })

  it.prop(
    "have steps that fit the choices, whatever happens in which order",
    { acts: Schema.Array(Act).check(Schema.isMaxLength(12)) },
    ({ acts }) => {
      const ann = new Person([{ topicId: jobs.id, status: "unsubscribed", source: "complaint" }])
      let open: SubscriptionRequest | null = null
      for (const [n, act] of acts.entries()) {
        const decision = decisionOf(ann, act, n, open)
        if (decision === null) continue
        const after = ann.take(decision)
        // A request that needs nothing ends at once, and leaves the open one.
        if (after.status === "pending") open = after
        else if (open !== null && after.id === open.id) open = null
      }
      const waiting = ann.choices.filter(({ status }) => status === "pending").map(({ topicId }) => topicId)
      assert.includeMembers([...(open?.topicIds ?? [])], waiting)
    },
  )
})
