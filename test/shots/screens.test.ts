// Screens of the console with data, each in one of the views, and what opens from them: without errors, findings of axe, and
// sideways scrolling. `npm run test:browser` runs it.
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { type MadeUp, makeUp, screens, settings } from "./Screens.ts"
import { allViews, Console, inspect } from "../browser/console/Console.ts"
import { longNames } from "./LongNames.ts"
import { Overlays } from "./Overlays.ts"
import { walk } from "./Walk.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start({ ...settings, ...(await ownDatabase()) })

describe.skipIf(started === null)("the console's screens", () => {
  let console_: Console
  let made: MadeUp
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    made = await makeUp(console_.service)
  })
  afterAll(() => started?.close())

  const pages: Array<Page> = []

  it.each(screens.map(({ name, path }, index) => ({ name, path, index })))("$name", async ({ index, name, path }) => {
    const at = index % allViews.length
    const page = (pages[at] ??= await console_.open("about:blank", allViews[at] ?? assert.fail()))
    await console_.goTo(page, path(made))
    await inspect(page, name)
  })

  it.each(screens)("$name is walked through by Tab, and shows where the focus is", async ({ path }) => {
    const page = (pages[0] ??= await console_.open("about:blank", allViews[0] ?? assert.fail()))
    await console_.goTo(page, path(made))
    assert.deepStrictEqual(await walk(page), [])
  })

  it("ignore search parameters that they do not name", async () => {
    const page = (pages[1] ??= await console_.open("about:blank", allViews[1] ?? assert.fail()))
    await console_.goTo(page, "/emails?utm_source=mail")
    await inspect(page, "emails")
    await page.getByText("Rhubarb tarts, 20 % off").or(page.getByText("Easter")).first().waitFor()
  })

  describe("with names of 100 characters without a space, at 390 px", () => {
    let paths: ReadonlyArray<string>
    beforeAll(async () => {
      paths = await longNames(console_.service)
    })

    it("have no sideways scrolling", async () => {
      const page = await console_.open("about:blank", { width: 390, scheme: "light" })
      for (const path of paths) {
        await console_.goTo(page, path)
        await inspect(page, path)
      }
      await page.context().close()
    })
  })

  describe.each([1280, 390])("menus, popovers and dialogs, at %d px", (width) => {
    let overlays: Overlays
    beforeAll(async () => {
      overlays = await Overlays.in(console_, { width, scheme: "light" })
    })
    afterAll(() => overlays.end())

    it("of the header", () => overlays.inspectHeader("/home"))

    it.each(screens)("of $name", ({ path }) => overlays.inspect(path(made)))
  })
})
