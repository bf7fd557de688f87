// The fake AI's emails: how it parses prompts, and what it writes.
import { emailFor } from "@tentpole/adapters/ai/fake/FakeAi"
import { readBrief } from "@tentpole/adapters/ai/fake/Brief"
import { headlineOf } from "@tentpole/adapters/ai/fake/Copy"
import { cleanEmail } from "@tentpole/adapters/ai/html/SanitizeEmail"
import type { Brand } from "@tentpole/core/ports/Ai"
import { EmailChange } from "@tentpole/core/emails/Email"
import { emailDangersOf } from "@tentpole/core/documents/EmailDangers"
import { plainText } from "@tentpole/core/rendering/PlainText"
import { scaffold, scaffold_text } from "@tentpole/core/rendering/EmailLayout"
import { unresolvedTokens } from "@tentpole/core/rendering/MergeTokens"
import { EmailId } from "@tentpole/core/kernel/Ids"
import { noBrand } from "@tentpole/core/workspaces/Workspace"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"

const request = (prompt: string) => ({ prompt, name: "An email", brand: null, basis: null })
const acme: Brand = {
  ...noBrand,
  name: "Acme <b>",
  logoUrl: "https://cdn.test/l.png?a=1&b=2",
  primaryColor: "#123456",
  domain: "acme.test",
  description: "We bake & sell",
}

describe("readBrief of an email", () => {
  it.each([
    ["Write an email that announces our spring sale with a button", "Our spring sale"],
    ["Create an invitation to the summer fair on Saturday, 5 June 2027 at 3 pm, with a map", "Summer fair"],
    ["A monthly newsletter for our climbing club with four sections", "Our climbing club"],
    ["Send a reminder about the open invoice.", "Open invoice"],
    ["Announce the winter menu", "Winter menu"],
    ["Write an email", "An email"],
    ["", "An email"],
  ])("says what the email is about: %s", (prompt, headline) => {
    assert.strictEqual(headlineOf(readBrief(prompt), "An email"), headline)
  })

  it.each([
    ["an email with a button", { label: null, url: null }],
    ["an email with a button to https://a.test/x?y=1, please", { label: null, url: "https://a.test/x?y=1" }],
    ['an email with a button that says "Get it" to https://a.test/x.', { label: "Get it", url: "https://a.test/x" }],
    ["an email where people register", { label: "Register", url: null }],
    ["an email that says thank you", null],
  ])("asks for a button, or does not: %s", (prompt, button) => {
    assert.deepStrictEqual(readBrief(prompt).button, button)
  })

  it.each([
    ["a sale, 20% off with code SPRING20", { code: "SPRING20" }],
    ['a sale with the coupon code "XY"', { code: null }],
    ['a sale with the coupon code "XYZ-9" for 5 percent', { code: "XYZ-9" }],
    ["an email with a voucher", { code: null }],
    ["an email on how we code", null],
  ])("asks for a code, or does not: %s", (prompt, coupon) => {
    assert.deepStrictEqual(readBrief(prompt).coupon, coupon)
  })

  it.each([
    ["the fair on 2026-12-05 at 19:00", "2026-12-05 at 19:00"],
    ["the fair on Saturday, 5 December 2026 at 7 pm, with music", "Saturday, 5 December 2026 at 7 pm"],
    ["the fair on December 5th", "December 5th"],
    ["the fair next friday at 7pm", "Next friday at 7pm"],
    ["the sale until Saturday", "Until Saturday"],
    ["the fair on 3 May from 18:00 to 21:00 CET", "3 May from 18:00 to 21:00 CET"],
    ["the fair in summer with 5 stalls", null],
  ])("says when, or does not: %s", (prompt, date) => {
    assert.strictEqual(readBrief(prompt).date, date)
  })
})

