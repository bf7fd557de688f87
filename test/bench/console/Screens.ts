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

/** What a screen shows without a pause is its data: before the first request it may show older data. */
const frames_count = 4

/** Waits until what is wanted is painted, and no request or placeholder is left. The debounce of a field is part of the time. */
const shown = (page: Page, wanted: string): Promise<Seen> =>
  page.evaluate<Seen>(`new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("waits for " + ${JSON.stringify(wanted)} + ", " + seen.open + " requests")), 20_000)
    let [first, frames] = [0, 0]
    const look = () => requestAnimationFrame(() => {
      const isShown = seen.open === 0 && document.querySelector(".mantine-Skeleton-root") === null && (${wanted})
      frames = isShown ? frames + 1 : 0
      if (frames === 1) first = performance.now()
      if (frames < ${frames_count}) return look()
      clearTimeout(late)
      const shown_ms = first - seen.began
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
  {
    what: "lists to choose from",
    from: "/contacts",
    act: async (page) => {
      await page.locator("main a.row-link").first().click()
      await page.getByRole("button", { name: "Add to list" }).click()
    },
    wanted: has("[role=option]"),
  },
  {
    what: "search of everything",
    from: "/home",
    act: async (page) => {
      await page.keyboard.press("Control+k")
      await page.getByRole("dialog").getByRole("textbox").fill("List 77")
    },
    wanted: `[...document.querySelectorAll(".mantine-Spotlight-action")].some((each) => each.textContent.includes("List 77"))`,
  },
]

const open = async (console_: Console): Promise<Page> => {
  const page = await console_.open("about:blank", { width: 1280, scheme: "light" })
  await page.addInitScript(instruments)
  return page
}

/** In the page, so that it stays loaded: as the way back of the browser. */
const goTo = async (page: Page, { slug }: Console, path: string): Promise<void> => {
  await page.keyboard.press("Escape")
  await page.evaluate(`history.pushState({}, "", ${JSON.stringify(`/w/${slug}${path}`)})`)
  await page.evaluate("dispatchEvent(new PopStateEvent('popstate', { state: {} }))")
  await shown(page, `location.pathname.endsWith(${JSON.stringify(path)}) && ${has("main h1")}`)
}

/** The largest answers of the API, in KB: none may grow with the workspace. */
const largestAnswers = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate<ReadonlyArray<string>>(`performance.getEntriesByType("resource")
    .filter(({ initiatorType, decodedBodySize }) => initiatorType === "fetch" && decodedBodySize > 0)
    .toSorted((a, b) => b.decodedBodySize - a.decodedBodySize)
    .map(({ decodedBodySize, name }) => [new URL(name).pathname, Math.ceil(decodedBodySize / 1024)])
    .filter(([path], index, all) => all.findIndex(([other]) => other === path) === index)
    .slice(0, 3)
    .map(([path, size]) => path + ": " + size + " KB")`)

export const screens: Benchmark = async (bench: Bench) => {
  const { quick, report } = bench
  const console_ = await filledConsole(bench)
  if (console_ === null) return
  const page = await open(console_)
  await console_.goTo(page, "/home")
  await page.evaluate("performance.setResourceTimingBufferSize(20_000)")
  const found = steps.map((step) => ({ step, seen: Array.of<Seen>() }))
  // The first round loads the code of the screens. A round takes longer than data is taken as new.
  for (let round = 0; round <= (quick ? 3 : 20); round++) {
    for (const { seen, step } of found) {
      await goTo(page, console_, step.from)
      await step.act(page)
      const now = await shown(page, step.wanted)
      if (round > 0) seen.push(now)
    }
    report.say(`round ${round} …`)
  }
  const rows = found.flatMap(({ seen, step }) => {
    const spread = spreadOf(seen.map(({ shown_ms }) => shown_ms))
    return [
      figure(step.what, "ms", spread, timeAtMost(bar_ms, spread.p95)),
      figure("  its longest task", "ms", spreadOf(seen.map(({ longest_ms }) => longest_ms))),
    ]
  })
  report.section("From a click or a key to the data", rows, [
    "Screens are open in one tab. Their code is loaded; each visit asks the service again.",
    `The largest answers: ${(await largestAnswers(page)).join(", ")}`,
  ])
}
