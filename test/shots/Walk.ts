// A walk through a screen by the Tab key.
import type { Page } from "playwright-core"

/** More elements than a screen has. */
const elements_max = 400
/** Later rows of a table are like these. */
const rows_max = 50

/** Names the focused element if its focus is not visible. Null: it is. "end": the walk is over. */
const probe = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body || element.closest("[data-index='${rows_max}']") !== null) return "end"
  const name = (element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent ?? "").slice(0, 60)
  // Fields show the focus by their border, and hidden inputs by their label.
  const isField = element.matches("input, textarea, select, iframe, .cm-content")
  if (!isField && getComputedStyle(element).outlineStyle === "none") return name + ": the focus is not shown"
  const { height, left, top, width } = element.getBoundingClientRect()
  if (isField || height > innerHeight) return null
  const above = document.elementFromPoint(left + width / 2, top + height / 2)
  return above !== null && (element.contains(above) || above.contains(element)) ? null : name + ": something is above it"
})()`

/** The elements of a screen whose focus is not visible. */
export const walk = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (let count = 0; count < elements_max; count++) {
    await page.keyboard.press("Tab")
    const problem = await page.evaluate<string | null>(probe)
    if (problem === "end") return found
    if (problem !== null) found.push(problem)
  }
  return [...found, "Tab does not leave the screen"]
}
