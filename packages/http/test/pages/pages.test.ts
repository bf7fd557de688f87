// Tests of the pages' listener: responses, headers, caching and views.
import * as Pages from "@tentpole/http/pages/Pages"
import { clientAddress, trustedProxies } from "@tentpole/http/pages/ClientAddress"
import * as VisitorAgents from "@tentpole/http/pages/VisitorAgents"
import { eventually, settledMark, tagged } from "@tentpole/core/contract"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { type PublishedPage, PublishedPages } from "@tentpole/core/tents/pages/PublishedPages"
import { Agents } from "@tentpole/core/traffic/Agents"
import { ViewRecorder } from "@tentpole/core/traffic/ViewRecorder"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { alias, chrome, served, servedBy, servedOver } from "../fixtures/PagesWorld.ts"
import { postgresWorld, twoProcesses } from "../fixtures/PostgresWorld.ts"
import { world } from "../fixtures/World.ts"

const iphone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

const foreignHostTest = tagged(it.live, "attack/foreign-host")
foreignHostTest("serves a page at its alias, its id and the root, only on its workspace's host", () =>
  Effect.gen(function* () {
    const { visit, live } = yield* served
    const [one, two] = [yield* live("bakery"), yield* live("/")]
    assert.strictEqual(one.url, "http://default.pages.test/bakery")
    const page = yield* visit(one.url)
    assert.strictEqual(page.status, 200)
    assert.include(page.text, "Bakery")
    assert.include(page.text, "Made with Tentpole")
    assert.strictEqual((yield* visit(`http://default.pages.test/t/${one.id}`)).text, page.text)
    assert.strictEqual((yield* visit("http://default.pages.test/")).status, 200)
    assert.strictEqual((yield* visit(two.url)).status, 200)
    assert.strictEqual((yield* visit("http://DEFAULT.pages.test.:8081/bakery?utm_source=a&utm_source=b")).status, 200)
    for (const url of [
      "http://other.pages.test/bakery",
      "http://pages.test/bakery",
      "http://default.pages.test.evil.test/bakery",
      "http://default.pages.test/nothing",
      "http://default.pages.test/bakery/",
      "http://default.pages.test/%62akery",
      "http://default.pages.test/v1/contacts",
      "http://default.pages.test/%E0%A4%A",
      `http://default.pages.test/t/${one.id.toUpperCase()}`,
    ]) {
      const missing = yield* visit(url)
      assert.strictEqual(missing.status, 404, url)
      assert.include(missing.headers.get("content-security-policy"), "default-src 'none'")
    }
  }).pipe(Effect.scoped),
)

