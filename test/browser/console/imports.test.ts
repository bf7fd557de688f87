// Imports in the console: a file with its columns, the run that is followed, the rejected rows, suppressions and pasted addresses.
import { readFile } from "node:fs/promises"
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { answered } from "../../support/Service.ts"
import { Console, expecting, inspect } from "./Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

const csv = [
  "E-mail;First name;Ort;Plan;Birthday;Turnover;Note",
  "ann@example.org;Ann;Rome;pro;01.05.1990;1.234,50 €;",
  "bob@example.org;Bob;Berlin;free;17.12.1985;20,00 €;",
  "no address;Carla;Paris;pro;23.03.2000;5,00 €;",
].join("\n")

const fileOf = (text: string, name = "june.csv") => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) })

describe.skipIf(started === null)("imports", () => {
  let console_: Console
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    await answered(console_.service, "POST", "/v1/contact-lists", { name: "June", kind: "static" })
  })
  afterAll(() => started?.close())

  const choose = (page: Page, text: string, name?: string) =>
    page.getByLabel("CSV file").setInputFiles(fileOf(text, name))

  const input = (page: Page, name: string) => page.getByLabel(name, { exact: true }).and(page.locator("input"))

  const pick = async (page: Page, field: string, option: string | RegExp) => {
    await input(page, field).click()
    await page
      .getByRole("option", typeof option === "string" ? { name: option, exact: true } : { name: option })
      .click()
  }

  it("explain themselves, in each view", async () => {
    await console_.visit("/imports", (page) => page.getByRole("heading", { name: "No imports yet" }).waitFor())
  })

  it("read a file: its columns go to fields and new fields, and each rejected row has its reason and is mended", async () => {
    const page = await console_.screen("/imports")
    await page.getByRole("link", { name: "New import" }).first().click()
    await inspect(page, "the choice of a file")
    await choose(page, csv)
    await input(page, "Goes to: E-mail").waitFor()
    assert.strictEqual(await input(page, "Goes to: E-mail").inputValue(), "Email")
    assert.strictEqual(await input(page, "Goes to: Plan").inputValue(), "New field “Plan”")
    assert.strictEqual(await input(page, "Goes to: Note").inputValue(), "Not imported")
    assert.strictEqual(await input(page, "Dates as: Birthday").inputValue(), "DD.MM.YYYY")
    assert.strictEqual(await input(page, "Currency sign: Turnover").inputValue(), "€")
    await page
      .getByText(/^The header is/)
      .first()
      .waitFor()
    await inspect(page, "the columns")
    await pick(page, "Goes to: E-mail", "Not imported")
    await page.getByText(/No column goes to email or phone/).waitFor()
    assert.isTrue(await page.getByRole("button", { name: "Next" }).isDisabled())
    await pick(page, "Goes to: E-mail", "Email")
    await pick(page, "Goes to: Ort", "First name")
    await page.getByText("Another column goes to First name already.").first().waitFor()
    await inspect(page, "two columns for one field")
    await pick(page, "Goes to: Ort", "City")
    await input(page, "Label: Plan").fill("Price plan")
    assert.strictEqual(await input(page, "Name in the API: Plan").inputValue(), "price_plan")
    await pick(page, "Add to static lists", /^June/)
    await page.getByRole("button", { name: "Add a value" }).click()
    const constant = page.getByRole("group", { name: "Value 1" })
    await constant.locator('input[aria-label="Field"]').click()
    await page.getByRole("option", { name: "Source", exact: true }).click()
    await constant.getByRole("textbox", { name: "Value" }).fill("Fair in June")
    await page.reload()
    await input(page, "Label: Plan").waitFor()
    assert.strictEqual(await input(page, "Label: Plan").inputValue(), "Price plan")
    await page.getByRole("button", { name: "Next" }).click()
    await page.getByRole("cell", { name: "1.234,50 €" }).waitFor()
    await page.getByText("1 cell of the first 200 rows cannot be read:").waitFor()
    await page.getByText("New fields: Price plan, Birthday, Turnover.").waitFor()
    await inspect(page, "the look")
    await page.getByRole("button", { name: "Import contacts" }).click()
    await page.getByRole("heading", { name: "june.csv" }).waitFor()
    await page.getByText(/3 rows in/).waitFor()
    await page.getByText("E-mail: “no address” must be an email address").waitFor()
    await inspect(page, "the results")
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download 1 rejected row" }).click(),
    ])
    const rejected = await readFile(await download.path(), "utf8")
    assert.include(rejected, '"no address"')
    await page.getByRole("link", { name: "Import the fixed file" }).click()
    await choose(page, rejected.replace("no address", "carla@example.org"))
    await page.getByRole("button", { name: "Next" }).click()
    await page.getByRole("button", { name: "Import contacts" }).click()
    await page.getByText(/1 rows in/).waitFor()
    const { items } = await answered(console_.service, "GET", "/v1/contacts?search=carla")
    const carla = await answered(console_.service, "GET", `/v1/contacts/${items[0].contact_id}`)
    assert.deepInclude(carla.custom_fields, { birthday: "2000-03-23", turnover: 5 })
    const found = await answered(console_.service, "GET", "/v1/contacts?search=ann")
    assert.strictEqual(found.items[0].original_source, "Fair in June")
    const { lists } = await answered(console_.service, "GET", "/v1/contact-lists?search=June")
    assert.strictEqual(lists[0].member_count, 2)
    await page.context().close()
  })

  it("subscribe people as a column says, once they confirm by mail", async () => {
    const topic = { name: "Recipes", default_subscription: "unsubscribed" }
    const { topic_id } = await answered(console_.service, "POST", "/v1/topics", topic)
    // Imports use four fifths of it: one mail an hour.
    await console_.changeWorkspace({
      consent: { confirmations_per_hour: 2 },
      sender_defaults: { from_address: "news@elsewhere.example" },
    })
    const page = await console_.screen("/imports/new")
    await choose(page, "Email,Cooks\ngil@example.org,yes\nhana@example.org,no\nivo@example.org,yes", "cooks.csv")
    await pick(page, "Goes to: Cooks", "Recipes")
    await page.getByText(/^Cells can be subscribed, yes/).waitFor()
    await page.getByRole("checkbox", { name: "Recipes", disabled: true }).waitFor()
    assert.isTrue(await page.getByRole("button", { name: "Next" }).isDisabled())
    await page.getByRole("textbox", { name: "What they agreed to" }).fill("Yes, send me recipes.")
    await page.getByRole("textbox", { name: "Where they agreed" }).fill("Fair in Rome")
    assert.isFalse(await page.getByRole("button", { name: "Next" }).isDisabled())
    await page.getByRole("switch", { name: "Ask each person to confirm by mail" }).check()
    await page.getByText("No confirmation mail can be sent").waitFor()
    assert.isTrue(await page.getByRole("button", { name: "Next" }).isDisabled())
    assert.match((await page.getByRole("link", { name: "Verify a domain" }).getAttribute("href")) ?? "", /\/domains$/)
    await inspect(page, "a column that goes to a topic, and a sender that can't send")
    await console_.changeWorkspace({ sender_defaults: { from_address: "news@example.test" } })
    await page.reload()
    await page.getByRole("button", { name: "Next" }).click()
    await page.getByText("Topics: Recipes.").waitFor()
    await page.getByText("Each person is asked to confirm by mail.").waitFor()
    await page.getByText("The cells of the columns that you changed are checked during the import.").waitFor()
    await page.getByRole("button", { name: "Import contacts" }).click()
    await page.getByText(/3 rows in/).waitFor()
    await page.getByText("Wait for their confirmation mail").waitFor()
    await inspect(page, "contacts that wait for their mail")
    await page.context().close()
    const { items } = await answered(console_.service, "GET", "/v1/contacts?search=ivo")
    const chosen = await answered(console_.service, "GET", `/v1/contacts/${items[0].contact_id}/topics`)
    const [own] = chosen.items.filter((each: { topic_id: string }) => each.topic_id === topic_id)
    assert.deepInclude(own, { status: "pending", explicit: true })
  })

  it("stop an upload, and begin it again", async () => {
    const page = await console_.screen("/imports/new")
    expecting(page, /net::ERR_FAILED/, /Failed to load resource/)
    await page.route("**/uploads/*", async (route) => {
      await page.waitForTimeout(60_000)
      await route.continue().catch(() => undefined)
    })
    await choose(page, "Email\nann@example.org", "slow.csv")
    await page.getByText("Uploading slow.csv").first().waitFor()
    await inspect(page, "an upload")
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByText("The upload was stopped.").waitFor()
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await page.getByRole("button", { name: "Upload again" }).click()
    await input(page, "Goes to: Email").waitFor()
    await page.context().close()
  })

  it("say why a file cannot be read", async () => {
    const page = await console_.screen("/imports/new")
    expecting(page, /422|400/)
    await choose(page, "PK\u0003\u0004 a workbook", "june.xlsx")
    await page.getByText(/can't be read as CSV/).waitFor()
    await inspect(page, "a file that is no CSV")
    await page.context().close()
  })

  it("suppress the addresses of a file", async () => {
    const page = await console_.screen("/imports/new")
    await choose(page, "Email\nleft@example.org", "left.csv")
    await page.getByRole("main").getByText("Suppressions", { exact: true }).click()
    await page.getByRole("button", { name: "Next" }).click()
    expecting(page, /400/)
    await page.getByRole("button", { name: "Suppress these addresses" }).click()
    await page.getByText(/^reason: is required/).waitFor()
    await inspect(page, "a refusal")
    await page.getByRole("button", { name: "Back" }).click()
    await pick(page, "Reason, where no column says one", "unsubscribed")
    await page.getByRole("button", { name: "Next" }).click()
    await page.getByRole("button", { name: "Suppress these addresses" }).click()
    await page.getByText(/1 rows in/).waitFor()
    const { suppressions } = await answered(console_.service, "GET", "/v1/suppressions")
    assert.deepStrictEqual(
      suppressions.map((each: { email: string; reason: string }) => [each.email, each.reason]),
      [["left@example.org", "unsubscribe"]],
    )
    await page.context().close()
  })

  it("add pasted addresses to a static list", async () => {
    const { lists } = await answered(console_.service, "GET", "/v1/contact-lists?search=June")
    const page = await console_.screen(`/lists/${lists[0].list_id}`)
    await page.getByRole("button", { name: "Paste addresses" }).click()
    const dialog = page.getByRole("dialog", { name: "Paste addresses" })
    await dialog.getByLabel("Addresses").fill("dan@example.org, Eve <eve@example.org>")
    await inspect(page, "pasted addresses")
    await dialog.getByRole("button", { name: "Add 2 addresses" }).click()
    await page.getByText(/2 rows in/).waitFor()
    const after = await answered(console_.service, "GET", "/v1/contact-lists?search=June")
    assert.strictEqual(after.lists[0].member_count, 4)
    await page.context().close()
  })

  it("are listed, and opened by their address in each view", async () => {
    await console_.visit("/imports", (page) => page.getByRole("link", { name: "left.csv" }).waitFor())
    const { runs } = await answered(console_.service, "GET", "/v1/contacts/imports")
    const first = runs.find((run: { file_name: string }) => run.file_name === "june.csv")
    await console_.visit(`/imports/${first.import_run_id}?status=all`, (page) => page.getByText(/rows in/).waitFor())
    const { session } = await answered(console_.service, "POST", "/v1/contacts/imports", {
      source: "rows",
      rows: [{ Email: "frank@example.org", Plan: "pro" }],
    }).then((json) => ({ session: json.import_session_id }))
    await console_.visit(`/imports/sessions/${session}`, (page) => input(page, "Goes to: Plan").waitFor())
  })
})
