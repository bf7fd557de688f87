import {
  json_depth_max,
  json_key_length_max,
  json_shaped_keys_max,
  json_values_max,
  jsonExcess as excessOf,
} from "@tentpole/core/kernel/JsonExcess"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"

const jsonExcess = (text: string) => Effect.runSync(excessOf(text))
const object = (count: number, name: (at: number) => string): string =>
  `{${Array.from({ length: count }, (_, at) => `"${name(at)}":1`).join(",")}}`
const list = (items: ReadonlyArray<string>): string => `[${items.join(",")}]`
const tags = ["attack/json-bomb"]

describe("jsonExcess", () => {
  it("refuses too many values, too deep nesting and long keys", { tags }, () => {
    assert.isNull(jsonExcess(list(Array<string>(json_values_max - 1).fill("0"))))
    assert.include(jsonExcess(list(Array<string>(json_values_max).fill("0"))), "values")
    assert.isNull(jsonExcess("[".repeat(json_depth_max)))
    assert.include(jsonExcess("[".repeat(json_depth_max + 1)), "nested deeper")
    assert.isNull(jsonExcess(`{"${"k".repeat(json_key_length_max)}":1}`))
    assert.include(jsonExcess(`{"${"k".repeat(json_key_length_max + 1)}":1}`), "a key of more than")
  })

  it("refuses too many keys in objects with different keys", { tags }, () => {
    const shapes = (count: number, keys_count: number) =>
      list(Array.from({ length: count }, (_, n) => object(keys_count, (at) => `k${n}_${at}`)))
    assert.isNull(jsonExcess(object(json_shaped_keys_max, (at) => `k${at}`)))
    assert.include(jsonExcess(object(json_shaped_keys_max + 1, (at) => `k${at}`)), "different keys")
    assert.include(jsonExcess(shapes(json_shaped_keys_max / 10 + 1, 10)), "different keys")
    const rotated = Array.from({ length: 4_000 }, (_, n) =>
      object(10, (at) => `k${(at * (1 + 2 * (n % 5)) + n) % 4_000}`),
    )
    assert.include(jsonExcess(list(rotated)), "different keys")
  })

  it("counts the keys of objects with the same keys once", () => {
    const rows = Array<string>(10_000).fill(object(10, (at) => `column "quoted\\" ${at}`.replaceAll('"q', '\\"q')))
    assert.isNull(jsonExcess(list(rows)))
    assert.isNull(jsonExcess(`{"rows":${list(rows)},"text":"${"a:{".repeat(100_000)}"}`))
  })
})
