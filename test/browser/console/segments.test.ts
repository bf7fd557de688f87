// Segments in the console: rules in the builder and as JSON, live counts, reasons for a contact, and the lists that use them.
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { answered, type Json } from "../../support/Service.ts"
import { Console, expecting, inspect } from "./Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

const contact = (field: string, operator: string, value?: unknown) => ({
  kind: "condition",
  source: "contact",
  field,
  operator,
  ...(value === undefined ? {} : { value }),
})
const group = (operator: "and" | "or", ...conditions: ReadonlyArray<unknown>) => ({
  kind: "group",
  operator,
  conditions,
})

describe.skipIf(started === null)("segments", () => {
  let console_: Console
  let newsletter: Json
  let plan: Json
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    const people = [
      { first_name: "Ann", city: "Rome", service_score: 12 },
      { first_name: "Bob", city: "Rome" },
      { first_name: "Carla", city: "Berlin" },
    ].map((person) => ({ ...person, email: `${person.first_name.toLowerCase()}@example.org` }))
    await answered(console_.service, "POST", "/v1/contacts", { items: people })
    newsletter = await create({ name: "Newsletter", kind: "static" })
    const field = { api_name: "plan", display_name: "Plan", value_type: "string" }
    plan = (await answered(console_.service, "POST", "/v1/contact-fields", field)).items[0]
  })
  afterAll(() => started?.close())

  const create = (list: object): Promise<Json> => answered(console_.service, "POST", "/v1/contact-lists", list)
  const dynamic = (name: string, rules: object): Promise<Json> => create({ name, kind: "dynamic", rules })

  const matchCount = (page: Page, text: string) =>
    page.locator(".match-count:not([data-stale])", { hasText: text }).waitFor()

  /** Pastes into the JSON view in place of its text. */
  const paste = async (page: Page, text: string) => {
    await page.getByRole("textbox", { name: "Rules" }).press("Control+a")
    await page.evaluate(`{
      const clipboardData = new DataTransfer()
      clipboardData.setData("text/plain", ${JSON.stringify(text)})
      const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
      document.querySelector(".cm-content").dispatchEvent(paste)
    }`)
  }

  it("are built by keys, counted while they are built, and saved as a list", async () => {
    const page = await console_.screen("/lists")
    const asked: Array<string> = []
    page.on("request", (request) => {
      if (request.url().endsWith("/preview")) asked.push(request.postData() ?? "")
    })
    await page.getByRole("link", { name: "New segment" }).click()
    await page.getByText("No conditions yet").waitFor()
    await page.getByRole("button", { name: "Condition", exact: true }).press("Enter")
    await page.keyboard.type("city")
    await page.keyboard.press("Enter")
    await page.getByText("1 condition is not finished.").waitFor()
    await inspect(page, "an unfinished condition")
    assert.deepStrictEqual(asked, [])
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.type("rome")
    await matchCount(page, "2")
    assert.lengthOf(asked, 1)
    await page.getByRole("button", { name: "Group", exact: true }).press("Enter")
    await page.keyboard.type("score")
    await page.keyboard.press("Enter")
    await page.getByRole("textbox", { name: "Number" }).fill("12")
    await matchCount(page, "1")
    await page.getByText("matches 1, 2.1").waitFor()
    await page.getByRole("textbox", { name: "Number" }).press("Control+z")
    await page.getByText("1 condition is not finished.").waitFor()
    await page.getByRole("button", { name: "Redo" }).click()
    await matchCount(page, "1")
    await page.getByRole("button", { name: "Count each condition" }).click()
    await page.getByRole("group", { name: "Condition 1" }).getByText("2", { exact: true }).waitFor()
    await inspect(page, "a segment with counts")
    await page.waitForURL(/rules=/)
    await page.reload()
    await matchCount(page, "1")
    await page.keyboard.press("Control+s")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Best Romans")
    await dialog.getByRole("button", { name: "Create list" }).click()
    await page.getByRole("heading", { name: "Best Romans" }).waitFor()
    const { lists } = await answered(console_.service, "GET", "/v1/contact-lists?search=Best")
    assert.deepStrictEqual(
      lists[0].rules,
      group("and", contact("city", "equals", "rome"), group("or", contact("serviceScore", "equals", 12))),
    )
    await page.context().close()
  })

  it("explain for a contact which conditions it matches, in each view", async () => {
    const member = { kind: "condition", source: "list_membership", listId: newsletter.list_id, operator: "is_member" }
    const opened = {
      kind: "condition",
      source: "activity",
      activityType: "email_opened",
      operator: "has_no_activity",
      timeWindow: { amount: 30, unit: "day" },
    }
    const { list_id } = await dynamic(
      "Explained",
      group("and", contact("city", "equals", "rome"), group("or", member, opened)),
    )
    await console_.visit(`/lists/${list_id}`, async (page) => {
      await matchCount(page, "2")
      await page.getByRole("combobox", { name: "Contact" }).fill("carla")
      await page.getByRole("option", { name: /Carla/ }).click()
      await page.getByText("Carla does not match").waitFor()
      await page.getByText("City is rome").waitFor()
      await page.getByText("Has “Berlin”").waitFor()
      await page.getByText("List is Newsletter").waitFor()
      await page.getByText("not on the list").waitFor()
      await page.getByText("Email opened did not happen in the last 30 days").waitFor()
      await page.getByRole("group", { name: "Condition 1" }).getByRole("img", { name: "does not match" }).waitFor()
    })
  })

  it("are pasted as JSON, with the API's message at the row that it is about, and only the last count is awaited", async () => {
    const page = await console_.screen("/lists/new")
    await page.getByText("JSON", { exact: true }).click()
    const blank = { kind: "condition", source: "contact", field: "lead_status", operator: "empty" }
    await paste(page, JSON.stringify({ rules: blank }))
    await matchCount(page, "3")
    await paste(page, '{ "kind": "group", "conditions": [{}] }')
    await page.getByText("rules.conditions.0 must be a group or a condition.").waitFor()
    await inspect(page, "a text that is no rule")
    expecting(page, /400/)
    await paste(page, JSON.stringify(contact("createdAt", "greater_than", "yesterday, at noon")))
    await page.getByText("Builder", { exact: true }).click()
    const row = page.getByRole("group", { name: "Condition 1" })
    await row
      .getByRole("alert")
      .getByText(/must be a day/)
      .waitFor()
    await inspect(page, "an issue at its row")
    let aborted = 0
    page.on("requestfailed", (request) => (aborted += request.url().endsWith("/preview") ? 1 : 0))
    await page.route("**/preview", async (route) => {
      await page.waitForTimeout(2_000)
      await route.continue().catch(() => undefined)
    })
    await row.getByRole("textbox", { name: /Time in UTC/ }).fill("2026-05-01T12:00:00Z")
    await page.waitForTimeout(600)
    await row.getByRole("textbox", { name: /Time in UTC/ }).fill("2026-05-02T12:00:00Z")
    await matchCount(page, "3")
    assert.strictEqual(aborted, 1)
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await page.context().close()
  })

  it("are changed as a draft in the address, and saved or given up", async () => {
    const { list_id } = await dynamic("Berliners", group("and", contact("city", "equals", "paris")))
    const page = await console_.screen(`/lists/${list_id}`)
    await page.getByText("No contact matches these rules now.").waitFor()
    const value = page.getByRole("textbox", { name: "Value" })
    await value.fill("rome")
    await page.waitForURL(/rules=/)
    await page.reload()
    assert.strictEqual(await value.inputValue(), "rome")
    await page.getByRole("button", { name: "Discard changes" }).click()
    assert.strictEqual(await value.inputValue(), "paris")
    await value.fill("berlin")
    await page.getByRole("button", { name: "Save rules" }).click()
    await page.getByText("Rules saved").waitFor()
    await page.getByText("not saved").waitFor({ state: "detached" })
    await page.getByText("Members", { exact: true }).click()
    await page.getByRole("link", { name: "carla@example.org" }).waitFor()
    await page.getByRole("button", { name: "Export" }).click()
    await page.getByRole("link", { name: "Download 1 row" }).waitFor()
    await inspect(page, "members and their file")
    await page.context().close()
  })

  it("name an archived field, and get it back", async () => {
    const named = {
      kind: "condition",
      source: "custom_field",
      fieldDefinitionId: plan.field_definition_id,
      operator: "is_empty",
    }
    const { list_id } = await dynamic("Planless", group("and", named))
    await console_.service.call("DELETE", `/v1/contact-fields/${plan.field_definition_id}`)
    const page = await console_.open("about:blank", { width: 390, scheme: "light" })
    expecting(page, /400/)
    await page.goto(`${console_.origin}/w/${console_.slug}/lists/${list_id}`)
    await page.getByText("The field “Plan” is archived").waitFor()
    await page
      .getByRole("alert")
      .getByText(/restore it first/)
      .waitFor()
    await inspect(page, "an archived field")
    await page.getByRole("button", { name: "Restore the field" }).click()
    await matchCount(page, "3")
    await page.getByText("The field “Plan” is archived").waitFor({ state: "detached" })
    await page.context().close()
  })

  it("stand in the way of the deletion of a list that they name", async () => {
    const member = { kind: "condition", source: "list_membership", listId: newsletter.list_id, operator: "is_member" }
    await dynamic("Readers", group("and", member))
    const page = await console_.screen(`/lists/${newsletter.list_id}`)
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Delete…" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox").fill("Newsletter")
    expecting(page, /409/)
    await dialog.getByRole("button", { name: "Delete list" }).click()
    await dialog.getByRole("link", { name: "Readers" }).waitFor()
    await inspect(page, "a list in use")
    await dialog.getByRole("link", { name: "Readers" }).click()
    await page.getByRole("heading", { name: "Readers" }).waitFor()
    await page.context().close()
  })
})
