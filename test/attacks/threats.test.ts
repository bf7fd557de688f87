// Test that each threat has a test with its tag.
import { globSync, readFileSync } from "node:fs"
import { assert, it } from "vitest"
import { threats } from "./Threats.ts"

it("each threat of test/attacks/Threats.ts is the tag of a test", () => {
  const texts = globSync(["packages/*/test/**/*.ts", "test/**/*.test.ts"]).map((path) => readFileSync(path, "utf8"))
  const untagged = threats.filter(({ name }) => !texts.some((text) => new RegExp(`${name}(?![\\w-])`).test(text)))
  assert.deepStrictEqual(untagged, [], "add the tag to the test of the threat, or write that test")
  assert.isAtLeast(threats.length, 60)
})
