import { assert, it } from "@effect/vitest"
import { TentId } from "@tentpole/core/kernel/Ids"
import { isAlias, root } from "@tentpole/core/tents/Alias"
import { dangersOf } from "@tentpole/core/documents/Clean"
import { addressPath, pageUrl, readHost, readPath, slugOfHost } from "@tentpole/core/tents/pages/PageAddress"
import { honeypot_name, toPublished, withoutNewSuccessUrls } from "@tentpole/core/tents/pages/PageDocument"
import { Schema } from "effect"
import { alias, id } from "../TentFixture.ts"

it("A published page posts its forms to the service, with a trap in each and the branding line; the rest stays byte for byte", () => {
  const html = `<!doctype html><body class="x"><p>Ö &amp; &copy;</p><FORM  action="https://evil.test" METHOD='get' id="sign up"><input name=email></FORM><form name="n"></form><form></form></body></html>`
  const served = toPublished(html, { tentId: id, branding: true })
  assert.include(served, `action="/f/${id}/sign%20up" method="post"`)
  assert.include(served, `action="/f/${id}/n" method="post"`)
  assert.include(served, `action="/f/${id}/form-3" method="post"`)
  assert.notInclude(served, "evil.test")
  assert.strictEqual(served.split(honeypot_name).length - 1, 3)
  assert.include(served, "<p>Ö &amp; &copy;</p>")
  assert.isBelow(served.indexOf("Made with Tentpole"), served.indexOf("</body>"))
})

it("A page without forms and branding line is served as it was generated", () => {
  const html = "<!doctype html><body><h1>x</h1></body></html>"
  assert.strictEqual(toPublished(html, { tentId: id, branding: false }), html)
})

it("Dangers are found in every context", () => {
  for (const html of [
    "<script>x</script>",
    "<svg><script>x</script></svg>",
    "<p onclick=x>",
    "<svg/onload=x>",
    "<base href=//x>",
    "<meta http-equiv=refresh content=0>",
    "<iframe srcdoc=x></iframe>",
    "<form action=//x></form>",
    "<button formaction=//x>b</button>",
    "<a href='java\tscript:x'>a</a>",
    "<a href=' \u0001javascript:x'>a</a>",
    "<a href=vbscript:x>a</a>",
    "<a href=data:text/html,x>a</a>",
    "<img src=data:image/svg+xml,x>",
    "<svg><a xlink:href=javascript:x></a></svg>",
    "<template><img onerror=x src=x></template>",
    "<link rel=stylesheet href=//x>",
    "<svg><animate attributeName=href values=javascript:x></svg>",
    "<math><annotation-xml encoding='text/html'><b onclick=x>",
  ]) {
    assert.isAbove(dangersOf(html).length, 0, html)
  }
  const harmless = `<a href="/x">a</a><a href="mailto:a@b.test">m</a><a href="#top">t</a><img src="data:image/png;base64,AA"><p style="color:red">p</p>`
  assert.deepStrictEqual(dangersOf(harmless), [])
})

it.prop(
  "An alias's path decodes to that alias",
  [Schema.String.check(Schema.isPattern(/^[a-z0-9._-]{1,12}$/))],
  ([text]) => {
    if (!isAlias(text)) return
    assert.deepStrictEqual(readPath(addressPath({ by: "alias", alias: text })), { by: "alias", alias: text })
  },
)

it.prop("An id's path decodes to that id", [Schema.String.check(Schema.isUUID(4))], ([text]) => {
  const address = { by: "id", id: TentId.make(text.toLowerCase()) } as const
  assert.deepStrictEqual(readPath(addressPath(address)), address)
})

it("No other path names a page", { tags: ["attack/path-traversal"] }, () => {
  for (const path of [
    "",
    "/t",
    "/t/",
    "/t/nope",
    `/t/${id.toUpperCase()}`,
    `/t/${id}/x`,
    "/a/b",
    "//",
    "/A",
    "/a%20b",
    "/api",
    "/../a",
    `/${id}`,
    "http://x/a",
  ]) {
    assert.strictEqual(readPath(path), null, path)
  }
  assert.deepStrictEqual(readPath("/"), { by: "alias", alias: root })
})

it(
  "A host is decoded without port, case and final dot; a slug is one label before the pages' host",
  { tags: ["attack/foreign-host"] },
  () => {
    assert.strictEqual(readHost("Acme.LOCALHOST.:8081"), "acme.localhost")
    for (const header of ["", "a b", "a/b", "a,b", "[::1]:8081", "x".repeat(300)])
      assert.strictEqual(readHost(header), null)
    assert.strictEqual(slugOfHost("acme.localhost", "localhost"), "acme")
    for (const host of ["localhost", ".localhost", "a.b.localhost", "acmelocalhost", "acme.example.com"]) {
      assert.strictEqual(slugOfHost(host, "localhost"), null, host)
    }
  },
)

it("A page's address has scheme and port of the pages' origin, and the workspace's own host if it has one", () => {
  const settings = { publicPagesUrl: "http://localhost:8081", pagesHost: "localhost" }
  const site = { slug: "acme", ownHost: null }
  assert.strictEqual(pageUrl(settings, site, { by: "id", id }), `http://acme.localhost:8081/t/${id}`)
  assert.strictEqual(pageUrl(settings, site, { by: "alias", alias: root }), "http://acme.localhost:8081/")
  assert.strictEqual(
    pageUrl(
      { publicPagesUrl: "https://pages.example.com", pagesHost: "pages.example.com" },
      { slug: "acme", ownHost: "www.acme.test" },
      { by: "alias", alias: alias("sale") },
    ),
    "https://www.acme.test/sale",
  )
})

it("a success URL of the AI stays only when the template has it", { tags: ["attack/page-script"] }, () => {
  const form = (url: string) => `<form id=a data-success-url="${url}"><input name=email></form>`
  const page = form("https://evil.test/") + form(" /thanks ")
  const without = "<form id=a ><input name=email></form>"
  assert.strictEqual(withoutNewSuccessUrls(page, null), without + without)
  assert.strictEqual(withoutNewSuccessUrls(page, form("/thanks")), without + form(" /thanks "))
  assert.strictEqual(withoutNewSuccessUrls("<p data-success-url=x>", ""), "<p >")
})
