// Webhooks in the console: endpoints, their deliveries, secrets and replays, and the event types.
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { callsOf, type Json, listening, until } from "../../../support/Service.ts"
import { Console, expecting, inspect } from "../Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start({ WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32", ...(await ownDatabase()) })
const desk = { width: 1280, scheme: "light" } as const

describe.skipIf(started === null)("webhooks", () => {
  let console_: Console
  let call: ReturnType<typeof callsOf>
  let url = ""
  const received: Array<{ readonly headers: IncomingHttpHeaders; readonly body: Json }> = []
  /** Answers with the status that the path begins with. */
  const receiver = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8")
    request.on("data", (piece: string) => (text += piece))
    request.on("end", () => {
      const status = Number(/^\/(\d+)/.exec(request.url ?? "")?.[1] ?? "200")
      if (status === 200) received.push({ headers: request.headers, body: JSON.parse(text) })
      response.writeHead(status).end("thank you")
    })
  })
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    call = callsOf(console_.service)
    url = `http://127.0.0.1:${await listening(receiver)}/hooks`
  })
  afterAll(async () => {
    receiver.close()
    await started?.close()
  })

  const menu = async (page: Page, entry: string) => {
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: entry }).click()
    await page.getByRole("menu").waitFor({ state: "detached" })
  }
  const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true })
  const inDialog = (page: Page) => page.getByRole("dialog")

  it("explain themselves without an endpoint, and list the event types", async () => {
    await console_.visit("/webhooks", (page) => page.getByText("No endpoint yet").waitFor())
    await console_.visit("/webhooks/events", async (page) => {
      await page.getByRole("searchbox", { name: "Search event types" }).fill("bounce")
      await page.getByRole("button", { name: "contact.created" }).waitFor({ state: "detached" })
      await page.getByRole("button", { name: "email.bounced" }).click()
      await page.getByText("bounce.reply").waitFor()
      await page.getByRole("region", { name: "Example of email.bounced" }).waitFor()
    })
  })

  it("are created, tested, replayed, rotated, disabled and enabled", async () => {
    const page = await console_.screen("/webhooks", desk)
    await page.getByRole("button", { name: "New endpoint" }).first().click()
    await field(page, "URL").fill("http://10.0.0.1/hooks")
    await page.getByRole("radio", { name: "Chosen events" }).check()
    await page.getByRole("checkbox", { name: "Contacts" }).check()
    await page.getByRole("button", { name: /^Lists: 0 of/ }).click()
    await page.getByRole("checkbox", { name: "list.member_added" }).check()
    await page.getByRole("button", { name: /^Requests/ }).click()
    await page.getByRole("radio", { name: "Ids only" }).check()
    await page.getByRole("button", { name: /^Headers/ }).click()
    await page.getByRole("button", { name: "Add header" }).click()
    await field(page, "Name").fill("host")
    await field(page, "Value").fill("Bearer x")
    await inspect(page, "the form of an endpoint")
    expecting(page, /400/)
    await page.getByRole("button", { name: "Create endpoint" }).click()
    await page.getByText("can't be set").waitFor()
    await field(page, "Name").fill("authorization")
    await page.getByRole("button", { name: "Create endpoint" }).click()
    await page.getByText("must not be a private").waitFor()
    await field(page, "URL").fill(url)
    await page.getByRole("button", { name: "Create endpoint" }).click()
    const secret = await page.getByRole("region", { name: "Secret" }).textContent()
    assert.match(secret ?? "", /^whsec_.{24,}/)
    await inspect(page, "the secret")
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByText("No deliveries yet").waitFor()

    await page.getByRole("button", { name: "Send a test" }).click()
    await page.getByRole("combobox", { name: "Event type" }).selectOption("contact.updated")
    await page.getByText("Hamburg").waitFor()
    await inspect(page, "the form of a test")
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByRole("heading", { name: "contact.updated" }).waitFor()
    await page.getByText("Answered 200").waitFor()
    await page.getByText("thank you").waitFor()
    await inspect(page, "a delivery")
    await page.getByRole("button", { name: "Send again" }).click()
    await page.getByText("replay", { exact: true }).waitFor()
    const [first, second] = received
    assert.strictEqual(first?.headers["webhook-id"], second?.headers["webhook-id"])
    assert.strictEqual(first?.headers.authorization, "Bearer x")
    assert.isTrue(first?.body.test)

    await page.getByRole("link", { name: url }).click()
    await page.getByRole("radiogroup", { name: "Status" }).getByText("failed").click()
    await page.getByText("No delivery matches these filters.").waitFor()
    await page.getByRole("radiogroup", { name: "Status" }).getByText("delivered").click()
    await page.getByRole("combobox", { name: "Event type" }).selectOption("contact.updated")
    await page.getByRole("cell", { name: "contact.updated test" }).waitFor()
    const hours = page.getByRole("region", { name: "Deliveries of the last 24 hours" })
    await hours.getByRole("button", { name: "Show as table" }).click()
    await hours.getByRole("columnheader", { name: "failed" }).waitFor()
    assert.strictEqual(await hours.getByRole("row").count(), 25)
    await hours
      .getByRole("cell", { name: /^[12]$/ })
      .first()
      .waitFor()
    assert.match(page.url(), /status=delivered&type=contact\.updated/)

    await menu(page, "Replay…")
    await page.getByRole("radio", { name: "All that have ended" }).check()
    await inspect(page, "the form of a replay")
    await page.getByRole("button", { name: "Send again" }).click()
    await page.getByText("1 delivery is sent again").waitFor()

    await menu(page, "Rotate the secret…")
    await page.getByLabel("The old secret still signs for").selectOption("1 hour")
    await inspect(page, "the form of a rotation")
    await page.getByRole("button", { name: "Create new secret" }).click()
    assert.notStrictEqual(await page.getByRole("region", { name: "Secret" }).textContent(), secret)
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByText(/The old secret signs for (1 hr|59 min)/).waitFor()

    await menu(page, "Disable…")
    await page.getByRole("button", { name: "Disable", exact: true }).click()
    await page.getByText("A member or a program disabled it.").waitFor()
    await page.getByRole("button", { name: "Enable…" }).click()
    await page.getByRole("radio", { name: "Send it too" }).check()
    await page.getByRole("button", { name: "Enable", exact: true }).click()
    await page.getByText("A member or a program disabled it.").waitFor({ state: "detached" })
    await page.context().close()
  })

  it("are edited, with headers that stay unless they are entered again, and deleted", async () => {
    const { webhook_endpoints } = await call("GET", "/v1/webhook-endpoints")
    const { endpoint_id } = webhook_endpoints[0]
    const { list_id } = await call("POST", "/v1/contact-lists", { name: "Readers", kind: "static" })
    const page = await console_.screen(`/webhooks/${endpoint_id}?tab=settings`, desk)
    await page.getByRole("button", { name: "Edit" }).first().click()
    await field(page, "Description").fill("Our CRM")
    await page.getByRole("button", { name: /^Limited to/ }).click()
    await page.getByRole("combobox", { name: "Lists" }).click()
    await page.getByRole("option", { name: "Readers" }).click()
    await page.getByRole("button", { name: "Remove Readers" }).waitFor()
    await inspect(page, "changes of an endpoint")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Endpoint saved").waitFor()
    const changed = await call("GET", `/v1/webhook-endpoints/${endpoint_id}`)
    assert.deepInclude(changed, { description: "Our CRM", filter: { list_ids: [list_id] } })
    assert.deepStrictEqual(changed.headers, { authorization: null })
    assert.deepInclude(changed, { payload: "thin", event_types: ["contact.*", "list.member_added"] })
    await menu(page, "Delete…")
    await inDialog(page).getByRole("textbox").fill(new URL(url).host)
    await page.getByRole("button", { name: "Delete endpoint" }).click()
    await page.getByText("No endpoint yet").waitFor()
    await page.context().close()
  })

  it("show an endpoint and its delivery in every view", async () => {
    const { endpoint_id } = await call("POST", "/v1/webhook-endpoints", { url, event_types: ["*"] })
    const path = `/v1/webhook-endpoints/${endpoint_id}`
    const { delivery_id } = await call("POST", `${path}/test`, {})
    await until("the test", async () => (await call("GET", `${path}/deliveries/${delivery_id}`)).status === "delivered")
    for (const screen of ["", `/${endpoint_id}`, `/${endpoint_id}?tab=settings`]) {
      await console_.visit(`/webhooks${screen}`)
    }
    await console_.visit(`/webhooks/${endpoint_id}/deliveries/${delivery_id}`, (page) =>
      page.getByText("Answered 200").waitFor(),
    )
  })

  it("say why a receiver gets nothing, and when it is tried again", async () => {
    const create = (path: string) =>
      call("POST", "/v1/webhook-endpoints", { url: new URL(path, url).href, event_types: ["contact.created"] })
    const [busy, gone] = [await create("/503"), await create("/410")]
    await call("POST", "/v1/contacts", { items: [{ email: "ann@example.org", display_name: "Ann Lee" }] })
    const isDisabled = async () =>
      (await call("GET", `/v1/webhook-endpoints/${gone.endpoint_id}`)).status === "disabled"
    await until("the endpoint to be disabled", isDisabled)
    await console_.visit(`/webhooks/${gone.endpoint_id}`, (page) =>
      page.getByText("The receiver answered 410").waitFor(),
    )
    const page = await console_.screen(`/webhooks/${busy.endpoint_id}`, desk)
    await page.getByRole("link", { name: "contact.created" }).click()
    await page.getByText("Answered 503").first().waitFor()
    await page.getByText("Next attempt").waitFor()
    await page.getByText("ann@example.org").waitFor()
    await page.context().close()
  })
})
