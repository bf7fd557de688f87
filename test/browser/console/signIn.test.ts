// Sign-in to the console: by the first link, by password, again after the session ended, and sign-out; and a sample of its screens.
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { Console, expecting, inspect, owner, views } from "./Console.ts"
import { isInTurn } from "@tentpole/core/contract"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

describe.skipIf(started === null)("sign-in", () => {
  let console_: Console
  beforeAll(() => {
    console_ = started ?? assert.fail("no browser")
  })
  afterAll(() => started?.close())

  const open = (path: string, view = views[0] ?? assert.fail(), isSignedIn = false) =>
    console_.open(`${console_.origin}${path}`, view, isSignedIn)

  it("asks for email and password without a session, accessible in each view", async () => {
    for (const view of views) {
      const page = await open("/", view)
      expecting(page, /401/)
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      await inspect(page, `sign-in, ${view.width} px, ${view.scheme}`)
      await page.context().close()
    }
  })

  it("refuses a wrong password in one sentence, and takes the right one to the workspace", async () => {
    const page = await open("/")
    expecting(page, /401/)
    await page.getByLabel("Email").fill(owner.email)
    await page.getByRole("textbox", { name: "Password" }).fill("wrong password here")
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByRole("alert").filter({ hasText: "Email or password is wrong." }).waitFor()
    await page.getByRole("textbox", { name: "Password" }).fill(owner.password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor()
    assert.strictEqual(new URL(page.url()).pathname, `/w/${console_.slug}/home`)
    await inspect(page, "after the sign-in")
    await page.context().close()
  })

  it("says that a link is used, and offers the sign-in", async () => {
    const page = await open(`/#link=${"a".repeat(43)}`)
    expecting(page, /401/, /404.*links/)
    await page.getByRole("heading", { name: "This link was used or has expired" }).waitFor()
    await page.getByLabel("Email").waitFor()
    await page.context().close()
  })

  it("asks again above the page when the session ended elsewhere, and goes on with what was asked for", async () => {
    const page = await console_.screen("/lists")
    expecting(page, /401/)
    await page.context().clearCookies()
    await page.getByRole("button", { name: "New list" }).click()
    await page.getByLabel("Name").fill("Kept draft")
    await page.getByRole("button", { name: "Create list" }).click()
    const dialog = page.getByRole("dialog", { name: "Your session ended" })
    await dialog.getByRole("textbox", { name: "Password" }).fill(owner.password)
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByRole("heading", { name: "Kept draft" }).waitFor()
    await page.context().close()
  })

  it("signs out from the menu of the account", async () => {
    const page = await open("/")
    expecting(page, /401/)
    await page.getByLabel("Email").fill(owner.email)
    await page.getByRole("textbox", { name: "Password" }).fill(owner.password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByRole("button", { name: `Account of ${owner.name}` }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await page.context().close()
  })

  it("speaks German where the browser does, and changes the language without losing the screen", async () => {
    const page = await console_.screen("/contacts")
    await page.getByRole("button", { name: `Account of ${owner.name}` }).click()
    await page.getByRole("menuitem", { name: "Deutsch" }).click()
    await page.getByRole("heading", { name: "Kontakte", exact: true }).waitFor()
    await page.getByRole("menu").waitFor({ state: "detached" })
    assert.strictEqual(await page.locator("html").getAttribute("lang"), "de")
    await inspect(page, "in German")
    await page.context().close()
  })

  // `npm run test:browser` opens all, with data.
  it("opens screens of several rooms, before there is any data", async () => {
    const paths = ["/blasts", "/webhooks", "/emails", "/settings/members", "/flows", "/segments"].filter((_, index) =>
      isInTurn(index),
    )
    for (const [index, path] of paths.entries()) {
      const page = await console_.open("about:blank", views[index % views.length] ?? assert.fail())
      await console_.goTo(page, path)
      await inspect(page, path)
      await page.context().close()
    }
  })
})
