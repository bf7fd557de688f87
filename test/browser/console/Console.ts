// A started service with its console and a signed-in browser, and the inspection that each screen has to pass.
import axe from "axe-core"
import assert from "node:assert/strict"
import type { Browser, BrowserContext, Page, Request } from "playwright-core"
import { freePort } from "@tentpole/adapters/test/FreePort"
import { pause, Service, until } from "../../support/Service.ts"
import { launch, none } from "../Browser.ts"

export const owner = { name: "Ann Lee", email: "ann@example.org", password: "a tent on its pole" }

/** A browser window: its width in px and its colour scheme. */
export interface View {
  readonly width: number
  readonly scheme: "light" | "dark"
}

export const allViews: ReadonlyArray<View> = [
  { width: 1280, scheme: "light" },
  { width: 390, scheme: "dark" },
  { width: 1280, scheme: "dark" },
  { width: 390, scheme: "light" },
]

/** The views that tests open: each width and each scheme once. `npm run test:browser` opens all. */
export const views = process.env["VIEWS"] === "all" ? allViews : allViews.slice(0, 2)

const sizeOf = (width: number) => ({ width, height: width < 500 ? 844 : 800 })

/** What a page did that it must not do. */
interface Watch {
  readonly complaints: Array<string>
  /** Complaints that the test causes, such as a refused sign-in, which Chromium logs as an error. */
  readonly expected: Array<RegExp>
  /** Requests without an answer. The stream of changes never ends. */
  readonly pending: Set<Request>
}

const watches = new WeakMap<Page, Watch>()

const watch = (page: Page, origin: string): void => {
  const watched: Watch = { complaints: [], expected: [], pending: new Set() }
  watches.set(page, watched)
  const complain = (text: string) => {
    if (!watched.expected.some((each) => each.test(text))) watched.complaints.push(text)
  }
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      complain(`${message.type()}: ${message.text()} ${message.location().url}`)
    }
  })
  page.on("pageerror", ({ message }) => complain(`page error: ${message}`))
  const end = (request: Request) => watched.pending.delete(request)
  page.on("requestfinished", end)
  page.on("requestfailed", end)
  page.on("request", (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/v1/changes`)) watched.pending.add(request)
    if (!url.startsWith(`${origin}/`) && !/^(data|blob|about):/.test(url)) complain(`foreign request: ${url}`)
  })
}

/** Waits until every request has its answer, and none follows within some tenths of a second. */
export const settled = async (page: Page, tenths = 5): Promise<void> => {
  for (let idle = 0; idle < tenths; idle = watches.get(page)?.pending.size === 0 ? idle + 1 : 0) await pause(100)
}

/** Shows the page as another view does, without loading it again. */
export const resize = async (page: Page, { scheme, width }: View): Promise<void> => {
  await page.setViewportSize(sizeOf(width))
  await page.emulateMedia({ colorScheme: scheme })
}

/** Names what the next steps of a test are allowed to log. */
export const expecting = (page: Page, ...patterns: ReadonlyArray<RegExp>): void => {
  watches.get(page)?.expected.push(...patterns)
}

const violationsOf = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate<ReadonlyArray<string>>("globalThis.policyViolations ?? []")

/** Findings of axe: WCAG 2.2 AA and best practice, but for the rules in `without`. It can't look into frames without an origin. */
export const findingsOf = async (page: Page, without: ReadonlyArray<string> = []): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, {
    iframes: false,
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    rules: ${JSON.stringify(Object.fromEntries(without.map((rule) => [rule, { enabled: false }])))},
  })`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Fails on errors, warnings, violations of the policy, foreign requests, findings of axe, and sideways scrolling. */
export const inspect = async (page: Page, what: string): Promise<void> => {
  // Transitions end, so that colours are the final ones.
  await page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished.catch(() => null)))")
  const width = await page.evaluate<number>("document.documentElement.scrollWidth")
  const found = {
    complaints: watches.get(page)?.complaints ?? [],
    violations: await violationsOf(page),
    findings: await findingsOf(page),
    overflow: width > (page.viewportSize()?.width ?? 0) ? width : null,
    headings: await page.locator("h1").count(),
  }
  assert.deepEqual(found, { complaints: [], violations: [], findings: [], overflow: null, headings: 1 }, what)
}

export class Console {
  readonly service: Service
  readonly browser: Browser
  readonly origin: string
  readonly slug: string
  #state: Awaited<ReturnType<BrowserContext["storageState"]>> | undefined

