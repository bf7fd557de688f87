import { pageFor } from "@tentpole/adapters/ai/fake/FakeAi"
import { readBrief } from "@tentpole/adapters/ai/fake/Brief"
import { headlineOf } from "@tentpole/adapters/ai/fake/Copy"
import { asksForPage } from "@tentpole/adapters/ai/fake/Intent"
import { matchesFor } from "@tentpole/adapters/ai/fake/FakeColumns"
import { accents, contrastOf, night, paletteOr, paper, softNight, softPaper } from "@tentpole/core/rendering/Palette"
import { clean } from "@tentpole/adapters/ai/html/SanitizeHtml"
import { dangersOf } from "@tentpole/core/documents/Clean"
import { assert, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const request = (prompt: string) => ({ prompt, name: "A tent", brand: null, template: null })

it("the fake AI recognizes prompts that request a page", () => {
  for (const prompt of [
    "Build a website for a bakery",
    "Design a landing page for a yoga studio",
    "Make a web page that announces our summer fair",
    "Create a landing page for a spring sale of garden chairs",
    "Can you create a page about our club?",
    "Announce our webinar on taxes",
  ]) {
    assert.isTrue(asksForPage(prompt, { hasTemplate: false }), prompt)
  }
  for (const prompt of [
    "What is the capital of France?",
    "Calculate 17 times 23",
    "How old is the universe",
    "Hello",
    "What is a web page?",
  ]) {
    assert.isFalse(asksForPage(prompt, { hasTemplate: false }), prompt)
  }
  assert.isTrue(asksForPage("Use blue, for Ulm", { hasTemplate: true }))
  assert.isFalse(asksForPage("What is the capital of France?", { hasTemplate: true }))
})

it("the fake AI adds a form with the named fields when the prompt requests one", () => {
  const fields = (prompt: string) => readBrief(prompt).form?.fields.map((field) => field.name)
  assert.strictEqual(fields("Create a landing page for garden chairs with a headline and a footer"), undefined)
  assert.deepStrictEqual(fields("a page with a sign-up form that asks for first name and email address"), [
    "first_name",
    "email",
  ])
  assert.deepStrictEqual(
    fields("a page with a contact form that asks for first name, email address and phone number"),
    ["first_name", "email", "phone"],
  )
  assert.deepStrictEqual(fields("a page for our app with a waiting list"), ["first_name", "email"])
  assert.deepStrictEqual(fields("a page for our newsletter"), ["first_name", "email"])
})

it("the fake AI's page has the topic of the prompt", () => {
  const headline = (prompt: string) => headlineOf(readBrief(prompt), "The name")
  assert.strictEqual(
    headline(
      "Create a landing page for a spring sale of garden chairs with a headline, three product sections and a footer",
    ),
    "Spring sale of garden chairs",
  )
  assert.strictEqual(headline("Make a web page that announces our summer fair"), "Our summer fair")
  assert.strictEqual(headline("We need a website"), "The name")
  assert.strictEqual(readBrief("a page with four features").cards_count, 4)
})

const AnyText = Schema.String.check(Schema.isPattern(/^[a-zA-Z0-9 .,:;<>"'&/=äß-]{0,200}$/))

it.prop(
  "the fake AI returns a clean page for any prompt, the same one for the same prompt",
  [AnyText, AnyText],
  ([prompt, name]) => {
    const page = pageFor({ ...request(prompt), name })
    assert.strictEqual(page, pageFor({ ...request(prompt), name }))
    assert.deepStrictEqual(dangersOf(page), [])
    const cleaned = Result.getOrThrow(clean(page))
    for (const part of ["<h1 ", "<main", "prefers-color-scheme", "<footer"]) assert.include(cleaned, part)
  },
)

it.prop(
  "the fake AI's page is readable in light and dark mode with any brand colour",
  [Schema.String.check(Schema.isPattern(/^#[0-9a-f]{6}$/))],
  ([color]) => {
    const palette = paletteOr(color, accents[0])
    for (const [one, other] of [
      [palette.accent, paper],
      [palette.accent, softPaper],
      [palette.onAccent, palette.accent],
      [palette.onOwn, palette.own],
      [palette.accentDark, night],
      [palette.accentDark, softNight],
      [palette.onAccentDark, palette.accentDark],
    ] as const) {
      assert.isAtLeast(contrastOf(one, other), 4.5, `${one} on ${other}`)
    }
  },
)

it("the fake AI's page shows a brand's name, logo, colour and domain", () => {
  const page = pageFor({
    ...request("Build a website for a bakery"),
    brand: {
      name: "Acme <b>",
      logoUrl: "https://cdn.test/l.png?a=1&b=2",
      iconUrl: null,
      primaryColor: "#123456",
      domain: "acme.test",
      description: "We bake",
      guidelines: null,
    },
  })
  for (const text of [
    "Acme &lt;b&gt;",
    'src="https://cdn.test/l.png?a=1&amp;b=2"',
    "#123456",
    "https://acme.test",
    "We bake",
  ]) {
    assert.include(page, text)
  }
})

it("the fake AI's page retains the template's structure and forms, and adds what the prompt says", () => {
  const template = `<!doctype html><html><head><title>Garden club</title></head><body><h1>Garden club</h1><p>Join us.</p><form id="signup" data-success-url="https://a.test/t"><input name="email"></form></body></html>`
  const page = pageFor({ ...request("A page for the <club> in Ulm. Guests pay 5 €.\nWrite in French"), template })
  for (const text of [
    "<title>&lt;club&gt; in Ulm",
    "<h1>&lt;club&gt; in Ulm",
    "<p>Guests pay 5 €.</p>",
    'id="signup"',
    "Join us.",
    "data-success-url",
  ]) {
    assert.include(page, text)
  }
  assert.notInclude(page, "French")
})

it("the fake AI changes no heading of a template when the prompt has data and instructions only", () => {
  const template = `<!doctype html><html><head><title>Opening in Bern</title></head><body><h1>Opening in Bern</h1><p>x</p></body></html>`
  const page = pageFor({ ...request("city: Bern\nparking: behind the house\n\nWrite in French"), template })
  assert.strictEqual(page, template.replace("</h1>", "</h1>\n<p>Parking: behind the house</p>"))
})

it("the fake AI keeps a heading that says what the prompt says, and loses no value of one that it replaces", () => {
  const template = `<!doctype html><html><head><title>Opening in Bern</title></head><body><h1>Opening in Bern</h1></body></html>`
  const page = (prompt: string) => pageFor({ ...request(prompt), template })
  assert.strictEqual(page("city: Bern\n\nAnnounce the opening"), template)
  for (const text of ["<h1>Summer fair</h1>", "<p>Where: Bern</p>"]) {
    assert.include(page("city: Bern\n\nAnnounce the summer fair"), text)
  }
})

it("the fake AI keeps the variables of a template, and no other braces", () => {
  const page = pageFor(
    request(
      "A page for a shop opening in {{api.city}}: {{api.offer|a gift}} for {{contact.first_name|you}} {{ {{api: x}",
    ),
  )
  assert.include(page, "Shop opening in {{api.city}}</h1>")
  assert.deepStrictEqual(
    [...new Set(page.match(/\{\{[^}]*\}?/g))].filter((token) => !token.startsWith("{{api.")),
    [],
  )
})

const offered = [
  ["email", "Email"],
  ["phone", "Phone"],
  ["last_name", "Last name"],
  ["country", "Country"],
  ["shoe_size", "Shoe size"],
].map(([apiName = "", displayName = ""]) => ({ apiName, displayName, valueType: "string" as const }))

const matched = (...columns: ReadonlyArray<readonly [header: string, ...shapes: ReadonlyArray<string>]>) =>
  matchesFor({ columns: columns.map(([header, ...shapes]) => ({ header, shapes })), fields: offered }).map(
    ({ header, targetField }) => `${header}: ${targetField}`,
  )

it("the fake AI matches columns by other languages, by label words and by value shapes", () => {
  assert.deepStrictEqual(matched(["Correo electrónico"], ["TÉLÉPHONE"], ["Nachname"], ["Land"], ["Notes"]), [
    "Correo electrónico: email",
    "TÉLÉPHONE: phone",
    "Nachname: last_name",
    "Land: country",
  ])
  assert.deepStrictEqual(matched(["What is your shoe-size?", "99"]), ["What is your shoe-size?: shoe_size"])
  assert.deepStrictEqual(matched(["Contact info", "aaa@aaaaaaa.aaa", "a.a+a@aa.a9-a.aa"], ["Other", "+99 99 999999"]), [
    "Contact info: email",
    "Other: phone",
  ])
})

it("the fake AI leaves out unknown columns and matches each field once", () => {
  assert.deepStrictEqual(
    matched(
      ["Record", "9999999999"],
      ["Born", "9999-99-99"],
      ["Address", "999.999.9.9"],
      ["Fax", "+99 99 999999"],
      ["Prénom", "Aaa"],
      ["Contact info", "aaa@aaaaaaa.aaa", "Aaa Aaa"],
      ["Handle", "@aaa"],
    ),
    [],
  )
  assert.deepStrictEqual(matched(["Info", "a@a.aa"], ["Courriel"], ["Correo"]), ["Courriel: email"])
})
