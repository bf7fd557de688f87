// Each threat has a test that names it as a tag.
import { globSync, readFileSync } from "node:fs"
import { assert, it } from "vitest"
import { threats } from "./Threats.ts"

it("the threats of test/attacks/Threats.ts are each the tag of a test", () => {
  const texts = globSync(["packages/*/test/**/*.ts", "test/**/*.test.ts"]).map((path) => readFileSync(path, "utf8"))
  const untagged = threats.filter(({ name }) => !texts.some((text) => new RegExp(`${name}(?![\\w-])`).test(text)))
  assert.deepStrictEqual(untagged, [], "add the tag to the test that holds the threat, or write that test")
  assert.lengthOf(threats, 60)
})
