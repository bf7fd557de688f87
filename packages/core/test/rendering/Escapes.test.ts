// Tests that a contact's value cannot change the HTML around it: a browser reads the same elements and attributes as with a
// harmless value. The reading parser does not know tokens.
import { sampled } from "@tentpole/core/contract"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { defaultTreeAdapter, type DefaultTreeAdapterMap, parse } from "parse5"
import { ada, addresses, AnyHtml, AnyText, approved, recipient, sender } from "../../contract/emails/emailSamples.ts"
import { atOnce } from "../../contract/kernel/steps.ts"
import { compile } from "../../src/rendering/Compile.ts"
import { linkTarget, renderContent } from "../../src/rendering/Render.ts"

const tracked = { operational: false, tracked: true, addresses }

const personOf = (value: string) =>
  recipient({
    contact: { ...ada, firstName: value, lastName: value, company: value, email: value },
    dynamic: { page: value, code: value },
  })

const htmlFor = (html: string, value: string): string =>
  atOnce(renderContent(compile(approved({ html }), sender, tracked), personOf(value))).html

/** Characters and texts that could end a context, begin another one, or be taken for one. */
const breaking = [
  ..."<>\"'&`=/!-{}()[];:#%\\\0\r\n\t ".split(""),
  ..."<!-- --> --!> ]] ]]> </style> </script> </title> </textarea> </p> <![endif]--> <b> /> /script> !-- ?php".split(
    " ",
  ),
  " onmouseover=alert(1) ",
  "img src=x onerror=alert(1) ",
  "javascript:alert(1)",
  "data:text/html,<b>",
  "https://evil.example/?a='\"><b>",
  "&#106;avascript&colon;",
  "%22%3E%27);alert(1)//",
  "{{contact.email}}",
  "{{unsubscribe_url}}",
  "expression(alert(1));",
  "url(javascript:x)",
  "\u202eRTL\u2066\u2069",
  "\u2028\u2029\u0085\u00a0\ufeff",
  "🦊\ud83e",
  "\udd8a",
  "A".repeat(3000),
  "--".repeat(50),
]

/** Contains a letter: a blank value leaves its slot empty, and the text to compare with would be another. */
const AnyValue = Schema.Tuple([
  Schema.Array(Schema.Union([Schema.Literals(breaking), Schema.String])).check(Schema.isMaxLength(6)),
  Schema.Literals(["v", "img src=x onerror=alert(1)", "/style", "!--", "javascript:v"]),
  Schema.Array(Schema.Literals(breaking)).check(Schema.isMaxLength(6)),
])

const value = "{{contact.last_name}}"
/** Tokens in every context of HTML, in valid HTML and in broken HTML. */
const places = [
  `<p>${value}</p>`,
  `<p title="${value}" class='${value}' id=${value}>`,
  `<p title=a${value}b lang=${value}${value}>`,
  `<b title="${value}>">x</b>`,
  `5 <${value} & <${value}${value} <b>`,
  `&${value}; &#${value}; &amp${value}`,
  `<a href="${value}">a</a><a href="${value}${value}">b</a><a href=" ${value}/x">c</a>`,
  `<a href=${value}>a</a><a href='https://x.example/${value}?q=${value}#${value}'>b</a>`,
  `<a href="mailto:${value}?subject=${value}">m</a><a href="/rel/${value}">r</a>`,
  `<a data-no-track href="${value}">n</a><a data-no-track href="https://x.example/${value}">n</a>`,
  `<a href="javascript:f('${value}')">j</a><a href=" java\nscript:f(${value})">j</a>`,
  `<a href="&#106;avascript:f(${value})">j</a><iframe src="data:text/html,<p>${value}"></iframe>`,
  `<img src="${value}" alt="${value}" style="width:${value}px;background:url(${value})" onerror="f('${value}')">`,
  `<iframe srcdoc="<p>${value}"></iframe><form action="${value}"><button formaction=${value}>b</button></form>`,
  `<style>/* ${value} */ a{color:${value}}</style>`,
  `<script>var a = "${value}" // ${value}\n/* ${value} */</script>`,
  `<title>${value} <${value} ></title><textarea>${value} </${value} ></textarea>`,
  `<xmp>${value}</xmp><noscript>${value}</noscript><noembed>${value}</noembed>`,
  `<!-- ${value}> --><!${value}><?${value}></${value}>`,
  `<!--[if mso]>${value}<b title="${value}>">${value}></b><v:rect href="https://x.example/${value}>"></v:rect><style>a${value}></style><![endif]-->`,
  `<!--[if mso]><a href="${value}">${value}</a><a href=${value}>a</a><p>-${value}></p><![endif]-->`,
  `<![if !mso]>${value}<![endif]>`,
  `<svg><title>${value}</title><style>${value}</style><a xlink:href="${value}">s</a><text>${value}</text></svg>`,
  `<svg><![CDATA[${value}> <${value} ]${value}]></svg><math><![CDATA[]]${value}></math>`,
  `<math><mi>${value}</mi><annotation-xml encoding="text/html">${value}</annotation-xml></math>`,
  `<img srcset="${value} 1x, ${value} 2x, https://x.example/${value} 3x"><object data="${value}"></object>`,
  `<meta http-equiv="refresh" content="0;url=${value}"><base href="${value}"><link href=${value}>`,
  `<template>${value}<p title=${value}></template><pre>${value}</pre><plaintext>${value} <${value}`,
  `<table>${value}<tr><td>${value}</table>`,
  `<select><option>${value}</select>`,
  `<${value}><p ${value}><p ${value}="x"><b${value}>`,
] as const

