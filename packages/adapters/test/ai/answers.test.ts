// How an email is read out of what models say, and what becomes of its style sheets.
import { readEmail } from "@tentpole/adapters/ai/EmailPrompt"
import { inlined } from "@tentpole/adapters/ai/html/InlineStyles"
import { emailDangersOf } from "@tentpole/core/emails/EmailDangers"
import { Subject } from "@tentpole/core/emails/EmailFields"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { processorTime_ms } from "./processorTime.ts"

const document = "<!doctype html><html><body><p>Subject: not this one</p></body></html>"
const read = (head: string) => {
  const { subject, previewText, html } = Result.getOrThrow(readEmail(`${head}${document}`))
  assert.strictEqual(html, document)
  return [subject, previewText]
}

describe("an answer", () => {
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
    "gives a subject that an email can have, or none",
    [Schema.String.check(Schema.isMaxLength(60)), Schema.Literals(["Subject: ", "**Subject**: ", "subject:"])],
    ([text, label]) => {
      const answer = readEmail(`${label}${text}\n${document}`)
      if (Result.isFailure(answer)) return
      const { subject } = answer.success
      assert.isTrue(subject === null || Result.isSuccess(Schema.decodeUnknownResult(Subject)(subject)))
    },
  )

  it("that goes on without end is read in a moment", { tags: ["attack/ai-output"] }, () => {
    for (const scrap of ["subject ", "\n", "* ", "Subject: ", "<html", '"']) {
      const spent_ms = processorTime_ms(() => readEmail(`${scrap.repeat(200_000)}${document}`))
      assert.isBelow(spent_ms, 6_000, scrap)
    }
  })
})

describe("style sheets", () => {
  it.effect("are written to elements too, and nothing else changes: tokens, comments for Outlook, references", () =>
    Effect.gen(function* () {
      const head = `<!doctype html>
<html xmlns:v="urn:v"><head><!--[if mso]><style>p{color:green}</style><![endif]--><style>.a{color:#111!important}p{margin:0}
@media (prefers-color-scheme: dark){.a{color:#eee!important}}</style></head><body>
<table><tr>`
      const end = `>Hi {{contact.first_name | "you" & <b> }} &copy; <a href="{{unsubscribe_url}}">out</a><a href="https://a.test/?a=1&b={{contact.email}}">x</a></p></td></tr></table>
<!--[if mso]><v:rect href="{{x}}"></v:rect><![endif]--></body></html>`
      const written = yield* inlined(`${head}<td><p class="a"${end}`)
      assert.strictEqual(written, `${head}<td><p class="a" style="margin: 0; color: #111;"${end}`)
    }),
  )

  it.effect("that can't be written without losing a token stay where they are", () =>
    Effect.gen(function* () {
      for (const html of [
        `<style>p{background:url("{{contact.city}}")}</style><p>a</p><p>b</p>`,
        `<style>p{color</style><p>{{contact.city}}</p>`,
        `<p>no style sheet</p>`,
        `<style>p{color:red}</style><p>${"x".repeat(300_000)}</p>`,
      ]) {
        assert.strictEqual(yield* inlined(html), html)
      }
    }),
  )

  it.effect("bring no danger that was not there", () =>
    Effect.gen(function* () {
      const html = `<style>p{content:'" onclick="alert(1)';background:url('x"onload=alert(1)//')}</style><p title='a'>x</p>`
      assert.deepStrictEqual(emailDangersOf(html), [])
      assert.deepStrictEqual(emailDangersOf(yield* inlined(html)), [])
    }),
  )
})
