// Settings in the console: the workspace, its people and keys, and the account.
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { callsOf, type Json } from "../../support/Service.ts"
import { Console, expecting, inspect, owner } from "./Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())
const desk = { width: 1280, scheme: "light" } as const

describe.skipIf(started === null)("settings", () => {
  let console_: Console
  let call: ReturnType<typeof callsOf>
  beforeAll(() => {
    console_ = started ?? assert.fail("no browser")
    call = callsOf(console_.service)
  })
  afterAll(() => started?.close())

  const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click()
  const saved = (page: Page) => page.getByText("Settings saved").last().waitFor()
  const open = (page: Page, section: string) =>
    page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: section }).click()

  it("have a section for each part, which every view can use", async () => {
    for (const section of ["workspace", "brand", "members", "account"]) await console_.visit(`/settings/${section}`)
  })

  it("change the workspace, its sender, its brand and its limits", async () => {
    const page = await console_.screen("/settings")
    await page.getByLabel("Postal address").fill("1 Mill Lane, Bern")
    await page.getByRole("combobox", { name: "Time zone" }).fill("Zurich")
    await page.getByRole("option", { name: "Europe/Zurich" }).click()
    await save(page)
    await saved(page)
    await open(page, "Sender")
    await page.getByLabel("Sender address").fill("news@other.example")
    await page.getByText("other.example is not verified").waitFor()
    await page.getByLabel("Sender address").fill("no address")
    expecting(page, /400/)
    await save(page)
    await page.getByText("must be an email address").waitFor()
    await page.getByLabel("Sender address").fill("news@example.test")
    await save(page)
    await saved(page)
    await open(page, "Brand")
    await page.getByLabel("Brand name").fill("Mill Lane <Bakery>")
    await page.frameLocator("iframe").getByText("Mill Lane <Bakery>").waitFor()
    await page.getByLabel("Main colour", { exact: true }).fill("#8a4b2f")
    await page.keyboard.press("Control+s")
    await saved(page)
    await open(page, "Limits")
    await page.getByLabel("In total").fill("50")
    await save(page)
    await saved(page)
    await inspect(page, "limits")
    const workspace = await call("GET", "/v1/workspace")
    assert.deepInclude(workspace, { postal_address: "1 Mill Lane, Bern", time_zone: "Europe/Zurich" })
    assert.strictEqual(workspace.sender_defaults.from_address, "news@example.test")
    assert.deepInclude(workspace.brand, { name: "Mill Lane <Bakery>", primary_color: "#8a4b2f" })
    assert.strictEqual(workspace.sending_limits.per_second, 50)
    await page.context().close()
  })

  it("create a field, say what uses it, archive and restore it", async () => {
    const page = await console_.screen("/settings/fields")
    await page.getByText("No fields yet").waitFor()
    await page.getByRole("button", { name: "New field" }).first().click()
    await page.getByLabel("Label").fill("Shoe size")
    assert.strictEqual(await page.getByLabel("Name in the API").inputValue(), "shoe_size")
    await page.getByRole("button", { name: "Create field" }).click()
    await page.getByRole("cell", { name: "Shoe size", exact: true }).waitFor()
    const { items } = await call("GET", "/v1/contact-fields")
    const condition = { source: "custom_field", fieldDefinitionId: items[0].field_definition_id, operator: "is_empty" }
    await call("POST", "/v1/contact-lists", {
      name: "Barefoot",
      kind: "dynamic",
      rules: { kind: "group", operator: "and", conditions: [{ kind: "condition", ...condition }] },
    })
    await page.getByRole("button", { name: "Edit: Shoe size" }).click()
    await page.getByRole("dialog").getByRole("link", { name: "Barefoot" }).waitFor()
    await page.getByRole("button", { name: "Archive" }).click()
    await page.getByRole("button", { name: "Archive" }).click()
    await page.getByText("No field has this status.").waitFor()
    await page.getByText("archived", { exact: true }).click()
    await page.getByRole("button", { name: "Edit: Shoe size" }).click()
    await page.getByRole("button", { name: "Restore" }).click()
    await page.getByText("“Shoe size” restored").waitFor()
    await page.getByText("All", { exact: true }).click()
    await page.getByRole("cell", { name: "Shoe size", exact: true }).waitFor()
    await inspect(page, "fields")
    await page.context().close()
  })

  it("show a new key once, with a call that works, and revoke it", async () => {
    const page = await console_.screen("/settings/keys")
    await page.getByRole("button", { name: "New key" }).click()
    await page.getByRole("textbox", { name: "Name" }).fill("Report")
    await page.getByRole("radio", { name: "viewer" }).check()
    await inspect(page, "new key")
    await page.getByRole("button", { name: "Create key" }).click()
    const key = (await page.getByRole("region", { name: "Key", exact: true }).textContent()) ?? ""
    const curl = (await page.getByRole("region", { name: "Try it" }).textContent()) ?? ""
    const [, url = ""] = /'(http[^']+)'/.exec(curl) ?? []
    const headers = { authorization: /Authorization: (Bearer \S+)"/.exec(curl)?.[1] ?? "" }
    const answer = await fetch(url, { headers })
    const { role }: Json = await answer.json()
    assert.deepStrictEqual([answer.status, role], [200, "viewer"])
    await page.getByRole("button", { name: "Done" }).click()
    assert.strictEqual(await page.getByText(key).count(), 0)
    await page.getByRole("button", { name: "Revoke: Report" }).click()
    await page.getByRole("button", { name: "Revoke key" }).click()
    await page.getByText("“Report” revoked").waitFor()
    assert.strictEqual((await fetch(url, { headers })).status, 401)
    await inspect(page, "keys")
    await page.context().close()
  })

  it("invite a person, change the role, ask for four eyes, and remove the person", async () => {
    const page = await console_.screen("/settings/members")
    await page.getByRole("button", { name: "Invite" }).click()
    await page.getByRole("textbox", { name: "Email" }).fill("ben@example.org")
    await page.getByRole("radio", { name: "editor" }).check()
    await inspect(page, "invite")
    await page.getByRole("button", { name: "Create link" }).click()
    const link = (await page.getByRole("region", { name: "Link" }).textContent()) ?? ""
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("region", { name: "Open invitations" }).first().waitFor()

    const theirs = await console_.open(link, desk, false)
    expecting(theirs, /401.*\/auth\/v1\/session/, /403/)
    await theirs.getByLabel("Your name").fill("Ben")
    await theirs.getByRole("button", { name: "Use a password instead" }).click()
    await theirs.getByRole("textbox", { name: "Password" }).fill("another tent on its pole")
    await theirs.getByRole("button", { name: "Join" }).click()
    await theirs.getByRole("button", { name: "Account of Ben" }).waitFor()
    await theirs.goto(`${console_.origin}/w/default/settings/workspace`)
    await theirs.getByText("Owners of the workspace can change this.").waitFor()
    assert.strictEqual(await theirs.getByRole("link", { name: "API keys" }).count(), 0)
    await theirs.goto(`${console_.origin}/w/default/settings/keys`)
    await theirs.getByText("This needs the role “owner”.").waitFor()

    await page.reload()
    await page.getByRole("combobox", { name: "Role of Ben" }).selectOption("sender")
    await page.getByText("Ben is sender now").waitFor()
    await page.getByRole("switch", { name: "Four eyes" }).click()
    await page.getByText("Four eyes are required now").waitFor()
    assert.isTrue((await call("GET", "/v1/workspace")).four_eyes)
    expecting(page, /409/)
    await page.getByRole("combobox", { name: `Role of ${owner.name}` }).selectOption("viewer")
    await page.getByText("This is the last owner of the workspace.").waitFor()
    await inspect(page, "members")
    await page.getByRole("button", { name: "Remove: Ben" }).click()
    await page.getByRole("button", { name: "Remove member" }).click()
    await page.getByText("Ben removed").waitFor()
    await theirs.reload()
    await theirs.getByText("You are not a member of any workspace").waitFor()
    await theirs.context().close()
    await page.context().close()
  })

  it("rename the person, end another session, and change the password and the language", async () => {
    const other = await console_.screen("/home")
    const page = await console_.screen("/home")
    await page.getByRole("button", { name: `Account of ${owner.name}` }).click()
    await page.getByRole("menuitem", { name: "Account" }).click()
    await page.getByLabel("Your name").fill("Ann L.")
    await save(page)
    await page.getByRole("button", { name: "Account of Ann L." }).waitFor()
    await page.getByLabel("Current password").fill("wrong, but long enough")
    await page.getByRole("textbox", { name: "New password" }).fill("a second tent on its pole")
    expecting(page, /400/)
    await page.getByRole("button", { name: "Change password" }).click()
    await page.getByText("is not the current password").waitFor()
    await page.getByLabel("Current password").fill(owner.password)
    await page.getByRole("button", { name: "Change password" }).click()
    await page.getByText("Password changed").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: /^End: / }).count(), 0)
    expecting(other, /401/)
    await other.getByRole("link", { name: "Contacts" }).click()
    await other.getByText("Your session ended").waitFor()
    await other.getByRole("textbox", { name: "Password" }).fill("a second tent on its pole")
    await other.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.reload()
    await page.getByRole("button", { name: "End: Chrome on Linux" }).click()
    await page.getByText("Session ended").waitFor()
    await page.getByText("Deutsch").click()
    await page.getByRole("heading", { name: "Konto", level: 1 }).waitFor()
    await inspect(page, "the account in German")
    await page.context().close()
    await other.context().close()
  })
})
