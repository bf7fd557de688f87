// Tests of the pages of consent in a browser, from a confirmation mail on: without scripts, and accessible at both widths, in light and
// dark.
import axe from "axe-core"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"
import { answered, type Json, Service, until } from "../support/Service.ts"
import { launch, none } from "./Browser.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const browser: Browser | null = await launch()
if (browser === null) console.warn(none)

const views = [390, 1280].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({ viewport: { width, height: 844 }, colorScheme })),
)

describe.skipIf(browser === null)("pages of consent in a browser", () => {
  let service: Service
  const call = (method: string, path: string, body?: unknown): Promise<Json> => answered(service, method, path, body)
  const topic = (name: string, more: object = {}): Promise<Json> =>
    call("POST", "/v1/topics", { name, default_subscription: "unsubscribed", visibility: "public", ...more })
  const sender = { from_address: "news@example.test", from_name: "Acme" }

  beforeAll(async () => {
    service = await (await Service.prepare(await ownDatabase())).start()
  })
  afterAll(async () => {
    await browser?.close()
    await service.remove()
  })

  /** A link in the text of the newest mail to an address. */
  const linkTo = (to: string, path: string): Promise<string> =>
    until(`a mail to ${to} with a link /${path}/`, async () => {
      const { messages } = await call("GET", `/v1/outbox?to=${encodeURIComponent(to)}`)
      if (messages.length === 0) return false
      const { text } = await call("GET", `/v1/outbox/${messages[0].message_id}`)
      return new RegExp(`https?://\\S+/${path}/[\\w-]+`).exec(text)?.[0] ?? false
    })

  const open = async (url: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> => {
    const context = await (browser ?? assert.fail(none)).newContext(options)
    const page = await context.newPage()
    assert.strictEqual((await page.goto(url))?.status(), 200, url)
    return page
  }

  /** The test injects the script of the accessibility checker. */
  const inspect = async (url: string) => {
    for (const view of views) {
      const page = await open(url, view)
      const where = `${url}, ${view.viewport.width}, ${view.colorScheme}`
      const width = await page.evaluate<number>("document.documentElement.scrollWidth")
      assert.isAtMost(width, view.viewport.width, where)
      await page.evaluate(axe.source)
      const { violations } = await page.evaluate<axe.AxeResults>("axe.run()")
      assert.deepStrictEqual(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join("; ")}`),
        [],
        where,
      )
      assert.deepStrictEqual(await page.context().cookies(), [])
      await page.context().close()
    }
  }

  const statusesOf = async (contact: string): Promise<Json> =>
    (await call("GET", `/v1/contacts/${contact}/topics`)).items.map(({ name, status }: Json) => `${name}: ${status}`)

  it("confirm a subscription, change it and end it, without a script", async () => {
    const [news, offers] = [await topic("News", { description: "Once a month" }), await topic("Offers")]
    const asked = await call("POST", "/v1/subscriptions", {
      email: "ann@example.org",
      topic_ids: [news.topic_id],
      consent: { text: "Yes, send me the monthly letter.", source: "checkout" },
    })
    assert.deepStrictEqual(await statusesOf(asked.contact_id), ["News: pending", "Offers: unsubscribed"])
    const confirmation = await linkTo("ann@example.org", "s")
    await inspect(confirmation)
    assert.deepStrictEqual(await statusesOf(asked.contact_id), ["News: pending", "Offers: unsubscribed"])
    const page = await open(confirmation, { javaScriptEnabled: false })
    await page.getByRole("button").first().click()
    await page.getByRole("heading").first().waitFor()
    assert.deepStrictEqual(await statusesOf(asked.contact_id), ["News: subscribed", "Offers: unsubscribed"])
    await inspect(confirmation)

    await call("POST", "/v1/email-messages", {
      contact_id: asked.contact_id,
      topic_id: news.topic_id,
      operational: false,
      subject: "The letter",
      text: "Hello\n{{unsubscribe_url}}\n{{preferences_url}}",
      ...sender,
    })
    const unsubscribe = await linkTo("ann@example.org", "u")
    await inspect(unsubscribe)
    await inspect(`${unsubscribe}/preferences`)
    await page.goto(`${unsubscribe}/preferences`)
    await page.getByLabel("Offers").check()
    await page.getByRole("button", { name: /save/i }).click()
    await page.getByRole("heading").first().waitFor()
    assert.deepStrictEqual(await statusesOf(asked.contact_id), ["News: subscribed", "Offers: subscribed"])
    await page.goto(unsubscribe)
    await page.getByRole("button", { name: /News/ }).click()
    await page.getByRole("heading").first().waitFor()
    assert.deepStrictEqual(await statusesOf(asked.contact_id), ["News: unsubscribed", "Offers: subscribed"])
    await page.context().close()

    const { consent_records } = await call("GET", `/v1/contacts/${asked.contact_id}/consent-records`)
    assert.sameMembers(
      consent_records.map(({ action, source }: Json) => `${action} ${source}`),
      [
        "requested api",
        "confirmation_sent api",
        "confirmed api",
        "granted preference_page",
        "withdrawn unsubscribe_page",
      ],
    )
    assert.strictEqual(
      consent_records.find(({ action }: Json) => action === "confirmed").text,
      "Yes, send me the monthly letter.",
    )
    await inspect((await call("POST", `/v1/contacts/${asked.contact_id}/preferences-link`, {})).url)
    assert.isString(offers.topic_id)
  })
})
