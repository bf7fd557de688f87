// The brief of a prompt: what pages and emails of the fake AI are about.
import { type Brief, readBrief } from "@tentpole/adapters/ai/fake/Brief"
import { masked } from "@tentpole/adapters/ai/fake/Sentences"
import { assert, describe, it } from "@effect/vitest"

const read = (prompt: string): Brief => readBrief(masked(prompt, () => false).text)

const points = (prompt: string, name: string) =>
  read(prompt)
    .lists.find((list) => list.name === name)
    ?.points.map(({ note, price, time, title }) =>
      [time, title, price, note].filter((part) => part !== null).join(" | "),
    )

describe("readBrief", () => {
  it.each([
    ["A pricing page for our webinar tool", "pricing", "Webinar"],
    ["Create a page for our webinar on taxes", "webinar", "Webinar"],
    ["Build a waiting list page for a garden sensor", "waiting-list", "Garden"],
    ["Make a page with a job offer for a baker", "job", "Bakery"],
    ["Event sign-up page for our summer festival", "event", "Festival"],
    ["We need a page for a shop opening in Bern", "opening", "Shop"],
    ["A page for our bakery's spring sale", "sale", "Bakery"],
    ["A website for an Italian restaurant, with opening hours", "restaurant", "Restaurant"],
    ["A product update email for our app", "update", "App"],
    ["A page about our club", "general", null],
  ])("recognises the kind and the business: %s", (prompt, kind, label) => {
    const brief = read(prompt)
    assert.deepStrictEqual([brief.kind, brief.subject.label], [kind, label])
  })

  it("reads offers, dates, places and opening hours", () => {
    const brief = read("A page for our bakery's sale in Bern: 20 % off all bread until Saturday, open 7 am to 6 pm")
    assert.deepStrictEqual(brief.offers, ["20 % off all bread"])
    assert.deepStrictEqual([brief.date, brief.place, brief.hours], ["Until Saturday", "Bern", "7 am to 6 pm"])
    const address = read("A page for our shop opening on 5 May, Kramgasse 12, Bern, with free coffee")
    assert.deepStrictEqual([address.place, address.offers], ["Kramgasse 12, Bern", ["Free coffee"]])
  })

  it("reads lists with prices, times and notes", () => {
    assert.deepStrictEqual(
      points(
        "A pricing page with plans: Starter free for 2 people, Team 12 € per user per month, Pro $29/month (SSO)",
        "plans",
      ),
      ["Starter | Free | for 2 people", "Team | 12 € per user per month", "Pro | $29/month | SSO"],
    )
    const plans = ["500 contacts | Free", "5,000 contacts | 9 EUR", "50,000 contacts | 29 EUR a month"]
    const offered = "Free for 500 contacts, 9 EUR for 5,000, 29 EUR a month for 50,000"
    assert.deepStrictEqual(points(`A pricing page for our tool. ${offered}`, "plans"), plans)
    assert.deepStrictEqual(points(`A pricing page for our tool: ${offered}`, "plans"), plans)
    assert.deepStrictEqual(
      points("A webinar page with speakers Ann Lee (Acme) and Bo Chen, agenda: bounces, questions", "people"),
      ["Ann Lee | Acme", "Bo Chen"],
    )
    assert.deepStrictEqual(
      points("A page for a restaurant with menu: Ravioli 22 CHF, open Tuesday to Sunday 11:30-22:00", "menu"),
      ["Ravioli | 22 CHF"],
    )
    assert.deepStrictEqual(
      points("A page for a fair. Agenda: 15:00 welcome, 16:00 dance, and 6 pm barbecue", "agenda"),
      ["15:00 | Welcome", "16:00 | Dance", "6 pm | Barbecue"],
    )
    assert.deepStrictEqual(points("A page for a webinar. Agenda: SPF and DKIM; warming up; questions.", "agenda"), [
      "SPF and DKIM",
      "Warming up",
      "Questions",
    ])
    assert.deepStrictEqual(points("A page for a webinar with an agenda (a first look, your questions)", "agenda"), [
      "A first look",
      "Your questions",
    ])
    assert.deepStrictEqual(points("A job page.\nRequirements:\n- TypeScript\n- SQL\n- keep it short", "requirements"), [
      "TypeScript",
      "SQL",
    ])
    assert.deepStrictEqual(points("A page for a sale: croissants for 2.50 €, rolls for 1 €", "menu"), [
      "Croissants | 2.50 €",
      "Rolls | 1 €",
    ])
  })

  it("separates content from instructions", () => {
    const brief = read(
      "Make a page for a shop. We sell shoes by hand. Write in French. Use blue. The page should be short. Say that parking is free. Mention the tone. city: Bern",
    )
    assert.deepStrictEqual(brief.facts, ["We sell shoes by hand.", "Parking is free."])
  })

  it("reads named values, a headline and a button", () => {
    const brief = read(
      'headline: Fresh today\ncity: Ulm\ncode word: tulip\ntone: warm\nA page with a button "Go" to https://a.test/x',
    )
    assert.deepStrictEqual(
      [brief.title, brief.place, brief.button],
      ["Fresh today", "Ulm", { label: "Go", url: "https://a.test/x" }],
    )
    assert.deepStrictEqual(brief.data, [["Code word", "tulip"]])
  })
})
