// Domains of plain letters are read without IDNA, and must read as IDNA reads them.
import { toDomain } from "@tentpole/core/kernel/values/DomainName"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { toASCII } from "tr46"

const parts = ["a", "B", "7", "x", "n", "-", ".", "xn--", "a".repeat(61), "example", ".test"] as const

/** The definition: what IDNA makes of a name, if that is a host name of two labels or more. */
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

describe("a domain of plain letters", () => {
  it.prop(
    "is what IDNA makes of it, although IDNA is not asked",
    [Schema.Array(Schema.Literals(parts)).check(Schema.isMaxLength(8))],
    ([drawn]) => {
      const name = drawn.join("")
      assert.strictEqual(toDomain(name), name === "" || name.length > 253 ? null : byIdna(name), name)
    },
    { arbitrary: { runs: 2_000 } },
  )
})
