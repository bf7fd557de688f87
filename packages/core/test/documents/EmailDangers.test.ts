// Tests of dangerous content in an email, for each way in which clients read it.
import { addressesOf, emailDangersOf, readingsOf } from "../../src/documents/EmailDangers.ts"
import { dangersOf } from "../../src/documents/Clean.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const revealed = (html: string) => `<!--[if !mso]><!-->${html}<!--<![endif]-->`
const forOutlook = (html: string) => `<!--[if mso]>${html}<![endif]-->`

describe("Reading of an email", () => {
  it("is the email itself without conditional comments", () => {
    const html = "<p>a</p><!-- [x] --><!-- if -->"
    assert.deepStrictEqual(readingsOf(html), [html])
  })

  it("includes what Outlook reads and leaves out what it does not", () => {
    const [first, opened, away] = readingsOf(`a${forOutlook("<b>")}c${revealed("<d>")}e<![if !mso]><f><![endif]>g`).map(
      (each) => each.replaceAll(/<!(--)?(<!)?\[endif\](--)?>|<!-->|<!\[if !mso\]>/g, "").replaceAll(" ", ""),
    )
    assert.strictEqual(first, "a<!--[ifmso]><b>c<!--[if!mso]><d>e<f>g")
    assert.strictEqual(opened, "a<b>c<d>e<f>g")
    assert.strictEqual(away, "a<b>ceg")
  })

  it.prop(
    "keeps every part at its place",
    [
      Schema.Array(
        Schema.Literals([
          "<!--[if mso]>",
          "<!--[if !mso]><!-->",
          "<![if x]>",
          "<!--<![endif]-->",
          "<![endif]-->",
          "<p>",
          "-->",
          "<!--",
          "x",
        ]),
      ),
    ],
    ([scraps]) => {
      const html = scraps.join("")
      for (const reading of readingsOf(html)) {
        assert.strictEqual(reading.length, html.length)
        for (let at = 0; at < html.length; at++) assert.isTrue(reading[at] === html[at] || reading[at] === " ")
      }
    },
  )
})

describe("Danger", () => {
  const script = "<script>x()</script>"

  it.each([
    ["in sight", script],
    ["in a comment for Outlook", forOutlook(script)],
    ["in one that does not end", `<!--[if mso]>${script}-->`],
    ["in one within another", `<!--[if mso]><!--[if gte mso 9]>${script}<![endif]-->`],
    ["behind what only a browser takes for text", `${revealed("<textarea>")}${script}${revealed("</textarea>")}`],
    ["behind what only Outlook takes for text", `${forOutlook("<textarea>")}${script}${forOutlook("</textarea>")}`],
    ["in an address that a value completes", "<a href='java{{contact.city}}script:x()'>"],
    ["in an address behind an empty value", "<a href=' {{contact.city}}javascript:x()'>"],
    ["in an address of values", "<a href='{{contact.city}}{{contact.state}}:x()'>"],
    ["in a shape", forOutlook("<v:rect href='javascript:x()'/>")],
    ["in an encoding that is none of ours", "<meta http-equiv=content-type content='text/html; charset=utf-7'>"],
  ])("is seen %s", (_, html) => {
    assert.isNotEmpty(emailDangersOf(html))
  })

  it.each([
    "<!-- <script>x()</script> -->",
    "<textarea><script>x()</script></textarea>",
    forOutlook("<v:rect href='{{unsubscribe_url}}' fillcolor='#fff'><w:anchorlock/></v:rect>"),
    "<a href='{{contact.custom_fields.link|https://a.test}}'>",
    "<a href='{{unsubscribe_url}}?at=12:30'>",
    "<a href='https://{{contact.city}}.test:80/{{a}}:b?c={{d}}'>",
    "<a href='mailto:{{contact.email}}?subject={{a}}'>",
    "<a href='/x/{{a}}:b'><a href='#{{a}}:b'>",
    "<meta http-equiv=Content-Type content='text/html; charset=UTF-8'><meta http-equiv=x-ua-compatible content='IE=edge'>",
  ])("is none: %s", (html) => {
    assert.deepStrictEqual(emailDangersOf(html), [])
  })

  it("of an address is found despite braces that a page's check would accept", () => {
    const html = "<a href='java{{contact.city}}script:x()'>"
    assert.deepStrictEqual(dangersOf(html), [])
    assert.deepStrictEqual(addressesOf("java{{a}}script:x()"), ["javascript:", "javaxscript:"])
  })
})
