// The links in messages, over memory: what they answer, what they change, and what they never do.
import { blasts, deliveries, newDelivery, suppressions } from "@tentpole/adapters/memory/DeliveryTables"
import { contacts } from "@tentpole/adapters/memory/ContactStore"
import { emailApprovals } from "@tentpole/adapters/memory/EmailStore"
import { MemoryDatabase } from "@tentpole/adapters/memory/MemoryDatabase"
import { blankContact, type Contact } from "@tentpole/core/contacts/Contact"
import { Links, type LinkTarget } from "@tentpole/core/deliveries/Links"
import { ApprovalId, BlastId, ContactId, DeliveryId, EmailId, Ids, type WorkspaceId } from "@tentpole/core/Ids"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import * as Tracking from "@tentpole/http/tracking/Tracking"
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { testKey, world } from "./World.ts"

const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
const gmail = "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"

const epoch = DateTime.makeUnsafe(1_700_000_000_000)

const ann = (id: ContactId): Contact => ({
  ...blankContact(id, epoch),
  firstName: "Änn & Co",
  email: "ann@example.test",
  emailNormalized: "ann@example.test",
})

const html = `<html><body><p>Hello {{contact.first_name}}</p>
<a href="https://example.com/A?b=1&amp;c=%2F#top">plain</a>
<a href="https://example.com/{{contact.first_name}}">own</a>
<a href="https://exämple.com/ü">beyond</a>
<script>alert(1)</script></body></html>`

