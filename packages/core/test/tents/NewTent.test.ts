import { assert, it } from "@effect/vitest"
import { checkNewTent, type NewTent } from "@tentpole/core/tents/NewTent"
import { Result } from "effect"
import { id } from "./Tents.ts"

const tent: NewTent = { name: "n", prompt: "a page", includeBrand: false, autoPublish: true, assetIds: [] }

const faults = (over: Partial<NewTent>): ReadonlyArray<string> => {
  const checked = checkNewTent({ ...tent, ...over })
  return Result.isFailure(checked) ? checked.failure.issues.map((issue) => issue.path) : []
}

it("every fault of a new tent is told at once", () => {
  assert.deepStrictEqual(faults({}), [])
  assert.deepStrictEqual(faults({ name: " ", prompt: "\n", customPageAlias: "Not OK", autoPublish: false }), [
    "name",
    "prompt",
    "custom_page_alias",
    "custom_page_alias",
  ])
})

it("an alias needs auto_publish, and assets the tent that holds them", () => {
  assert.deepStrictEqual(faults({ customPageAlias: "ok", autoPublish: false }), ["custom_page_alias"])
  assert.deepStrictEqual(faults({ customPageAlias: "admin" }), ["custom_page_alias"])
  assert.deepStrictEqual(faults({ assetIds: ["a"] }), ["asset_ids"])
  assert.deepStrictEqual(faults({ assetIds: ["a"], tentId: id }), [])
  assert.deepStrictEqual(faults({ assetIds: ["1", "2", "3", "4", "5", "6"], tentId: id }), ["asset_ids"])
})
