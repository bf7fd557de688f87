// The benchmark `console`: the screens of the console with a million contacts, 10,000 lists and 1,000 blasts. For each: the time
// from a click or key to the data on the screen, and the longest task of the page. `--quick` takes 50,000 contacts.
import type { Page } from "playwright-core"
import type { Console } from "../../browser/console/Console.ts"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { figure, timeAtMost } from "../Report.ts"
import { spreadOf } from "../Timing.ts"
import { filledConsole } from "./Workspace.ts"

const bar_ms = 300

/**
 * In the page: counts requests without an answer, except for the stream of changes, and notes the last click or key and the longest
 * task since then.
 */
const instruments = `
  globalThis.seen = { open: 0, began: 0, longest: 0 }
  const plain = fetch
  globalThis.fetch = async (target, options) => {
    if (String(target.url ?? target).includes("/v1/changes")) return plain(target, options)
    seen.open++
    try {
      return await plain(target, options)
    } finally {
      setTimeout(() => seen.open--)
    }
  }
  for (const type of ["click", "input"]) {
    addEventListener(type, ({ timeStamp }) => Object.assign(seen, { began: timeStamp, longest: 0 }), { capture: true })
  }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration)
  }).observe({ type: "longtask" })`

interface Seen {
  readonly shown_ms: number
  readonly longest_ms: number
}

/** Waits until what is wanted is painted, and no request or placeholder is left. The debounce of a field is part of the time. */
const shown = (page: Page, wanted: string): Promise<Seen> =>
  page.evaluate<Seen>(`new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("waits for " + ${JSON.stringify(wanted)} + ", " + seen.open + " requests")), 20_000)
    const look = () => requestAnimationFrame(() => {
      const isShown = seen.open === 0 && document.querySelector(".mantine-Skeleton-root") === null && (${wanted})
      if (!isShown) return look()
      clearTimeout(late)
      const shown_ms = performance.now() - seen.began
      // Entries of long tasks come later.
      setTimeout(() => resolve({ shown_ms, longest_ms: seen.longest }), 100)
    })
    look()
  })`)

interface Step {
  readonly what: string
  /** Where the click is. */
  readonly from: string
  readonly act: (page: Page) => Promise<unknown>
  /** What the screen shows then, as an expression of the page. */
  readonly wanted: string
}

const has = (selector: string): string => `document.querySelector(${JSON.stringify(selector)}) !== null`
/** The address of a screen. The settings lead to their first part. */
const at = (path: string): string => `location.pathname.split("/")[3] === ${JSON.stringify(path.slice(1))}`
const row = "main [role=row] [role=cell]"

const entry = (path: string, wanted = has("main h1")): Step => ({
  what: path.slice(1),
  from: path === "/home" ? "/contacts" : "/home",
  act: (page) => page.locator(`nav a[href$="${path}"]`).first().click(),
  wanted: `${at(path)} && ${wanted}`,
})

/** The first row of a list. */
const first = (what: string, path: string): Step => ({
  what,
  from: path,
  act: (page) => page.locator("main a.row-link").first().click(),
  wanted: `location.pathname.split("/").length > 4 && ${has("main h1")}`,
})

/** Types into the first field of a screen. */
const typed = (what: string, from: string, text: string, wanted: string): Step => ({
  what,
  from,
  act: async (page) => {
    const field = page.locator("main input").first()
    await field.fill("")
    await field.fill(text)
  },
  wanted,
})

const steps: ReadonlyArray<Step> = [
  entry("/home"),
  entry("/contacts", has(row)),
  first("a contact", "/contacts"),
  typed("search of contacts", "/contacts", "ann.12", `location.search.includes("ann.12") && ${has(row)}`),
  entry("/lists", has(row)),
  first("a list", "/lists"),
  typed("search of lists", "/lists", "List 77", `location.search.includes("77") && ${has(row)}`),
  entry("/imports"),
  entry("/blasts", has(row)),
  first("a blast", "/blasts"),
  entry("/flows"),
  entry("/emails", has(row)),
  first("an email", "/emails"),
  entry("/templates"),
  entry("/tents"),
  entry("/domains", has(row)),
  entry("/suppressions"),
  entry("/inbox", has(row)),
  entry("/operations"),
  entry("/workspaces", has(row)),
  entry("/audit", has(row)),
  entry("/settings"),
]

const open = async (console_: Console): Promise<Page> => {
  const page = await console_.open("about:blank", { width: 1280, scheme: "light" })
  await page.addInitScript(instruments)
  return page
}

/** The first round loads the code of the screens. */
const measure = async (console_: Console, page: Page, step: Step, rounds: number): Promise<ReadonlyArray<Seen>> => {
  const found: Array<Seen> = []
  for (let round = 0; round <= rounds; round++) {
    // In the page, so that it stays loaded: as the way back of the browser.
    if (round === 0) await console_.goTo(page, step.from)
    else {
      await page.evaluate(`history.pushState({}, "", ${JSON.stringify(`/w/${console_.slug}${step.from}`)})`)
      await page.evaluate("dispatchEvent(new PopStateEvent('popstate', { state: {} }))")
      await page.waitForFunction(at(step.from))
      await shown(page, has("main h1"))
    }
    await step.act(page)
    const seen = await shown(page, step.wanted)
    if (round > 0) found.push(seen)
  }
  return found
}

export const screens: Benchmark = async (bench: Bench) => {
  const { quick, report } = bench
  const console_ = await filledConsole(bench)
  if (console_ === null) return
  const page = await open(console_)
  const rows = []
  for (const step of steps) {
    const found = await measure(console_, page, step, quick ? 5 : 20)
    const spread = spreadOf(found.map(({ shown_ms }) => shown_ms))
    report.say(`${step.what}: ${Math.round(spread.median)} ms`)
    rows.push(figure(step.what, "ms", spread, timeAtMost(bar_ms, spread.p95)))
    rows.push(figure("  its longest task", "ms", spreadOf(found.map(({ longest_ms }) => longest_ms))))
  }
  report.section("From a click or a key to the data", rows, [
    "Screens are open in one tab. Their code is loaded; each visit asks the service again.",
  ])
}