const AnyPlaces = Schema.Array(Schema.Union([Schema.Literals(places), AnyHtml])).check(Schema.isMaxLength(8))

type Node = DefaultTreeAdapterMap["node"]

/** Elements and attributes, and of their content only what no value may change. */
const frameOf = (node: Node): ReadonlyArray<unknown> => {
  if (defaultTreeAdapter.isTextNode(node)) return []
  if (defaultTreeAdapter.isCommentNode(node)) {
    const inner = /^\[if [^\]>]*\]>(.*)<!\[endif\]$/s.exec(node.data)?.[1]
    return inner === undefined ? [["comment", node.data]] : [["conditional comment", frameOf(parse(inner))]]
  }
  const children = "childNodes" in node ? node.childNodes.flatMap(frameOf) : []
  if (!defaultTreeAdapter.isElementNode(node)) return children
  // A script's URL takes no value: it is the author's text or removed.
  const attributes = node.attrs.map(({ name, value }) => [
    name,
    ofAddresses.has(name) && isScripted(value) ? value : "",
  ])
  return [[node.tagName, attributes, children]]
}

const ofAddresses = new Set(["href", "src", "action", "formaction"])

/** A URL as a browser reads it. */
const isScripted = (url: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- what browsers take away
  /^[\0-\x20]*(?:javascript|vbscript|data):/i.test(url.replace(/[\t\n\r]/g, ""))

describe("Contact value in HTML", () => {
  it.prop(
    "cannot change the HTML around it, for any value in any context",
    [AnyPlaces, AnyValue],
    ([pieces, [before, middle, after]]) => {
      const html = pieces.flat().join("")
      const nasty = [...before, middle, ...after].join("")
      assert.deepStrictEqual(frameOf(parse(htmlFor(html, nasty))), frameOf(parse(htmlFor(html, "v"))))
    },
    { tags: ["attack/html-injection"], arbitrary: { runs: sampled(500) } },
  )

  const frames = places.map((html) => [html, frameOf(parse(htmlFor(html, "v")))] as const)

  it.prop(
    "stays in each context by itself",
    [AnyValue],
    ([[before, middle, after]]) => {
      const nasty = [...before, middle, ...after].join("")
      for (const [html, frame] of frames) {
        assert.deepStrictEqual(frameOf(parse(htmlFor(html, nasty))), frame, html)
      }
    },
    { arbitrary: { runs: sampled(100) } },
  )

  it.prop("reads back unchanged from texts and attributes", [AnyText], ([text]) => {
    const html = `<p>|${value}|</p><b title="|${value}|">|</b><i lang=|${value}|></i>`
    const found = new Array<string>()
    const collect = (node: Node): void => {
      if (defaultTreeAdapter.isTextNode(node)) found.push(node.value)
      if (defaultTreeAdapter.isElementNode(node)) found.push(...node.attrs.map((attribute) => attribute.value))
      if ("childNodes" in node) node.childNodes.forEach(collect)
    }
    const { html: made } = atOnce(
      renderContent(
        compile(approved({ html }), sender, { operational: true, tracked: false, addresses }),
        personOf(text),
      ),
    )
    collect(parse(made))
    const expected = /\P{White_Space}/u.test(text) ? text.replace(/\r\n?/g, "\n") : ""
    const inAttribute = `|${expected.replaceAll("\0", "\ufffd")}|`
    assert.deepStrictEqual(found, [`|${expected.replaceAll("\0", "")}|`, inAttribute, "|", inAttribute])
  })

  it.prop("reads back unchanged from a part of a link", [AnyText], ([text]) => {
    const html = `<a href="https://x.example/a?q=${value}&amp;z=1">a</a>`
    const url = linkTarget(compile(approved({ html }), sender, tracked), 0, personOf(text))
    const expected = /\P{White_Space}/u.test(text) ? text.replace(/\p{Cs}/gu, "\ufffd") : ""
    const [, part = "none"] = /^https:\/\/x\.example\/a\?q=([\w%.~-]*)&z=1$/.exec(url ?? "") ?? []
    assert.strictEqual(decodeURIComponent(part), expected)
  })

  it("is never read as a token, also together with the text beside it", { tags: ["attack/token-injection"] }, () => {
    const tokens = "{{contact.email}} {{unsubscribe_url}} {{contact.first_name}}"
    const email = approved({
      subject: "{{contact.company}}",
      html: `<p title="{{contact.company}}">{{contact.company}}</p><p>{{contact.custom_fields.open}}email}}</p>`,
      text: "{{contact.company}} {{contact.custom_fields.open}}email}}",
    })
    const person = recipient({ contact: { ...ada, company: tokens, customFields: { open: "{{contact." } } })
    const { html, subject, text } = atOnce(
      renderContent(compile(email, sender, { operational: true, tracked: false, addresses }), person),
    )
    assert.strictEqual(subject, tokens)
    assert.strictEqual(html, `<p title="${tokens}">${tokens}</p><p>{{contact.email}}</p>`)
    assert.strictEqual(text, `${tokens} {{contact.email}}`)
  })

  it.each([
    ["text that looks like a tag", `a <${value}`, "img src=x onerror=alert(1)", "a &lt;img src=x onerror=alert(1)"],
    ["a script's URL", `<a href="javascript:f('${value}')">`, "');g('", `<a href="javascript:f('')">`],
    ["a document's URL", `<a href="data:text/html,${value}">`, "<b>", `<a href="data:text/html,">`],
    ["an author's address", `<a href="${value}">`, "javascript:alert(1)", `<a href="">`],
    ["a picture's address", `<img src="${value}">`, "https://x.example/?a&b", `<img src="https://x.example/?a&amp;b">`],
    ["a part of an address", `<img src="/${value}/a">`, "../x?y", `<img src="/..%2Fx%3Fy/a">`],
    ["a style", `<p style="color:${value}">`, `red;background:url("x")--`, `<p style="color:redbackgroundurlx">`],
    [
      "what Outlook reads",
      `<!--[if mso]><b>${value}></b><![endif]-->`,
      "a--",
      `<!--[if mso]><b>a&#45;&#45;></b><![endif]-->`,
    ],
    ["a comment", `<!-- ${value} -->`, "x", `<!-- ${value} -->`],
  ])("in %s is written so that it stays there", (_, html, nasty, expected) => {
    const compiled = compile(approved({ html }), sender, { operational: true, tracked: false, addresses })
    assert.strictEqual(atOnce(renderContent(compiled, personOf(nasty))).html, expected)
  })
})

describe("Links for Outlook", () => {
  const html = `<!--[if mso]><v:roundrect href="https://x.example/a-b--c?n=${value}"><center>Go</center></v:roundrect><![endif]--><!--[if !mso]><!--><a href="https://y.example">Go</a><!--<![endif]-->`

  it("lead through the redirect to the author's target", { tags: ["attack/link-injection"] }, () => {
    const compiled = compile(approved({ html }), sender, tracked)
    assert.strictEqual(linkTarget(compiled, 0, personOf("a--")), "https://x.example/a-b--c?n=a--")
    assert.strictEqual(linkTarget(compiled, 1, personOf("a--")), "https://y.example")
    const made = atOnce(renderContent(compiled, personOf("a--"))).html
    assert.include(
      made,
      `<!--[if mso]><v:roundrect href="https://pages.test/c/?d=1&amp;m=&quot;x&quot;&amp;n=0"><center>`,
    )
    assert.include(made, `<!--[if !mso]><!--><a href="https://pages.test/c/?d=1&amp;m=&quot;x&quot;&amp;n=1">Go</a>`)
  })
})
