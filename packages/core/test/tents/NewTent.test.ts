import { assert, it } from "@effect/vitest"
import { AssetId } from "@tentpole/core/kernel/Ids"
import { checkNewTent, type NewTent } from "@tentpole/core/tents/NewTent"
import { Result } from "effect"
import { id } from "./TentFixture.ts"

const file = AssetId.make("0199aa00-0000-7000-8000-000000000001")

const tent: NewTent = { name: "n", prompt: "a page", includeBrand: false, autoPublish: true, assetIds: [] }

const faults = (over: Partial<NewTent>): ReadonlyArray<string> => {
  const checked = checkNewTent({ ...tent, ...over })
  return Result.isFailure(checked) ? checked.failure.issues.map((issue) => issue.path) : []
}

it("A new tent reports every fault at once", () => {
  assert.deepStrictEqual(faults({}), [])
  assert.deepStrictEqual(faults({ name: " ", prompt: "\n", customPageAlias: "Not OK", autoPublish: false }), [
    "name",
    "prompt",
    "custom_page_alias",
    "custom_page_alias",
  ])
})

it("A new tent's input data are values of variables and the beginning of its prompt", () => {
  const checked = Result.getOrThrow(checkNewTent({ ...tent, inputData: { city: "Bern", seats: 4 } }))
  assert.deepStrictEqual(checked.request.variables, { city: "Bern", seats: "4" })
  assert.strictEqual(checked.request.prompt, "city: Bern\nseats: 4\n\na page")
  assert.deepStrictEqual(faults({ inputData: { city: "x".repeat(20_000) } }), ["prompt"])
})

it("A new tent needs auto_publish for an alias, and an existing tent for assets", () => {
  assert.deepStrictEqual(faults({ customPageAlias: "ok", autoPublish: false }), ["custom_page_alias"])
  assert.deepStrictEqual(faults({ customPageAlias: "admin" }), ["custom_page_alias"])
  assert.deepStrictEqual(faults({ assetIds: [file] }), ["asset_ids"])
  assert.deepStrictEqual(faults({ assetIds: [file], tentId: id }), [])
  assert.deepStrictEqual(faults({ assetIds: Array(6).fill(file), tentId: id }), ["asset_ids"])
})
