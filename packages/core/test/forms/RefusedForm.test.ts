// Tests of the page of a refused submission.
import { refusedPage, type Refused } from "@tentpole/core/forms/RefusedForm"
import { elements, attribute } from "@tentpole/core/documents/HtmlElements"
import { parseHtml } from "@tentpole/core/documents/ParseHtml"
import { honeypot_name, toPublished } from "@tentpole/core/tents/pages/PageDocument"
import { TentId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const tentId = TentId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e01")
const published = (form: string) =>
  toPublished(`<!doctype html><body><h1>Hi</h1>${form}<p>End</p></body>`, { tentId, branding: false })
const email = { path: "email", message: "Please enter an email address" }
const page = (form: string, refused: Partial<Refused> = {}) =>
  refusedPage({ html: published(form), formId: "f", sent: [], issues: [email], ...refused }) ?? assert.fail("no form")
const fieldsOf = (html: string, name: string) =>
  elements(parseHtml(html)).filter((element) => attribute(element, "name") === name)
const valuesOf = (html: string, name: string) => fieldsOf(html, name).map((field) => attribute(field, "value"))

describe("The page of a refused form", () => {
  it("has the answers in the fields, and the message at its field", () => {
    const html = page(
      `<form id=f><input name=first value=Old><label>Mail <input name=email type=email aria-describedby=hint></label>
        <textarea name=note>x</textarea></form>`,
      {
        sent: [
          ["first", `Ann "<b>&`],
          ["email", "ann@"],
          ["note", "\nTwo\n</textarea><script>"],
        ],
      },
    )
    assert.deepStrictEqual([valuesOf(html, "first"), valuesOf(html, "email")], [[`Ann "<b>&`], ["ann@"]])
    const [field] = fieldsOf(html, "email")
    assert.deepStrictEqual(
      ["aria-invalid", "aria-describedby"].map((name) => field && attribute(field, name)),
      ["true", "hint form-error-1"],
    )
    assert.match(html, /<\/?label>[^]*<span id="form-error-1"[^>]*>Please enter an email address\.<\/span>/)
    assert.include(html, "\n\nTwo\n&lt;/textarea&gt;&lt;script&gt;</textarea>")
    assert.match(html, /<div role="alert"[^>]*>Nothing was sent yet/)
    assert.isTrue(html.endsWith("<p>End</p></body>"))
  })

  it("focuses the first field with a mistake, in the order of the page", () => {
    const phone = { path: "phone", message: "Please enter a phone number" }
    const form = `<form id=f><input name=phone><input name=email></form>`
    const html = page(form, { issues: [email, phone] })
    assert.match(html, /<input[^>]* aria-describedby="form-error-1" autofocus="" name=phone>/)
    assert.strictEqual(html.match(/autofocus/g)?.length, 1)
    assert.match(page(form, { issues: [{ path: "", message: "Empty" }] }), /<div role="alert" tabindex="-1" autofocus/)
  })

  it("selects what was chosen, and nothing else", () => {
    const html = page(
      `<form id=f><input type=checkbox name=a value=1 checked><input type=checkbox name=a value=2><input type=radio name=b>
        <select name=c><option selected>X<option value=y>Y</option></select><input name=email></form>`,
      {
        sent: [
          ["a", "2"],
          ["b", "on"],
          ["c", "y"],
        ],
      },
    )
    const chosen = elements(parseHtml(html)).filter(({ attrs }) =>
      attrs.some(({ name }) => name === "checked" || name === "selected"),
    )
    assert.deepStrictEqual(
      chosen.map((each) => attribute(each, "value")),
      ["2", "", "y"],
    )
  })

  it("never shows passwords, files, hidden fields and the trap", { tags: ["attack/form-overwrite"] }, () => {
    const html = page(
      `<form id=f><input type=password name=p><input type=file name=q><input type=hidden name=h value=own><input name=email></form>`,
      { sent: ["p", "q", "h", honeypot_name].map((name) => [name, "SECRET"] as const) },
    )
    assert.notInclude(html, "SECRET")
    assert.deepStrictEqual(valuesOf(html, "h"), ["own"])
  })

  it("is the form with the field, of two with one id; without the form there is no page", () => {
    const html = page(`<form id=f><input name=first></form><form id=f><input name=email></form>`)
    assert.isAbove(html.indexOf("form-error-1"), html.indexOf("name=first"))
    assert.isNull(refusedPage({ html: published("<form id=g></form>"), formId: "f", sent: [], issues: [email] }))
  })

  it.prop(
    "has every answer, and no element of an answer",
    [Schema.Array(Schema.String).check(Schema.isMaxLength(4)), Schema.String],
    ([answers, mistake]) => {
      const form = `<form id=f>${answers.map(() => "<input name=x>").join("")}<input name=email></form>`
      const count = elements(parseHtml(page(form))).length
      const html = page(form, {
        sent: answers.map((answer) => ["x", answer] as const),
        issues: [{ path: "email", message: mistake }],
      })
      assert.strictEqual(elements(parseHtml(html)).length, count)
      // The parser normalises line breaks.
      const plain = (text: string) => text.toWellFormed().replace(/\r\n?/g, "\n").replaceAll("\0", "�")
      assert.deepStrictEqual(valuesOf(html, "x").map(plain), answers.map(plain))
    },
  )
})
