import { type Draw, drawFrom } from "@tentpole/core/contract"
import { isLongJson, jsonPieces, piece_length, textPieces } from "@tentpole/core/kernel/runtime/JsonPieces"
import { assert, describe, it } from "vitest"

const units = ["x", "\u0001", '"', "\\", "\r\n", "ä", "\u0301", "😀", "\ud83d", "\ude00", "\u2028"]

/** A piece ends at each place of each character. */
const longTexts = units.flatMap((unit) => [0, 1, 2].map((at) => "x".repeat(at) + unit.repeat(piece_length)))

const textOf = (draw: Draw): string =>
  draw.chance(0.1) ? draw.of(longTexts) : Array.from({ length: draw.below(8) }, () => draw.of(units)).join("")

const valueOf = (draw: Draw, depth = 0): unknown => {
  const kind = draw.below(depth > 3 ? 5 : 7)
  if (kind === 5) return Array.from({ length: draw.below(6) }, () => valueOf(draw, depth + 1))
  if (kind < 5) return [textOf(draw), draw.below(1_000) / 8, true, null, undefined][kind]
  return Object.fromEntries(Array.from({ length: draw.below(6) }, () => [textOf(draw), valueOf(draw, depth + 1)]))
}

describe("jsonPieces", () => {
  it("together are what JSON.stringify returns, and end between two characters", () => {
    const values = Array.from({ length: 100 }, (_, seed) => [valueOf(drawFrom(seed))])
    for (const value of [...longTexts, ...values]) {
      const pieces = [...jsonPieces(value)]
      assert.isTrue(pieces.join("") === JSON.stringify(value))
      // Half of a pair would become another character.
      assert.isTrue(pieces.every((piece) => piece.isWellFormed()))
    }
  })

  it("leave out what JSON leaves out", () => {
    const nothing = Object.fromEntries(Array<undefined>(piece_length).fill(undefined).entries())
    const value = [nothing, { ...nothing, a: [undefined, null] }]
    assert.isTrue([...jsonPieces(value)].join("") === JSON.stringify(value))
  })

  it("are short, whatever the value is made of", { tags: ["attack/slow-input"] }, () => {
    const values = [
      "x".repeat(2 ** 20),
      Array<number>(2 ** 18).fill(1),
      Object.fromEntries(Array(9_999).fill("y".repeat(99)).entries()),
    ]
    for (const value of [...values, { values }]) {
      for (const piece of jsonPieces(value)) assert.isAtMost(piece.length, 2 * piece_length + 2)
    }
  })
})

describe("textPieces", () => {
  it("together are the text, and end between two characters", () => {
    for (const text of ["", "x", ...longTexts]) {
      const pieces = [...textPieces(text)]
      assert.isTrue(pieces.join("") === text)
      assert.isTrue(pieces.map((piece) => piece.toWellFormed()).join("") === text.toWellFormed())
    }
  })
})

describe("isLongJson", () => {
  it("looks at no more of a value than it needs to know", () => {
    const list = new Proxy(Array<string>(1_000).fill("x"), {
      get: (target, key) => (key === "500" ? assert.fail("read an item") : (Reflect.get(target, key) as unknown)),
    })
    assert.isTrue(isLongJson(list, 1_000))
    assert.isFalse(isLongJson(["x".repeat(900)], 1_000))
  })
})