/** One sent message to Ann, and how to follow its links. Scoped. */
const sent = Effect.gen(function* () {
  const context = yield* Layer.build(world)
  const get = <Id, Service>(service: Context.Key<Id, Service>) => Context.getUnsafe(context, service)
  yield* get(Workspaces).bootstrap({ apiKey: testKey })
  const ws: WorkspaceId = (yield* get(WorkspaceStore).all)[0]?.id ?? assert.fail()
  const db = get(MemoryDatabase)
  const [a = "", b = "", c = "", d = "", e = ""] = yield* get(Ids).many(5)
  const contact = ann(ContactId.make(a))
  const approvalId = ApprovalId.make(b)
  yield* db.put(contacts, ws, a, contact)
  yield* db.put(emailApprovals, ws, b, {
    approvalId,
    emailId: EmailId.make(c),
    version: 1,
    subject: "Hello",
    previewText: null,
    fromName: "News",
    fromAddress: "news@example.test",
    replyToEmail: "news@example.test",
    html,
    text: "Hello",
    approvedAt: epoch,
  })
  const target: LinkTarget = { workspaceId: ws, deliveryId: DeliveryId.make(d) }
  const id = { id: target.deliveryId, blastId: BlastId.make(e), contactId: contact.id, approvalId, operational: false }
  yield* db.put(deliveries, ws, d, {
    ...newDelivery(id, contact, undefined, epoch),
    state: "sent",
    token: 1,
    leaseUntil_ms: 1,
    handedOverAt: epoch,
    sentAt: epoch,
    deliveredAt: epoch,
  })
  const app = Tracking.layer.pipe(Layer.provide(Layer.succeedContext(context)), Layer.provide(HttpServer.layerServices))
  const { handler } = HttpRouter.toWebHandler(app, { disableLogger: true })
  const ask = (url: string, init: RequestInit = {}, userAgent: string | null = chrome) =>
    Effect.promise(async () => {
      const headers = new Headers(init.headers)
      if (userAgent !== null) headers.set("user-agent", userAgent)
      const response = await handler(new Request(url, { ...init, headers, redirect: "manual" }))
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  return {
    ask,
    links: get(Links).of(target),
    linksOf: get(Links).of,
    target,
    delivery: Effect.map(db.find(deliveries, ws, d), (row) => row ?? assert.fail()),
    contact: Effect.map(db.find(contacts, ws, a), (row) => row ?? assert.fail()),
    removeContact: db.remove(contacts, ws, a),
    handOver: (at: DateTime.Utc) =>
      Effect.flatMap(db.find(deliveries, ws, d), (row) =>
        row === undefined ? Effect.void : db.put(deliveries, ws, d, { ...row, handedOverAt: at }),
      ),
    suppressed: Effect.map(db.find(suppressions, ws, "ann@example.test"), (row) => row !== undefined),
    blasts: db.all(blasts, ws),
  }
})

const oneClick = {
  method: "POST",
  body: "List-Unsubscribe=One-Click",
  headers: { "content-type": "application/x-www-form-urlencoded" },
}

it.live("the pixel is a picture that nobody keeps, and counts the first opening", () =>
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

it.live("Gmail's picture proxy is its reader", () =>
  Effect.gen(function* () {
    const { ask, delivery, links } = yield* sent
    yield* ask(links.open, {}, gmail)
    assert.isNotNull((yield* delivery).openedAt)
  }).pipe(Effect.scoped),
)

it.live("machines are answered, and not counted", () =>
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
    yield* handOver(yield* DateTime.now)
    yield* ask(links.open)
    yield* ask(links.click(0))
    const row = yield* delivery
    assert.isNull(row.openedAt)
    assert.isNull(row.clickedAt)
    assert.isNull((yield* contact).lastActivityAt)
  }).pipe(Effect.scoped),
)

it.live("a click leads to the author's URL byte for byte, and counts once", () =>
  Effect.gen(function* () {
    const { ask, contact, delivery, links } = yield* sent
    const answer = yield* ask(links.click(0))
    assert.strictEqual(answer.status, 302)
    assert.strictEqual(answer.headers.get("location"), "https://example.com/A?b=1&c=%2F#top")
    assert.strictEqual(answer.headers.get("referrer-policy"), "no-referrer")
    yield* ask(links.click(1))
    const row = yield* delivery
    assert.strictEqual(row.clickedUrl, "https://example.com/A?b=1&c=%2F#top")
    assert.strictEqual(row.openedAt, row.clickedAt, "who clicks has opened")
    assert.isNotNull((yield* contact).lastActivityAt)
  }).pipe(Effect.scoped),
)

it.live("a link's tokens are its reader's, escaped; characters beyond ASCII travel as escapes", () =>
  Effect.gen(function* () {
    const { ask, links, removeContact } = yield* sent
    assert.strictEqual((yield* ask(links.click(1))).headers.get("location"), "https://example.com/%C3%84nn%20%26%20Co")
    assert.strictEqual((yield* ask(links.click(2))).headers.get("location"), "https://ex%C3%A4mple.com/%C3%BC")
    yield* removeContact
    assert.strictEqual((yield* ask(links.click(0))).headers.get("location"), "https://example.com/A?b=1&c=%2F#top")
  }).pipe(Effect.scoped),
)

it.live("nothing in the address chooses where a click leads", () =>
  Effect.gen(function* () {
    const { ask, links } = yield* sent
    const answer = yield* ask(`${links.click(0)}?url=https://evil.test`)
    assert.strictEqual(answer.headers.get("location"), "https://example.com/A?b=1&c=%2F#top")
    assert.strictEqual((yield* ask(links.click(3))).status, 404, "there is no fourth link")
  }).pipe(Effect.scoped),
)

it.live("a GET of the unsubscribe link shows a plain page with a form, and changes nothing", () =>
  Effect.gen(function* () {
    const { ask, contact, delivery, links, suppressed } = yield* sent
    for (const method of ["GET", "HEAD", "GET"]) {
      const answer = yield* ask(links.unsubscribe, { method })
      assert.strictEqual(answer.status, 200)
      assert.notInclude(answer.text, "<script")
      assert.include(answer.headers.get("content-security-policy") ?? "", "default-src 'none'")
      if (method === "GET") {
        assert.include(answer.text, `<html lang="en">`)
        assert.include(answer.text, `<form method="post">`)
        assert.include(answer.text, "ann@example.test")
      }
    }
    assert.isFalse((yield* contact).unsubscribed)
    assert.isNull((yield* delivery).unsubscribedAt)
    assert.isFalse(yield* suppressed)
  }).pipe(Effect.scoped),
)

const multipart = (field: string) =>
  `--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\n${field}\r\n--x--\r\n`

for (const [name, init] of [
  ["a mail program's one click", oneClick],
  [
    "a mail program's multipart one click",
    { method: "POST", body: multipart("One-Click"), headers: { "content-type": "multipart/form-data; boundary=x" } },
  ],
  ["our own form", { ...oneClick, body: "confirm=unsubscribe" }],
] as const) {
  it.live(`${name} unsubscribes at once, without cookies or redirects, and may be repeated`, () =>
    Effect.gen(function* () {
      const { ask, contact, delivery, links, suppressed } = yield* sent
      const answer = yield* ask(links.unsubscribe, init, null)
      assert.strictEqual(answer.status, 200)
      assert.isNull(answer.headers.get("set-cookie"))
      assert.isTrue((yield* contact).unsubscribed)
      assert.isTrue(yield* suppressed)
      const first = (yield* delivery).unsubscribedAt
      assert.isNotNull(first)
      assert.strictEqual((yield* ask(links.unsubscribe, init, null)).status, 200)
      assert.strictEqual((yield* delivery).unsubscribedAt, first)
      assert.notInclude((yield* ask(links.unsubscribe)).text, "<form", "there is nothing left to ask")
    }).pipe(Effect.scoped),
  )
}

it.live("any other POST changes nothing, and is asked again", () =>
  Effect.gen(function* () {
    const { ask, contact, links } = yield* sent
    const urlencoded = "application/x-www-form-urlencoded"
    for (const [type, body] of [
      [urlencoded, ""],
      [urlencoded, "List-Unsubscribe=Two-Clicks"],
      [urlencoded, "x=List-Unsubscribe=One-Click"],
      ["application/json", `{"List-Unsubscribe":"One-Click"}`],
      ["multipart/form-data; boundary=x", multipart("No")],
      [urlencoded, `${"x=1&".repeat(10_000)}List-Unsubscribe=One-Click`],
    ] as const) {
      const answer = yield* ask(links.unsubscribe, { method: "POST", body, headers: { "content-type": type } })
      assert.oneOf(answer.status, [400, 413])
    }
    assert.isFalse((yield* contact).unsubscribed)
  }).pipe(Effect.scoped),
)

it.live("the message can be read in a browser, where it can't run anything", () =>
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

it.live("a tampered, truncated or lengthened token, or one for another purpose, is the same neutral page", () =>
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

it.live("a right token for what is not there is the same neutral page", () =>
  Effect.gen(function* () {
    const { ask, linksOf, target } = yield* sent
    const elsewhere = linksOf({ workspaceId: target.workspaceId, deliveryId: DeliveryId.make(target.workspaceId) })
    for (const url of [elsewhere.open, elsewhere.click(0), elsewhere.unsubscribe, elsewhere.view]) {
      assert.strictEqual((yield* ask(url)).status, 404)
    }
    assert.strictEqual((yield* ask(elsewhere.unsubscribe, oneClick)).status, 404)
  }).pipe(Effect.scoped),
)

it.live("other methods are refused", () =>
  Effect.gen(function* () {
    const { ask, links } = yield* sent
    const answer = yield* ask(links.click(0), { method: "POST" })
    assert.strictEqual(answer.status, 405)
    assert.strictEqual(answer.headers.get("allow"), "GET, HEAD")
    assert.strictEqual((yield* ask(links.unsubscribe, { method: "DELETE" })).headers.get("allow"), "GET, HEAD, POST")
  }).pipe(Effect.scoped),
)
