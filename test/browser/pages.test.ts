// Tests of published pages in a browser: layout, accessibility, content policy and forms.
import axe from "axe-core"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { answered, type Json, Service, until } from "../support/Service.ts"
import { launch, none } from "./Browser.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const userAgent =
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36"

const browser: Browser | null = await launch()
if (browser === null) console.warn(none)

const sizes = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]

const prompts = [
  "Build a website for a bakery with a sign-up form for first name and email",
  "Create a landing page for our developer conference with a registration form and six features",
  "Create a landing page for a spring sale of garden chairs",
  "A portfolio site for a photographer with a contact form",
]

describe.skipIf(browser === null)("a published page in a browser", () => {
  let service: Service
  beforeAll(async () => {
    service = await (await Service.prepare(await ownDatabase())).start()
  })
  afterAll(async () => {
    await browser?.close()
    await service.remove()
  })

  const publish = async (prompt: string): Promise<{ readonly id: string; readonly url: string }> => {
    const asked = { name: "Corner shop", prompt, auto_publish: true }
    const { id } = await answered(service, "POST", "/v1/tents", asked)
    const live: Json = await until("the page to be published", async () => {
      const tent = await answered(service, "GET", `/v1/tents/${id}`)
      return tent.publication?.status === "published" && tent
    })
    return { id, url: live.publication.published_url }
  }

  /** A page at the address, and the messages of the browser's console. */
  const open = async (url: string, options: Parameters<Browser["newContext"]>[0] = {}) => {
    const context: BrowserContext = await (browser ?? assert.fail(none)).newContext({ userAgent, ...options })
    const page: Page = await context.newPage()
    const complaints: Array<string> = []
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
    })
    page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`))
    const response = await page.goto(url)
    assert.strictEqual(response?.status(), 200)
    return { context, page, complaints }
  }

  it("sends its form without a script, shows a thank-you page, and creates a contact, a submission and a view", async () => {
    const { id, url } = await publish(prompts[0] ?? "")
    const { context, page, complaints } = await open(url, { viewport: sizes[0] ?? null, javaScriptEnabled: false })
    await page.getByRole("link", { name: "Sign up" }).first().click()
    await page.getByLabel("First name").fill("Ada")
    await page.getByLabel("Email address").fill("ada@example.com")
    await page.getByRole("button", { name: "Sign me up" }).click()
    await page.getByRole("heading", { name: "Thank you" }).waitFor()
    assert.match(page.url(), new RegExp(`/f/${id}/sign-up$`))
    await page.getByRole("link", { name: "Back to the page" }).click()
    assert.strictEqual(page.url(), url)
    assert.deepStrictEqual(complaints, [])
    assert.deepStrictEqual(await context.cookies(), [])
    await context.close()

    const { items } = await answered(service, "GET", "/v1/contacts?search=ada%40example.com")
    assert.deepInclude(items[0], { first_name: "Ada", original_source: "form" })
    const { submissions } = await answered(service, "GET", `/v1/tents/${id}/submissions`)
    assert.deepStrictEqual(submissions[0].fields, { first_name: "Ada", email: "ada@example.com" })
    assert.strictEqual(submissions[0].contact_id, items[0].contact_id)
    const report = await until("both views", async () => {
      const traffic = await answered(service, "GET", `/v1/analytics/tent?tentIdOrAlias=${id}`)
      return traffic.pageviews >= 2 && traffic
    })
    assert.deepStrictEqual([report.pageviews, report.visits], [2, 1])
    assert.deepStrictEqual(report.by_device, [{ device: "mobile", views: 2 }])
  })

  it(
    "fits phones and desktops, violates no content policy, and is accessible, in light and dark mode",
    { tags: ["attack/page-script"] },
    async () => {
      for (const prompt of prompts) {
        const { url } = await publish(prompt)
        for (const viewport of sizes) {
          for (const colorScheme of ["light", "dark"] as const) {
            // The test injects the script of the accessibility checker.
            const { context, page, complaints } = await open(url, { viewport, colorScheme })
            assert.deepStrictEqual(complaints, [], url)
            const width = await page.evaluate<number>("document.documentElement.scrollWidth")
            assert.isAtMost(width, viewport.width, `${prompt}: wider than the screen`)
            await page.evaluate(axe.source)
            const { violations } = await page.evaluate<axe.AxeResults>("axe.run()")
            const found = violations.map(
              ({ id, impact, nodes }) => `${impact}: ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join("; ")}`,
            )
            assert.deepStrictEqual(found, [], `${prompt}, ${viewport.width}, ${colorScheme}`)
            await context.close()
          }
        }
      }
    },
  )

  it("a form with mistakes comes back filled in, and it, thanks and errors are accessible", async () => {
    const { url } = await publish(prompts[0] ?? "")
    const check = async (page: Page, where: string) => {
      await page.evaluate(axe.source)
      const { violations } = await page.evaluate<axe.AxeResults>("axe.run()")
      assert.deepStrictEqual(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join("; ")}`),
        [],
        where,
      )
      const width = await page.evaluate<number>("document.documentElement.scrollWidth")
      assert.isAtMost(width, page.viewportSize()?.width ?? 0, where)
    }
    for (const viewport of sizes) {
      for (const colorScheme of ["light", "dark"] as const) {
        const { context, page } = await open(url, { viewport, colorScheme })
        await page.getByLabel("First name").fill('Ada "B"')
        await page.getByLabel("Email address").fill("ada@localhost")
        await page.getByRole("button", { name: "Sign me up" }).click()
        await page.getByText("Please enter an email address, for example ann@example.com.").waitFor()
        assert.strictEqual(await page.getByLabel("First name").inputValue(), 'Ada "B"')
        assert.strictEqual(await page.evaluate<string>("document.activeElement.name"), "email")
        await check(page, `mistake, ${viewport.width}, ${colorScheme}`)
        await page.getByLabel("Email address").fill("ada@example.com")
        await page.getByRole("button", { name: "Sign me up" }).click()
        await page.getByRole("heading", { name: "Thank you" }).waitFor()
        await check(page, `thanks, ${viewport.width}, ${colorScheme}`)
        await page.goto(new URL("/nothing", url).href)
        await check(page, `not found, ${viewport.width}, ${colorScheme}`)
        await context.close()
      }
    }
  })

  it("the accessibility check finds a missing label", async () => {
    const page = await (browser ?? assert.fail(none)).newPage()
    await page.setContent("<!doctype html><html lang=en><title>x</title><main><h1>x</h1><input name=email></main>")
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate<axe.AxeResults>("axe.run()")
    assert.include(
      violations.map(({ id }) => id),
      "label",
    )
    await page.close()
  })
})
