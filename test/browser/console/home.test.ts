// Home in the console: the first steps of a new workspace, done by doing, and the overview of one in use.
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { callsOf, type Json } from "../../support/Service.ts"
import { Console, inspect, owner } from "./Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

describe.skipIf(started === null)("Home", () => {
  let console_: Console
  let call: ReturnType<typeof callsOf>
  beforeAll(() => {
    console_ = started ?? assert.fail("no browser")
    call = callsOf(console_.service)
  })
  afterAll(() => started?.close())

  /** Submits the form of a new page, as a visitor does. */
  const signUp = async (email: string) => {
    const html =
      '<!doctype html><title>Join</title><form id="join"><input name="email" type="email"><button>Join</button></form>'
    const body = { name: "Join us", html, auto_publish: true, custom_page_alias: "join" }
    const { publication } = await call("POST", "/v1/tents", body)
    const page = await console_.browser.newPage()
    await page.goto(publication.published_url)
    await page.getByRole("textbox").fill(email)
    await page.getByRole("button").click()
    await page.getByText("Thank you").waitFor()
    await page.close()
  }

  it("begins with steps that are done by their buttons", async () => {
    await console_.visit("/home", (page) => page.getByRole("heading", { name: "First contact" }).waitFor())
    const page = await console_.screen("")
    const step = (name: string) => page.getByRole("listitem").filter({ hasText: name })
    await page.getByRole("button", { name: "Add me" }).click()
    await step("First contact").getByText("done").waitFor()
    await page.getByRole("button", { name: "Send me a mail" }).click()
    await page.getByText(`A test is on its way to ${owner.email}`).waitFor()
    await step("First mail").getByText("done").waitFor()
    await page.getByRole("button", { name: "Publish a page" }).click()
    const link = step("First page").getByRole("link", { name: "Open" })
    assert.include(await link.getAttribute("href"), "/hello")
    await inspect(page, "the steps that are done")
    const { items } = await call("GET", `/v1/contacts?email=${owner.email}`)
    assert.strictEqual(items.length, 1)
    await page.context().close()
  })

  it("shows figures, what goes on, and what needs the person", async () => {
    const people = Array.from({ length: 6 }, (_, index) => ({ email: `p${index}@example.org` }))
    const { items } = await call("POST", "/v1/contacts", { items: people })
    const { blast_id } = await call("POST", "/v1/email-blasts", { name: "Spring sale" })
    const contact_ids = items.map((each: Json) => each.contact_id)
    await call("PUT", `/v1/email-blasts/${blast_id}/audience`, { source: "inline", kind: "static", contact_ids })
    const email = { source: "inline", subject: "Hi", html: "<html><body><p>Hi</p></body></html>" }
    const sender = { from_name: "Acme", from_address: "hi@example.test", reply_to_email: "hi@example.test" }
    const { email_id } = await call("PUT", `/v1/email-blasts/${blast_id}/email`, { ...email, ...sender })
    await call("POST", `/v1/emails/${email_id}/approve`, {})
    await console_.limitSending(1)
    const page = await console_.screen("")
    await page.getByText("1 email waits for approval.").waitFor()
    await call("POST", `/v1/email-blasts/${blast_id}/send-now`, {})
    await page.getByRole("progressbar", { name: "Progress of Spring sale" }).waitFor()
    // The stream of changes also brings the end of the blast.
    await page
      .getByRole("region", { name: "Latest blasts" })
      .getByText(/^6 sent/)
      .waitFor()
    await page.context().close()
    await signUp("eve@example.org")
    await console_.visit("/home", (home) => home.getByRole("region", { name: "Messages a day" }).waitFor())
    const figures = await console_.screen("")
    await figures.getByText("7 days").click()
    await figures.waitForURL(/days=7/)
    const growth = figures.getByRole("region", { name: "New contacts a day" })
    await growth.getByRole("button", { name: "Show as table" }).click()
    const rows = await growth.getByRole("row").allTextContents()
    assert.lengthOf(rows, 8)
    // The owner, six people and a sign-up, and one submission. They may be of two days.
    const sums = rows.slice(1).map((row) => row.replace(/^.*20\d\d/, ""))
    assert.strictEqual(
      sums.reduce((sum, row) => sum + Number(row[0]), 0),
      8,
    )
    assert.strictEqual(
      sums.reduce((sum, row) => sum + Number(row[1]), 0),
      1,
    )
    await figures.getByRole("group", { name: "New contacts" }).getByText("8", { exact: true }).waitFor()
    await figures.getByRole("group", { name: "Credits left" }).getByText("0 spent").waitFor()
    await figures.getByRole("link", { name: "Spring sale" }).click()
    await figures.getByText("6 of 6 accounted for, none got it twice").waitFor()
    await figures.context().close()
  })
})
