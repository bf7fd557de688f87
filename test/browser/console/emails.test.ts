// Emails and templates in the console: written in the code editor, previewed, tested, approved; changed by the AI; and used.
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import type { Page } from "playwright-core"
import { answered, tentpole, until } from "../../support/Service.ts"
import { Console, expecting, inspect, owner } from "./Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

const sender = { from_name: "Acme", from_address: "news@acme.test", reply_to_email: "news@acme.test" }

describe.skipIf(started === null)("emails", () => {
  let console_: Console
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    const { service } = console_
    for (const verb of ["create", "verify"]) {
      const ended = await tentpole(["domain", verb, "acme.test"], service.environment)
      assert.strictEqual(ended.code, 0, ended.output)
    }
    await answered(service, "POST", "/v1/contacts", { items: [{ email: "ann@example.org", first_name: "Ann" }] })
  })
  afterAll(() => started?.close())

  const create = async (more: object = {}): Promise<string> => {
    const email = { name: "Spring sale", subject: "Garden chairs", html: "<h1>Hello</h1>", ...sender, ...more }
    return (await answered(console_.service, "POST", "/v1/emails", email)).email_id
  }

  const editor = (page: Page) => page.getByRole("textbox", { name: "HTML" })
  const shown = (page: Page) => page.frameLocator("iframe.preview").locator("body")

  it("begin with one button where there is none", async () => {
    await console_.visit("/emails", (page) => page.getByText("No emails yet").waitFor())
  })

  it("are written in the code editor, previewed as they are typed, tested and approved", async () => {
    const page = await console_.screen("/emails")
    await page.getByRole("button", { name: "New email" }).first().click()
    const dialog = page.getByRole("dialog", { name: "New email" })
    await dialog.getByLabel("Name").fill("Spring sale")
    await dialog.getByText("Own HTML").click()
    await dialog.getByRole("textbox", { name: "HTML" }).fill("<h1>Hello</h1>")
    await dialog.getByRole("button", { name: "Create email" }).click()
    await page.getByRole("heading", { name: "Spring sale" }).waitFor()
    await shown(page).getByText("Hello").waitFor()

    await editor(page).click()
    await page.keyboard.press("ControlOrMeta+End")
    await page.keyboard.type("<p>Dear {{contact.first_n")
    await page.getByRole("option", { name: /contact\.first_name/ }).click()
    await shown(page).getByText("Dear Sample").waitFor()
    await page.getByRole("combobox", { name: "As contact" }).fill("ann")
    await page.getByRole("option", { name: /Ann/ }).click()
    await shown(page).getByText("Dear Ann").waitFor()
    await inspect(page, "the editor")

    await page.getByLabel("Subject", { exact: true }).fill("Garden chairs")
    await page.getByLabel("Sender name", { exact: true }).fill("Acme")
    await page.getByLabel("Sender address").fill(sender.from_address)
    await page.getByLabel("Reply to").fill(sender.reply_to_email)
    await editor(page).click()
    await page.keyboard.press("ControlOrMeta+s")
    await page.getByText(/^v2 · saved/).waitFor()

    await page.getByRole("button", { name: "Send a test" }).click()
    const test = page.getByRole("dialog", { name: "Send a test of v2" })
    assert.strictEqual(await test.getByRole("textbox", { name: "To", exact: true }).inputValue(), owner.email)
    await test.getByRole("button", { name: "Send to 1 address" }).click()
    await page.getByText(`Test sent to ${owner.email}`).waitFor()

    await page.getByRole("button", { name: "Approve", exact: true }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Approve v2" }).click()
    await page.getByText("v2 · v2 approved").waitFor()
    const { emails } = await answered(console_.service, "GET", "/v1/emails?search=Spring")
    assert.deepInclude(emails[0], { status: "approved", approved_version: 2, subject: "Garden chairs" })
    await page.context().close()
  })

  it("keep unsaved changes over a reload of the page", async () => {
    const page = await console_.screen(`/emails/${await create()}`)
    await page.getByLabel("Subject", { exact: true }).fill("Half a subj")
    await page.getByText("not saved").waitFor()
    await page.reload()
    await page.getByText("not saved").waitFor()
    assert.strictEqual(await page.getByLabel("Subject", { exact: true }).inputValue(), "Half a subj")
    await page.getByRole("button", { name: "Discard changes" }).click()
    assert.strictEqual(await page.getByLabel("Subject", { exact: true }).inputValue(), "Garden chairs")
    await page.context().close()
  })

  it("say what they lack, and approve misspelt tokens only on demand", async () => {
    const html = "<p>{{contact.frist_name}}</p>"
    const page = await console_.screen(`/emails/${await create({ html, subject: null, from_address: null })}`)
    await page.getByText("Without a value: {{contact.frist_name}}").waitFor()
    await page.locator(".cm-lintRange-warning").waitFor()
    await page.getByRole("button", { name: "Approve", exact: true }).click()
    const dialog = page.getByRole("dialog", { name: "Approve v1" })
    await inspect(page, "the checklist")
    await dialog.getByRole("button", { name: "Write a subject" }).click()
    await until("the subject to have the focus", () =>
      page.getByLabel("Subject", { exact: true }).evaluate((input) => input.matches(":focus")),
    )
    await page.keyboard.type("Hello")
    await page.getByLabel("Sender address").fill(sender.from_address)
    await page.getByRole("button", { name: "Approve", exact: true }).click()
    expecting(page, /400/)
    await dialog.getByRole("button", { name: "Approve v1" }).click()
    await dialog.getByText("{{contact.frist_name}} probably means {{contact.first_name}}").waitFor()
    await inspect(page, "the misspelt token")
    await dialog.getByRole("button", { name: "Approve anyway" }).click()
    await page.getByText("v1 · v1 approved").waitFor()
    await page.context().close()
  })

  it("are changed by the AI, which shows the new version beside the old one, and the way back", async () => {
    const page = await console_.screen(`/emails/${await create({ name: "Letter" })}`)
    await page.getByRole("button", { name: "Ask the AI" }).click()
    await page.getByLabel("What should change?").fill("A letter about garden chairs")
    await page.getByRole("button", { name: "Let the AI write" }).click()
    const dialog = page.getByRole("dialog", { name: "Versions" })
    await dialog.getByText("v1 on the left, v2 on the right").waitFor()
    await dialog.locator(".cm-mergeView").waitFor()
    await inspect(page, "the versions")
    await dialog.getByRole("button", { name: "Go back to v1" }).click()
    await page.getByText("The content of v1 is the newest version again").waitFor()
    await page.getByText(/^v3/).waitFor()
    await shown(page).getByText("Hello").waitFor()
    await page.context().close()
  })

  it("are shown in each view, on a phone with the editor and the preview as tabs", async () => {
    const id = await create()
    await console_.visit("/emails", (page) => page.getByText("Spring sale").first().waitFor())
    await console_.visit(`/emails/${id}`, async (page, { width }) => {
      await editor(page).waitFor()
      if (width < 500) await page.getByText("Preview", { exact: true }).click()
      await shown(page).getByText("Hello").waitFor()
    })
  })

  it("are deleted after their name was typed", async () => {
    const page = await console_.screen(`/emails/${await create({ name: "Old one" })}`)
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Delete…" }).click()
    await page.getByRole("dialog").getByRole("textbox").fill("Old one")
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByRole("heading", { name: "Emails" }).waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "Old one" }).count(), 0)
    await page.context().close()
  })

  it("begin with an approved template, which is edited on the same screen", async () => {
    await console_.visit("/templates", (page) => page.getByText("No email templates yet").waitFor())
    const page = await console_.screen("/templates")
    await page.getByRole("button", { name: "New template" }).first().click()
    await page.getByRole("dialog").getByLabel("Name").fill("Newsletter")
    await page.getByRole("dialog").getByRole("button", { name: "Create template" }).click()
    await page.getByRole("heading", { name: "Newsletter" }).waitFor()
    await page.getByLabel("Subject", { exact: true }).fill("News")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText(/^v1 · saved/).waitFor()
    await inspect(page, "a template")
    await page.getByRole("button", { name: "Approve", exact: true }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Approve v1" }).click()
    await page.getByRole("button", { name: "Use template" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Create email" }).click()
    await page.getByRole("link", { name: "Emails" }).first().waitFor()
    assert.strictEqual(await page.getByLabel("Subject", { exact: true }).inputValue(), "News")
    await page.context().close()
  })
})
