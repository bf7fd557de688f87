// Tests of tags: their values in JSON and text, and their text in exports.
import { readTags, tag_length_max, tags_max } from "@tentpole/core/contacts/values/FieldValue"
import { joinTags, splitTags } from "@tentpole/core/contacts/values/Tags"
import { fold } from "@tentpole/core/kernel/Text"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const json = (value: unknown) => Result.getOrThrow(readTags(value, "json"))
const text = (value: string) => Result.getOrThrow(readTags(value, "text"))
const issue = (value: unknown) => Result.getOrNull(Result.flip(readTags(value, "json")))

const Word = Schema.Literals(["vip", "VIP", "a b", "a,b", ";", '"', 'a"b', '"a"', '"", "', "É", "e\u0301", "İ"])

describe("Tags", () => {
  it("are words between commas or semicolons, and words in quotes have both", () => {
    for (const [cell, words] of [
      ["vip", ["vip"]],
      ["vip, gold", ["vip", "gold"]],
      ["vip;gold ;; early bird;", ["vip", "gold", "early bird"]],
      ['"vip","gold"', ["vip", "gold"]],
      ['"Bern, CH" ; "say ""hi"""', ["Bern, CH", 'say "hi"']],
      ['5" disk, "open', ['5" disk', '"open']],
      ['"a"b, c', ['"a"b', "c"]],
      [" , ; ", []],
      ["", []],
    ] as const) {
      assert.deepStrictEqual(splitTags(cell), words, cell)
    }
  })

  it("are stored once for each folded word, in their first spelling and order", () => {
    assert.deepStrictEqual(json(["VIP", "gold", "vip ", "É", "e\u0301"]), ["VIP", "gold", "É"])
    assert.deepStrictEqual(text("Gold, vip; GOLD"), ["Gold", "vip"])
    assert.isNull(json([]))
    assert.isNull(json(null))
    assert.isNull(text(";"))
  })

  it("of JSON are an array of words within the limits", () => {
    for (const value of ["vip", "a,b", 5, {}, true]) assert.match(String(issue(value)), /must be an array of words/)
    for (const value of [[5], [["a"]], [{}]]) assert.strictEqual(issue(value), "must be words: each must be text")
    for (const value of [[""], ["a", " "], [null]]) assert.strictEqual(issue(value), "must have no empty words")
    const many = Array.from({ length: tags_max + 1 }, (_, index) => `w${index}`)
    assert.strictEqual(issue(many), "must have at most 100 words")
    assert.strictEqual(json([...many.slice(1), "W1"])?.length, tags_max)
    assert.match(String(issue(["😀".repeat(tag_length_max + 1)])), /at most 100 characters, got 101/)
    assert.strictEqual(json(["😀".repeat(tag_length_max)])?.length, 1)
    assert.isNotNull(issue(["a\0"]))
  })

  it.prop("of an export are read as the same words", [Schema.Array(Word)], ([given]) => {
    const words = json(given) ?? []
    assert.deepStrictEqual(text(joinTags(words)) ?? [], words)
    assert.strictEqual(new Set(words.map(fold)).size, words.length)
  })

  // Quadratic time would take hours.
  it("are split in time that grows with the text", { tags: ["attack/slow-input"] }, () => {
    for (const part of ['"', '""', '",', '"x,', '"""x,', " ", '" ', '"" ']) splitTags(part.repeat(300_000))
  })
})
