// Screens of the console with data, each in one of the views: without errors, findings of axe, and sideways scrolling. `npm test`
// opens every third one, `npm run test:browser` all.
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { type MadeUp, makeUp, screens } from "./Screens.ts"
import { allViews, Console, inspect } from "../browser/console/Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

describe.skipIf(started === null)("the console's screens", () => {
  let console_: Console
  let made: MadeUp
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    made = await makeUp(console_.service)
  })
  afterAll(() => started?.close())

  const pages: Array<Page> = []
  const opened = process.env["SAMPLE"] === undefined ? screens : screens.filter((_, index) => index % 3 === 0)

  it.each(opened.map(({ name, path }, index) => ({ name, path, index })))("$name", async ({ index, name, path }) => {
    const at = index % allViews.length
    const page = (pages[at] ??= await console_.open("about:blank", allViews[at] ?? assert.fail()))
    await console_.goTo(page, path(made))
    await inspect(page, name)
  })
})
