// Blocks in the console: HTML becomes blocks, blocks become HTML with their document, and both ways ask first.
import type { Page } from "playwright-core"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { answered } from "../../../support/Service.ts"
import { Console, inspect } from "../Console.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

const html = `<html><body><h1>Spring sale</h1><p>Hello {{contact.first_name|you}}, <a href="https://example.com/shop">look</a></p>
<img src="https://example.com/chair.png" alt="A chair"></body></html>`

describe.skipIf(started === null)("blocks", () => {
  let console_: Console
  let path: string
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    const { email_id } = await answered(console_.service, "POST", "/v1/emails", { name: "Letter", html })
    path = `/emails/${email_id}`
  })
  afterAll(() => started?.close())

  const blocksOf = (page: Page) => page.frameLocator('iframe[title="Blocks"]')

  const stored = () => answered(console_.service, "GET", `/v1${path}/content.json`)

  it("are made of HTML after a question, written, saved, and read again", async () => {
    const page = await console_.screen(path)
    await page.getByText("Blocks", { exact: true }).click()
    await page.getByRole("dialog", { name: "Turn the code into blocks?" }).waitFor()
    await inspect(page, "the question before blocks")
    await page.getByRole("button", { name: "Turn into blocks" }).click()
    const writer = blocksOf(page)
    await writer.getByRole("heading", { name: "Spring sale" }).click()
    await page.keyboard.press("End")
    await page.keyboard.type(" now")
    await writer.getByRole("button", { name: "Button" }).click()
    await page.getByText("not saved").first().waitFor()
    await page.keyboard.press("Control+s")
    await page.getByText("v2", { exact: false }).first().waitFor()
    const { design, html: written } = await stored()
    assert.isBelow(written.indexOf("Spring sale now"), written.indexOf(">Button<"))
    assert.include(written, "Spring sale now")
    assert.include(written, "{{contact.first_name|you}}")
    assert.include(written, "https://example.com/chair.png")
    assert.strictEqual(design.editor, "react-email")
    await inspect(page, "blocks")
    await page.reload()
    await writer.getByRole("heading", { name: "Spring sale now" }).waitFor()
    assert.strictEqual(await page.getByText("not saved").count(), 0)
    await writer.getByRole("heading", { name: "Spring sale now" }).click()
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    await page.keyboard.type("/lin")
    await writer.locator("[data-re-slash-command-item]", { hasText: "Line" }).waitFor()
    await page.context().close()
  })

  it("are shown as code, which is changed only after a question", async () => {
    const page = await console_.screen(path)
    await blocksOf(page).getByRole("heading", { name: "Spring sale now" }).waitFor()
    await page.getByText("Code", { exact: true }).click()
    await page.getByText("Written with blocks.").waitFor()
    await page.getByRole("button", { name: "Edit the code…" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Edit the code" }).click()
    await page.locator(".cm-content").click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("<!-- by hand -->")
    await page.keyboard.press("Control+s")
    await vi.waitFor(async () => assert.deepInclude(await stored(), { version: 3, design: null }), { timeout: 30_000 })
    await page.context().close()
  })

  it("come back with an older version; code that comes from elsewhere stays code", async () => {
    const page = await console_.screen(path)
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Versions" }).click()
    await page.getByRole("button", { name: /^v2/ }).click()
    await page.getByRole("button", { name: /Go back to/ }).click()
    await vi.waitFor(async () => assert.strictEqual((await stored()).version, 4), { timeout: 30_000 })
    assert.strictEqual((await stored()).design.editor, "react-email")
    await page.context().close()
    const open = await console_.screen(path)
    await blocksOf(open).getByRole("heading", { name: "Spring sale now" }).waitFor()
    await answered(console_.service, "PUT", `/v1${path}/content`, { html })
    await open.getByRole("textbox", { name: "Subject" }).fill("Chairs")
    await open.keyboard.press("Control+s")
    await open.locator(".cm-content").waitFor()
    assert.deepInclude(await stored(), { version: 5, design: null })
    assert.strictEqual(await open.getByText("not saved").count(), 0)
    await open.context().close()
  })
})
