import { clean, layer } from "@tentpole/adapters/ai/html/SanitizeHtml"
import { Cleaner, dangersOf } from "@tentpole/core/documents/Clean"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { assert, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

/** Fragments of HTML that confuse parsers, in any order. */
const Scrap = Schema.Literals([
  "<script>",
  "</script>",
  "<svg>",
  "</svg>",
  "<math>",
  "<mtext>",
  "<mglyph>",
  "<style>",
  "</style>",
  "<style><!--",
  "-->",
  "<img src=x onerror=alert(1)>",
  '<img title="</style><img src=x onerror=alert(1)>">',
  "<noscript>",
  "</noscript>",
  "<template>",
  "<textarea>",
  "</textarea>",
  "<title>",
  "<table>",
  "<td>",
  "<form action=//evil.test>",
  "</form>",
  "<a href='java\tscript:alert(1)'>",
  "<a xlink:href=javascript:alert(1)>",
  "<iframe srcdoc='<script>x</script>'>",
  "<base href=//evil.test>",
  "<meta http-equiv=refresh content='0;url=//evil.test'>",
  "<select><option>",
  "<foreignObject>",
  '<p id="',
  '">',
  "'>",
  "<![CDATA[",
  "]]>",
  "<plaintext>",
  "<xmp>",
  "<annotation-xml encoding=text/html>",
  "<button formaction=//evil.test>",
  "text",
  "\0",
  "\ud800",
])

it.prop(
  "the page cleaner returns a safe page for random fragments, and cleaning it again changes nothing",
  [Schema.Array(Scrap).check(Schema.isMaxLength(25))],
  ([scraps]) => {
    const cleaned = clean(scraps.join(""))
    if (Result.isFailure(cleaned)) return
    assert.deepStrictEqual(dangersOf(cleaned.success), [])
    assert.isTrue(cleaned.success.isWellFormed())
    assert.notInclude(cleaned.success, "\0")
    const again = clean(cleaned.success)
    assert.isTrue(Result.isSuccess(again) && dangersOf(again.success).length === 0)
  },
  { tags: ["attack/page-script"], arbitrary: { runs: 400 } },
)

it("the page cleaner retains text, styles, images, drawings, forms and link targets", () => {
  const page = `<!doctype html><html lang="de"><head><title>Grüße &amp; mehr</title><meta name="description" content="d"><style>@import url(//x); .a>b{color:red}</style></head>
<body class="x"><main id="m"><h1>Hallo</h1><a href="/x" target="_blank">hin</a><a href="#m">her</a><img src="data:image/png;base64,AAAA" alt="a">
<svg viewBox="0 0 9 9" aria-hidden="true"><defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs><path d="M0 0" fill="url(#g)"/></svg>
<form id="f" data-success-url="https://a.test/x" action="https://evil.test" method="post" onsubmit="x()"><label for="e">E</label><input id="e" name="email" type="email" required><select name="s"><option value="1" selected>1</option></select><textarea name="t">a &lt; b</textarea><button formaction="//x">ok</button></form></main></body></html>`
  const cleaned = Result.getOrThrow(clean(page))
  for (const text of [
    '<html lang="de">',
    "<title>Grüße &amp; mehr</title>",
    'content="d"',
    ".a>b{color:red}",
    '<body class="x">',
    "<h1>Hallo</h1>",
    'href="/x"',
    'rel="noopener noreferrer"',
    'href="#m"',
    "data:image/png;base64,AAAA",
    "<linearGradient",
    '<path d="M0 0"',
    'data-success-url="https://a.test/x"',
    'type="email"',
    "required",
    "selected",
    "a &lt; b</textarea>",
  ]) {
    assert.include(cleaned, text)
  }
  for (const text of ["evil.test", "onsubmit", "formaction", "@import", "method"]) assert.notInclude(cleaned, text)
})

it("the page cleaner refuses endless nesting without a stack overflow", { tags: ["attack/nesting-bomb"] }, () => {
  for (const deep of [
    "<div>".repeat(100_000),
    "<svg><g>".repeat(50_000),
    "<b><p>".repeat(50_000),
    "<table><tr><td>".repeat(400),
  ]) {
    const cleaned = clean(deep)
    assert.isTrue(Result.isFailure(cleaned))
  }
})

it("the page cleaner refuses 40 KB that repeat unclosed elements", { tags: ["attack/nesting-bomb"] }, () => {
  const unclosed = Array.from({ length: 190 }, (_, at) => `<b id=i${at}>`).join("")
  const cleaned = clean(`<p>${unclosed}${"<p>x".repeat(3_000)}`)
  assert.strictEqual(Result.isFailure(cleaned) ? cleaned.failure.reason : "taken", "repeats too many unclosed elements")
})

it.effect("the page cleaner tests itself when its layer is built", () =>
  Effect.gen(function* () {
    const cleaner = yield* Cleaner
    assert.include(yield* cleaner.clean("<p>x</p>", WorkspaceId.make(crypto.randomUUID())), "<p>x</p>")
  }).pipe(Effect.provide(layer)),
)
