// Tests of forms that subscribe visitors to topics: what counts as consent, and that the answer says nothing of an address.
import { tagged } from "@tentpole/core/contract"
import { Subscriptions } from "@tentpole/core/subscriptions/Subscriptions"
import { FormConsents } from "@tentpole/core/forms/FormConsents"
import { SubscriptionStore } from "@tentpole/core/subscriptions/SubscriptionStore"
import { Suppressions } from "@tentpole/core/sending/Suppressions"
import { Topics } from "@tentpole/core/topics/Topics"
import { ConsentStore } from "@tentpole/core/topics/ConsentStore"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { servedOver } from "../../fixtures/PagesWorld.ts"
import { world } from "../../fixtures/World.ts"

const prompt = "Build a landing page for a bakery with a sign-up form for first name and email"
const urlencoded = { "content-type": "application/x-www-form-urlencoded" }

/** The check box with its label, in the form of a page. */
const withBox = (html: string) =>
  html.replace(
    /(<form [^>]*id="sign-up"[^>]*>)/,
    `$1<label><input type="checkbox" name="letter"> Yes, send me the <em>monthly</em> letter</label>`,
  )

const begin = (authored: (html: string) => string) =>
  Effect.gen(function* () {
    const on = yield* servedOver(world, { authored })
    const { get, live, visit, workspace } = on
    const workspaces = get(Workspaces)
    const senderDefaults = { fromName: "Acme", fromAddress: "news@example.test", replyToEmail: null }
    yield* workspaces.update(workspace, { senderDefaults })
    const { domain } = yield* workspaces
      .addDomain(workspace, "example.test")
      .pipe(Effect.orElseSucceed(() => ({ domain: null })))
    if (domain !== null) yield* workspaces.verifyDomain(workspace, domain.id)
    const topic = yield* get(Topics).create(workspace, {
      name: "News",
      description: null,
      defaultSubscription: "unsubscribed",
      visibility: "public",
      doubleOptIn: true,
      position: null,
    })
    const { id, url } = yield* live("join", prompt)
    const action = /<form action="([^"]+)" method="post"/.exec((yield* visit(url)).text)?.[1] ?? assert.fail("no form")
    const send = Effect.fnUntraced(function* (fields: Record<string, string>) {
      const began = performance.now()
      const body = new URLSearchParams(fields).toString()
      const answer = yield* visit(new URL(action, url).href, { method: "POST", headers: urlencoded, body })
      return { status: answer.status, text: answer.text, taken_ms: performance.now() - began }
    })
    const requests = Effect.map(
      get(SubscriptionStore).list(workspace, { after: null, limit: 100, status: null, topicId: null, contactId: null }),
      ({ items }) => items,
    )
    return { ...on, id, requests, send, topic: topic.topic }
  })

it.live("a ticked box of a form is consent, with the words of its label as evidence", () =>
  Effect.gen(function* () {
    const { get, id, requests, send, topic, workspace } = yield* begin((html) =>
      withBox(html).replace('id="sign-up"', 'id="sign-up" data-topics="news" data-consent-field="letter"'),
    )
    assert.strictEqual((yield* send({ email: "bo@example.org" })).status, 200)
    assert.lengthOf(yield* requests, 0)
    assert.include((yield* send({ email: "ann@example.org", letter: "on" })).text, "a mail to it is on its way")
    const [request] = yield* requests
    assert.deepInclude(request, { status: "pending", topicIds: [topic.id], madeContact: true })
    assert.deepInclude(request?.evidence, {
      source: "form",
      text: "Yes, send me the monthly letter",
      tentId: id,
      formId: "sign-up",
    })
    assert.isNotNull(request?.messageId)
    const records = yield* get(ConsentStore).records(workspace, request?.contactId ?? assert.fail(), {
      after: null,
      limit: 9,
    })
    assert.sameMembers(
      records.items.map(({ action }) => action),
      ["requested", "confirmation_sent"],
    )
  }).pipe(Effect.scoped),
)

it.live("settings of the API win over the HTML; without a box, sending is consent", () =>
  Effect.gen(function* () {
    const { get, id, requests, send, topic, workspace } = yield* begin((html) => html)
    const consents = get(FormConsents)
    const consent = { topicIds: [topic.id], consentField: null, doubleOptIn: false }
    const set = yield* consents.replace(workspace, id, "sign-up", consent)
    const { text, ...inForce } = set.consent ?? assert.fail("no consent")
    assert.deepStrictEqual(inForce, { ...consent, setBy: "api" })
    const wrong = yield* Effect.flip(consents.replace(workspace, id, "sign-up", { ...consent, consentField: "email" }))
    assert.strictEqual(wrong._tag, "Invalid")
    yield* send({ email: "ann@example.org" })
    const [request] = yield* requests
    assert.deepInclude(request, { status: "confirmed", grantedTopicIds: [topic.id], messageId: null })
    assert.include(request?.evidence.text, "Sign me up")
    assert.strictEqual(text, request?.evidence.text)
    assert.isNull((yield* consents.replace(workspace, id, "sign-up", null)).consent)
  }).pipe(Effect.scoped),
)

tagged(it.live, "attack/mail-bombing")(
  "a form gives the same answer in the same time, whether the address is new, subscribed, suppressed or limited",
  () =>
    Effect.gen(function* () {
      const { get, requests, send, topic, workspace } = yield* begin((html) =>
        html.replace('id="sign-up"', 'id="sign-up" data-topics="news"'),
      )
      const { create } = get(Subscriptions)
      yield* get(Suppressions).suppress(workspace, { email: "bad@example.org", reason: "complaint" })
      const consent = { text: "Yes", source: "shop" }
      yield* create(workspace, { email: "limited@example.org", topicIds: [topic.id], consent })
      const before = (yield* requests).length
      const answers = yield* Effect.forEach(
        ["new@example.org", "limited@example.org", "bad@example.org", "limited@example.org"],
        (email) => send({ email }),
      )
      for (const { status, taken_ms, text } of answers) {
        assert.deepStrictEqual([status, text], [200, answers[0]?.text])
        assert.isAtLeast(taken_ms, 490)
      }
      const mails = (yield* requests).flatMap(({ mailedAt }) => mailedAt)
      assert.deepStrictEqual([mails.length, (yield* requests).length - before], [2, 1])
    }).pipe(Effect.scoped),
)
