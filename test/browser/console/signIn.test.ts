// Sign-in to the console: by the first link, by password, again after the session ended, and sign-out; and a sample of its screens.
// The tests are one visit in one window: each goes on where the last one ended.
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"
import { isInTurn } from "@tentpole/core/contract"
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { Console, expecting, inspect, owner, resize, views } from "./Console.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.startUnused(await ownDatabase())

describe.skipIf(started === null)("sign-in", () => {
  let console_: Console
  let page: Page
  const [wide = assert.fail("no view")] = views

  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    page = await console_.firstSignIn()
  })
  afterAll(() => started?.close())

  const enter = async (password: string) => {
    await page.getByLabel("Email").fill(owner.email)
    await page.getByRole("textbox", { name: "Password" }).fill(password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
  }

  // `npm run test:browser` opens all, with data.
  it("opens screens of several rooms, before there is any data", async () => {
    const paths = ["/blasts", "/webhooks", "/emails", "/settings/members", "/flows", "/segments"].filter((_, index) =>
      isInTurn(index),
    )
    for (const [index, path] of paths.entries()) {
      await resize(page, views[index % views.length] ?? wide)
      await console_.goTo(page, path)
      await inspect(page, path)
    }
    await resize(page, wide)
  })

  it("signs out from the menu of the account, and asks for email and password, accessible in each view", async () => {
    // From here on there are requests without a session.
    expecting(page, /401/, /404.*links/)
    await page.getByRole("button", { name: `Account of ${owner.name}` }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await page.goto(console_.origin)
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    for (const view of views) {
      await resize(page, view)
      await inspect(page, `sign-in, ${view.width} px, ${view.scheme}`)
    }
    await resize(page, wide)
  })

  it("refuses a wrong password in one sentence, and takes the right one to the workspace", async () => {
    await enter("wrong password here")
    await page.getByRole("alert").filter({ hasText: "Email or password is wrong." }).waitFor()
    await enter(owner.password)
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor()
    assert.strictEqual(new URL(page.url()).pathname, `/w/${console_.slug}/home`)
    await inspect(page, "after the sign-in")
  })

  it("asks again above the page when the session ended elsewhere, and goes on with what was asked for", async () => {
    await console_.goTo(page, "/lists")
    await page.context().clearCookies()
    await page.getByRole("button", { name: "New list" }).click()
    await page.getByLabel("Name").fill("Kept draft")
    await page.getByRole("button", { name: "Create list" }).click()
    const dialog = page.getByRole("dialog", { name: "Your session ended" })
    await dialog.getByRole("textbox", { name: "Password" }).fill(owner.password)
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByRole("heading", { name: "Kept draft" }).waitFor()
  })

  it("says that a link is used, and offers the sign-in", async () => {
    await page.context().clearCookies()
    await page.goto("about:blank")
    await page.goto(`${console_.origin}/#link=${"a".repeat(43)}`)
    await page.getByRole("heading", { name: "This link was used or has expired" }).waitFor()
    await enter(owner.password)
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor()
  })

  it("changes the language without losing the screen", async () => {
    await console_.goTo(page, "/contacts")
    await page.getByRole("button", { name: `Account of ${owner.name}` }).click()
    await page.getByRole("menuitem", { name: "Deutsch" }).click()
    await page.getByRole("heading", { name: "Kontakte", exact: true }).waitFor()
    await page.getByRole("menu").waitFor({ state: "detached" })
    assert.strictEqual(await page.locator("html").getAttribute("lang"), "de")
    await inspect(page, "in German")
  })
})
