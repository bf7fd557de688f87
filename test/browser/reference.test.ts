// The API reference and the start page in a browser: no foreign host, no violation of the content policy, and layout.
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { Service } from "../support/Service.ts"
import { launch, none } from "./Browser.ts"
import { views } from "./console/Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const browser: Browser | null = await launch()
if (browser === null) console.warn(none)

const compressed_bytes_max = 1.5 * 2 ** 20

describe.skipIf(browser === null)("the pages of the API's origin in a browser", () => {
  let service: Service
  beforeAll(async () => {
    service = await (await Service.prepare(await ownDatabase())).start()
  })
  afterAll(async () => {
    await browser?.close()
    await service.remove()
  })

  const open = async (path: string, width: number, colorScheme: "light" | "dark") => {
    const context = await (browser ?? assert.fail(none)).newContext({ viewport: { width, height: 844 }, colorScheme })
    const page = await context.newPage()
    const requests: Array<string> = []
    const complaints: Array<string> = []
    page.on("request", (request) => requests.push(request.url()))
    page.on("pageerror", ({ message }) => complaints.push(message))
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
    })
    await page.goto(`${service.api}${path}`, { timeout: 120_000 })
    return { context, page, requests, complaints }
  }

  it.each(views)("/docs shows calls with the key as bearer token: $width px, $scheme", async ({ scheme, width }) => {
    const { complaints, context, page, requests } = await open("/docs", width, scheme)
    await page.getByRole("heading", { name: "Tentpole API" }).waitFor()
    await page.getByText("Authorization: Bearer YOUR_SECRET_TOKEN").first().waitFor({ state: "attached" })
    const text = await page.evaluate<string>("document.body.innerText")
    assert.notMatch(text, /Basic |Powered by|Generate SDK|Ask AI|\bConfigure\b|bulkTents/)
    const [contacts, blasts, analytics] = ["Contacts", "Blasts", "Analytics"].map((name) => text.indexOf(`\n${name}\n`))
    assert.isTrue((contacts ?? -1) >= 0 && (contacts ?? 0) < (blasts ?? 0) && (blasts ?? 0) < (analytics ?? 0))
    assert.isAtMost(await page.evaluate<number>("document.documentElement.scrollWidth"), width)
    const foreign = requests.filter((url) => !url.startsWith(`${service.api}/`) && !url.startsWith("data:"))
    assert.deepStrictEqual([foreign, complaints], [[], []])
    await context.close()
  })

  it.each(views)("/ leads a browser to the API reference: $width px, $scheme", async ({ scheme, width }) => {
    const { complaints, context, page } = await open("/", width, scheme)
    await page.getByRole("heading", { name: "Tentpole" }).waitFor()
    assert.isAtMost(await page.evaluate<number>("document.documentElement.scrollWidth"), width)
    await page.getByRole("link", { name: "API reference" }).click()
    await page.waitForURL(`${service.api}/docs`)
    assert.deepStrictEqual(complaints, [])
    await context.close()
  })

  it("/docs is compressed, revalidated, and allows scripts by their digests only", async () => {
    const encoded = await fetch(`${service.api}/docs`, { headers: { "accept-encoding": "gzip" } })
    const size_bytes = Number(encoded.headers.get("content-length"))
    assert.isTrue(size_bytes > 0 && size_bytes <= compressed_bytes_max, `${size_bytes} bytes`)
    assert.match(await encoded.text(), /^<!doctype html>/i)
    const policy = encoded.headers.get("content-security-policy") ?? ""
    assert.match(policy, /^default-src 'none'; script-src 'sha256-\S+' 'sha256-\S+'; /)
    assert.include(policy, "connect-src 'self'")
    const etag = encoded.headers.get("etag") ?? ""
    const again = await fetch(`${service.api}/docs`, { headers: { "accept-encoding": "gzip", "if-none-match": etag } })
    assert.strictEqual(again.status, 304)
  })

  it("/ answers programs with JSON", async () => {
    const { json, status } = await service.call("GET", "/")
    assert.strictEqual(status, 200)
    assert.deepInclude(json, { name: "Tentpole", docs: "/docs" })
  })
})
