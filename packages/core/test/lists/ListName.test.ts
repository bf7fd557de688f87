import { assert, describe, it } from "@effect/vitest"
import { freeName, ListName, name_length_max, nameCandidates } from "@tentpole/core/lists/ListName"
import { ListId } from "@tentpole/core/kernel/Ids"
import { fold } from "@tentpole/core/kernel/Text"
import { Result, Schema } from "effect"

const random = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
const text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(300))
const other = ListId.make("00000000-0000-4000-8000-000000000001")
const nothingTaken = { names: new Map<string, ListId>(), slugs: new Set<string>() }

describe("List names", () => {
  it.prop("are valid and distinct for all candidates, and every slug is safe in a URL", { text }, ({ text }) => {
    const cut = text.slice(0, name_length_max)
    const { names, slugs } = nameCandidates({ text: cut.toWellFormed(), origin: "derived" }, random)
    for (const name of names) {
      assert.isAtMost(name.length, name_length_max)
      assert.isTrue(name.isWellFormed())
    }
    assert.strictEqual(new Set(names.map(fold)).size, names.length)
    for (const slug of slugs) assert.match(slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.strictEqual(new Set(slugs).size, slugs.length)
  })

  it("have one candidate when given, and numbered ones that fit the limit when derived", () => {
    assert.deepStrictEqual(nameCandidates({ text: "VIP", origin: "given" }, random).names, ["VIP"])
    const [first, second] = nameCandidates({ text: "VIP", origin: "derived" }, random).names
    assert.deepStrictEqual([first, second], ["VIP", "VIP (2)"])
    const long = nameCandidates({ text: "😀".repeat(127) + "x", origin: "derived" }, random).names[1]
    assert.strictEqual(long, "😀".repeat(125) + " (2)")
  })

  it("give slugs of their Latin letters, numbered when taken, or six characters without letters", () => {
    const slugsOf = (text: string) => nameCandidates({ text, origin: "given" }, random).slugs
    assert.deepStrictEqual(slugsOf("VIP Customers & Friends! Zürich/2026").slice(0, 2), [
      "vip-customers-friends-zurich-2026",
      "vip-customers-friends-zurich-2026-2",
    ])
    for (const slug of slugsOf("漢字")) assert.match(slug, /^list-[0-9a-f]{6}$/)
  })

  it("use the first free candidate, compared folded, or none when all are taken", () => {
    const candidates = nameCandidates({ text: "ΟΔΟΣ", origin: "derived" }, random)
    const taken = {
      names: new Map([fold("οδος"), fold("ΟΔΟΣ (2)")].map((name) => [name, other])),
      slugs: new Set(candidates.slugs.slice(0, 1)),
    }
    assert.deepStrictEqual(freeName(candidates, taken), { name: "ΟΔΟΣ (3)", slug: candidates.slugs[1] })
    const all = {
      names: new Map(candidates.names.map((name) => [fold(name), other])),
      slugs: new Set(candidates.slugs),
    }
    assert.deepStrictEqual(freeName(candidates, all), { name: undefined, slug: undefined })
    assert.strictEqual(freeName(candidates, nothingTaken).name, "ΟΔΟΣ")
  })

  it("have a visible character and at most 255 characters", () => {
    const fits = (name: string) => Result.isSuccess(Schema.decodeUnknownResult(ListName)(name))
    assert.deepStrictEqual(["x", " x ", "n".repeat(255), "", " ", "\u2003\n", "n".repeat(256)].map(fits), [
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  })
})
