import { decoderOf } from "@tentpole/core/kernel/Decoding"
import { hasTooManyUnknownKeys, unknown_keys_max } from "@tentpole/core/kernel/UnknownKeys"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"

const Item = Schema.Struct({ name: Schema.optionalKey(Schema.String) })
const Body = Schema.Struct({
  items: Schema.optionalKey(Schema.Array(Schema.Union([Schema.String, Item]))),
  tags: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
})

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, "x"]))

describe("unknown keys", () => {
  it("are too many above the limit, in the whole value", () => {
    assert.isFalse(hasTooManyUnknownKeys(Body, keys(unknown_keys_max)))
    assert.isTrue(hasTooManyUnknownKeys(Body, keys(unknown_keys_max + 1)))
    assert.isFalse(hasTooManyUnknownKeys(Item, [keys(unknown_keys_max + 1)]))
    const items = [keys(unknown_keys_max / 2), keys(unknown_keys_max / 2)]
    assert.isFalse(hasTooManyUnknownKeys(Schema.Struct({ items: Schema.Array(Item) }), { items }))
    assert.isTrue(hasTooManyUnknownKeys(Schema.Struct({ items: Schema.Array(Item) }), { items, more: 1 }))
  })

  it("are no keys of a record, and no keys that one member of a union has", () => {
    assert.isFalse(hasTooManyUnknownKeys(Body, { tags: keys(5_000) }))
    assert.isFalse(
      hasTooManyUnknownKeys(Schema.Union([Item, Schema.Record(Schema.String, Schema.String)]), keys(5_000)),
    )
  })

  it("are counted no further than the limit", { tags: ["attack/unknown-key"] }, () => {
    let reads = 0
    const value = new Proxy<ReadonlyArray<unknown>>(
      Array.from({ length: 100_000 }, () => keys(10)),
      {
        get: (target, key) => {
          if (typeof key === "string" && /^\d+$/.test(key)) reads++
          return Reflect.get(target, key) as unknown
        },
      },
    )
    assert.isTrue(hasTooManyUnknownKeys(Schema.Array(Item), value))
    assert.strictEqual(reads, unknown_keys_max / 10 + 1)
  })

  it("are refused by a decoder without a list", () => {
    const { issues } = decoderOf(Item)(keys(unknown_keys_max + 1), "steps.0")
    assert.deepStrictEqual(issues, [{ path: "steps.0", message: "has more than 1000 unknown keys" }])
  })
})
