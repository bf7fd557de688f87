// The inbox of the console: local mail, read and answered as its recipient would.
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { letterFrom, startBlast } from "../../support/Blast.ts"
import { answered, type Json, pause, until } from "../../support/Service.ts"
import { Console, inspect } from "./Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

/** An open that comes earlier is one of a machine. */
const person_ms = 2_100

const started = await Console.start(await ownDatabase())

describe.skipIf(started === null)("the inbox", () => {
  let console_: Console
  let blast: string
  const call = async (method: string, path: string, body?: unknown): Promise<Json> =>
    answered(console_.service, method, path, body)

  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    const { items } = await call("POST", "/v1/contacts", { items: [{ email: "ann@example.test", first_name: "Ann" }] })
    const { list_id } = await call("POST", "/v1/contact-lists", {
      name: "Readers",
      kind: "static",
      contact_ids: [items[0].contact_id],
    })
    blast = await startBlast(call, list_id, letterFrom("hello@example.test"))
    await until("the blast to be sent", async () => (await call("GET", `/v1/email-blasts/${blast}`)).status === "sent")
    await pause(person_ms)
  })
  afterAll(() => started?.close())

  it("lists messages and shows one in each view", async () => {
    await console_.visit("/inbox", (page) => page.getByText("Hello Ann").waitFor())
    const { messages } = await call("GET", "/v1/outbox")
    await console_.visit(`/inbox/${messages[0].message_id}`, async (page) => {
      await page.getByRole("heading", { name: "Hello Ann" }).waitFor()
      await page.frameLocator("iframe").getByText("Hello Ann").waitFor()
    })
  })

  it("counts an open and a click, and unsubscribes", async () => {
    const page = await console_.screen("/inbox")
    await page.getByRole("link", { name: "Hello Ann" }).click()
    await page.getByRole("button", { name: "Open", exact: true }).click()
    await page.getByText("The open is counted").waitFor()
    await page.getByRole("button", { name: "Click “news”" }).click()
    await page.getByText("The click is counted").waitFor()
    await page.getByText("Headers", { exact: true }).click()
    await page.getByText("Return-Path").waitFor()
    await inspect(page, "the headers")
    await page.getByRole("button", { name: "Unsubscribe" }).click()
    await page.getByText("The contact is unsubscribed").waitFor()
    const { details } = await call("GET", `/v1/email-blasts/${blast}`)
    assert.deepInclude(details, { blast_opened_count: 1, blast_clicked_count: 1 })
    await page.context().close()
  })
})
