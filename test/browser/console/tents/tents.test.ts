// Pages in the console: made by AI, changed, published, visited, signed up on; many at once; and by own HTML.
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { callsOf, type Json, until, visit } from "../../../support/Service.ts"
import { Console, expecting, inspect } from "../Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

const agent =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"

const html = `<!doctype html><html lang="en"><head><title>Chairs</title></head><body><h1>Garden chairs</h1>
<form name="signup"><label>Email <input name="email" type="email"></label><button>Sign up</button></form></body></html>`

describe.skipIf(started === null)("tents", () => {
  let console_: Console
  let call: ReturnType<typeof callsOf>
  beforeAll(() => {
    console_ = started ?? assert.fail("no browser")
    call = callsOf(console_.service)
  })
  afterAll(() => started?.close())

  const shown = (page: Page) => page.frameLocator("iframe.preview").locator("body")

  const ownPage = async (name: string): Promise<string> => (await call("POST", "/v1/tents", { name, html })).id

  /** Sends the form of a published page as a visitor does. */
  const signUp = async (url: string, email: string): Promise<void> => {
    const context = await console_.browser.newContext({ userAgent: agent })
    const page = await context.newPage()
    await page.goto(url)
    await page.getByLabel("Email").fill(email)
    await page.getByRole("button", { name: "Sign up" }).click()
    await page.getByRole("button", { name: "Sign up" }).waitFor({ state: "detached" })
    await context.close()
  }

  it("begin with one button where there is none", async () => {
    await console_.visit("/tents", (page) => page.getByText("No pages yet").waitFor())
  })

  it("are made by AI with a file, changed by it, compared, and gone back from", async () => {
    const page = await console_.screen("/tents")
    await page.getByRole("button", { name: "New page" }).first().click()
    const dialog = page.getByRole("dialog", { name: "New page" })
    await dialog.getByLabel("Name").fill("Bakery sale")
    await dialog.getByLabel("What should the page be?").fill("A landing page for a bakery sale, with a sign-up form")
    await dialog
      .locator('input[type="file"]')
      .setInputFiles({ name: "prices.txt", mimeType: "text/plain", buffer: Buffer.from("Bread: 3") })
    await dialog.getByRole("button", { name: "Remove prices.txt" }).waitFor()
    await dialog.getByText("you get sample text").waitFor()
    await inspect(page, "the form of a page")
    await dialog.getByRole("button", { name: "Create with AI" }).click()
    await page.getByRole("heading", { name: "Bakery sale" }).waitFor()
    await shown(page).getByText("Bakery").first().waitFor()
    await page.getByText("This is sample text").waitFor()
    await page.getByRole("tab", { name: "Files" }).click()
    await page.getByText("prices.txt").waitFor()
    await page.getByRole("button", { name: "Ask the AI" }).click()
    await page.getByLabel("What should change?").fill("Add a section about parking")
    await page.getByRole("button", { name: "Let the AI change it" }).click()
    await page.getByText("v2", { exact: true }).waitFor()
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Versions" }).click()
    const versions = page.getByRole("dialog", { name: "Versions" })
    await versions.getByRole("button", { name: /^v1/ }).click()
    await versions.getByText("Code", { exact: true }).click()
    await versions.locator(".cm-mergeView").waitFor()
    await inspect(page, "the versions")
    await versions.getByRole("button", { name: "Go back to v1" }).click()
    await page.getByText("v3", { exact: true }).waitFor()
    await page.context().close()
  })

  it("say why the AI did not change them", async () => {
    const page = await console_.screen(`/tents/${await ownPage("Stubborn")}`)
    await page.getByRole("button", { name: "Ask the AI" }).click()
    await page.getByLabel("What should change?").fill("Compose a sonnet about the sea")
    await page.getByRole("button", { name: "Let the AI change it" }).click()
    await page.getByText("The AI did not change the page").waitFor()
    await page.context().close()
  })

  it("are published under an address that is free, visited, and taken offline", async () => {
    const taken = await ownPage("First")
    await call("POST", `/v1/tents/${taken}/publish`, { custom_page_alias: "chairs" })
    const id = await ownPage("Chairs")
    const page = await console_.screen(`/tents/${id}`)
    await page.getByRole("button", { name: "Publish", exact: true }).click()
    const dialog = page.getByRole("dialog")
    assert.strictEqual(await dialog.getByRole("textbox", { name: "Address" }).inputValue(), "chairs")
    expecting(page, /400/)
    await dialog.getByRole("button", { name: "Publish" }).click()
    await dialog.getByText(/chairs.*another|another.*chairs/i).waitFor()
    await inspect(page, "a taken address")
    await dialog.getByRole("textbox", { name: "Address" }).fill("garden-chairs")
    await dialog.getByRole("button", { name: "Publish" }).click()
    await dialog.getByText("v1 is public:").waitFor()
    const { publication } = await call("GET", `/v1/tents/${id}`)
    assert.match(publication.published_url, /\/garden-chairs$/)
    await dialog.getByRole("button", { name: "Done" }).click()

    await signUp(publication.published_url, "ann@example.org")
    await page.getByRole("tab", { name: "Sign-ups" }).click()
    await page.getByText("email: ann@example.org").waitFor()
    await page.getByRole("cell").getByRole("link", { name: "ann@example.org" }).waitFor()
    await inspect(page, "the sign-ups")
    await page.getByRole("tab", { name: "Traffic" }).click()
    await page.getByText("7 days").click()
    await until("the view to be counted", async () => {
      await page.reload()
      await page.getByRole("heading", { name: "Countries" }).waitFor()
      return (await page.getByText("Newest views").count()) > 0
    })
    await inspect(page, "the traffic")
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Take offline…" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Take offline" }).click()
    await page.getByText("offline", { exact: true }).waitFor()
    assert.strictEqual((await visit(publication.published_url, { "user-agent": agent })).status, 404)
    await page.context().close()
  })

  it("are changed as code, which visitors see once it is published again", async () => {
    const id = await ownPage("Code")
    await call("POST", `/v1/tents/${id}/publish`, {})
    const page = await console_.screen(`/tents/${id}?tab=code`)
    await page.getByRole("textbox", { name: "HTML" }).click()
    await page.keyboard.press("ControlOrMeta+End")
    await page.keyboard.type("<p>New chairs")
    await page.reload()
    await page.getByRole("button", { name: "Discard changes" }).waitFor()
    await page.getByRole("textbox", { name: "HTML" }).click()
    await page.keyboard.press("ControlOrMeta+s")
    await page.getByText("Visitors see v1. v2 is newer and not published yet.").waitFor()
    assert.include(await (await call("GET", `/v1/tents/${id}/versions`)).versions.length.toString(), "2")
    await page.getByRole("tab", { name: "Page" }).click()
    await shown(page).getByText("New chairs").waitFor()
    await page.context().close()
  })

  it("are made many at once from a pasted table, whose rejected rows are marked and mended", async () => {
    const { template_id } = await call("POST", "/v1/tent-templates", {
      name: "City page",
      html: "<html><body><h1>Hello {{api.city}}</h1></body></html>",
    })
    await call("POST", `/v1/tent-templates/${template_id}/approve`, {})
    const page = await console_.screen("/tents/bulk")
    await page.getByRole("combobox", { name: "Template" }).fill("city")
    await page.getByRole("option", { name: "City page" }).click()
    await page.getByText("It has the variables city.").waitFor()
    await page.getByLabel("Paste a table").fill("name\tcity\nUlm\tUlm\nBern\t")
    await page.getByRole("button", { name: "Create 2 pages" }).click()
    await page.getByText("1 of 1 are created").waitFor()
    await page.locator(".bulk-problem").waitFor()
    await inspect(page, "a rejected row")
    await page.getByRole("textbox", { name: "Row 1, column 2" }).fill("Bern")
    await page.getByRole("button", { name: "Create 1 page" }).click()
    await page.getByRole("link", { name: "Bern" }).click()
    await shown(page).getByText("Hello Bern").waitFor()
    await page.goto(`${console_.origin}/w/${console_.slug}/templates/tents/${template_id}`)
    await page.getByRole("button", { name: "Use template" }).click()
    const dialog = page.getByRole("dialog", { name: "New page" })
    await dialog.getByLabel("What should the page be?").fill("A page about our opening")
    assert.isTrue(await dialog.getByRole("button", { name: "Create with AI" }).isDisabled())
    await dialog.getByLabel("city").fill("Rome")
    await dialog.getByRole("button", { name: "Create with AI" }).click()
    await shown(page).getByText("Rome").first().waitFor()
    await page.context().close()
  })

  it("are shown in each view, and deleted after their name was typed", async () => {
    const id = await ownPage("Shown")
    await console_.visit("/tents", (page) => page.getByText("Shown").waitFor())
    await console_.visit(`/tents/${id}`, (page) => shown(page).getByText("Garden chairs").waitFor())
    await console_.visit(`/tents/${id}?tab=files`, (page) => page.getByText("No files.").waitFor())
    await console_.visit("/tents/bulk")
    const page = await console_.screen(`/tents/${id}`)
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Delete…" }).click()
    await page.getByRole("dialog").getByRole("textbox").fill("Shown")
    await page.getByRole("dialog").getByRole("button", { name: "Delete page" }).click()
    await page.waitForURL("**/tents")
    await page.getByRole("heading", { name: "Pages", level: 1 }).waitFor()
    const { tents } = await call("GET", "/v1/tents?search=Shown")
    assert.deepStrictEqual(
      tents.map(({ name }: Json) => name),
      [],
    )
    await page.context().close()
  })
})
