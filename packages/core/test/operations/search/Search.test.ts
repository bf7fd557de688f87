import { assert, describe, it } from "@effect/vitest"
import { fold } from "@tentpole/core/kernel/Text"
import {
  bestOf,
  results_max,
  results_of_type_max,
  searchedTypes,
  type SearchResult,
} from "@tentpole/core/operations/search/Search"
import { Schema } from "effect"

const Found = Schema.Array(
  Schema.Struct({
    type: Schema.Literals(searchedTypes),
    id: Schema.Literals(["1", "2", "3"]),
    name: Schema.Literals(["Ann", "ann lee", "Joann", "Hannover", "Anna"]),
    detail: Schema.Null,
  }),
).check(Schema.isMaxLength(60))
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: results_max }))

const fit = ({ name, type }: SearchResult) => type === "contact" || fold(name).startsWith("ann")

describe("bestOf", () => {
  it.prop(
    "has as many results as it may, five of a type at most, and leaves out none that fits better",
    [Found, Limit],
    ([found, limit]) => {
      const best = bestOf(found, "ann", limit)
      const ofType = (results: ReadonlyArray<SearchResult>, type: SearchResult["type"]) =>
        results.filter((each) => each.type === type)
      const possible = searchedTypes.reduce(
        (sum, type) => sum + Math.min(results_of_type_max, ofType(found, type).length),
        0,
      )
      assert.lengthOf(best, Math.min(limit, possible))
      for (const type of searchedTypes) {
        assert.isAtMost(ofType(best, type).length, results_of_type_max)
        const left = ofType(found, type).filter((each) => !best.includes(each))
        if (left.some(fit)) assert.isTrue(ofType(best, type).every(fit))
      }
      const begun = best.map(fit)
      assert.deepStrictEqual(
        begun,
        begun.toSorted((left, right) => Number(right) - Number(left)),
      )
    },
    { arbitrary: { runs: 200, size: 200 } },
  )

  it("orders names that begin with the text by type and name, then those that contain it", () => {
    const result = (type: SearchResult["type"], name: string): SearchResult => ({ type, id: "1", name, detail: null })
    const found = [
      result("flow", "Anniversary"),
      result("list", "Joann"),
      result("list", "Anna"),
      result("list", "ann"),
      result("contact", "Bob"),
      result("email", "Hannover"),
    ]
    assert.deepStrictEqual(
      bestOf(found, "ann", 20).map(({ name }) => name),
      ["Bob", "ann", "Anna", "Anniversary", "Joann", "Hannover"],
    )
    assert.lengthOf(bestOf(found, "ann", 2), 2)
  })
})
