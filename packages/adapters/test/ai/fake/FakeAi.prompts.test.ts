// What holds for every prompt: figures of the prompt appear, its instructions and unfilled variables do not.
import { emailFor, pageFor } from "@tentpole/adapters/ai/fake/FakeAi"
import { clean } from "@tentpole/adapters/ai/html/SanitizeHtml"
import { emailDangersOf } from "@tentpole/core/documents/EmailDangers"
import { plainText } from "@tentpole/core/rendering/PlainText"
import { unresolvedTokens } from "@tentpole/core/rendering/MergeTokens"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const requests = [
  "Make a landing page for our bakery's spring sale",
  "A pricing page for our app",
  "Create a page for our webinar on taxes",
  "We need a page for a shop opening in Bern",
  "Event sign-up page for our festival",
  "Build a waiting list page for a garden sensor",
  "Write an email with a job offer for a cook",
  "A website for a restaurant",
  "Newsletter about our product update",
]

const instructions = [
  "Write in French",
  "Please write it in a warm tone",
  "Make a page that converts",
  "Use blue and green",
  "Keep it short",
  "The page should be friendly",
  "Don't mention the weather",
  "Add three sections",
  "Tone: playful",
]

const contents = [
  "We bake every morning",
  "It costs 12.50 € per month",
  "20 % off everything",
  "save 15%",
  "from CHF 1,200",
  "$5 each",
  "tickets 7 EUR, children 3 EUR",
  "open 9:00 to 17:00",
  "plans: Small 10 €, Large 20 €",
  "salary 65,000–80,000 €",
  "until Saturday",
  "agenda: 15:00 welcome, 16:00 dance",
  "{{api: what happens",
  "{{",
]

const Prompt = Schema.Struct({
  request: Schema.Literals(requests),
  parts: Schema.Array(Schema.Literals([...contents, ...instructions])).check(Schema.isMaxLength(8)),
  separator: Schema.Literals([". ", ", ", "\n", "; ", ": ", " and ", " with "]),
})

/** Sentences of instructions must begin one to be recognised; contents may follow anything. */
const promptOf = ({ request, parts, separator }: typeof Prompt.Type): string =>
  parts.reduce((prompt, part) => `${prompt}${instructions.includes(part) ? ". " : separator}${part}`, request)

const figure = /(?:CHF |\$)\d[\d.,]*\d|(?:CHF |\$)\d|\d[\d.,]*(?:–[\d.,]+)? ?(?:€|%|EUR)/g

const shownIn = (prompt: string) => ({
  page: plainText(pageFor({ prompt, name: "An internal name", brand: null, template: null })),
  email: plainText(emailFor({ prompt, name: "An internal name", brand: null, basis: null }).html),
})

describe("a page and an email of the fake AI", () => {
  it.prop("show every number with a currency or per cent sign", [Prompt], ([parts]) => {
    const prompt = promptOf(parts)
    const { email, page } = shownIn(prompt)
    for (const [each] of prompt.matchAll(figure)) {
      assert.include(page, each, prompt)
      assert.include(email, each, prompt)
    }
  })

  it.prop("print no instruction, no internal name and no unfilled variable", [Prompt], ([parts]) => {
    const prompt = promptOf(parts)
    const { email, page } = shownIn(prompt)
    for (const text of [page, email]) {
      for (const instruction of instructions) assert.notInclude(text.toLowerCase(), instruction.toLowerCase(), prompt)
      assert.notInclude(text, "An internal name", prompt)
    }
    assert.notInclude(page, "{{", prompt)
    assert.deepStrictEqual(unresolvedTokens([email]), [], prompt)
  })

  it.each([
    [
      "Make a landing page for our bakery's spring sale: 20 % off all sourdough bread until Saturday",
      ["20 % off all sourdough bread", "Saturday", "bakery", "spring sale"],
    ],
    [
      "A pricing page for our app with plans: Team 12 € per user, Business 29 € per user",
      ["Team", "12 €", "Business", "29 €", "Plans"],
    ],
    ["A pricing page for a yoga studio", ["yoga studio", "Sample", "Monthly pass"]],
    [
      "A page for our webinar on taxes on 12 March 2027 at 4 pm with an agenda (deductions, deadlines)",
      ["Taxes", "12 March 2027 at 4 pm", "Deductions", "Deadlines", "Register"],
    ],
    ["A page for a shop opening in Bern on 3 May 2027", ["Shop opening in Bern", "3 May 2027"]],
    [
      "Event sign-up page for our festival. Agenda: 15:00 welcome, 16:00 dance",
      ["festival", "15:00", "Welcome", "16:00", "Sign up"],
    ],
    ["Build a waiting list page for a garden sensor", ["Garden sensor", "Join the waiting list"]],
    [
      "Make a page with a job offer for a baker in Lisbon. Requirements: patience, early mornings",
      ["Baker in Lisbon", "Job offer", "Patience", "Early mornings", "Apply"],
    ],
    [
      "A website for an Italian restaurant in Zurich with a menu: Margherita 18 CHF. Guests can reserve a table",
      ["Italian restaurant in Zurich", "Menu", "Margherita", "18 CHF", "Reserve a table"],
    ],
  ])("is about its prompt: %s", (prompt, expected) => {
    const { page } = shownIn(prompt)
    for (const part of expected) assert.include(page.toLowerCase(), part.toLowerCase())
  })

  const length = 20_000
  const scraps = [
    "email ",
    "page for ",
    "on 5 ",
    "with ",
    "https://",
    '"button ',
    "code ",
    "a",
    "1 € ",
    "1€,",
    "5 % off, ",
    "- x\n",
    "a: b\n",

    "agenda: ",
    "menu (",
    "plans: 1 € a, ",
    "(",
    ")",
    ",",
    ", ",
    ". ",
    "{{",
    "{{api.a}}",
    "}}",
    "open 9:00 to ",
    "\uE000",
    "<b>",
    "&",
    "\n",
    "the ",
    "15:00 x, ",
    "until ",
    "called A ",
    "in Aa ",
    "free ",
    "1.",
    "2027-",
    "a.m. ",
    "Write ",
    "and ",
    "that ",
    "1–",
  ]

  it.each(scraps)(
    "is clean and of bounded size from a prompt filled with %j",
    { tags: ["attack/slow-input"] },
    (scrap) => {
      for (const start of ["", "A pricing page for our app with plans: "]) {
        const prompt = (start + scrap.repeat(Math.ceil(length / scrap.length))).slice(0, length)
        const page = pageFor({ prompt, name: "n", brand: null, template: null })
        const email = emailFor({ prompt, name: "n", brand: null, basis: null }).html
        assert.isBelow(page.length + email.length, 400_000, scrap)
        assert.isTrue(Result.isSuccess(clean(page)))
        assert.deepStrictEqual(emailDangersOf(email), [])
      }
    },
  )
})
