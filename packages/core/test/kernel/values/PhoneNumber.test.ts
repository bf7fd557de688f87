// Tests of phone numbers: which are valid, and which notations are equal.
import { parsePhone } from "@tentpole/core/kernel/values/PhoneNumber"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const countries = ["US", "DE", "CH", "GB", "BR", "JP", "IN", "AU", "ZZ"] as const

describe("Phone number", () => {
  it.prop(
    "is E.164 when it is valid, and decodes to itself",
    [
      Schema.Array(
        Schema.Literals([..."0123456789", "+", " ", "-", "(", ")", ".", "/", "٤", "x", "#", ";", "\n"]),
      ).check(Schema.isMaxLength(18)),
      Schema.Literals(countries),
    ],
    ([pieces, country]) => {
      const number = parsePhone(pieces.join(""), country)
      if (number === null) return
      assert.match(number, /^\+[1-9]\d{5,14}$/)
      for (const other of countries) assert.strictEqual(parsePhone(number, other), number)
    },
    { arbitrary: { runs: 3000 } },
  )

  it("is equal in every notation", () => {
    for (const text of [
      "+14152000001",
      "4152000001",
      " (415) 200-0001 ",
      "1-415-200-0001",
      "+1 415.200.0001",
      "٤١٥٢٠٠٠٠٠١",
    ]) {
      assert.strictEqual(parsePhone(text, "US"), "+14152000001", text)
    }
    assert.strictEqual(parsePhone("030 / 123456", "DE"), "+4930123456")
    assert.isNull(parsePhone("0818543683264875", "DE"), "sixteen digits with the country's")
    assert.isNull(parsePhone("+860 117 385469069", "CH"), "with a prefix for dialling, or without")
    assert.strictEqual(parsePhone("0041 44 668 18 00", "DE"), "+41446681800")
  })

  it("needs a country with phone numbers when it has no country code", () => {
    assert.isNull(parsePhone("4152000001", "ZZ"))
    assert.strictEqual(parsePhone("+14152000001", "ZZ"), "+14152000001")
  })

  it("is refused when it cannot be dialled or would lose digits", () => {
    const bad = [
      "",
      "abc",
      "12",
      "call me",
      "call 415 200 0001",
      "+999999999999999999999",
      "1".repeat(200),
      "+",
      "-",

      "415 200 0001 x5",
      "415 200 0001 ext. 5",
      "tel:+14152000001",
      "+1415200\r\n0001",
      "+1 415 200 0001;5",
      "800 FLOWERS",
    ]
    for (const text of bad) assert.isNull(parsePhone(text, "US"), JSON.stringify(text))
  })
})
