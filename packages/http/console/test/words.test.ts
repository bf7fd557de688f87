// The texts of the console in each language.
import { assert, describe, it } from "vitest"
import { english } from "../src/words/English.ts"
import { german } from "../src/words/German.ts"
import { pluralsOf } from "../src/words/plural.ts"

/** The paths of all texts. */
const pathsOf = (words: object, path = ""): ReadonlyArray<string> =>
  Object.entries(words).flatMap(([key, value]: [string, unknown]) =>
    typeof value === "object" && value !== null ? pathsOf(value, `${path}.${key}`) : [`${path}.${key}`],
  )

const textsOf = (words: object): ReadonlyArray<string> =>
  Object.values(words).flatMap((value: unknown) =>
    typeof value === "object" && value !== null ? textsOf(value) : typeof value === "string" ? [value] : [],
  )

describe("words", () => {
  it("have the same keys in each language", () => {
    assert.deepStrictEqual(pathsOf(german), pathsOf(english))
  })

  it("have no empty text but the title of the first group, and no space at an end", () => {
    for (const words of [english, german]) {
      const wrong = textsOf(words).filter((text) => text === "" || text !== text.trim())
      assert.deepStrictEqual(wrong, [""])
    }
  })

  it("use the plural and the numbers of the language", () => {
    const forms = { one: "{n} contact", other: "{n} contacts" }
    assert.deepStrictEqual([1, 2, 1_200].map(pluralsOf("en")(forms)), ["1 contact", "2 contacts", "1,200 contacts"])
    assert.strictEqual(german.contacts.count(1_200), "1.200 Kontakte")
  })
})