const AnyText = Schema.String.check(Schema.isPattern(/^[a-zA-Z0-9 .,:;<>"'&/=äß{}|%-]{0,200}$/))

describe("FakeEmail", () => {
  it("contains everything the prompt requests, in the brand's style", () => {
    const prompt =
      'Write an email that announces our spring sale on 5 May 2027 with 20% off, coupon code SPRING20, three reasons and a button "Shop it" to https://acme.test/sale?a=1&b=2'
    const { html, subject, previewText } = emailFor({ ...request(prompt), brand: acme })
    for (const text of [
      "Acme &lt;b&gt;",
      'src="https://cdn.test/l.png?a=1&amp;b=2"',
      "#123456",
      'href="https://acme.test"',
      "We bake &amp; sell",
      "Our spring sale",
      "Hello {{contact.first_name|there}},",
      "5 May 2027",
      "20% off",
      "SPRING20",
      'href="https://acme.test/sale?a=1&amp;b=2"',
      ">Shop it</a>",
    ]) {
      assert.include(html, text)
    }
    assert.strictEqual(html.match(/<h3/g)?.length, 3)
    assert.strictEqual(subject, "20% off: Our spring sale")
    assert.match(previewText ?? "", /^5 May 2027 · Code SPRING20 · /)
    const text = plainText(html)
    for (const part of ["Our spring sale", "SPRING20", "https://acme.test/sale?a=1&b=2"]) assert.include(text, part)
  })

  it("adds no code, date, button or section that the prompt does not request", () => {
    const { html, subject } = emailFor(request("Write an email that thanks people for their visit"))
    for (const part of ["When", "code", "<h3", 'class="button"', "http://", "%</"]) assert.notInclude(html, part)
    assert.notInclude(subject ?? "", "%")
  })

  it("links the button to the brand's site, or to the browser view without a brand", () => {
    assert.include(emailFor(request("an email with a button")).html, 'href="{{view_in_browser_url}}"')
    assert.include(
      emailFor({ ...request("an email with a button"), brand: acme }).html,
      '<a class="button" href="https://acme.test"',
    )
  })

  it.prop(
    "is clean, has a valid subject and preview text, and is the same for the same request",
    [AnyText, AnyText, Schema.NullOr(AnyText)],
    ([prompt, name, description]) => {
      const asked = {
        ...request(prompt),
        name,
        brand: description === null ? null : { ...noBrand, description, domain: description },
      }
      const written = emailFor(asked)
      assert.deepStrictEqual(emailFor(asked), written)
      assert.deepStrictEqual(emailDangersOf(written.html), [])
      assert.strictEqual(Result.getOrThrow(cleanEmail(written.html)), written.html)
      for (const part of ["<h1", "prefers-color-scheme: dark", 'role="presentation"'])
        assert.include(written.html, part)
      const kept = EmailChange.create({
        id: EmailId.make("0190a0de-0000-7000-8000-00000000000a"),
        fields: {
          name: "n",
          previewText: written.previewText,
          ...(written.subject ? { subject: written.subject } : {}),
        },
        html: written.html,
        createdByName: "a key",
        by: "worker",
        now: DateTime.makeUnsafe(0),
      })
      assert.isTrue(Result.isSuccess(kept))
    },
  )

  it("signs with the brand, the business of the prompt or its team, never with the internal name", () => {
    const signed = (prompt: string, brand: Brand | null = null) =>
      /Yours,<br>([^<]*)</.exec(emailFor({ prompt, name: "Loyalty", brand, basis: null }).html)?.[1]
    assert.strictEqual(signed("an email about our bakery's sale"), "Your bakery team")
    assert.strictEqual(signed("an email for a restaurant called Da Ann, about the menu"), "Da Ann")
    assert.strictEqual(signed("an email about our app"), "The team")
    assert.strictEqual(signed("an email about our bakery's sale", { ...noBrand, name: "Acme" }), "Acme")
    assert.notInclude(
      JSON.stringify(emailFor({ prompt: "Write an email", name: "Loyalty", brand: null, basis: null })),
      "Loyalty",
    )
  })

  it("has only tokens that can be filled", () => {
    const { html, subject, previewText } = emailFor(
      request(
        "A newsletter for {{contact.frist_name}} in {{api.city}} with a coupon and a button, {{contact.first_name}} {{",
      ),
    )
    assert.deepStrictEqual(unresolvedTokens([html, subject, previewText]), [])
  })
})

describe("FakeTemplate", () => {
  const template = `<!DOCTYPE html>\r\n<HTML><head><title>Old</title><!--[if mso]><xml></xml><![endif]--></head><body bgcolor=#fff>
<table><tr>{{#each}}<td><h2 class=a>Small</h2><h1 align=center>Old <b>head</b></h1><a href={{unsubscribe_url}}>out &amp; away</a></td></tr></table></body></HTML>`

  it("changes only the title and the first heading, and adds what the prompt says", () => {
    const prompt = "An email about the <club> & more. We meet at the lake. Write in a warm tone."
    const { html, subject } = emailFor({ ...request(prompt), basis: template })
    assert.strictEqual(
      html,
      template
        .replace("<title>Old<", "<title>&lt;club&gt; &amp; more<")
        .replace("Old <b>head</b></h1>", "&lt;club&gt; &amp; more</h1>\n<p>We meet at the lake.</p>"),
    )
    assert.strictEqual(subject, "<club> & more")
  })

  it("follows simple instructions, and prints none as a headline", () => {
    const edit = (prompt: string, basis = template) => emailFor({ ...request(prompt), basis })
    const old = template.replace("Old <b>head</b>", "Our old head in Rome")
    assert.deepStrictEqual(edit("Make the headline shorter", old), {
      html: old.replace("Our old head in Rome", "Old head"),
      subject: null,
      previewText: null,
    })
    assert.strictEqual(edit("Shorten it").html, template)
    assert.strictEqual(edit("Change Small to Big").html, template.replace(">Small<", ">Big<"))
    const greeting = template.replace("Old <b>head</b>", "Hi {{contact.first_name|there}}, welcome")
    assert.strictEqual(edit("Make the headline shorter", greeting).html, greeting)
  })

  it("adds content at the beginning when there is no heading or body", () => {
    const said = (basis: string) => emailFor({ ...request("Parking: $& more"), basis }).html
    assert.strictEqual(said("<body class=a>x</body>"), "<body class=a>\n<p>Parking: $&amp; more</p>x</body>")
    assert.strictEqual(said("x"), "x\n<p>Parking: $&amp; more</p>")
  })

  it("replaces the text of the scaffold and retains the greeting", () => {
    const { html } = emailFor({
      ...request("Announce the winter menu. The soup is 9 €."),
      basis: scaffold({ brand: acme }),
    })
    for (const part of [">Winter menu</h1>", "{{contact.first_name|there}}", ">The soup is 9 €.</p>"]) {
      assert.include(html, part)
    }
    for (const part of ["Your headline", scaffold_text]) assert.notInclude(html, part)
  })
})