  constructor(service: Service, browser: Browser, origin: string, slug = "default") {
    this.service = service
    this.browser = browser
    this.origin = origin
    this.slug = slug
  }

  /** Starts a service and creates the first user. Null if there is no browser. */
  static async start(more: Record<string, string> = {}): Promise<Console | null> {
    const started = await Console.startUnused(more)
    await (await started?.firstSignIn())?.context().close()
    return started
  }

  /** Starts a service without a user. */
  static async startUnused(more: Record<string, string> = {}): Promise<Console | null> {
    const browser = await launch()
    if (browser === null) {
      console.warn(none)
      return null
    }
    const port = await freePort()
    const service = await (await Service.prepare({ CONSOLE_PORT: String(port), ...more })).start()
    const started = new Console(service, browser, `http://localhost:${port}`)
    await until("the console to be built", async () => (await fetch(started.origin)).status === 200)
    return started
  }

  /** The one-time link of the banner. */
  get link(): string {
    return /http:\/\/\S+#link=\S+/.exec(this.service.output)?.[0] ?? assert.fail(this.service.output)
  }

  /** Creates the account of the owner with the link of the banner, as a person does. The page is signed in. */
  async firstSignIn(): Promise<Page> {
    const page = await this.open(this.link, { width: 1280, scheme: "light" }, false)
    expecting(page, /401.*\/auth\/v1\/session/)
    await page.getByLabel("Your name").fill(owner.name)
    await page.getByLabel("Email").fill(owner.email)
    await page.getByRole("button", { name: "Use a password instead" }).click()
    await page.getByRole("textbox", { name: "Password" }).fill(owner.password)
    await page.getByRole("button", { name: "Create account" }).click()
    await page.getByRole("button", { name: `Account of ${owner.name}` }).waitFor()
    this.#state = await page.context().storageState()
    return page
  }

  /** A page in its own context. Close the context after use. */
  async open(url: string, { scheme, width }: View, isSignedIn = true): Promise<Page> {
    const context = await this.browser.newContext({
      viewport: sizeOf(width),
      colorScheme: scheme,
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      reducedMotion: "reduce",
      ...(isSignedIn && this.#state !== undefined ? { storageState: this.#state } : {}),
    })
    await context.addInitScript(`
      globalThis.policyViolations = []
      document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
        policyViolations.push(violatedDirective + " " + blockedURI))`)
    const page = await context.newPage()
    watch(page, this.origin)
    await page.goto(url)
    return page
  }

  /** Opens a screen of the workspace, such as `/contacts`, and waits for its heading. */
  async screen(path: string, view: View = { width: 1280, scheme: "light" }): Promise<Page> {
    const page = await this.open("about:blank", view)
    await this.goTo(page, path)
    return page
  }

  /** The same in a page that is open: what the browser has cached is not loaded again. */
  async goTo(page: Page, path: string): Promise<void> {
    await page.goto(`${this.origin}/w/${this.slug}${path}`)
    await page.locator("h1").waitFor()
    await settled(page)
  }

  /** Opens a screen in each view, does the steps, and inspects it. */
  async visit(
    path: string,
    steps: (page: Page, view: View) => Promise<unknown> = async () => undefined,
  ): Promise<void> {
    for (const view of views) {
      const page = await this.screen(path, view)
      await steps(page, view)
      await inspect(page, `${path}, ${view.width} px, ${view.scheme}`)
      await page.context().close()
    }
  }

  /** Limits the messages a second, as an operator does. */
  async limitSending(per_second: number): Promise<void> {
    await this.changeWorkspace({ sending_limits: { per_second } })
  }

  /** Changes settings of the workspace, such as `{ time_zone: "Europe/Berlin" }`. */
  async changeWorkspace(fields: object): Promise<void> {
    const page = await this.screen("/contacts")
    await page.evaluate(`(async () => {
      const headers = { "x-tentpole-console": "1", "content-type": "application/json" }
      const { memberships } = await (await fetch("/auth/v1/session", { headers })).json()
      const answer = await fetch("/admin/v1/workspaces/" + memberships[0].workspace_id, {
        method: "PATCH",
        headers,
        body: ${JSON.stringify(JSON.stringify(fields))},
      })
      if (!answer.ok) throw new Error(await answer.text())
    })()`)
    await page.context().close()
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.service.remove()
  }
}
