// Blasts in the console: the wizard, the live view, the report, and what a role may not do.
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { answered, callsOf, type Json } from "../../support/Service.ts"
import { Console, inspect } from "./Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

describe.skipIf(started === null)("blasts", () => {
  let console_: Console
  let call: ReturnType<typeof callsOf>
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    call = callsOf(console_.service)
  })
  afterAll(() => started?.close())

  /** A list of people at example.org, the last of them unsubscribed. */
  const listOf = async (name: string, count: number): Promise<string> => {
    const items = Array.from({ length: count }, (_, index) => ({
      email: `${name.toLowerCase()}${index}@example.org`,
      first_name: `P${index}`,
      unsubscribed: index === count - 1,
    }))
    const { list_id } = await call("POST", "/v1/contact-lists", { name, kind: "static" })
    for (let at = 0; at < count; at += 100) {
      const { items: done } = await call("POST", "/v1/contacts", { items: items.slice(at, at + 100) })
      const contact_ids = done.map((each: Json) => each.contact_id)
      await call("POST", `/v1/contact-lists/${list_id}/contacts`, { contact_ids })
    }
    return list_id
  }

  const approvedEmail = async (name: string): Promise<string> => {
    const { email_id } = await call("POST", "/v1/emails", {
      name,
      subject: "Garden chairs for {{contact.first_name|you}}",
      from_name: "Acme",
      from_address: "hi@example.test",
      reply_to_email: "hi@example.test",
      html: '<html><body><h1>Spring</h1><p>Hello {{contact.first_name}}, <a href="https://example.com/shop">look</a></p></body></html>',
    })
    await call("POST", `/v1/emails/${email_id}/approve`, {})
    return email_id
  }

  const draft = async (name: string, list_id: string, email_id: string): Promise<string> => {
    const { blast_id } = await call("POST", "/v1/email-blasts", { name })
    await call("PUT", `/v1/email-blasts/${blast_id}/audience`, { source: "existing", list_id })
    await call("PUT", `/v1/email-blasts/${blast_id}/email`, { source: "existing", email_id })
    return blast_id
  }

  const sent = (blastId: string) =>
    vi.waitFor(
      async () => {
        const { status } = await answered(console_.service, "GET", `/v1/email-blasts/${blastId}`)
        assert.strictEqual(status, "sent")
      },
      { timeout: 120_000, interval: 200 },
    )

  const next = (page: Page) => page.getByRole("button", { name: "Next", exact: true }).click()

  it("show what they are and the call that creates one, while there is none", async () => {
    await console_.visit("/blasts", (page) => page.getByText("No blasts yet").waitFor())
  })

  it("are written, reviewed and sent in the wizard, and end with a report that accounts for every recipient", async () => {
    await listOf("Romans", 3)
    await approvedEmail("Spring letter")
    const page = await console_.screen("/blasts")
    await page.getByRole("button", { name: "New blast" }).first().click()
    await page.getByRole("dialog").getByLabel("Name").fill("Spring sale")
    await page.getByRole("button", { name: "Create blast" }).click()
    await page.getByRole("combobox", { name: "List or segment" }).fill("rom")
    await page.getByRole("option", { name: /Romans/ }).click()
    await page.getByRole("link", { name: "Romans" }).waitFor()
    await next(page)
    await page.getByRole("combobox", { name: "Email" }).fill("spring")
    await page.getByRole("option", { name: /Spring letter/ }).click()
    await page.getByText("Garden chairs for Sample").waitFor()
    await inspect(page, "an email with its preview")
    await next(page)
    await page.getByRole("radio", { name: "Now" }).waitFor()
    await next(page)
    const review = page.getByRole("region", { name: "What this would do" })
    await review.getByText("Unsubscribed").waitFor()
    await review.getByText("contact.first_name").waitFor({ state: "detached" })
    await inspect(page, "the review")
    await page.getByRole("button", { name: "Send now…" }).click()
    const dialog = page.getByRole("dialog", { name: "Send to 2 contacts?" })
    assert.strictEqual(await dialog.getByRole("textbox").count(), 0)
    await dialog.getByRole("button", { name: "Send now" }).click()
    await page.getByText("3 of 3 accounted for, none got it twice").waitFor()
    await page.getByRole("button", { name: /checks$/ }).click()
    await page.getByText("Each address has one message").waitFor()
    await inspect(page, "the report")
    await page.getByRole("link", { name: "Unsubscribed" }).click()
    await page.getByRole("link", { name: "romans2@example.org" }).waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "romans0@example.org" }).count(), 0)
    await inspect(page, "the blocked recipients")
    await page.context().close()
  })

  it("have a report and recipients that every view can read", async () => {
    const blastId = await draft("Read me", await listOf("Readers", 4), await approvedEmail("Readers' letter"))
    await call("POST", `/v1/email-blasts/${blastId}/send-now`, {})
    await sent(blastId)
    await console_.visit("/blasts", (page) => page.getByText("Read me").waitFor())
    await console_.visit(`/blasts/${blastId}`, (page) => page.getByText("4 of 4 accounted for").waitFor())
    await console_.visit(`/blasts/${blastId}?view=recipients`, (page) => page.getByText("readers0@").waitFor())
  })

  it("are exported as a file of the chosen recipients", async () => {
    const blastId = await draft("Export me", await listOf("Exports", 2), await approvedEmail("Exported letter"))
    await call("POST", `/v1/email-blasts/${blastId}/send-now`, {})
    await sent(blastId)
    const page = await console_.screen(`/blasts/${blastId}?view=recipients&category=sent`)
    await page.getByRole("button", { name: "Export" }).click()
    const link = page.getByRole("link", { name: "Download 1 row" })
    const file = await fetch((await link.getAttribute("href")) ?? "")
    assert.include(await file.text(), "exports0@example.org")
    await page.context().close()
  })

  it("have a wizard whose steps every view can use", async () => {
    const blastId = await draft("Draft", await listOf("Drafts", 2), await approvedEmail("Draft letter"))
    for (const step of ["who", "what", "when", "review"]) {
      await console_.visit(`/blasts/${blastId}?step=${step}`)
    }
  })

  it("have an audience by rules, which are built in the wizard and read again", async () => {
    await call("POST", "/v1/contacts", { items: [{ email: "ruled@example.org", city: "Bern" }] })
    const { blast_id } = await call("POST", "/v1/email-blasts", { name: "By rules" })
    const page = await console_.screen(`/blasts/${blast_id}`)
    await page.getByText("Rules", { exact: true }).click()
    const use = page.getByRole("button", { name: "Use these rules" })
    assert.isTrue(await use.isDisabled())
    await page.getByRole("button", { name: "Condition", exact: true }).press("Enter")
    await page.keyboard.type("city")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.type("bern")
    await page.locator(".match-count", { hasText: /^1(?!\d)/ }).waitFor()
    await inspect(page, "rules in the wizard")
    await use.click()
    await page.getByText("Audience chosen").waitFor()
    await console_.goTo(page, `/blasts/${blast_id}?step=who`)
    await page.locator(".match-count", { hasText: /^1(?!\d)/ }).waitFor()
    await page.context().close()
  })

  it("are scheduled in the workspace's zone, and refuse a time that clocks skip", async () => {
    await console_.changeWorkspace({ time_zone: "Europe/Berlin" })
    const blastId = await draft("Later", await listOf("Laters", 2), await approvedEmail("Later letter"))
    const page = await console_.screen(`/blasts/${blastId}?step=when`)
    await page.getByRole("radio", { name: "At a time" }).check()
    await page.getByLabel("Date and time").fill("2099-03-29T02:30")
    await page.getByText("This time does not exist").waitFor()
    assert.isTrue(await page.getByRole("button", { name: "Next", exact: true }).isDisabled())
    await page.getByLabel("Date and time").fill("2099-03-28T09:00")
    await page.getByText("2099-03-28 08:00 UTC").waitFor()
    await next(page)
    await page.getByRole("button", { name: /^Schedule for/ }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Schedule" }).click()
    await page.getByRole("button", { name: "Change the draft" }).waitFor()
    const { scheduled_at } = await call("GET", `/v1/email-blasts/${blastId}`)
    assert.strictEqual(scheduled_at, "2099-03-28T08:00:00.000Z")
    await inspect(page, "a scheduled blast")
    await page.getByRole("button", { name: "Change the draft" }).click()
    await page.getByText("draft", { exact: true }).waitFor()
    await page.context().close()
  })

  it("are watched live, paused, resumed and cancelled", async () => {
    const blastId = await draft("Slow", await listOf("Slow", 400), await approvedEmail("Slow letter"))
    await console_.limitSending(5)
    const page = await console_.screen("/contacts")
    await call("POST", `/v1/email-blasts/${blastId}/send-now`, {})
    await page.goto(`${console_.origin}/w/${console_.slug}/blasts/${blastId}`)
    await page.getByText(/ of 400$/).waitFor()
    await page.getByText("of 5", { exact: false }).first().waitFor()
    await page.getByRole("button", { name: "Pause" }).click()
    await page.getByText("No recipient is skipped").waitFor()
    await console_.visit(`/blasts/${blastId}`, (live) => live.getByText("Waiting, by domain").waitFor())
    await page.getByRole("button", { name: "Resume" }).click()
    await page.getByRole("button", { name: "Pause" }).waitFor()
    await page.getByRole("button", { name: "Cancel…" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Cancel blast" }).click()
    await page.getByText("Cancelled before its turn").waitFor()
    await page.getByText("400 of 400 accounted for, none got it twice").waitFor()
    await page.context().close()
  })
})