const pageScriptTest = tagged(it.live, "attack/page-script", "attack/service-worker", "attack/origins")
pageScriptTest("sends the CSP, no cookies, and refuses service workers", () =>
  Effect.gen(function* () {
    const { visit, live } = yield* served
    const { url } = yield* live("bakery")
    const { headers } = yield* visit(url)
    assert.strictEqual(
      headers.get("content-security-policy"),
      "default-src 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
    assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
    assert.strictEqual(headers.get("set-cookie"), null)
    assert.strictEqual((yield* visit(url, { headers: { "service-worker": "script" } })).status, 403)
    const post = yield* visit(url, { method: "POST" })
    assert.deepStrictEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"])
    assert.strictEqual((yield* visit(`http://default.pages.test/f/x/y`, { method: "POST" })).status, 404)
    assert.include((yield* visit("http://default.pages.test/robots.txt")).text, "Disallow: /f/")
  }).pipe(Effect.scoped),
)

it.live("adds only the origins of the brand's images to the CSP", () =>
  Effect.gen(function* () {
    const { get, workspace, visit, live } = yield* served
    yield* get(Workspaces).update(workspace, {
      brand: { logoUrl: "https://cdn.example.com/a/l.png", iconUrl: "https://i.example.net:8443/i.ico" },
    })
    const { url } = yield* live("bakery")
    const policy = (yield* visit(url)).headers.get("content-security-policy")
    assert.include(policy, "img-src 'self' data: https://cdn.example.com https://i.example.net:8443;")
    yield* get(Workspaces).update(workspace, { brand: { logoUrl: null, iconUrl: null } })
    assert.include((yield* visit(url)).headers.get("content-security-policy"), "img-src 'self' data:;")
  }).pipe(Effect.scoped),
)

it.live("answers 304 to a matching etag, and each encoding decodes to the page", () =>
  Effect.gen(function* () {
    const { visit, live } = yield* served
    const { url } = yield* live("bakery")
    const plain = yield* visit(url)
    const etag = plain.headers.get("etag") ?? ""
    assert.match(etag, /^"[0-9a-f]{32}"$/)
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const not = yield* visit(url, { headers: { "if-none-match": tag } })
      assert.deepStrictEqual([not.status, not.bytes.length, not.headers.get("etag")], [304, 0, etag], tag)
    }
    assert.strictEqual((yield* visit(url, { headers: { "if-none-match": '"other"' } })).status, 200)
    for (const [accept, encoding, undo] of [
      ["gzip", "gzip", gunzipSync],
      ["gzip, deflate, br", "br", brotliDecompressSync],
      ["br;q=0, gzip;q=0.5", "gzip", gunzipSync],
    ] as const) {
      const packed = yield* visit(url, { headers: { "accept-encoding": accept } })
      assert.strictEqual(packed.headers.get("content-encoding"), encoding)
      assert.strictEqual(undo(packed.bytes).toString("utf8"), plain.text)
      assert.match(packed.headers.get("vary") ?? "", /accept-encoding/i)
      assert.notStrictEqual(packed.headers.get("etag"), etag)
    }
    for (const accept of ["identity", "br;q=0", ""]) {
      const unpacked = yield* visit(url, { headers: { "accept-encoding": accept } })
      assert.strictEqual(unpacked.headers.get("content-encoding"), null)
    }
    const head = yield* visit(url, { method: "HEAD" })
    assert.strictEqual(head.status, 200)
    assert.strictEqual(head.headers.get("etag"), etag)
  }).pipe(Effect.scoped),
)

it.live("serves a cached page without a query, and a change at once", () =>
  Effect.gen(function* () {
    const { workspace, visit, tents, live, reads } = yield* served
    const { id, url } = yield* live("bakery")
    for (let turn = 0; turn < 20; turn++) yield* visit(url)
    assert.strictEqual(reads(), 1)
    for (let turn = 0; turn < 5; turn++) yield* visit("http://default.pages.test/none")
    assert.strictEqual(reads(), 2)
    yield* tents.publish(workspace, id, { alias: alias("moved") })
    assert.strictEqual((yield* visit(url)).status, 404)
    assert.strictEqual((yield* visit("http://default.pages.test/moved")).status, 200)
    yield* tents.publish(workspace, id, { removeBranding: true })
    assert.notInclude((yield* visit("http://default.pages.test/moved")).text, "Made with Tentpole")
    yield* tents.delete(workspace, id)
    assert.strictEqual((yield* visit("http://default.pages.test/moved")).status, 404)
  }).pipe(Effect.scoped),
)

it.live("counts GETs of people as views, not HEAD, bots and missing pages", () =>
  Effect.gen(function* () {
    const { visit, live, views } = yield* servedOver(postgresWorld)
    const { id, url } = yield* live("bakery")
    const etag = (yield* visit(url)).headers.get("etag") ?? ""
    yield* visit(url, { headers: { "if-none-match": etag } })
    yield* visit(url, { headers: { "user-agent": iphone, referer: "https://news.example.org/today?x=1" } })
    yield* visit(url, { method: "HEAD" })
    yield* visit(url, { headers: { "user-agent": googlebot } })
    yield* visit(url, { headers: { "user-agent": "" } })
    yield* visit(`${url}x`)
    yield* views(id, 3)
    yield* Effect.sleep("100 millis")
    const report = yield* views(id, 3)
    assert.deepStrictEqual([report.views, report.visits], [3, 2])
    assert.deepStrictEqual(report.groups, {
      country: [{ value: "unknown", views: 3 }],
      device: [
        { value: "desktop", views: 2 },
        { value: "mobile", views: 1 },
      ],
      browser: [
        { value: "Chrome", views: 2 },
        { value: "Safari", views: 1 },
      ],
      os: [
        { value: "Windows", views: 2 },
        { value: "iOS", views: 1 },
      ],
      referrer: [
        { value: "direct", views: 2 },
        { value: "news.example.org", views: 1 },
      ],
    })
  }).pipe(Effect.scoped),
)

