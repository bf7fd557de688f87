// Tests of pixels, bots, the message in the browser and invalid tokens.
import { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { assert, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { DateTime, Effect } from "effect"
import { chrome, gmail, oneClick, sending, sent } from "../fixtures/TrackingWorld.ts"

it.live("the pixel is not cached and counts the first open", () =>
  Effect.gen(function* () {
    const { ask, delivery, links } = yield* sent
    const answer = yield* ask(links.open)
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers.get("content-type"), "image/gif")
    assert.include(answer.headers.get("cache-control") ?? "", "no-store")
    const first = (yield* delivery).openedAt
    assert.isNotNull(first)
    yield* ask(links.open)
    assert.strictEqual((yield* delivery).openedAt, first)
  }).pipe(Effect.scoped),
)

it.live("Gmail's image proxy counts as a person", () =>
  Effect.gen(function* () {
    const { ask, delivery, links } = yield* sent
    yield* ask(links.open, {}, gmail)
    assert.isNotNull((yield* delivery).openedAt)
  }).pipe(Effect.scoped),
)

const botEngagementTest = tagged(it.live, "attack/bot-engagement")
botEngagementTest("bots get an answer and are not counted", () =>
  Effect.gen(function* () {
    const { ask, contact, delivery, handOver, links } = yield* sent
    const tries: ReadonlyArray<readonly [RequestInit, string | null]> = [
      [{ method: "HEAD" }, chrome],
      [{ headers: { "sec-purpose": "prefetch;prerender" } }, chrome],
      [{ headers: { purpose: "prefetch" } }, chrome],
      [{ headers: { "x-moz": "prefetch" } }, chrome],
      [{}, "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"],
      [{}, "curl/8.0"],
      [{}, "Mozilla/5.0"],
      [{}, null],
    ]
    for (const [init, agent] of tries) {
      assert.strictEqual((yield* ask(links.open, init, agent)).status, 200)
      assert.strictEqual((yield* ask(links.click(0), init, agent)).status, 302)
    }
    // The hits count as slow: an hour passes between the hand-over and the requests.
    yield* handOver(DateTime.add(yield* DateTime.now, { hours: 1 }))
    yield* ask(links.open)
    yield* ask(links.click(0))
    const row = yield* delivery
    assert.isNull(row.openedAt)
    assert.isNull(row.clickedAt)
    assert.isNotNull(row.machineOpenedAt)
    assert.isNotNull(row.machineClickedAt)
    assert.isNull((yield* contact).lastActivityAt)
  }).pipe(Effect.scoped),
)

it.live("the message is readable in a browser, without scripts", () =>
  Effect.gen(function* () {
    const { ask, links } = yield* sent
    const answer = yield* ask(links.view)
    assert.strictEqual(answer.status, 200)
    assert.include(answer.text, "Hello Änn &amp; Co")
    const policy = answer.headers.get("content-security-policy") ?? ""
    assert.include(policy, "default-src 'none'")
    assert.include(policy, "sandbox")
    assert.notInclude(policy, "allow-scripts")
    assert.notMatch(policy, /script-src/)
  }).pipe(Effect.scoped),
)

it.live("an address can read a limited number of messages in a browser, and its other links are not limited", () =>
  Effect.gen(function* () {
    const { ask, links } = yield* sending("<a href='https://a.test'>x</a>", {
      burst: 2,
      per_second: 0.01,
      visitors_max: 2,
    })
    for (let turn = 0; turn < 2; turn++) assert.strictEqual((yield* ask(links.view)).status, 200)
    const refused = yield* ask(links.view)
    assert.strictEqual(refused.status, 429)
    assert.isAtLeast(Number(refused.headers.get("retry-after")), 1)
    assert.strictEqual((yield* ask(links.open)).status, 200)
    assert.strictEqual((yield* ask(links.click(0))).status, 302)
    assert.strictEqual((yield* ask(links.unsubscribe)).status, 200)
    assert.strictEqual((yield* ask(links.unsubscribe, oneClick)).status, 200)
  }).pipe(Effect.scoped),
)

it.live("the link to the message in a browser expires, and unsubscribing does not", () =>
  Effect.gen(function* () {
    const { ask, links, sendAt } = yield* sent
    const now = yield* DateTime.now
    yield* sendAt(DateTime.subtract(now, { days: 364 }))
    assert.strictEqual((yield* ask(links.view)).status, 200)
    yield* sendAt(DateTime.subtract(now, { days: 366 }))
    const answer = yield* ask(links.view)
    assert.strictEqual(answer.status, 410)
    assert.include(answer.text, "No longer available")
    assert.notInclude(answer.text, "Hello")
    assert.strictEqual((yield* ask(links.unsubscribe)).status, 200)
  }).pipe(Effect.scoped),
)

const tokenForgeryTest = tagged(it.live, "attack/token-forgery")
tokenForgeryTest("all invalid tokens get the same neutral page", () =>
  Effect.gen(function* () {
    const { ask, delivery, links } = yield* sent
    const plain = yield* ask("http://pages.test/u/nothing")
    assert.strictEqual(plain.status, 404)
    const tokenOf = (url: string) => url.slice(url.lastIndexOf("/") + 1)
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for (const [kind, url] of [
      ["o", links.open],
      ["c", links.click(0)],
      ["u", links.unsubscribe],
      ["v", links.view],
    ] as const) {
      const token = tokenOf(url)
      const forged = [
        ...Array.from(token, (character, at) => {
          const next = alphabet[alphabet.indexOf(character) ^ 1] ?? ""
          return token.slice(0, at) + next + token.slice(at + 1)
        }),
        token.slice(0, -1),
        `${token}A`,
        `${token}=`,
        "",
        ...[links.open, links.click(0), links.unsubscribe, links.view].map(tokenOf).filter((each) => each !== token),
      ]
      for (const each of forged) {
        const answer = yield* ask(`http://pages.test/${kind}/${each}`, kind === "u" ? oneClick : {})
        assert.strictEqual(answer.status, 404, `${kind} ${each}`)
        if (each !== "") assert.strictEqual(answer.text, plain.text)
      }
    }
    const row = yield* delivery
    assert.deepStrictEqual([row.openedAt, row.clickedAt, row.unsubscribedAt], [null, null, null])
  }).pipe(Effect.scoped),
)

const tokenReuseTest = tagged(it.live, "attack/token-reuse")
tokenReuseTest("a valid token without a message gets the same neutral page", () =>
  Effect.gen(function* () {
    const { ask, linksOf, target } = yield* sent
    const elsewhere = linksOf({ workspaceId: target.workspaceId, deliveryId: DeliveryId.make(target.workspaceId) })
    const anothers = linksOf({ ...target, workspaceId: WorkspaceId.make(target.deliveryId) })
    for (const links of [elsewhere, anothers]) {
      for (const url of [links.click(0), links.unsubscribe, links.view]) {
        assert.strictEqual((yield* ask(url)).status, 404)
      }
    }
    assert.strictEqual((yield* ask(anothers.unsubscribe, oneClick)).status, 404)
    assert.strictEqual((yield* ask(elsewhere.open)).status, 200, "the pixel is returned without a database read")
    assert.strictEqual((yield* ask(elsewhere.unsubscribe, oneClick)).status, 404)
  }).pipe(Effect.scoped),
)

const headerSpoofingTest = tagged(it.live, "attack/header-spoofing")
headerSpoofingTest("other methods are refused", () =>
  Effect.gen(function* () {
    const { ask, links } = yield* sent
    const answer = yield* ask(links.click(0), { method: "POST" })
    assert.strictEqual(answer.status, 405)
    assert.strictEqual(answer.headers.get("allow"), "GET, HEAD")
    assert.strictEqual((yield* ask(links.unsubscribe, { method: "DELETE" })).headers.get("allow"), "GET, HEAD, POST")
  }).pipe(Effect.scoped),
)
