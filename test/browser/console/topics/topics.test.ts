// Topics in the console: creation, archiving, deletion that is refused, a contact's choice with consent, and requests.
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { answered, type Json, until } from "../../../support/Service.ts"
import { Console, expecting, inspect } from "../Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

describe.skipIf(started === null)("topics", () => {
  let console_: Console
  const call = async (method: string, path: string, body?: unknown): Promise<Json> =>
    answered(console_.service, method, path, body)
  beforeAll(() => {
    console_ = started ?? assert.fail("no browser")
  })
  afterAll(() => started?.close())

  it("are created, changed, archived and activated, and name what keeps them from deletion", async () => {
    await console_.visit("/topics", (page) => page.getByText("No topics yet").waitFor())
    const page = await console_.screen("/topics")
    await page.getByRole("main").getByRole("button", { name: "New topic" }).first().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Name" }).fill("Monthly news")
    await dialog.getByRole("textbox", { name: "Description" }).fill("One letter a month.")
    await dialog.getByRole("radio", { name: "subscribed", exact: true }).check()
    await inspect(page, "the form of a topic")
    await dialog.getByRole("button", { name: "Create topic" }).click()
    await page.getByRole("heading", { name: "Monthly news" }).waitFor()
    await page.getByText("One letter a month.").waitFor()
    await page.getByRole("button", { name: "Change" }).click()
    await dialog.getByText("This can't be changed.", { exact: false }).waitFor()
    await dialog.getByRole("textbox", { name: "Name" }).fill("News")
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByRole("heading", { name: "News", exact: true }).waitFor()

    const [topic] = (await call("GET", "/v1/topics")).topics
    assert.deepInclude(topic, { name: "News", default_subscription: "subscribed", visibility: "public" })
    await call("POST", "/v1/email-blasts", { name: "March", topic_id: topic.topic_id })
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Delete…" }).click()
    await dialog.getByLabel("Type “News” to continue").fill("News")
    expecting(page, /409/)
    await dialog.getByRole("button", { name: "Delete topic" }).click()
    await dialog.getByRole("link", { name: "March" }).waitFor()
    await inspect(page, "a refused deletion")
    await dialog.getByRole("button", { name: "Cancel" }).click()

    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Archive…" }).click()
    await dialog.getByRole("button", { name: "Archive topic" }).click()
    await page.getByRole("banner").or(page.getByRole("main")).getByText("archived", { exact: true }).first().waitFor()
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Activate again" }).click()
    await page.getByText("active", { exact: true }).first().waitFor()
    await page.context().close()
    await console_.visit(`/topics/${topic.topic_id}`, (each) => each.getByText("No subscription requests").waitFor())
    await console_.visit("/topics", (each) => each.getByText("News", { exact: true }).waitFor())
  })

  it("are chosen for a contact, with the consent that a topic needs, which is shown as a record", async () => {
    const offers = { name: "Offers", default_subscription: "unsubscribed" }
    const { topic_id } = await call("POST", "/v1/topics", offers)
    const { items } = await call("POST", "/v1/contacts", { items: [{ email: "bob@example.org", first_name: "Bob" }] })
    const path = `/contacts/${items[0].contact_id}`
    const page = await console_.screen(path)
    const topics = page.getByRole("region", { name: "Topics" })
    await topics.getByRole("button", { name: "Subscribe to Offers" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "What the person agreed to" }).fill("Yes, send me offers.")
    await dialog.getByRole("textbox", { name: "Where they agreed" }).fill("telephone")
    await inspect(page, "the question for consent")
    await dialog.getByRole("button", { name: "Record and subscribe" }).click()
    await topics.getByRole("button", { name: "Unsubscribe from Offers" }).waitFor()
    const records = page.getByRole("region", { name: "Consent records" })
    await records.getByText("“Yes, send me offers.”").waitFor()
    await records.getByText("(telephone)", { exact: false }).waitFor()
    await topics.getByRole("button", { name: "Link to preferences" }).click()
    await dialog.getByRole("button", { name: "Create link" }).click()
    await dialog.getByRole("region", { name: "Link" }).getByText("/preferences").waitFor()
    await inspect(page, "the link to preferences")
    await dialog.getByRole("button", { name: "Done" }).click()
    await topics.getByRole("button", { name: "Unsubscribe from Offers" }).click()
    await records.getByText("Withdrawn · Offers").waitFor()
    await page.context().close()
    await console_.visit(path, (each) => each.getByText("Withdrawn · Offers").waitFor())
    await console_.visit(`/topics/${topic_id}?days=90`, async (each) => {
      const trend = each.getByRole("region", { name: "Subscriptions a day" })
      await trend.getByText("1 subscribed, 1 unsubscribed").waitFor()
      assert.isTrue(await trend.getByRole("radio", { name: "90 days" }).isChecked())
      await trend.locator("svg.recharts-surface").first().waitFor()
      const pages = each.getByRole("region", { name: "Pages that people see" })
      const frame = pages.frameLocator("iframe")
      await frame.getByText("Yes, send me “Offers”.").waitFor()
      await pages.getByRole("combobox", { name: "Page" }).selectOption("Preferences")
      assert.isTrue(await frame.getByRole("checkbox", { name: "Offers" }).isChecked())
      expecting(each, /Blocked form submission/)
      await frame.getByRole("button", { name: /^None of them/ }).evaluate("(button) => button.click()")
      await pages.getByText("Dark", { exact: true }).click()
      await pages.getByText("Phone", { exact: true }).click()
    })
    assert.strictEqual((await call("GET", `/v1/topics/${topic_id}`)).subscribed_count, 0)
  })

  it("have requests, found by status and topic, whose mail is sent again within the limits", async () => {
    await console_.visit("/topics/requests", (page) => page.getByText("No subscription requests").waitFor())
    const { topic_id } = await call("POST", "/v1/topics", { name: "Events", default_subscription: "unsubscribed" })
    const consent = { text: "Yes, tell me about events.", source: "checkout" }
    const ask = (email: string) => call("POST", "/v1/subscriptions", { email, topic_ids: [topic_id], consent })
    await ask("ida@example.org")
    await console_.visit("/topics/requests", (page) => page.getByText("ida@example.org").waitFor())
    await console_.visit(`/topics/${topic_id}`, (page) => page.getByText("ida@example.org").waitFor())
    const page = await console_.screen("/topics/requests?status=confirmed")
    await page.getByText("No request matches these filters.").waitFor()
    // The limit that is to refuse lasts a minute.
    await ask("ben@example.org")
    await page.getByRole("combobox", { name: "Status" }).selectOption("pending")
    await page.getByRole("combobox", { name: "Topic" }).selectOption("Events")
    await page.getByRole("button", { name: "Send the confirmation mail again: ben@example.org" }).click()
    expecting(page, /429/)
    await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click()
    await page
      .getByRole("dialog")
      .getByRole("alert")
      .getByText(/Wait \d+ seconds/)
      .waitFor()
    await inspect(page, "a mail that the limits refuse")
    await page.context().close()
  })

  it("are set for a blast, a form and rules, and the workspace says who gets marketing mail", async () => {
    const offer = { name: "Recipes", description: "A recipe a week.", default_subscription: "unsubscribed" }
    const { topic_id } = await call("POST", "/v1/topics", offer)
    const { blast_id } = await call("POST", "/v1/email-blasts", { name: "April" })
    const page = await console_.screen(`/blasts/${blast_id}`)
    await page.getByRole("combobox", { name: "Topic" }).selectOption("Recipes")
    await page.getByText("Topic set").waitFor()
    assert.strictEqual((await call("GET", `/v1/email-blasts/${blast_id}`)).topic_id, topic_id)

    const tent = await call("POST", "/v1/tents", { name: "Spring", prompt: "A page with a sign-up form" })
    const path = `/v1/tents/${tent.id}`
    await until("the page", async () => (await call("GET", path)).status === "completed")
    await console_.goTo(page, `/tents/${tent.id}?tab=forms`)
    await page.getByRole("button", { name: "Choose topics" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("checkbox", { name: "Recipes" }).check()
    await inspect(page, "the topics of a form")
    await dialog.getByRole("button", { name: "Save" }).click()
    await page.getByRole("link", { name: "Recipes" }).waitFor()
    const [form] = (await call("GET", `${path}/forms`)).forms
    assert.deepInclude(form.consent, { topic_ids: [topic_id], consent_field: null, double_opt_in: null })
    await console_.visit(`/tents/${tent.id}?tab=forms`, (each) => each.getByRole("link", { name: "Recipes" }).waitFor())

    const condition = { kind: "condition", source: "topic", topicId: topic_id, operator: "is_subscribed" }
    const rules = { kind: "group", operator: "and", conditions: [condition] }
    const { list_id } = await call("POST", "/v1/contact-lists", { name: "Cooks", kind: "dynamic", rules })
    await console_.goTo(page, `/lists/${list_id}`)
    await page.getByRole("combobox", { name: "Topic" }).selectOption("Offers")
    await page.getByRole("button", { name: "Save rules" }).click()
    await page.getByText("Rules saved").waitFor()

    await console_.visit("/settings/consent", async (each) => {
      await each.getByText("Who gets marketing mail").waitFor()
      await each.getByRole("combobox", { name: "Topic", exact: true }).selectOption("Recipes")
      await each.frameLocator("iframe").getByText("Yes, send me “Recipes”.").waitFor()
    })
    await console_.goTo(page, "/settings/consent")
    await page.getByRole("radio", { name: "Only people who agreed" }).check()
    await page.getByRole("textbox", { name: "Days to confirm" }).fill("3")
    await page.getByRole("textbox", { name: "Privacy policy" }).fill("https://example.org/privacy")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Settings saved").waitFor()
    await console_.goTo(page, "/settings/consent")
    assert.isTrue(await page.getByRole("radio", { name: "Only people who agreed" }).isChecked())
    assert.strictEqual(await page.getByRole("textbox", { name: "Days to confirm" }).inputValue(), "3")
    await page.context().close()
  })
})
