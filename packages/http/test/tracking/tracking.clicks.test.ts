// Tests of the redirects of links in messages.
import { assert, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect } from "effect"
import { sending, sent } from "../fixtures/TrackingWorld.ts"

it.live("a click redirects to the author's URL byte for byte and counts once", () =>
  Effect.gen(function* () {
    const { ask, contact, delivery, links } = yield* sent
    const answer = yield* ask(links.click(0))
    assert.strictEqual(answer.status, 302)
    assert.strictEqual(answer.headers.get("location"), "https://example.com/A?b=1&c=%2F#top")
    assert.strictEqual(answer.headers.get("referrer-policy"), "no-referrer")
    yield* ask(links.click(1))
    const row = yield* delivery
    assert.strictEqual(row.clickedUrl, "https://example.com/A?b=1&c=%2F#top")
    assert.strictEqual(row.openedAt, row.clickedAt, "a click implies an open")
    assert.isNotNull((yield* contact).lastActivityAt)
  }).pipe(Effect.scoped),
)

const linkInjectionTest = tagged(it.live, "attack/link-injection")
linkInjectionTest("tokens in a link have the reader's values, escaped; other than ASCII is percent-encoded", () =>
  Effect.gen(function* () {
    const { ask, links, removeContact } = yield* sent
    assert.strictEqual((yield* ask(links.click(1))).headers.get("location"), "https://example.com/%C3%84nn%20%26%20Co")
    assert.strictEqual((yield* ask(links.click(2))).headers.get("location"), "https://ex%C3%A4mple.com/%C3%BC")
    yield* removeContact
    assert.strictEqual((yield* ask(links.click(0))).headers.get("location"), "https://example.com/A?b=1&c=%2F#top")
  }).pipe(Effect.scoped),
)

const openRedirectTest = tagged(it.live, "attack/open-redirect")
openRedirectTest("no part of the request changes the target of a click", () =>
  Effect.gen(function* () {
    const { ask, links } = yield* sent
    const answer = yield* ask(`${links.click(0)}?url=https://evil.test`)
    assert.strictEqual(answer.headers.get("location"), "https://example.com/A?b=1&c=%2F#top")
    assert.strictEqual((yield* ask(links.click(3))).status, 404, "there is no fourth link")
  }).pipe(Effect.scoped),
)

// URLs that authors and programs write.
const oddUrls = [
  "https://example.com",
  "https://example.com/",
  "https://example.com./trailing-dot",
  "https://example.com/path.",
  "https://example.com/path...",
  "https://EXAMPLE.com/MiXed/CaSe",
  "HTTPS://example.com/loud",
  "http://example.com:80/default-port",
  "https://example.com:443/",
  "http://example.com:8080",
  "https://user:pass@example.com/",
  "https://example.com//double//slashes",
  "https://example.com/a/../b/./c",
  "https://example.com/%7Euser",
  "https://example.com/%zz",
  "https://example.com/%",
  "https://example.com/100%",
  "https://example.com/%E0%A4%A",
  "https://example.com/%2F%2f",
  "https://example.com/+plus+",
  "https://example.com/;semi;colon",
  "https://example.com/a?b=1&c=2",
  "https://example.com/a?b=1&amp=2",
  "https://example.com/a?b=&copy=1",
  "https://example.com/a?b=1&amp;c=2",
  "https://example.com/?",
  "https://example.com/#",
  "https://example.com/?#",
  "https://example.com/a#fragment?not=query",
  "https://example.com/a#a#b",
  "https://example.com/?q=a#!/route",
  "https://example.com/?to=https://other.test/?x=1",
  "https://example.com/?to=//other.test",
  "https://example.com/\\back\\slash",
  "https://example.com/'single'",
  'https://example.com/"double"',
  "https://example.com/<angle>",
  "https://example.com/{curly}|pipe^caret`tick",
  "https://example.com/[square]",
  "https://[2001:db8::1]/ipv6",
  "https://192.0.2.1/ipv4",
  "https://xn--exmple-cua.com/punycode",
  "https://example.com/$&$1$`",
  "https://example.com/~!@$*()_-=,",
  "https://example.com/utm?utm_source=a&utm_source=b",
  "https://example.com/a b",
  "https://exämple.com/ünï",
  "https://example.com/日本語?検索=語#末",
  "https://example.com/😀",
  "https://example.com/e\u0301",
]

const inAttribute = (url: string): string =>
  url.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")

it.live("fifty unusual URLs survive compiling, rendering and clicking byte for byte", () =>
  Effect.gen(function* () {
    const { ask, links } = yield* sending(
      `<html><body>${oddUrls.map((url) => `<p><a href="${inAttribute(url)}">x</a></p>`).join("\n")}</body></html>`,
    )
    const { text } = yield* ask(links.view)
    const hrefs = Array.from(text.matchAll(/<p><a href="([^"]*)"/g), ([, href = ""]) => href)
    assert.strictEqual(hrefs.length, oddUrls.length)
    for (const [index, url] of oddUrls.entries()) {
      assert.strictEqual(hrefs[index], links.click(index), url)
      const { headers, status } = yield* ask(links.click(index))
      assert.strictEqual(status, 302)
      const beyond = /[^\x21-\x7e]+/gu
      assert.strictEqual(headers.get("location"), url.replace(beyond, encodeURIComponent), "ASCII is unchanged")
    }
  }).pipe(Effect.scoped),
)

openRedirectTest("only web URLs are targets of a redirect", () =>
  Effect.gen(function* () {
    const others = [
      "//evil.test/",
      "\\\\evil.test",
      "/\\evil.test",
      "https:evil.test",
      "http:/evil.test",
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "java\tscript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      "mailto:ann@example.test",
      "tel:+491234",
      "#top",
      "?x=1",
      "relative/path",
      "{{contact.first_name}}://evil.test",
      "{{contact.first_name}}",
    ]
    const { ask, links } = yield* sending(
      `<html><body>${others.map((url) => `<p><a href="${inAttribute(url)}">x</a></p>`).join("\n")}</body></html>`,
    )
    const { text } = yield* ask(links.view)
    assert.notInclude(text, links.click(0).slice(0, -30))
    for (let index = 0; index < others.length; index++) {
      const { headers, status } = yield* ask(links.click(index))
      assert.deepStrictEqual([status, headers.get("location")], [404, null])
    }
  }).pipe(Effect.scoped),
)