it.live("has metadata for sharing: title, canonical URL and brand", () =>
  Effect.gen(function* () {
    const { get, workspace, visit, live } = yield* served
    yield* get(Workspaces).update(workspace, { brand: { name: "Brot & Co", primaryColor: "#7c3aed" } })
    const { id, url } = yield* live("bakery")
    const page = yield* visit(`http://default.pages.test/t/${id}`)
    assert.include(page.text, `<link rel="canonical" href="${url}">`)
    assert.include(page.text, `<meta property="og:url" content="${url}">`)
    assert.include(page.text, '<meta property="og:site_name" content="Brot &amp; Co">')
    assert.include(page.text, '<link rel="icon" href="data:image/svg+xml,')
    assert.strictEqual((yield* visit("http://default.pages.test/favicon.ico")).status, 404)
    yield* get(Workspaces).update(workspace, { brand: { iconUrl: "https://cdn.example.com/i.png" } })
    const again = yield* visit(url)
    assert.include(again.text, '<link rel="icon" href="https://cdn.example.com/i.png">')
    assert.notStrictEqual(again.headers.get("etag"), page.headers.get("etag"))
    const icon = yield* visit("http://default.pages.test/favicon.ico")
    assert.deepStrictEqual([icon.status, icon.headers.get("location")], [302, "https://cdn.example.com/i.png"])
  }).pipe(Effect.scoped),
)

it.live("sitemap.xml lists each published page once, and robots.txt links to it", () =>
  Effect.gen(function* () {
    const { workspace, visit, tents, live } = yield* served
    const map = "http://default.pages.test/sitemap.xml"
    assert.include((yield* visit("http://default.pages.test/robots.txt")).text, `Sitemap: ${map}`)
    assert.notInclude((yield* visit(map)).text, "<loc>")
    const [one, two] = [yield* live("bakery"), yield* live(null)]
    const listed = (text: string) => [...text.matchAll(/<loc>(.*)<\/loc>/g)].map(([, url]) => url)
    const both = yield* visit(map)
    assert.sameMembers(listed(both.text), [one.url, two.url])
    assert.strictEqual(both.headers.get("content-type"), "application/xml; charset=utf-8")
    yield* tents.unpublish(workspace, one.id)
    assert.deepStrictEqual(listed((yield* visit(map)).text), [two.url])
    assert.strictEqual((yield* visit("http://other.pages.test/sitemap.xml")).status, 404)
  }).pipe(Effect.scoped),
)

