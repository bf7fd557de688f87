// Tests of unsubscribing.
import { assert, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Context, Effect } from "effect"
import { chrome, oneClick, sent } from "../fixtures/TrackingWorld.ts"

const unsubscribePrefetchTest = tagged(it.live, "attack/unsubscribe-prefetch")
unsubscribePrefetchTest("GET, HEAD, OPTIONS and prefetches of the unsubscribe link change nothing", () =>
  Effect.gen(function* () {
    const { ask, everything, links } = yield* sent
    const before = yield* everything
    const ways: ReadonlyArray<RequestInit> = [
      { method: "GET" },
      { method: "HEAD" },
      { method: "OPTIONS" },
      { headers: { "sec-purpose": "prefetch;prerender" } },
      { headers: { purpose: "prefetch" } },
    ]
    for (let turn = 0; turn < 20; turn++) {
      for (const way of ways) {
        for (const url of [links.unsubscribe, links.view]) yield* ask(url, way, turn % 2 === 0 ? chrome : null)
      }
    }
    for (const method of ["PUT", "PATCH", "DELETE"]) yield* ask(links.unsubscribe, { method })
    assert.strictEqual(yield* everything, before)
    yield* ask(links.open)
    assert.notStrictEqual(yield* everything, before, "an open is stored")
  }).pipe(Effect.scoped),
)

it.live("the unsubscribe page has a language, a title, one heading, one button, and no name without a brand", () =>
  Effect.gen(function* () {
    const { ask, links, removeContact } = yield* sent
    const asked = yield* ask(links.unsubscribe)
    const done = yield* ask(links.unsubscribe, oneClick)
    for (const { text } of [asked, done]) {
      assert.match(text, /^<!doctype html>\n<html lang="en">/)
      assert.match(text, /<meta name="viewport" content="width=device-width, initial-scale=1">/)
      const title = /<title>([^<]+)<\/title>/.exec(text)?.[1]
      assert.deepStrictEqual(
        Array.from(text.matchAll(/<h1>([^<]+)<\/h1>/g), ([, heading]) => heading),
        [title],
      )
      assert.strictEqual(text.match(/<main>/g)?.length, 1)
      assert.notMatch(text, /<script|<img|<link|<iframe|javascript:|https?:\/\//i, "the page loads and runs nothing")
      assert.notInclude(text, "default", "the workspace's name is internal")
      assert.notMatch(text, /outline:\s*(?:0|none)|user-scalable|maximum-scale|<[a-z]+[^>]* on[a-z]+=/i)
    }
    assert.strictEqual(asked.text.match(/<button type="submit">Unsubscribe<\/button>/g)?.length, 1)
    assert.notInclude(done.text, "<button")
    yield* removeContact
    for (const answer of [yield* ask(links.unsubscribe), yield* ask(links.unsubscribe, oneClick)]) {
      assert.strictEqual(answer.status, 200, "also after the contact is deleted")
    }
  }).pipe(Effect.scoped),
)

it.live("the pages of links show the brand: its name, logo and colour", () =>
  Effect.gen(function* () {
    const { ask, context, links, target } = yield* sent
    yield* Context.get(context, Workspaces).update(target.workspaceId, {
      brand: { name: "Brot & Co", logoUrl: "https://cdn.example.com/l.png", primaryColor: "#ffee00" },
    })
    for (const answer of [yield* ask(links.unsubscribe), yield* ask(links.unsubscribe, oneClick)]) {
      assert.include(answer.text, '<img src="https://cdn.example.com/l.png" alt="Brot &amp; Co"')
      assert.include(answer.text, "from <strong>Brot &amp; Co</strong>")
      assert.include(answer.text, "--own:#ffee00")
      assert.include(answer.headers.get("content-security-policy"), "img-src 'self' data: https://cdn.example.com;")
    }
  }).pipe(Effect.scoped),
)

const tokenReuseTest = tagged(it.live, "attack/token-reuse")
tokenReuseTest("an unsubscribe of a deleted contact suppresses the address", () =>
  Effect.gen(function* () {
    const { ask, delivery, links, removeContact, suppressed } = yield* sent
    yield* removeContact
    assert.isFalse(yield* suppressed)
    assert.strictEqual((yield* ask(links.unsubscribe, oneClick, null)).status, 200)
    assert.isTrue(yield* suppressed)
    assert.isNotNull((yield* delivery).unsubscribedAt)
  }).pipe(Effect.scoped),
)

it.live("a GET of the unsubscribe link returns a form and changes nothing", () =>
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
  const unsubscribePostTest = tagged(it.live, "attack/unsubscribe-post")
  unsubscribePostTest(`${name} unsubscribes at once, without cookies or redirects, and can be repeated`, () =>
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
      assert.notInclude((yield* ask(links.unsubscribe)).text, "<form", "the form is not shown again")
    }).pipe(Effect.scoped),
  )
}

const slowInputTest = tagged(it.live, "attack/slow-input")
slowInputTest("a POST without a valid token gets 404, whatever its body, which is not read", () =>
  Effect.gen(function* () {
    const { ask, links } = yield* sent
    const type = "multipart/form-data; boundary=x"
    for (const length of [16_000, 20_000]) {
      const body = `content-disposition:form-data;name=${"a".repeat(length)}`
      const init = { method: "POST", body, headers: { "content-type": type, "content-length": `${body.length}` } }
      assert.strictEqual((yield* ask(new URL("/u/x", links.unsubscribe).href, init)).status, 404)
      assert.oneOf((yield* ask(links.unsubscribe, init)).status, [400, 413])
    }
  }).pipe(Effect.scoped),
)

const unsubscribePostTest = tagged(it.live, "attack/unsubscribe-post")
unsubscribePostTest("another POST changes nothing and gets the form again", () =>
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
