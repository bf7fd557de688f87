// Every screen of the console with data, in one of the views each: without errors, findings of axe, and sideways scrolling.
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { type MadeUp, makeUp, screens } from "./Screens.ts"
import { allViews, Console, inspect } from "../browser/console/Console.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start()

describe.skipIf(started === null)("the console's screens", () => {
  let console_: Console
  let made: MadeUp
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    made = await makeUp(console_.service)
  })
  afterAll(() => started?.close())

  it.each(screens.map(({ name, path }, index) => ({ name, path, index })))("$name", async ({ index, name, path }) => {
    const view = allViews[index % allViews.length] ?? assert.fail()
    const page = await console_.screen(path(made), view)
    await inspect(page, name)
    await page.context().close()
  })
})
