// Bugs can be planted only where the sources still read as they did: a patch that finds its place no longer, or tests that have
// moved, would be noticed by nobody until the campaign is run.
import { existsSync, readFileSync } from "node:fs"
import { assert, it } from "vitest"
import { bugs } from "./planted/Bugs.ts"

const root = new URL("../../", import.meta.url)

for (const { beside = [], caughtBy, name, patches } of bugs) {
  it(`can still be planted: ${name}`, () => {
    for (const { file, find } of [...beside, ...patches]) {
      const places = readFileSync(new URL(file, root), "utf8").split(find).length - 1
      assert.strictEqual(places, 1, `${file} holds what is to be replaced ${places} times: ${find}`)
    }
    if ("tests" in caughtBy) assert.isTrue(existsSync(new URL(caughtBy.tests, root)), `${caughtBy.tests} is gone`)
  })
}
