// The journey of a passkey: created with the first link, used to sign in, removed, and not offered at an IP address. Chromium's virtual authenticator is the device.
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { pause } from "../../../support/Service.ts"
import { Console, expecting, inspect, owner, views } from "../Console.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.startUnused()

/** Gives the page a device that confirms everything, as a laptop with a fingerprint reader. */
const addDevice = async (page: Page) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("WebAuthn.enable")
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const verifies = (isUserVerified: boolean) =>
    devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified })
  return { verifies }
}

describe.skipIf(started === null)("passkeys", () => {
  let console_: Console
  beforeAll(() => {
    console_ = started ?? assert.fail("no browser")
  })
  afterAll(() => started?.close())

  const inEachView = async (page: Page, what: string) => {
    for (const { scheme, width } of views) {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme: scheme })
      await inspect(page, `${what}, ${width} px, ${scheme}`)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }

  it("create the first account, sign in, and are removed; the only way to sign in stays", async () => {
    const page = await console_.open(console_.link, { width: 1280, scheme: "light" }, false)
    expecting(page, /401/, /409/)
    const device = await addDevice(page)
    await page.getByLabel("Your name").fill(owner.name)
    await page.getByLabel("Email").fill(owner.email)
    await inEachView(page, "the first link")
    await page.getByRole("button", { name: "Create account with a passkey" }).click()
    const menu = page.getByRole("button", { name: `Account of ${owner.name}` })
    await menu.click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()

    const signIn = page.getByRole("button", { name: "Sign in with a passkey" })
    await signIn.waitFor()
    await inEachView(page, "the sign-in")
    await device.verifies(false)
    await signIn.click()
    await page.getByRole("alert").filter({ hasText: "No passkey was used" }).waitFor()
    await device.verifies(true)
    await signIn.click()
    await menu.waitFor()

    await page.goto(`${console_.origin}/w/${console_.slug}/settings/account`)
    const passkeys = page.getByRole("region", { name: "Passkeys" })
    const remove = passkeys.getByRole("button", { name: /^Remove: Chrome/ })
    await remove.click()
    await passkeys.getByText("This passkey is the only way to sign in").waitFor()
    await passkeys.getByRole("button", { name: "Add passkey" }).click()
    await passkeys.getByRole("alert").filter({ hasText: "has a passkey for you already" }).waitFor()
    await inEachView(page, "the account")
    await page.getByRole("textbox", { name: "New password" }).fill(owner.password)
    await page.getByRole("button", { name: "Set a password" }).click()
    await page.getByRole("textbox", { name: "Current password" }).waitFor()
    await remove.click()
    await passkeys.getByText("None yet.").waitFor()

    expecting(page, /foreign request: http:\/\/127\.0\.0\.1/)
    const methods = page.waitForResponse(/\/auth\/v1\/methods/)
    await page.goto(console_.origin.replace("localhost", "127.0.0.1"))
    await methods
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor()
    await pause(500)
    assert.strictEqual(await signIn.count(), 0)
    await page.context().close()
  })
})
