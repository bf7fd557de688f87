// Addresses in a pasted text.
import { assert, describe, it } from "vitest"
import { addressesIn } from "../../src/lists/addresses.ts"

describe("addressesIn", () => {
  it("reads lines, commas, and names beside addresses, each address once", () => {
    const text = 'ann@example.org, bob@example.org;\n"Lee, Carla" <carla@example.org>\n\nANN@example.org\nno address'
    assert.deepStrictEqual(addressesIn(text), ["ANN@example.org", "bob@example.org", "carla@example.org"])
    assert.deepStrictEqual(addressesIn(" \n"), [])
  })
})
