import { Bounded } from "@tentpole/core/kernel/runtime/WeightedLru"
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"

const Step = Schema.Struct({
  is: Schema.Literals(["get", "set"]),
  key: Schema.Literals(["a", "b", "c", "d"]),
  mark: Schema.Literals(["", "new"]),
  weight: Schema.Literals([1, 2, 5]),
})

const weight_max = 4

/** A list, the one used longest ago first. */
interface Kept {
  readonly key: string
  readonly mark: string
  readonly weight: number
  readonly value: number
}

it.prop(
  "it is a list, from which goes what was used longest ago until the rest is light enough",
  [Schema.Array(Step).check(Schema.isMinLength(20), Schema.isMaxLength(60))],
  ([steps]) => {
    const memory = new Bounded<number>(weight_max)
    let model: ReadonlyArray<Kept> = []
    for (const [value, { is, key, mark, weight }] of steps.entries()) {
      const known = model.find((each) => each.key === key)
      const others = model.filter((each) => each.key !== key)
      if (is === "get") {
        const found = known?.mark === mark ? known : undefined
        assert.strictEqual(memory.get(key, mark), found?.value)
        if (found !== undefined) model = [...others, found]
      } else {
        memory.set(key, value, { mark, weight })
        model = [...others, { key, mark, weight, value }]
        while (model.reduce((sum, each) => sum + each.weight, 0) > weight_max) model = model.slice(1)
      }
    }
    for (const { key, mark, value } of model) assert.strictEqual(memory.get(key, mark), value)
  },
  { arbitrary: { runs: 1_000 } },
)
