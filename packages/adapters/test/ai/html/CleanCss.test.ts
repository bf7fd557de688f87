// The CSS cleaner: what it cuts, what it leaves as it is, and its limits.
import { isInTurn, sampled } from "@tentpole/core/contract"
import { cleanCss, cleanCssAttribute, isEmailCssAddress, isPageCssAddress } from "@tentpole/adapters/ai/html/CleanCss"
import { Unclean } from "@tentpole/core/documents/Clean"
import { cssDangersOf } from "@tentpole/core/documents/CssDangers"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { processorTime_ms } from "../processorTime.ts"

const template = readFileSync(new URL("../../../templates/page.html", import.meta.url), "utf8")
const templateCss = /<style>([\s\S]*?)<\/style>/.exec(template)?.[1] ?? ""

/** The CSS, its cleaned form on a page, and in an email. */
const cases: ReadonlyArray<readonly [css: string, page: string, email: string]> = [
  ["@import url(//x); .a>b{color:red}", " .a>b{color:red}", " .a>b{color:red}"],
  [`@im\\70ort "x";a{b:c}`, "a{b:c}", "a{b:c}"],
  [`@media print{@import "a";p{color:red}}`, "@media print{p{color:red}}", "@media print{p{color:red}}"],
  [`a{content:"/*"}@import "x";b{content:"*/"}`, `a{content:"/*"}b{content:"*/"}`, `a{content:"/*"}b{content:"*/"}`],
  ["/* @import */ a{b:c}", " a{b:c}", " a{b:c}"],
  ["a{b:c;w:expression(x());d:e}", "a{b:c;d:e}", "a{b:c;d:e}"],
  ["a{behavior:url(x.htc);-moz-binding:url(x#y);d:e}", "a{d:e}", "a{d:e}"],
  ["a{b:url(javascript:x);d:e}", "a{d:e}", "a{d:e}"],
  ["a{b:url(javascript:x(1));d:e}", "a{d:e}", "a{d:e}"],
  ["a{c:d;b:url(http://e.test/x);f:g}", "a{c:d;f:g}", "a{c:d;b:url(http://e.test/x);f:g}"],
  ["a{b:image-set('//e.test/x' 1x)}", "a{}", "a{b:image-set('//e.test/x' 1x)}"],
  ["a{--b:'\\\\\\\\e.test/x';c:d}", "a{c:d}", "a{--b:'\\\\\\\\e.test/x';c:d}"],
  ["a{filter:url(//e.test/x#y);clip-path:url(#z)}", "a{clip-path:url(#z)}", "a{clip-path:url(#z)}"],
  ["color:red;background:url(//e.test/x", "color:red;", "color:red;background:url(//e.test/x"],
]

describe("cleanCss", () => {
  it.each(cases)("cuts dangers and nothing else: %s", { tags: ["attack/page-script"] }, (css, page, email) => {
    assert.strictEqual(cleanCss(css, isPageCssAddress), page)
    assert.strictEqual(cleanCss(css, isEmailCssAddress), email)
  })

  it.each([
    ["the page template of the fake AI", templateCss],
    ["a drawing engine of Outlook", String.raw`v\:* {behavior:url(#default#VML);display:inline-block}`],
    ["hacks for old browsers", "a{*display:inline;_height:1px;scroll-behavior:smooth;mso-hide:all}"],
    ["embedded pictures and fonts", `a{b:url(data:image/svg+xml,%3Csvg%3E);c:url("data:font/woff2;base64,AA")}`],
    ["addresses in selectors and texts", `a[href^="https://a.test"]::after{content:"https://a.test/ \\201c"}`],
    ["merge tokens", `.a{background:url('/{{contact.city}}.png');color:{{x|"#fff"}}}`],
    ["unbalanced brackets", "a{b:(c;d:e}f}{g"],
  ])("returns normal CSS unchanged: %s", (_, css) => {
    assert.isNotEmpty(css)
    assert.strictEqual(cleanCss(css, isPageCssAddress), css)
    assert.strictEqual(cleanCss(css, isEmailCssAddress), css)
  })

  it("removes attributes of drawings that name another document", () => {
    assert.strictEqual(cleanCssAttribute("fill", "url(#a)", isEmailCssAddress), "url(#a)")
    assert.isNull(cleanCssAttribute("fill", "url(https://e.test/x.svg#a)", isEmailCssAddress))
    assert.strictEqual(cleanCssAttribute("title", "url(https://e.test)", isPageCssAddress), "url(https://e.test)")
  })

  it("refuses CSS over 1 MB, CSS nested deeply and malformed CSS", { tags: ["attack/nesting-bomb"] }, () => {
    const reasonOf = (css: string) => {
      try {
        return cleanCss(css, isPageCssAddress).length
      } catch (error) {
        return error instanceof Unclean ? error.reason : error
      }
    }
    assert.strictEqual(reasonOf(" ".repeat(2 ** 20 + 1)), "has more than 1 MB of CSS")
    for (const bracket of ["(", "[", "{", "x(", "{{", "@media{"]) {
      assert.strictEqual(reasonOf(bracket.repeat(2 ** 16)), "nests its CSS deeper than 200 levels")
    }
    assert.strictEqual(reasonOf(`"\n`.repeat(2 ** 19)), "has malformed CSS")
  })

  const repeated = [
    ".a{color:red}",
    "a{b:url(//e)}",
    "@import x;",
    "@import ",
    "/*",
    "/*@import*/",
    "@im/**/port ",
    "\\61 ",
    "\\",
    "behavior   ",
    "fill :",
    "url(",
    '"aaaa',
    "{}",
    "a:b;",
    "<!--",
  ]
  it.each(repeated.filter((_, index) => isInTurn(index)))("cleans 1 MB of %s in bounded time", (scrap) => {
    const css = scrap.repeat(Math.floor(2 ** 20 / scrap.length))
    const spent_ms = processorTime_ms(() => cleanCss(css, isPageCssAddress))
    assert.isBelow(spent_ms, 6_000)
  })
})

const Scrap = Schema.Literals([
  ...`@import |"//e.test"|'|url(|)|;|{|}|(|[|]|/*|*/|\\|\\69|\n|expression(|behavior:|:|a|javascript:|<!--|-->|--x:|,|{{a}}|#`.split(
    "|",
  ),
  "image-set(",
  "@media ",
  "@",
  "import",
])

it.prop(
  "cleanCss returns CSS without dangers for random fragments, and cleaning it again changes nothing",
  [Schema.Array(Scrap).check(Schema.isMaxLength(25))],
  ([scraps]) => {
    const cleaned = cleanCss(scraps.join(""), isPageCssAddress)
    assert.deepStrictEqual(cssDangersOf(cleaned), [])
    assert.strictEqual(cleanCss(cleaned, isPageCssAddress), cleaned)
  },
  { arbitrary: { runs: sampled(600) } },
)
