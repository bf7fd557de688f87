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

/** `2 ** pairs_count` texts with one 32-bit hash (FNV-1a of UTF-16): two groups of characters lead each state to the same next one. */
const collidingKeys = (pairs_count: number): ReadonlyArray<string> => {
  const last = 0x5000
  const next = (state: number, unit: number) => Math.imul(state ^ unit, 0x01000193) + 1
  let texts = [""]
  let state = 0
  for (let pair = 0; pair < pairs_count; pair++) {
    const begins = new Map<number, { after: number; begin: string }>()
    for (let tried = 0; ; tried++) {
      const units = [0x4e00 + (tried >> 8), 0x5000 + ((tried * 31) & 0xff)] as const
      const one = { after: units.reduce(next, state), begin: String.fromCharCode(...units) }
      // The last character makes the low half of the states equal.
      const other = begins.get(one.after >>> 16)
      begins.set(one.after >>> 16, one)
      const other_last = last ^ (((other?.after ?? 0) ^ one.after) & 0xffff)
      if (other === undefined || other_last < 0x80 || (other_last >= 0xd800 && other_last < 0xe000)) continue
      const ends = [one.begin + String.fromCharCode(last), other.begin + String.fromCharCode(other_last)]
      texts = texts.flatMap((text) => ends.map((end) => text + end))
      state = next(one.after, last)
      break
    }
  }
  return texts
}

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

  it("compares keys, not a hash of them that the sender can make equal", { tags }, () => {
    const objects = collidingKeys(14).map((key) => `{"${key}":1,"same":1}`)
    assert.isAbove(objects.length * 2, json_shaped_keys_max)
    assert.include(jsonExcess(list(objects)), "different keys")
  })

  it("counts the keys of objects with the same keys once", () => {
    const rows = Array<string>(10_000).fill(object(10, (at) => `column "quoted\\" ${at}`.replaceAll('"q', '\\"q')))
    assert.isNull(jsonExcess(list(rows)))
    assert.isNull(jsonExcess(`{"rows":${list(rows)},"text":"${"a:{".repeat(100_000)}"}`))
  })
})