it.live("reads an uncached page once for concurrent visitors", () =>
  Effect.gen(function* () {
    const { visit, live, reads } = yield* served
    const { url } = yield* live("bakery")
    const all = yield* Effect.all(
      Array.from({ length: 50 }, () => visit(url)),
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual([...new Set(all.map(({ status }) => status))], [200])
    assert.strictEqual(reads(), 1)
  }).pipe(Effect.scoped),
)

it.live("shows a change by another process", () =>
  Effect.gen(function* () {
    const [here, there] = yield* twoProcesses
    const one = yield* servedOver(here)
    const context = yield* Layer.build(there)
    const two = yield* servedBy(context, one.workspace)
    const { id, url } = yield* one.live("bakery")
    /** Requests the page from the other process until it is as expected. */
    const shown = (isExpected: (page: { status: number; text: string }) => boolean) =>
      eventually(two.visit(url), isExpected)
    yield* settledMark(two.get(PublishedPages).version(one.workspace))
    yield* shown(({ text }) => text.includes("Made with Tentpole"))
    const reads = two.reads()
    for (let turn = 0; turn < 20; turn++) yield* two.visit(url)
    assert.strictEqual(two.reads(), reads, "no read without a notification")
    yield* one.tents.publish(one.workspace, id, { removeBranding: true })
    yield* shown(({ text }) => !text.includes("Made with Tentpole"))
    yield* one.get(Workspaces).update(one.workspace, { brand: { name: "Renamed" } })
    yield* shown(({ text }) => text.includes('content="Renamed"'))
    yield* one.tents.unpublish(one.workspace, id)
    yield* shown(({ status }) => status === 404)
  }).pipe(Effect.scoped),
)

it.live("answers an error page if pages can't be read", () =>
  Effect.gen(function* () {
    const away = (defect: unknown) =>
      Layer.succeed(
        PublishedPages,
        PublishedPages.of({
          version: () => Effect.succeed(""),
          site: () => Effect.die(defect),
          getPage: (): Effect.Effect<PublishedPage | null> => Effect.succeed(null),
          list: () => Effect.succeed([]),
        }),
      )
    for (const [defect, status] of [
      [new Unavailable({ part: "database" }), 503],
      [new Error("secret"), 500],
    ] as const) {
      const app = Pages.layer({ trustedProxies: [] }).pipe(
        Layer.provide(away(defect)),
        Layer.provide(Layer.succeed(ViewRecorder, ViewRecorder.of({ record: () => Effect.void }))),
        Layer.provide(world),
        Layer.provide(HttpServer.layerServices),
      )
      const { handler } = HttpRouter.toWebHandler(app, { disableLogger: true })
      const response = yield* Effect.promise(() =>
        handler(new Request("http://default.pages.test/", { headers: { host: "default.pages.test" } })),
      )
      assert.strictEqual(response.status, status)
      assert.notInclude(yield* Effect.promise(() => response.text()), "secret")
    }
  }),
)

it("uses X-Forwarded-For only from trusted proxies", { tags: ["attack/header-spoofing"] }, () => {
  const none = trustedProxies([])
  const ours = trustedProxies(["10.0.0.0/8", "::1", "fd00::/8"])
  assert.strictEqual(clientAddress(none, "203.0.113.1", "198.51.100.7"), "203.0.113.1")
  assert.strictEqual(clientAddress(ours, "203.0.113.1", "198.51.100.7"), "203.0.113.1")
  assert.strictEqual(clientAddress(ours, "10.0.0.1", "198.51.100.7"), "198.51.100.7")
  assert.strictEqual(clientAddress(ours, "::ffff:10.0.0.1", "6.6.6.6, 198.51.100.7, 10.9.9.9"), "198.51.100.7")
  assert.strictEqual(clientAddress(ours, "fd00::5", "2001:db8::1"), "2001:db8::1")
  assert.strictEqual(clientAddress(ours, "10.0.0.1", undefined), "10.0.0.1")
  assert.strictEqual(clientAddress(ours, "10.0.0.1", "198.51.100.7, junk, 10.0.0.2"), "10.0.0.2")
  assert.throws(() => trustedProxies(["proxy.example"]))
})

it.effect("detects browsers, bots, referrers and countries", () =>
  Effect.gen(function* () {
    const { agentOf, siteOf } = yield* Agents
    const visitor = { userAgent: chrome, address: "127.0.0.1" }
    assert.deepStrictEqual(agentOf(visitor), {
      country: "unknown",
      device: "desktop",
      browser: "Chrome",
      os: "Windows",
    })
    const from = (referrer: string | null) => siteOf({ referrer, host: "a.pages.test" })
    assert.strictEqual(from(null), "direct")
    assert.strictEqual(from("https://www.google.com/search?q=1"), "Google")
    assert.strictEqual(from("http://a.pages.test:8081/other"), "direct")
    assert.strictEqual(from("https://news.example.org/today"), "news.example.org")
    assert.strictEqual(from("junk"), "unknown")
    assert.strictEqual(agentOf({ ...visitor, address: "8.8.8.8" })?.country, "US")
    assert.strictEqual(agentOf({ ...visitor, address: "::ffff:8.8.8.8" })?.country, "US")
    assert.strictEqual(agentOf({ ...visitor, address: "" })?.country, "unknown")
    const ipad =
      "Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1"
    assert.strictEqual(agentOf({ ...visitor, userAgent: ipad })?.device, "tablet")
    for (const userAgent of [googlebot, "", "curl/8.0"]) assert.strictEqual(agentOf({ ...visitor, userAgent }), null)
  }).pipe(Effect.provide(VisitorAgents.layer)),
)
