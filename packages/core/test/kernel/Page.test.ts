import { decodeCursor, encodeCursor, pagination } from "@tentpole/core/kernel/Page"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const At = Schema.Int.check(Schema.isBetween({ minimum: -8_640_000_000_000, maximum: 8_640_000_000_000 }))
const Id = Schema.String.check(Schema.isUUID())

describe("Cursors", () => {
  it.prop("decode to the values that they encode", [At, Id], ([at, id]) => {
    const cursor = { at, id: id.toLowerCase() }
    assert.deepStrictEqual(Result.getOrThrow(decodeCursor(encodeCursor(cursor))), cursor)
  })

  it.prop(
    "are refused when they are not from this service",
    [Schema.String],
    ([text]) => Result.isFailure(decodeCursor(text)),
    {
      tags: ["attack/bad-cursor"],
    },
  )
})

describe("Pages", () => {
  it("number none for an empty listing", () => {
    assert.deepStrictEqual(pagination({ page: 1, limit: 25 }, 0), { page: 1, limit: 25, total: 0, totalPages: 0 })
    assert.strictEqual(pagination({ page: 1, limit: 25 }, 26).totalPages, 2)
  })
})
