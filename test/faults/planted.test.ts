// Planted bugs that are out of date: each patch still finds its place, and each catcher is still there.
import { assert, it } from "vitest"
import { root } from "../support/Service.ts"
import { bugs } from "./planted/Bugs.ts"
import { isTitle, placeOf, testOf } from "./planted/Places.ts"

for (const { beside = [], caughtBy, name, patches } of bugs) {
  it(`can plant the bug: ${name}`, () => {
    for (const patch of [...beside, ...patches]) placeOf(root, patch)
    if (!("tests" in caughtBy)) return
    testOf(root, caughtBy)
    assert.isTrue(isTitle(root, caughtBy.named), `no test has the title "${caughtBy.named}"`)
  })
}
