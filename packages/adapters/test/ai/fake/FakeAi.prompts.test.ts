// What holds for every prompt: figures of the prompt appear, its instructions and unfilled variables do not.
import { emailFor, pageFor } from "@tentpole/adapters/ai/fake/FakeAi"
import { asksForPage } from "@tentpole/adapters/ai/fake/Intent"
import { clean } from "@tentpole/adapters/ai/html/SanitizeHtml"
import { emailDangersOf } from "@tentpole/core/documents/EmailDangers"
import { plainText } from "@tentpole/core/rendering/PlainText"
import { unresolvedTokens } from "@tentpole/core/rendering/MergeTokens"
import { isInTurn, sampled } from "@tentpole/core/contract"
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
  it.prop(
    "show every number with a currency or per cent sign, but no instruction, internal name or unfilled variable",
    [Prompt],
    ([parts]) => {
      const prompt = promptOf(parts)
      const { email, page } = shownIn(prompt)
      for (const text of [page, email]) {
        for (const [each] of prompt.matchAll(figure)) assert.include(text, each, prompt)
        for (const instruction of instructions) assert.notInclude(text.toLowerCase(), instruction.toLowerCase(), prompt)
        assert.notInclude(text, "An internal name", prompt)
      }
      assert.notInclude(page, "{{", prompt)
      assert.deepStrictEqual(unresolvedTokens([email]), [], prompt)
    },
    { arbitrary: { runs: sampled(150) } },
  )

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

  it.each(scraps.filter((_, index) => isInTurn(index)))(
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

/** A prompt, what its page must say, and words that it must not print. */
const pages: ReadonlyArray<readonly [prompt: string, shown: ReadonlyArray<string>, hidden: RegExp]> = [
  [
    "A landing page for our bakery's spring sale in Rome: 20 % off all sourdough bread from 1 to 7 May. With a form to get the coupon by email.",
    ["Our bakery's spring sale in Rome", "20 % off all sourdough bread", "valid from 1 to 7 May"],
    /on 1 to 7|with a form/i,
  ],
  [
    "A pricing page for Postbird, a newsletter tool. Free for 500 contacts, 9 EUR a month for 5,000, 29 EUR a month for 50,000. All plans have automation.",
    ["Plans and prices for Postbird", "500 contacts", "Free", "5,000 contacts", "9 EUR", "50,000 contacts", "29 EUR"],
    /50,000\. contacts/,
  ],
  [
    "A page for our free webinar on email deliverability on 12 March at 17:00 CET with the speakers Ann Lee and Ben Cole. Agenda: SPF and DKIM, handling bounces. People register with name and email.",
    ["Email deliverability", "12 March at 17:00 CET", "Free of charge", "Ann Lee", "Ben Cole", "Handling bounces"],
    /people register/i,
  ],
  [
    "Create a landing page for a shop opening in Bern: our new bicycle shop Velo Haus opens on Saturday 14 June at Marktgasse 12, with coffee and free bike checks. Friendly tone.",
    ["Shop opening in Bern", "Velo Haus", "Saturday 14 June", "Marktgasse 12, Bern", "Free bike checks"],
    /friendly|opens\n/i,
  ],
  [
    "Event sign-up page for the Lisbon Design Meetup on 3 October at 18:30 in the LX Factory. Talks, drinks and portfolio reviews. Sign-up form with name, email and company.",
    ["Lisbon Design Meetup", "3 October at 18:30", "LX Factory", "Portfolio reviews", "Company"],
    /sign-up form|in the LX/i,
  ],
  [
    "A waiting list for Nutriplan, an app that plans meals for families. Launch in September. Early users get 3 months free.",
    ["Nutriplan, an app that plans meals", "Set up Nutriplan", "Launch in September", "Early users get 3 months free"],
    /set up a waiting|list for nutriplan/i,
  ],
  [
    "A job offer: senior baker in Zurich, full time, 5,200 CHF a month, start on 1 August, no night shifts, with an application form.",
    ["Senior baker in Zurich", "5,200 CHF a month", "1 August", "No night shifts", "Send the application"],
    /a job offer|with an application/i,
  ],
  [
    "A page for the restaurant Da Nino in Basel. Menu: pizza margherita 14 CHF, tiramisù 9 CHF. Open Tuesday to Sunday 11:30 to 22:00. Reserve a table by form.",
    ["Restaurant Da Nino in Basel", "Pizza margherita", "9 CHF", "Tuesday to Sunday 11:30 to 22:00", "Reserve a table"],
    /by form/i,
  ],
]

describe("a page of the fake AI shows what its prompt was", () => {
  it.each(pages)("%s", (prompt, shown, hidden) => {
    const page = plainText(pageFor({ prompt, name: "An internal name", brand: null, template: null }))
    for (const each of shown) assert.include(page, each)
    assert.notMatch(page, hidden)
    assert.notInclude(page, "An internal name")
    assert.isTrue(asksForPage(prompt, { hasTemplate: false }))
  })

  it.each([
    "Bakery sale",
    "Webinar about taxes",
    "Shop opening in Bern",
    "Job offer for a cook",
    "Waiting list for our app",
  ])("%s is enough for a page, and is printed once above the sections", (prompt) => {
    const page = plainText(pageFor({ prompt, name: "An internal name", brand: null, template: null }))
    assert.isTrue(asksForPage(prompt, { hasTemplate: false }))
    assert.notInclude(page, `${prompt}.`)
    assert.notInclude(page, "An internal name")
  })
})
