// Tests of field values: strict in JSON, parsed from text.
import { valueTypes } from "@tentpole/core/contacts/ContactFields"
import { readBoolean, readDate, readNumber, readText, readValue } from "@tentpole/core/contacts/values/FieldValue"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"

const value = <A>(read: Result.Result<A, string>): A => Result.getOrThrowWith(read, (message) => new Error(message))
const refused = (read: Result.Result<unknown, string>) => assert.isTrue(Result.isFailure(read))

const Instant = Schema.Int.check(Schema.isBetween({ minimum: -62_135_596_800_000, maximum: 253_402_300_799_999 }))
const Offset = Schema.Int.check(Schema.isBetween({ minimum: -14 * 60, maximum: 14 * 60 }))

const two = (number: number): string => String(number).padStart(2, "0")

describe("Field value", () => {
  it.prop("decodes its stored form to itself", [Schema.Json, Schema.Literals(valueTypes)], ([raw, type]) => {
    const read = readValue(type, raw, "json")
    if (Result.isFailure(read)) return
    assert.deepStrictEqual(value<unknown>(readValue(type, read.success, "json")), read.success)
  })

  it("in JSON is never coerced", { tags: ["attack/number-coercion"] }, () => {
    for (const raw of ["5", "", " ", true, {}, [], Number.NaN, Number.POSITIVE_INFINITY])
      refused(readNumber(raw, "json"))
    for (const raw of ["true", "", 1, 0, {}, []]) refused(readBoolean(raw, "json"))
    for (const raw of [5, true, {}, []]) refused(readText(raw, 10))
    for (const raw of [20260501, "", true, {}, ["2026-05-01"]]) refused(readDate(raw, "json"))
    for (const type of valueTypes) assert.isNull(value<unknown>(readValue(type, null, "json")))
  })

  it("in text is parsed by its type", () => {
    for (const [text, number] of [
      ["12.5", 12.5],
      [" -0.5 ", -0.5],
      ["+1e3", 1000],
      [".5", 0.5],
      ["5.", 5],
      ["007", 7],
    ] as const) {
      assert.strictEqual(value(readNumber(text, "text")), number)
    }
    for (const text of ["1,5", "1 000", "12 kg", "0x10", "Infinity", "NaN", "1e999", "--1", "1_000"]) {
      refused(readNumber(text, "text"))
    }
    for (const text of ["true", "Yes", " y ", "T", "1", "on"]) assert.isTrue(value(readBoolean(text, "text")))
    for (const text of ["false", "NO", "n", "f", "0", "off"]) assert.isFalse(value(readBoolean(text, "text")))
    for (const text of ["maybe", "2", "truthy"]) refused(readBoolean(text, "text"))
    assert.strictEqual(value(readDate("2026-05-01 12:30", "text")), "2026-05-01T12:30:00.000Z")
    refused(readDate("2026-05-01 12:30Z", "json"))
    refused(readDate("2026-05-01T12:30:00", "json"))
    refused(readDate("05/01/2026", "text"))
  })

  it.prop("is never negative zero as a number", [Schema.Finite], ([number]) => {
    assert.isFalse(Object.is(value(readNumber(number, "json")), -0))
    assert.isTrue(value(readNumber(number, "json")) === number)
    assert.strictEqual(value(readNumber(String(number), "text")), number + 0)
  })
  it("turns minus zero into zero", { tags: ["attack/number-coercion"] }, () =>
    assert.isTrue(Object.is(value(readNumber(-0, "json")), 0)),
  )
})

describe("Text value", () => {
  it("counts characters, and treats empty text as no value", () => {
    assert.isNull(value(readText("", 5)))
    assert.strictEqual(value(readText("😀".repeat(5), 5)), "😀".repeat(5))
    refused(readText("😀".repeat(6), 5))
    assert.strictEqual(value(readText(" ", 5)), " ")
  })
  it("is refused when it cannot be stored", { tags: ["attack/lone-surrogate"] }, () => {
    for (const text of ["a\0b", "\ud800", "a\udc00", "\udc00\ud800"]) refused(readText(text, 10))
  })
})

describe("Date value", () => {
  it.prop(
    "with an offset is its instant, in UTC with milliseconds",
    [Instant, Offset],
    ([epoch_ms, offset_min]) => {
      const instant = DateTime.makeUnsafe(epoch_ms)
      const local = DateTime.formatIso(DateTime.add(instant, { minutes: offset_min })).slice(0, -1)
      const hours = `${offset_min < 0 ? "-" : "+"}${two(Math.trunc(Math.abs(offset_min) / 60))}:${two(Math.abs(offset_min) % 60)}`
      if (!/^(?!0000)\d{4}-/.test(local)) return
      assert.strictEqual(value(readDate(`${local}${hours}`, "json")), DateTime.formatIso(instant))
    },
    { arbitrary: { runs: 500 } },
  )

  it("is a valid calendar day", { tags: ["attack/date-coercion"] }, () => {
    for (const day of ["2024-02-29", "2000-02-29", "1969-12-31", "0001-01-01", "9999-12-31"]) {
      assert.strictEqual(value(readDate(day, "json")), day)
    }
    for (const day of [
      "2026-02-30",
      "2023-02-29",
      "1900-02-29",
      "2026-13-01",
      "2026-00-10",
      "2026-04-31",
      "0000-01-01",
      "2026-1-1",
    ]) {
      refused(readDate(day, "json"))
      refused(readDate(`${day}T00:00:00Z`, "json"))
    }
  })

  it("is a valid time of day in a year of four digits", { tags: ["attack/date-coercion"] }, () => {
    for (const text of ["T24:00:00Z", "T12:60:00Z", "T12:00:60Z", "T12Z", "T12:00:00+24:00", "T12:00:00.Z"]) {
      refused(readDate(`2026-05-01${text}`, "json"))
    }
    for (const text of ["9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00"]) refused(readDate(text, "json"))
    assert.strictEqual(value(readDate("2026-05-01T23:30:00.5-0200", "json")), "2026-05-02T01:30:00.500Z")
    assert.strictEqual(value(readDate("2026-05-01t12:30z", "json")), "2026-05-01T12:30:00.000Z")
    assert.strictEqual(value(readDate("2026-05-01T12:30:00.123999999Z", "json")), "2026-05-01T12:30:00.123Z")
  })
})
