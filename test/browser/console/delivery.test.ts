// Delivery in the console: sending domains and their DNS records, page domains, and suppressions.
import { readFile } from "node:fs/promises"
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { callsOf, type Json } from "../../support/Service.ts"
import { Console, expecting, inspect } from "./Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

describe.skipIf(started === null)("delivery", () => {
  let console_: Console
  let call: ReturnType<typeof callsOf>
  beforeAll(() => {
    console_ = started ?? assert.fail("no browser")
    call = callsOf(console_.service)
  })
  afterAll(() => started?.close())

  const domainCalls = /\/admin\/.*\/domains\/[^/]+(\/verify)?$/

  /** What DNS answers, as the browser sees it: the service asks real name servers. */
  const answering = (page: Page, dns: { dkim: boolean }) => {
    let status = "pending"
    return page.route(domainCalls, async (route) => {
      const headers = { ...route.request().headers(), "sec-fetch-site": "same-origin" }
      const domain: Json = await (await route.fetch({ headers })).json()
      const answersOf: Json = { dkim: (value: string) => (dns.dkim ? [value] : []), spf: () => ["v=spf1 -all"] }
      const dns_records = domain.dns_records.map(({ purpose, value, ...record }: Json) => {
        const answers = answersOf[purpose]?.(value) ?? [value]
        return { ...record, purpose, value, answers, verified: answers[0] === value }
      })
      if (dns.dkim && route.request().url().endsWith("/verify")) status = "verified"
      await route.fulfill({ json: { ...domain, status, dns_records } })
    })
  }

  it("adds a sending domain, shows its records and what DNS has, and looks again by itself", async () => {
    const page = await console_.screen("/domains")
    await page.getByRole("cell", { name: "example.test", exact: true }).waitFor()
    await page.getByRole("button", { name: "Add sending domain" }).click()
    await page.getByRole("textbox", { name: "Domain" }).fill("no domain")
    expecting(page, /400/)
    await page.getByRole("button", { name: "Add domain" }).click()
    await page.getByRole("alert").waitFor()
    const dns = { dkim: false }
    await answering(page, dns)
    await page.clock.install()
    await page.getByRole("textbox", { name: "Domain" }).fill("Mail.Example.org")
    await page.getByRole("button", { name: "Add domain" }).click()
    await page.getByRole("heading", { name: "mail.example.org", level: 1 }).waitFor()
    await page.getByText("DNS has this instead").waitFor()
    await page.getByText("v=spf1 -all", { exact: true }).waitFor()
    await inspect(page, "a domain")
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Zone file" }).click(),
    ])
    assert.strictEqual(file.suggestedFilename(), "mail.example.org.zone")
    assert.match(
      await readFile(await file.path(), "utf8"),
      /^\S+\._domainkey\.mail\.example\.org\. 3600 IN TXT "v=DKIM1/,
    )
    dns.dkim = true
    await page.clock.runFor(31_000)
    await page.getByText("mail can leave from this domain").waitFor()
    await page.unroute(domainCalls)
    await page.getByRole("button", { name: "Remove" }).click()
    await page.getByRole("textbox").fill("mail.example.org")
    await page.getByRole("button", { name: "Remove domain" }).click()
    await page.getByRole("heading", { name: "Domains", level: 1 }).waitFor()
    await page.context().close()
  })

  it("adds and removes a page domain", async () => {
    const page = await console_.screen("/domains")
    await page.getByRole("button", { name: "Add page domain" }).click()
    await page.getByRole("textbox", { name: "Domain" }).fill("pages.example.org")
    await page.getByRole("button", { name: "Add domain" }).click()
    await page.getByRole("cell", { name: "pages.example.org", exact: true }).waitFor()
    await page.getByRole("button", { name: "Remove: pages.example.org" }).click()
    await page.getByRole("button", { name: "Remove domain" }).click()
    await page.getByText("Your pages are served under the address of this service").waitFor()
    await page.context().close()
  })

  it("finds, adds and takes back suppressions, and says what the contact keeps", async () => {
    await call("POST", "/v1/contacts", {
      items: [{ email: "ben@example.org", display_name: "Ben Ode", unsubscribed: true }],
    })
    const page = await console_.screen("/suppressions")
    await page.getByText("No address is suppressed").waitFor()
    await page.getByRole("button", { name: "Add address" }).first().click()
    await page.getByRole("textbox", { name: "Email" }).fill("Ben@Example.org")
    await page.getByRole("radio", { name: "bounced" }).check()
    await inspect(page, "the form of a suppression")
    await page.getByRole("button", { name: "Suppress" }).click()
    await page.getByRole("cell", { name: "ben@example.org", exact: true }).waitFor()
    await call("POST", "/v1/suppressions", { email: "eve@example.org", reason: "complaint" })
    await page.getByRole("radiogroup", { name: "Reason" }).getByText("complained").click()
    await page.getByRole("cell", { name: "eve@example.org", exact: true }).waitFor()
    await page.getByRole("radiogroup", { name: "Reason" }).getByText("All").click()
    await page.getByRole("searchbox", { name: "Search addresses" }).fill("ben")
    await page.getByRole("cell", { name: "eve@example.org", exact: true }).waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Remove: ben@example.org" }).click()
    await page.getByText("The contact itself stays unsubscribed").waitFor()
    await page.getByRole("button", { name: "Remove suppression" }).click()
    await page.getByText("No address matches.").waitFor()
    const { suppressions } = await call("GET", "/v1/suppressions")
    assert.deepStrictEqual(
      suppressions.map(({ email }: Json) => email),
      ["eve@example.org"],
    )
    await page.getByRole("link", { name: "Import" }).last().click()
    await page.getByRole("heading", { name: "New import" }).waitFor()
    assert.match(page.url(), /as=suppressions/)
    await page.context().close()
  })

  it("show their screens in every view", async () => {
    for (const path of ["/domains", "/suppressions"]) await console_.visit(path)
  })
})
