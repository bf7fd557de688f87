import { WeightedLru } from "@tentpole/core/kernel/runtime/WeightedLru"
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"

const Step = Schema.Struct({
  is: Schema.Literals(["get", "set"]),
  key: Schema.Literals(["a", "b", "c", "d"]),
  version: Schema.Literals(["", "new"]),
  weight: Schema.Literals([1, 2, 5]),
})

const weight_max = 4

/** A list, the least recently used entry first. */
interface Kept {
  readonly key: string
  readonly version: string
  readonly weight: number
  readonly value: number
}

it.prop(
  "WeightedLru removes the least recently used entries until the rest is light enough",
  [Schema.Array(Step).check(Schema.isMinLength(20), Schema.isMaxLength(60))],
  ([steps]) => {
    const memory = new WeightedLru<number>(weight_max)
    let model: ReadonlyArray<Kept> = []
    for (const [value, { is, key, version, weight }] of steps.entries()) {
      const known = model.find((each) => each.key === key)
      const others = model.filter((each) => each.key !== key)
      if (is === "get") {
        const found = known?.version === version ? known : undefined
        assert.strictEqual(memory.get(key, version), found?.value)
        if (found !== undefined) model = [...others, found]
      } else {
        memory.set(key, value, { version, weight })
        model = [...others, { key, version, weight, value }]
        while (model.reduce((sum, each) => sum + each.weight, 0) > weight_max) model = model.slice(1)
      }
    }
    for (const { key, version, value } of model) assert.strictEqual(memory.get(key, version), value)
  },
  { arbitrary: { runs: 1_000 } },
)
