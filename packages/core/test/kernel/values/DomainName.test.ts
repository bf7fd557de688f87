// Tests that domains of plain letters, which are decoded without IDNA, decode as IDNA decodes them.
import { toDomain } from "@tentpole/core/kernel/values/DomainName"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { toASCII } from "tr46"

const parts = ["a", "B", "7", "x", "n", "-", ".", "xn--", "a".repeat(61), "example", ".test"] as const

/** The definition: IDNA's result for a name, if that is a host name of two labels or more. */
const byIdna = (name: string): string | null => {
  const ascii = toASCII(name, {
    checkHyphens: true,
    checkBidi: true,
    checkJoiners: true,
    useSTD3ASCIIRules: true,
    verifyDNSLength: true,
  })
  const labels = ascii?.toLowerCase().split(".") ?? []
  return labels.length >= 2 && labels.every((each) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(each)) ? ascii : null
}

describe("Domain of plain letters", () => {
  it.prop(
    "decodes to what IDNA returns, without calling it",
    [Schema.Array(Schema.Literals(parts)).check(Schema.isMaxLength(8))],
    ([drawn]) => {
      const name = drawn.join("")
      assert.strictEqual(toDomain(name), name === "" || name.length > 253 ? null : byIdna(name), name)
    },
    { arbitrary: { runs: 2_000 } },
  )
})
