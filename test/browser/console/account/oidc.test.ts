// The journey of a sign-in with the identity provider: refused, the provider down, invited, and where it is the only way.
import { OidcServer } from "@tentpole/adapters/test/OidcServer"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { Console, expecting, inspect, owner } from "../Console.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const provider = await OidcServer.start()
const started = await Console.startUnused({
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: provider.clientId,
  OIDC_CLIENT_SECRET: provider.clientSecret,
  OIDC_ONLY: "true",
})

describe.skipIf(started === null)("the identity provider", () => {
  let console_: Console
  beforeAll(() => {
    console_ = started ?? assert.fail("no browser")
  })
  afterAll(async () => {
    await started?.close()
    await provider.close()
  })

  it("signs in the person who is known by the verified address, and says what went wrong for others", async () => {
    const phone = { width: 390, scheme: "dark" } as const
    const first = await console_.open(console_.link, phone, false)
    expecting(first, /401/)
    await first.getByLabel("Your name").fill(owner.name)
    await first.getByLabel("Email").fill(owner.email)
    await inspect(first, "the first link")
    await first.getByRole("button", { name: "Create account" }).click()
    await first.getByRole("button", { name: `Account of ${owner.name}` }).waitFor()
    await first.context().close()

    const page = await console_.open(`${console_.origin}/w/default/lists?kind=static`, phone, false)
    expecting(page, /401/, /foreign request: http:\/\/localhost/)
    const button = page.getByRole("link", { name: `Sign in with ${new URL(provider.issuer).host}` })
    await button.waitFor()
    assert.strictEqual(await page.getByLabel("Email").count(), 0)
    provider.person = { sub: "1", email: "eve@example.org", email_verified: true }
    await button.click()
    await page.getByRole("alert").filter({ hasText: "You were not signed in." }).waitFor()
    await inspect(page, "a refused sign-in")
    provider.isDown = true
    await button.click()
    await page.getByRole("alert").filter({ hasText: "does not answer at the moment" }).waitFor()
    provider.isDown = false
    provider.person = { sub: "2", email: owner.email, email_verified: true, name: "Ann" }
    await page.goto(`${console_.origin}/w/default/lists?kind=static`)
    await button.click()
    await page.getByRole("button", { name: `Account of ${owner.name}` }).waitFor()
    assert.strictEqual(page.url(), `${console_.origin}/w/default/lists?kind=static`)
    await page.goto(`${console_.origin}/w/default/settings/account`)
    await page.getByRole("region", { name: "Sessions" }).waitFor()
    assert.strictEqual(await page.getByRole("region", { name: /Password|Passkeys/ }).count(), 0)
    await page.context().close()
  })
})
