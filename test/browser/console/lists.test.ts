// Lists in the console: the table, a static list with its members, and what refuses to be deleted.
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { answered } from "../../support/Service.ts"
import { Console, expecting, inspect } from "./Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

describe.skipIf(started === null)("lists", () => {
  let console_: Console
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    const items = ["Ann", "Bob", "Carla"].map((first_name) => ({
      email: `${first_name.toLowerCase()}@example.org`,
      first_name,
    }))
    await answered(console_.service, "POST", "/v1/contacts", { items })
  })
  afterAll(() => started?.close())

  const create = async (name: string): Promise<string> =>
    (await answered(console_.service, "POST", "/v1/contact-lists", { name, kind: "static" })).list_id

  it("are shown in a table in each view", async () => {
    await create("Newsletter")
    await console_.visit("/lists", (page) => page.getByText("Newsletter").waitFor())
  })

  it("are created with a name, and a taken name is refused beside its field", async () => {
    const page = await console_.screen("/lists")
    await page.getByRole("button", { name: "New list" }).click()
    const dialog = page.getByRole("dialog", { name: "New list" })
    await dialog.getByLabel("Name").fill("Newsletter")
    expecting(page, /409/)
    await dialog.getByRole("button", { name: "Create list" }).click()
    await dialog.getByText(/already exists/).waitFor()
    await inspect(page, "the refusal")
    await dialog.getByLabel("Name").fill("Romans")
    await dialog.getByRole("button", { name: "Create list" }).click()
    await page.getByRole("heading", { name: "Romans" }).waitFor()
    await page.getByText("No members").waitFor()
    await page.context().close()
  })

  it("get members that a search finds, and lose those that are chosen", async () => {
    const page = await console_.screen(`/lists/${await create("Bakers")}`)
    await page.getByRole("button", { name: "Add contact" }).click()
    await page.getByRole("combobox", { name: "Contact" }).fill("carla")
    await page.getByRole("option", { name: /Carla/ }).click()
    await page.getByRole("button", { name: "Add to the list" }).click()
    await page.getByRole("link", { name: "carla@example.org" }).waitFor()
    await inspect(page, "a member")
    await page.getByRole("checkbox", { name: "Choose Carla" }).check()
    await page.getByRole("button", { name: "Remove from list" }).click()
    await page.getByText("1 contact removed from the list").waitFor()
    await page.getByText("No members").waitFor()
    await page.context().close()
  })

  it("are renamed, and deleted after their name was typed", async () => {
    const page = await console_.screen(`/lists/${await create("Old name")}`)
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Rename" }).click()
    await page.getByRole("dialog").getByLabel("Name").fill("New name")
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
    await page.getByRole("heading", { name: "New name" }).waitFor()
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Delete…" }).click()
    await page.getByRole("dialog").getByRole("textbox").fill("New name")
    await page.getByRole("dialog").getByRole("button", { name: "Delete list" }).click()
    await page.getByRole("heading", { name: "Lists and segments" }).waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "New name" }).count(), 0)
    await page.context().close()
  })

  it("of the system have no actions", async () => {
    const { lists } = await answered(console_.service, "GET", "/v1/contact-lists?kind=system")
    const page = await console_.screen(`/lists/${lists[0].list_id}`)
    assert.strictEqual(await page.getByRole("button", { name: "More actions" }).count(), 0)
    await inspect(page, "a list of the system")
    await page.context().close()
  })
})
