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

type Rooms = Readonly<Record<string, () => Promise<object>>>

const loaded = async (rooms: Rooms): Promise<object> => {
  const all = Object.entries(rooms).map(async ([room, load]) => [room, await load()] as const)
  return Object.fromEntries<object>(await Promise.all(all))
}

describe("words", () => {
  it("have the same keys in each language", async () => {
    assert.deepStrictEqual(pathsOf(await loaded(german)), pathsOf(await loaded(english)))
  })

  it("have no empty text but the title of the first group, and no space at an end", async () => {
    for (const words of [await loaded(english), await loaded(german)]) {
      const wrong = textsOf(words).filter((text) => text === "" || text !== text.trim())
      assert.deepStrictEqual(wrong, [""])
    }
  })

  it("use the plural and the numbers of the language", async () => {
    const forms = { one: "{n} contact", other: "{n} contacts" }
    assert.deepStrictEqual([1, 2, 1_200].map(pluralsOf("en")(forms)), ["1 contact", "2 contacts", "1,200 contacts"])
    assert.strictEqual((await german.contacts()).count(1_200), "1.200 Kontakte")
  })

  it("say in the language of the person what is wrong with a row of a file", async () => {
    const said = async (words: typeof english | typeof german, code: string) =>
      (await words.imports()).issueText(code, "must be a date")
    assert.strictEqual(await said(english, "invalid_value"), "must be a date")
    assert.strictEqual(await said(german, "invalid_email"), "ist keine E-Mail-Adresse")
    assert.strictEqual(await said(german, "invalid_value"), "Der Wert passt nicht zum Feld (must be a date)")
  })
})
