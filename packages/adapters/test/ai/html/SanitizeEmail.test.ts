// The email cleaner: what it retains, what it removes, and how it handles random input.
import { isInTurn, sampled } from "@tentpole/core/contract"
import { cleanEmail, isEmailCleanerAtWork } from "@tentpole/adapters/ai/html/SanitizeEmail"
import { layer } from "@tentpole/adapters/ai/html/SanitizeHtml"
import { emailDangersOf } from "@tentpole/core/documents/EmailDangers"
import { scaffold } from "@tentpole/core/rendering/EmailLayout"
import { Cleaner } from "@tentpole/core/documents/Clean"
import { noBrand } from "@tentpole/core/workspaces/Workspace"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { processorTime_ms } from "../processorTime.ts"

const cleaned = (html: string): string => Result.getOrThrow(cleanEmail(html))

/** Written like real emails: in capitals and without quotes, for Outlook, with tokens in all places. */
const newsletter = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8" /><meta http-equiv=X-UA-Compatible content='IE=edge'>
<!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->
<style type="text/css">@media only screen and (max-width:480px){ TD > P{width:100%!important} } .a{background:url('https://cdn.test/{{contact.city}}.png')}</style></head>
<BODY bgcolor=#ffffff leftmargin="0" LINK='#00f'><center>
<TABLE WIDTH=600 cellpadding=0 cellspacing="0" align=center background="https://cdn.test/b.png?a=1&b=2"><tr><td valign=top nowrap><font face="Arial, 'x'" size=2 color=red>
Dear {{ contact.first_name:capitalize | friend & "co" }} &copy; &nbsp; 1 < 2</font>
<!--[if mso]><v:roundrect href="https://a.test/?x={{contact.contact_id}}" style="height:40px;v-text-anchor:middle;" arcsize="10%" stroke="f" fillcolor="#0055aa"><w:anchorlock/><center><![endif]-->
<a href="{{contact.custom_fields.link|https://a.test/}}" style="color:#fff;mso-hide:all">Go</a>
<!--[if mso]></center></v:roundrect><![endif]-->
<!--[if !mso]><!--><img src='https://cdn.test/i.png' alt="" width=1 height="1" border=0><!--<![endif]--><![if !mso]><p align="center">x</p><![endif]>
<a href={{unsubscribe_url}}>out</a> <a href="mailto:{{contact.email}}?subject=a%20b">m</a><a href="tel:+49 1">t</a><a href='#top'>u</a></td></tr></table>
</center></body></html>`

describe("cleanEmail of a safe email", () => {
  it.each([
    ["a newsletter", newsletter],
    ["the scaffold", scaffold({ brand: { ...noBrand, name: "W & W", primaryColor: "#abc" } })],
    [
      "a fragment that no validator likes",
      `<td>{{a}}</p></b><tr x=1 x=2>\r\n<P\tCLASS = big>&lt;script&gt; & <3 <!-- script --> </td>`,
    ],
    ["a picture in itself", `<img src="data:image/png;base64,AAAA">`],
  ])("comes back byte for byte: %s", (_, html) => {
    assert.strictEqual(cleaned(html), html)
  })

  it("removes characters that can't be stored", { tags: ["attack/nul"] }, () => {
    assert.strictEqual(cleaned("<p>a\0b\ud800c</p>"), "<p>ab\ufffdc</p>")
  })
})

/** A dangerous text at the place of `@`, and what is left of it. */
const dangerous: ReadonlyArray<readonly [string, string]> = [
  ["<script>alert(1)</script>", ""],
  ["<SCRIPT src=//evil.test></SCRIPT >", ""],
  ["<base href='//evil.test'>", ""],
  ["<meta http-equiv=refresh content='0;url=//evil.test'>", ""],
  ["<meta http-equiv=content-type content='text/html; charset=utf-7'>", ""],
  ["<link rel=stylesheet href=//evil.test/x.css>", ""],
  ["<iframe src=//evil.test><p>never seen</p></iframe>", ""],
  ["<template><script>alert(1)</script></template>", ""],
  ["<object data=//evil.test/x.swf><p>instead</p></object>", "<p>instead</p>"],
  ["<embed src=//evil.test/x.swf>", ""],
  ["<noscript><p>seen</p></noscript>", "<p>seen</p>"],
  ["<p onclick='alert(1)' align=center>x</p>", "<p align=center>x</p>"],
  ["<img src=x onerror=alert(1) alt=''>", "<img src=x alt=''>"],
  ["<img src=x onerror=alert(1) onerror=alert(2) OnError=alert(3) />", "<img src=x />"],
  ["<a href='javascript:alert(1)' class=b>x</a>", "<a class=b>x</a>"],
  ["<a href='java&#10;script:alert(1)'>x</a>", "<a>x</a>"],
  ["<a href=' &#1;JAVASCRIPT:alert(1)'>x</a>", "<a>x</a>"],
  ["<a href=vbscript:x>x</a>", "<a>x</a>"],
  ["<a href='data:text/html;base64,PHNjcmlwdD4='>x</a>", "<a>x</a>"],
  ["<a href='java{{contact.city}}script:alert(1)'>x</a>", "<a>x</a>"],
  ["<a href='{{contact.city}}javascript:alert(1)'>x</a>", "<a>x</a>"],
  ["<a href='{{contact.city}}{{contact.state}}:alert(1)'>x</a>", "<a>x</a>"],
  ["<a href='{{x|&#123;&#123;}}javascript:alert(1)'>x</a>", "<a>x</a>"],
  [
    "<form action='//evil.test' id=f><input name=a formaction='//evil.test'></form>",
    "<form id=f><input name=a></form>",
  ],
  ["<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>", "<svg><a><text>x</text></a></svg>"],
  ["<svg><script>alert(1)</script><animate attributeName=href /></svg>", "<svg></svg>"],
  ["<select><option>a</option><img src=x onerror=alert(1)></select>", ""],
  ["<select><option>a", "a"],
  ["<a ping='//evil.test' href='https://a.test'>x</a>", "<a href='https://a.test'>x</a>"],
  ["<!--[if mso]><script>alert(1)</script><p>o</p><![endif]-->", "<!--[if mso]><p>o</p><![endif]-->"],
  [
    "<!--[if mso]><v:rect onmouseover='alert(1)' arcsize='1%' href='javascript:x'></v:rect><![endif]-->",
    "<!--[if mso]><v:rect arcsize='1%'></v:rect><![endif]-->",
  ],
  ["<!--[IF gte mso 9 ]><p onclick=x()>o</p><![endif]-->", "<!--[IF gte mso 9 ]><p>o</p><![endif]-->"],
  ["<!--[if mso]><iframe src=//evil.test></iframe>-->", "<!--[if mso]>-->"],
]

describe("cleanEmail of a dangerous email", () => {
  it.each(dangerous)("removes the danger and nothing else: %s", (danger, left) => {
    for (const [before, behind] of [
      ["", ""],
      [newsletter.slice(0, newsletter.indexOf("<center>")), newsletter.slice(newsletter.indexOf("<center>"))],
    ] as const) {
      const html = `${before}${danger}${behind}`
      assert.isNotEmpty(emailDangersOf(html))
      assert.strictEqual(cleaned(html), `${before}${left}${behind}`)
    }
  })

  it.each([
    "<scr<script></script>ipt>alert(1)</script>",
    "<<script>script>alert(1)</script>",
    "<img src=x one<script></script>rror=alert(1)>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<style><!--</style><img src=x onerror=alert(1)>-->",
    "<textarea><img title='</textarea><img src=x onerror=alert(1)>'></textarea>",
    "<title><a title='</title><script>alert(1)</script>'>",
    "<noembed><img title='</noembed><script>alert(1)</script>'></noembed>",
    "<xmp><p title='</xmp><script>alert(1)</script>'></xmp>",
    "<base><xmp><script>alert(1)</script></xmp>",
    "<base><xmp><plaintext><script>alert(1)</script></xmp>",
    "<select><style><p title='</style><img src=x onerror=alert(1)>'></select>",
    "<select><iframe srcdoc='<script>alert(1)</script>'>",
    "<select><template><script>alert(1)</script></template></select>",
    "<table><script>alert(1)</script><tr><td onclick=alert(1)>",
    "<body onload=alert(1)><body onpageshow=alert(1)><html onclick=alert(1)>",
    "<p/onclick=alert(1)>x</p><p x='1'onclick=alert(1)>",
    "<p \x0conclick\n=\talert(1)>",
    "<a href=`javascript:alert(1)` onclick=`alert(1)`>",
    "<!--[if mso]><p title='--><script>alert(1)</script><p a='><![endif]-->",
    "<!--[if mso]><!-- --><script>alert(1)</script><![endif]-->",
    "<!--[if mso]><textarea><![endif]--><p onclick=alert(1)><!--[if mso]></textarea><script>alert(1)</script><![endif]-->",
    "<!--[if !mso]><!--><textarea><!--<![endif]--><script>alert(1)</script><!--[if !mso]><!--></textarea><!--<![endif]-->",
    "<!--[if mso]><!--[if mso]><script>alert(1)</script>-->",
    "<![if mso]><script>alert(1)</script><![endif]>",
    "<script>",
    "<p>a<script>alert(1)",
    "<iframe srcdoc='<script>alert(1)</script>'",
    "<plaintext><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]><svg><![CDATA[<script>]]></svg><script>alert(1)</script>",
    "<a href='{{{{a}}}}javascript:alert(1)'>x</a>",
    `<a href='${"{{a}}".repeat(100)}:x'>x</a>`,
    `<p ${"onclick=alert(1) ".repeat(3000)}>`,
    `<p ${Array.from({ length: 3000 }, (_, at) => `on${at}=alert(1)`).join(" ")}>`,
  ])("is clean, however it is made: %s", (html) => {
    const outcome = cleaned(html)
    assert.deepStrictEqual(emailDangersOf(outcome), [])
    assert.strictEqual(cleaned(outcome), outcome)
  })
})

it("cleanEmail rejects an email in which each cut uncovers another danger", () => {
  const outcome = cleanEmail("<base><xmp>".repeat(20))
  assert.isTrue(Result.isFailure(outcome) && outcome.failure.reason === "could not be made safe")
})

/** Fragments of emails that confuse parsers, in any order. */
const Scrap = Schema.Literals([
  ..."<script>|</script>|<svg>|</svg>|<math>|<mtext>|<style>|</style>|<style><!--|-->|<!--|<noscript>|</noscript>".split(
    "|",
  ),
  ..."<template>|</template>|<textarea>|</textarea>|<title>|</title>|<table>|<td>|</td>|<select><option>|<foreignObject>".split(
    "|",
  ),
  ..."<iframe srcdoc='<script>x</script>'>|</iframe>|<object data=x>|</object>|<plaintext>|<xmp>|</xmp>|<![CDATA[|]]>".split(
    "|",
  ),
  ..."<!--[if mso]>|<![endif]-->|<!--[if !mso]><!-->|<!--<![endif]-->|<![if !mso]>|<![endif]>|<v:rect href='|<o:p>".split(
    "|",
  ),
  ..."<img src=x onerror=alert(1)>|<form action=//evil.test>|<a href='java\tscript:alert(1)'>|<base href=//evil.test>".split(
    "|",
  ),
  ..."<meta http-equiv=refresh content=0>|<p id=\"|\">|'>|onclick=alert(1) |<a href='|javascript:|text|\0|\ud800|<|>|/".split(
    "|",
  ),
  "{{contact.city}}",
  "{{unsubscribe_url}}",
  "{{x|",
  "}}",
  "&#123;&#123;",
])

it.prop(
  "cleanEmail returns a safe email for random fragments, and cleaning it again changes nothing",
  [Schema.Array(Scrap).check(Schema.isMaxLength(25))],
  ([scraps]) => {
    const outcome = cleanEmail(scraps.join(""))
    if (Result.isFailure(outcome)) return
    assert.deepStrictEqual(emailDangersOf(outcome.success), [])
    assert.isTrue(outcome.success.isWellFormed())
    assert.notInclude(outcome.success, "\0")
    assert.strictEqual(cleaned(outcome.success), outcome.success)
  },
  { arbitrary: { runs: sampled(600) } },
)

it.prop(
  "cleanEmail removes a danger at any position and retains every token",
  [
    Schema.Literals(dangerous.map(([danger]) => danger)),
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 })),
  ],
  ([danger, share]) => {
    const starts = [...newsletter.matchAll(/<(?:p|a|img|center|table|font)\b/gi)].map(({ index }) => index)
    const at = starts[share % starts.length] ?? 0
    const tokens = (html: string) => html.match(/\{\{[^}]*\}\}/g) ?? []
    const outcome = cleaned(newsletter.slice(0, at) + danger + newsletter.slice(at))
    assert.deepStrictEqual(emailDangersOf(outcome), [])
    assert.includeMembers(tokens(outcome), tokens(newsletter))
  },
  { arbitrary: { runs: sampled(100) } },
)

describe("the limits of emails", () => {
  const reason = (html: string) => {
    const outcome = cleanEmail(html)
    return Result.isFailure(outcome) ? outcome.failure.reason : "taken"
  }

  it(
    "refuse an email that is too deep, too large or has too many different tags",
    { tags: ["attack/nesting-bomb"] },
    () => {
      const various = Array.from({ length: 11_000 }, (_, at) => `<p id=a${at}>`).join("")
      assert.match(reason("<div>".repeat(100_000)), /^leaves too many elements open$/)
      assert.match(reason("<table><tr><td>".repeat(300)), /^nests its elements deeper than 200 levels$/)
      assert.match(reason(`<p>${"x".repeat(2 ** 22)}`), /^is larger than 4 MB/)
      assert.match(reason(`<base>${various}`), /^has too many different tags$/)
      assert.strictEqual(reason(various), "taken")
    },
  )

  it.each([
    ["elements", (html: string) => html],
    ["elements inside a conditional comment", (html: string) => `<!--[if mso]>${html}<![endif]--><p onclick=x>`],
    ["elements that appear when dangers are removed", (html: string) => `<select>${html}`],
  ])("refuse an email of 40 KB that repeats unclosed %s", { tags: ["attack/nesting-bomb"] }, (_, around) => {
    const unclosed = Array.from({ length: 190 }, (_, at) => `<b id=i${at}>`).join("")
    assert.strictEqual(reason(around(`<p>${unclosed}${"<p>x".repeat(3_000)}`)), "repeats too many unclosed elements")
  })

  it("allow the maximum number of different tags and tokens within the time limit", () => {
    const links = Array.from({ length: 6000 }, (_, at) => `<a id=${at} href='${"{{a}}".repeat(50)}/'>x</a>`)
    const spent_ms = processorTime_ms(() => assert.match(reason(`<base>${links.join("")}`), /too many different tags/))
    assert.isBelow(spent_ms, 6_000)
  })

  const repeated = [
    "<!--[if",
    "<!--[if mso]>",
    "<!--[if !mso]><!-->",
    "<![endif]-->",
    "<!-- ",
    "{{",
    "{{a}}",
    "<a href='{{",
    "<a href='{{a}}'>",
    "<p onclick=x>",
    "<p a='",
    "<script>",
    "</script>",
    "<",
    "<style",
  ]
  it.each(repeated.filter((_, index) => isInTurn(index)))("hold in time for fifty thousand of %s", (scrap) => {
    assert.isBelow(
      processorTime_ms(() => cleanEmail(`${scrap.repeat(50_000)}<script>`)),
      6_000,
    )
  })
})

it.effect("the email cleaner tests itself when its layer is built", () =>
  Effect.gen(function* () {
    assert.isTrue(isEmailCleanerAtWork())
    const cleaner = yield* Cleaner
    assert.strictEqual(yield* cleaner.cleanEmail("<p onclick=x>x", WorkspaceId.make(crypto.randomUUID())), "<p>x")
  }).pipe(Effect.provide(layer)),
)
