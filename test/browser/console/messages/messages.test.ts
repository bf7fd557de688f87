// Single messages in the console: their list, one with its timeline and content, cancelling.
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { answered, type Json, until } from "../../../support/Service.ts"
import { Console, expecting, inspect } from "../Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())
const root = "/v1/email-messages"
const hour_ms = 3_600_000

describe.skipIf(started === null)("single messages", () => {
  let console_: Console
  const call = async (method: string, path: string, body?: unknown): Promise<Json> =>
    answered(console_.service, method, path, body)
  beforeAll(() => {
    console_ = started ?? assert.fail("no browser")
  })
  afterAll(() => started?.close())

  it("explain themselves, are found by tag, show what has happened to them, and are cancelled", async () => {
    await console_.visit("/messages", (page) => page.getByText("No messages yet").waitFor())
    const from_address = "orders@example.test"
    const { message_id } = await call("POST", root, {
      to: { email: "ann@example.org", name: "Ann Lee" },
      subject: "Your order {{data.order}}",
      html: "<p>Thank you, {{data.name}}.</p>",
      data: { order: 17, name: "Ann" },
      attachments: [{ file_name: "receipt-17.pdf", content: "JVBERg==" }],
      tags: { kind: "receipt" },
      from_address,
    })
    await call("POST", root, {
      to: { email: "bob@example.org" },
      subject: "Your table",
      text: "It is reserved.",
      scheduled_at: new Date(Date.now() + hour_ms).toISOString(),
      from_address,
    })
    await until("the message to be sent", async () => (await call("GET", `${root}/${message_id}`)).status === "sent")

    await console_.visit("/messages", async (page, { width }) => {
      await page.getByText("Your order 17").waitFor()
      if (width < 1_000) return
      await page.getByRole("searchbox", { name: "Tag, such as kind:receipt" }).fill("kind:receipt")
      await page.getByText("Your table").waitFor({ state: "detached" })
    })
    await console_.visit(`/messages/${message_id}`, async (page) => {
      await page.frameLocator("iframe").getByText("Thank you, Ann.").waitFor()
      await page.getByText("Taken over by the mail server").waitFor()
    })
    const page = await console_.screen("/messages")
    await page.getByRole("combobox", { name: "Status" }).selectOption("sent")
    await page.getByText("Your order 17").click()
    for (const [view, text] of [
      ["Text", "Thank you, Ann."],
      ["Headers", "Ann Lee <ann@example.org>"],
      ["1 file", "receipt-17.pdf"],
    ] as const) {
      await page.getByRole("radiogroup", { name: "View" }).getByText(view).click()
      await page.getByRole("region", { name: "Content of the message" }).getByText(text).waitFor()
      await inspect(page, `a message: ${view}`)
    }
    await console_.goTo(page, "/messages?status=scheduled")
    // A plain message has no HTML.
    expecting(page, /404/)
    await page.getByText("Your table").click()
    await page.getByRole("button", { name: "Cancel message" }).click()
    await inspect(page, "the question before cancelling")
    await page.getByRole("dialog").getByRole("button", { name: "Cancel message" }).click()
    await page.getByText("The message is cancelled.").waitFor()
    await page.getByRole("region", { name: "Timeline" }).getByText("Blocked").waitFor()
    await page.context().close()
  })
})
