// Contacts in the console: the table, a new one, a person, and the states of an empty, failing and huge workspace.
import { readFile } from "node:fs/promises"
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { answered } from "../../support/Service.ts"
import { Console, expecting, inspect } from "./Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

const cities = ["Rome", "Berlin", "Paris"]

/** Fields that the made-up contacts of the long table have no value for. */
const absent = ["display_name", "first_name", "last_name", "phone", "city", "last_activity_at"]

/** Contacts of one request of the API. */
const batch_size = 100

const addContacts = async ({ service }: Console, count: number) => {
  for (let from = 0; from < count; from += batch_size) {
    const items = Array.from({ length: Math.min(batch_size, count - from) }, (_, index) => ({
      email: `person${String(from + index).padStart(3, "0")}@example.org`,
      first_name: "Person",
      last_name: `Number ${from + index}`,
      city: cities[index % cities.length],
      unsubscribed: index % 9 === 0,
    }))
    await answered(service, "POST", "/v1/contacts", { items })
  }
}

describe.skipIf(started === null)("contacts", () => {
  let console_: Console
  beforeAll(() => {
    console_ = started ?? assert.fail("no browser")
  })
  afterAll(() => started?.close())

  const rowsIn = (page: Page) => page.locator("[data-index]")

  it("explain themselves in an empty workspace", async () => {
    await console_.visit("/contacts", async (page) => {
      await page.getByRole("heading", { name: "No contacts yet" }).waitFor()
    })
  })

  it("are created by key, and a taken address is refused beside its field", async () => {
    const page = await console_.screen("/contacts")
    await page.keyboard.press("n")
    const dialog = page.getByRole("dialog", { name: "New contact" })
    await dialog.getByLabel("Email").fill("ann@example.org")
    await dialog.getByLabel("First name").fill("Ann")
    await inspect(page, "the form")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Ann" }).waitFor()
    assert.isTrue(await page.locator("h1").evaluate((heading) => heading === heading.ownerDocument.activeElement))
    await page.getByRole("link", { name: "Contacts" }).first().click()
    await page.getByRole("button", { name: "New contact" }).first().click()
    await dialog.getByLabel("Email").fill("ANN@example.org")
    await page.keyboard.press("Enter")
    await dialog.getByRole("button", { name: "Open the contact that has this address" }).waitFor()
    assert.strictEqual(await dialog.getByLabel("Email").getAttribute("aria-invalid"), "true")
    await inspect(page, "the refusal")
    await page.context().close()
  })

  it("are shown in a table that is searched and sorted in the address", async () => {
    await addContacts(console_, 250)
    await console_.visit("/contacts", (page) => rowsIn(page).first().waitFor())
    const page = await console_.screen("/contacts")
    await page.getByRole("searchbox", { name: "Search name, email or phone" }).fill("person01")
    await page.waitForURL(/search=person01/)
    await page.locator(".count", { hasText: "10" }).waitFor()
    await page.getByRole("columnheader", { name: "Email" }).getByRole("button").click()
    await page.waitForURL(/sort=normalized_email/)
    await page.getByRole("columnheader", { name: "Email" }).getByRole("button").click()
    await page.waitForURL(/order=desc/)
    await page.locator('[data-index="0"]', { hasText: "person019@example.org" }).waitFor()
    await page.reload()
    await page.locator('[data-index="0"]', { hasText: "person019@example.org" }).waitFor()
    assert.strictEqual(await page.getByRole("searchbox").inputValue(), "person01")
    await page.context().close()
  })

  it("are filtered by conditions, which stand in the address and become a segment", async () => {
    const page = await console_.screen("/contacts")
    await page.getByRole("button", { name: "Filter" }).click()
    await page.getByRole("button", { name: "Condition", exact: true }).press("Enter")
    await page.keyboard.type("city")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.type("rome")
    await page.locator(".count", { hasText: "85" }).waitFor()
    await page.getByRole("button", { name: "Condition", exact: true }).click()
    await page.keyboard.type("last name")
    await page.keyboard.press("Enter")
    await inspect(page, "a filter with an unfinished row")
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("searchbox").fill("person01")
    await page.locator(".count", { hasText: /^3$/ }).waitFor()
    await page.reload()
    await page.locator(".count", { hasText: /^3$/ }).waitFor()
    await page.getByRole("button", { name: "City is rome", exact: true }).waitFor()
    await inspect(page, "a filter")
    await page.getByRole("button", { name: "Save as segment" }).click()
    await page.locator(".match-count", { hasText: "85" }).waitFor()
    await page.goBack()
    await page.getByRole("button", { name: "Remove the filter: City is rome" }).click()
    await page.locator(".count", { hasText: "10" }).waitFor()
    assert.notInclude(page.url(), "rules=")
    await page.context().close()
  })

  it("load further pages while they are scrolled", async () => {
    const page = await console_.screen("/contacts?sort=normalized_email&order=asc")
    await rowsIn(page).first().waitFor()
    await page.locator(".table-box").evaluate((box) => box.scrollTo({ top: box.scrollHeight }))
    await page.getByText("person249@example.org").waitFor()
    assert.isBelow(await rowsIn(page).count(), 60)
    await page.context().close()
  })

  it("are chosen by keys and deleted after their number was typed", async () => {
    const page = await console_.screen("/contacts?search=person24&sort=normalized_email&order=asc")
    await rowsIn(page).first().waitFor()
    for (const key of ["j", "x", "j", "x"]) {
      await page.keyboard.press(key)
      await page.waitForTimeout(100)
    }
    await page.getByText("2 chosen").waitFor()
    await inspect(page, "chosen rows")
    await page.getByRole("button", { name: "Delete…" }).click()
    const dialog = page.getByRole("dialog", { name: "Delete 2 contacts?" })
    assert.isTrue(await dialog.getByRole("button", { name: "Delete for good" }).isDisabled())
    await dialog.getByRole("textbox").fill("2")
    await dialog.getByRole("button", { name: "Delete for good" }).click()
    await page.getByText("2 contacts deleted").waitFor()
    await page.locator(".count", { hasText: "8" }).waitFor()
    await page.context().close()
  })

  it("are chosen up to a row, exported, and moved into a list and out of it", async () => {
    await answered(console_.service, "POST", "/v1/contact-lists", { name: "Guests", kind: "static" })
    const page = await console_.screen("/contacts?search=person05&sort=normalized_email&order=asc")
    await rowsIn(page).first().waitFor()
    for (const key of ["j", "x", "j", "j", "j", "Shift+X"]) {
      await page.keyboard.press(key)
      await page.waitForTimeout(100)
    }
    await page.getByText("4 chosen").waitFor()
    const download = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export" }).click()
    const file = await readFile(await (await download).path(), "utf8")
    assert.deepStrictEqual(
      file.match(/person\d+@example.org/g),
      [50, 51, 52, 53].map((n) => `person0${n}@example.org`),
    )
    for (const [button, action, done] of [
      ["Add to list", "Add 4 contacts", "4 contacts added to the list"],
      ["Remove from list", "Remove 1 contact", "1 contact removed from the list"],
    ] as const) {
      if (button === "Remove from list") await page.getByRole("checkbox", { name: /Number 50/ }).click()
      await page.getByRole("button", { name: button }).click()
      await page.getByRole("combobox", { name: "Static list" }).fill("gues")
      await page.getByRole("option", { name: "Guests" }).click()
      await inspect(page, button)
      await page.getByRole("button", { name: action }).click()
      await page.getByText(done).waitFor()
    }
    await page.context().close()
  })

  it("say what they are in and why, what keeps mail away, and are erased with all of their data", async () => {
    const { service } = console_
    const email = "person051@example.org"
    const rules = {
      kind: "group",
      operator: "and",
      conditions: [{ kind: "condition", source: "contact", field: "city", operator: "equals", value: "rome" }],
    }
    await answered(service, "POST", "/v1/contact-lists", { name: "Romans", kind: "dynamic", rules })
    await answered(service, "POST", "/v1/suppressions", { email })
    const { items } = await answered(service, "GET", `/v1/contacts?search=${email}`)
    const path = `/contacts/${items[0].contact_id}`
    await console_.visit(path, async (page) => {
      await page.getByText("matches its rules").waitFor()
      await page.getByText("The address is suppressed: it was added by hand.").waitFor()
      await page.getByText("Not in any flow yet.").waitFor()
    })
    const page = await console_.screen(path)
    await page.getByRole("button", { name: "Check a list" }).click()
    await page.getByRole("combobox", { name: "List or segment" }).fill("roma")
    await page.getByRole("option", { name: /Romans/ }).click()
    await page.getByText("Yes, the contact is in this list.").waitFor()
    await page.getByText("City is rome").waitFor()
    await inspect(page, "why it is in a list")
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "Remove from the list Guests" }).click()
    await page.getByText("1 contact removed from the list").waitFor()
    await page.getByRole("button", { name: "Remove from the list Guests" }).waitFor({ state: "detached" })
    await page.getByRole("button", { name: "More actions" }).click()
    const download = page.waitForEvent("download")
    await page.getByRole("menuitem", { name: "Save all data as a file" }).click()
    assert.include(await readFile(await (await download).path(), "utf8"), email)
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Erase…" }).click()
    const dialog = page.getByRole("dialog", { name: "Erase this contact everywhere?" })
    await dialog.getByRole("textbox").fill(email)
    await inspect(page, "the question before an erasure")
    await dialog.getByRole("button", { name: "Erase everywhere" }).click()
    await page.waitForURL(/\/contacts$/)
    const left = await answered(service, "GET", `/v1/suppressions?search=${email}`)
    assert.lengthOf(left.suppressions, 0)
    await page.context().close()
  })

  it("are edited in place, with the service's message beside a refused value", async () => {
    const page = await console_.screen("/contacts?search=person100")
    await page.getByRole("link", { name: "person100@example.org" }).click()
    await page.getByRole("heading", { name: "Person Number 100" }).waitFor()
    await page.getByRole("button", { name: /^City: / }).click()
    await page.getByRole("textbox", { name: "City" }).fill("Lisbon")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "City: Lisbon. Edit" }).waitFor()
    await page.getByRole("button", { name: /^Email: / }).click()
    await page.getByRole("textbox", { name: "Email" }).fill("no address")
    expecting(page, /400|422/)
    await page.keyboard.press("Enter")
    await page.locator('input[aria-label="Email"][aria-invalid="true"]').waitFor()
    await inspect(page, "the refused value")
    await page.context().close()
  })

  it("are merged from the conflict of their addresses, with the result beside both", async () => {
    const { items } = await answered(console_.service, "GET", "/v1/contacts?search=person11&sort=display_name")
    const page = await console_.screen(`/contacts/${items[0].contact_id}`)
    await page.getByRole("button", { name: /^Email: / }).click()
    await page.getByRole("textbox", { name: "Email" }).fill("person111@example.org")
    expecting(page, /404|409/)
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Merge with person111@example.org…" }).click()
    const dialog = page.getByRole("dialog", { name: "Merge Person Number 110 with another contact" })
    await dialog.getByRole("row", { name: /^City/ }).getByRole("radio", { name: "Paris" }).check()
    await dialog.getByRole("row", { name: /^City/ }).getByRole("cell", { name: "Paris", exact: true }).last().waitFor()
    await inspect(page, "the dry run of a merge")
    await dialog.getByRole("button", { name: "Merge for good" }).click()
    await page.getByText("Merged with another contact").waitFor()
    await page.goto(`${console_.origin}/w/${console_.slug}/contacts/${items[1].contact_id}`)
    await page.getByRole("button", { name: "City: Paris. Edit" }).waitFor()
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Merge…" }).click()
    await dialog.getByRole("combobox", { name: "Other contact" }).waitFor()
    await page.getByRole("menuitem", { name: "Merge…" }).waitFor({ state: "detached" })
    await inspect(page, "the choice of the other contact")
    await page.context().close()
  })

  it("have tags that are added and removed by keys", async () => {
    const field = { api_name: "interests", display_name: "Interests", value_type: "tags" }
    await answered(console_.service, "POST", "/v1/contact-fields", field)
    const page = await console_.screen("/contacts?search=person103")
    await page.getByRole("link", { name: "person103@example.org" }).click()
    await page.getByRole("button", { name: "Interests: empty. Edit" }).click()
    const input = page.locator('input[aria-label="Interests"]')
    await input.pressSequentially("wine,vip")
    await page.keyboard.press("Enter")
    await inspect(page, "words of a field")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Interests: wine, vip. Edit" }).click()
    await page.keyboard.press("Backspace")
    await input.pressSequentially("beer")
    await page.getByRole("heading", { level: 1 }).click()
    await page.getByRole("button", { name: "Interests: wine, beer. Edit" }).waitFor()
    await page.context().close()
  })

  it("have a screen of their own in each view, and deletion asks for the address", async () => {
    const { items } = await answered(console_.service, "GET", "/v1/contacts?search=person101")
    const path = `/contacts/${items[0].contact_id}`
    await console_.visit(path, (page) => page.getByText("Contact created").waitFor())
    const page = await console_.screen(path)
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Delete…" }).click()
    const dialog = page.getByRole("dialog", { name: "Delete this contact?" })
    await dialog.getByRole("textbox").fill("person101@example.org")
    await dialog.getByRole("button", { name: "Delete for good" }).click()
    await page.waitForURL(/\/contacts$/)
    expecting(page, /404/)
    await page.goto(`${console_.origin}/w/${console_.slug}${path}`)
    await page.getByText("This does not exist").waitFor()
    await inspect(page, "a deleted contact")
    await page.context().close()
  })

  it("are found by the palette, like lists, which the keyboard opens and follows", async () => {
    const list = { name: "Bakery newsletter", kind: "static" }
    await answered(console_.service, "POST", "/v1/contact-lists", list)
    const page = await console_.screen("/lists")
    await page.keyboard.press("Control+k")
    const palette = page.getByRole("dialog")
    const search = palette.getByRole("textbox", { name: "Search" })
    await search.fill("person102")
    await page.getByText("Person Number 102").waitFor()
    await inspect(page, "the palette")
    // A list with its kind, found by a part of its name. Screens come first.
    await search.fill("letter")
    await palette.getByText("Bakery newsletter").waitFor()
    await palette.getByText("static").waitFor()
    await page.keyboard.press("ArrowDown")
    await inspect(page, "the palette with a chosen list")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Bakery newsletter" }).waitFor()
    await page.keyboard.press("Control+k")
    await search.fill("nothing has this name")
    await page.getByText("Nothing found").waitFor()
    await inspect(page, "the palette without a result")
    await search.fill("person102")
    await page.getByText("Person Number 102").waitFor()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Person Number 102" }).waitFor()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.keyboard.press("g")
    await page.keyboard.press("s")
    await page.getByRole("heading", { name: "Lists and segments" }).waitFor()
    await page.context().close()
  })

  it("show a failure with the id of the request, and the same call by curl", async () => {
    const page = await console_.screen("/contacts")
    await page.route("**/v1/contacts?*", (route) =>
      route.fulfill({
        status: 500,
        headers: { "content-type": "application/json", "x-request-id": "req_42" },
        body: JSON.stringify({
          code: "internal_error",
          message: "Something failed",
          details: { request_id: "req_42" },
        }),
      }),
    )
    expecting(page, /500/)
    await page.getByRole("searchbox").fill("no answer")
    await page.getByText("req_42").waitFor()
    await inspect(page, "a failure")
    await page.unroute("**/v1/contacts?*")
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("No contact matches this search.").waitFor()
    await page.getByRole("button", { name: "The same with curl" }).click()
    const curl = await page.locator("pre").textContent()
    assert.include(curl, `curl '${console_.service.api}/v1/contacts?search=no+answer'`)
    assert.include(curl, '-H "Authorization: Bearer $TENTPOLE_API_KEY"')
    await page.context().close()
  })

  it("show a bar while the service does not answer, and refresh when it does", async () => {
    const page = await console_.screen("/contacts")
    expecting(page, /net::ERR/, /Failed to load resource/)
    await page.context().setOffline(true)
    await page.getByRole("searchbox").fill("person1")
    await page.getByText("The service does not answer. Trying again.").waitFor()
    await inspect(page, "offline")
    await page.context().setOffline(false)
    await page.getByText("The service does not answer. Trying again.").waitFor({ state: "detached" })
    await page.locator('[data-index="0"]', { hasText: "person1" }).waitFor()
    await page.context().close()
  })

  it("are a table of a million rows that holds few of them", async () => {
    const total = 1_204_311
    const page = await console_.open("about:blank", { width: 1280, scheme: "light" })
    await page.route("**/v1/contacts?*", (route) => {
      const at = Number(new URL(route.request().url()).searchParams.get("page") ?? 1)
      const items = Array.from({ length: batch_size }, (_, index) => ({
        contact_id: `${at}-${index}`,
        email: `row${(at - 1) * batch_size + index + 1}@example.org`,
        ...Object.fromEntries(absent.map((name) => [name, null])),
        unsubscribed: false,
        marketing_email_invalid: false,
        created_at: "2026-11-01T00:00:00.000Z",
      }))
      const pagination = { page: at, limit: batch_size, total, totalPages: Math.ceil(total / batch_size) }
      return route.fulfill({ json: { items, pagination } })
    })
    await page.goto(`${console_.origin}/w/${console_.slug}/contacts`)
    await page.getByText("row1@example.org").waitFor()
    await page.locator(".table-box").evaluate((box) => box.scrollTo({ top: box.scrollHeight }))
    await page.getByText("row100000@example.org").waitFor()
    await page.getByRole("button", { name: "Next rows" }).click()
    await page.getByText("row100001@example.org").waitFor()
    await page.getByText("Rows 100,001 to 200,000 of 1,204,311").waitFor()
    assert.isBelow(await rowsIn(page).count(), 60)
    await inspect(page, "a million rows")
    await page.context().close()
  })
})
