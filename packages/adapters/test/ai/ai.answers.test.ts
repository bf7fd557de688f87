// Emails in a model's answer, and style sheets copied to elements.
import { readEmail } from "@tentpole/adapters/ai/EmailPrompt"
import { inlined } from "@tentpole/adapters/ai/html/InlineStyles"
import { emailDangersOf } from "@tentpole/core/documents/EmailDangers"
import { Subject } from "@tentpole/core/documents/EmailFields"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { processorTime_ms } from "./processorTime.ts"

const document = "<!doctype html><html><body><p>Subject: not this one</p></body></html>"
const read = (head: string) => {
  const { subject, previewText, html } = Result.getOrThrow(readEmail(`${head}${document}`))
  assert.strictEqual(html, document)
  return [subject, previewText]
}

describe("readEmail", () => {
  it.each([
    ["Subject: A\nPreview: B\n\n", "A", "B"],
    ["subject : A\r\nPREVIEW TEXT: B\r\n", "A", "B"],
    ["**Subject line:** A: B\n**Preview:** *C*\n```html\n", "A: B", "C"],
    ["Sure!\n- Subject: “A”\n- Preview: 'B'\n", "A", "B"],
    ["> Subject: 50% off {{contact.first_name|you}}\n", "50% off {{contact.first_name|you}}", null],
    ["Subject:\nPreview: \n", null, null],
    ["The subject: of this email is spring\n", null, null],
    [`Subject: ${"x".repeat(999)}\nPreview: ${"x".repeat(201)}\n`, null, null],
    ["Subject: a\tb\u2028c\u0007d\n", "a b c d", null],
    ["", null, null],
  ])("has its subject and its preview before the document: %j", (head, subject, previewText) => {
    assert.deepStrictEqual(read(head), [subject, previewText])
  })

  it.prop(
    "returns a valid subject or null",
    [Schema.String.check(Schema.isMaxLength(60)), Schema.Literals(["Subject: ", "**Subject**: ", "subject:"])],
    ([text, label]) => {
      const answer = readEmail(`${label}${text}\n${document}`)
      if (Result.isFailure(answer)) return
      const { subject } = answer.success
      assert.isTrue(subject === null || Result.isSuccess(Schema.decodeUnknownResult(Subject)(subject)))
    },
  )

  it("reads an endless answer within the time limit", { tags: ["attack/ai-output"] }, () => {
    for (const scrap of ["subject ", "\n", "* ", "Subject: ", "<html", '"']) {
      const spent_ms = processorTime_ms(() => readEmail(`${scrap.repeat(200_000)}${document}`))
      assert.isBelow(spent_ms, 6_000, scrap)
    }
  })
})

describe("inlined styles", () => {
  it("copy rules to the elements they select and change nothing else", () => {
    const head = `<!doctype html>
<html xmlns:v="urn:v"><head><!--[if mso]><style>p{color:green}</style><![endif]--><style>.a{color:#111!important}p{margin:0}
@media (prefers-color-scheme: dark){.a{color:#eee!important}}</style></head><body>
<table><tr>`
    const end = `>Hi {{contact.first_name | "you" & <b> }} &copy; <a href="{{unsubscribe_url}}">out</a><a href="https://a.test/?a=1&b={{contact.email}}">x</a></p></td></tr></table>
<!--[if mso]><v:rect href="{{x}}"></v:rect><![endif]--></body></html>`
    assert.strictEqual(
      inlined(`${head}<td><p class="a"${end}`),
      `${head}<td><p style="margin: 0; color: #111;" class="a"${end}`,
    )
  })

  it.each([
    ["p{color:red}", "<p>", `<p style="color: red;">`],
    ["P.a.b{color:red}", `<p class="b  a">`, `<p style="color: red;" class="b  a">`],
    ["#a{color:red}.b{color:blue}p{color:green}", `<p id=a class=b>`, `<p style="color: red;" id=a class=b>`],
    ["div p{color:red}", "<div><section><p>", `<div><section><p style="color: red;">`],
    ["div p{color:red}", "<p>", "<p>"],
    ["p{color:red;margin:1px}", `<p style='color:blue'>`, `<p style="margin: 1px; color: blue;">`],
    ["p{color:red!important}", `<p style="color:blue">`, `<p style="color: red;">`],
    ["p{margin:1px}.a{margin-top:2px}", `<p class="a">`, `<p style="margin: 1px; margin-top: 2px;" class="a">`],
    [".a{margin-top:2px}p{margin:1px}", `<p class="a">`, `<p style="margin: 1px; margin-top: 2px;" class="a">`],
    ["/* p{color:red} */ p{color:blue}", "<p>", `<p style="color: blue;">`],
    [`p{font-family:"A;B}",serif}`, "<p>", `<p style="font-family: &quot;A;B}&quot;,serif;">`],
    ["p:hover,p>b,[x],p::before{color:red}", "<p x><b>", "<p x><b>"],
    ["@media print{p{color:red}}", "<p>", "<p>"],
    ["*{color:red}", "<br/>", `<br style="color: red;"/>`],
  ])("applies %s to %s", (css, before, after) => {
    const style = `<style>${css}</style>`
    assert.strictEqual(inlined(`${style}<main>${before}`).replace(/<main[^>]*>/, "<main>"), `${style}<main>${after}`)
  })

  it("skip style sheets for print", () => {
    const html = `<style media="print">p{color:red}</style><p>a</p>`
    assert.strictEqual(inlined(html), html)
  })

  it.each([
    `<style>p{background:url("{{contact.city}}")}</style><p>a</p><p>b</p>`,
    `<style>p{color</style><p>{{contact.city}}</p>`,
    `<p>no style sheet</p>`,
    `<style>p{color:red}</style><p>${"x".repeat(300_000)}</p>`,
    `<style>p{color:red}</style>${"<b>".repeat(90_000)}`,
    `<style>${"b b{color:red}".repeat(10_000)}</style>${"<b>".repeat(40_000)}`,
  ])("leaves an email unchanged that would lose a merge token or need too much work", (html) => {
    assert.strictEqual(inlined(html), html)
  })

  it("add nothing dangerous", () => {
    const html = `<style>p{content:'" onclick="alert(1)';background:url('x"onload=alert(1)//')}</style><p title='a'>x</p>`
    assert.deepStrictEqual(emailDangersOf(html), [])
    assert.include(inlined(html), "<p style=")
    assert.deepStrictEqual(emailDangersOf(inlined(html)), [])
  })
})
