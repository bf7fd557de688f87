// Tests of value notations: what is written in a notation is read back in it.
import { readDate, readNumber } from "@tentpole/core/contacts/values/FieldValue"
import { dateFormats, type DateFormat, decimalSeparators, unformat } from "@tentpole/core/contacts/values/ValueFormat"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const two = (number: number): string => String(number).padStart(2, "0")

const writeDate = (format: DateFormat, { year, month, day }: Record<"year" | "month" | "day", string>): string =>
  format.replace("YYYY", year).replace("MM", month).replace("DD", day)

const grouped = (digits: string, separator: string): string => digits.replace(/\B(?=(\d{3})+$)/g, separator)

describe("Value format", () => {
  it.prop(
    "reads every day that is written in it, with or without leading zeros and time",
    {
      format: Schema.Literals(dateFormats),
      year: between(1, 9999),
      month: between(1, 12),
      day: between(1, 28),
      zeros: Schema.Boolean,
      hour: between(-1, 23),
    },
    ({ format, year, month, day, zeros, hour }) => {
      const digits = (number: number) => (zeros ? two(number) : String(number))
      const parts = { year: String(year).padStart(4, "0"), month: digits(month), day: digits(day) }
      const time = hour < 0 ? "" : ` ${digits(hour)}:30`
      const iso = `${parts.year}-${two(month)}-${two(day)}${hour < 0 ? "" : `T${two(hour)}:30:00.000Z`}`
      const text = Result.getOrThrow(unformat({ dateFormat: format }, writeDate(format, parts) + time))
      assert.deepStrictEqual(readDate(text, "text"), Result.succeed(iso))
      assert.deepStrictEqual(Result.getOrThrow(unformat({ dateFormat: format }, iso)), iso)
    },
  )

  it.prop(
    "reads every number that is written in it, with any thousands separator, sign and currency",
    {
      whole: between(0, 999_999_999),
      cents: between(0, 99),
      negative: Schema.Boolean,
      decimalSeparator: Schema.Literals(decimalSeparators),
      group: Schema.Literals(["", "other", " ", "'", "\u00a0", "\u202f"]),
      currency: Schema.Literals(["", "€", "US$", "CHF"]),
      before: Schema.Boolean,
    },
    ({ whole, cents, negative, decimalSeparator, group, currency, before }) => {
      const other = decimalSeparator === "," ? "." : ","
      const number = `${grouped(String(whole), group === "other" ? other : group)}${decimalSeparator}${two(cents)}`
      const amount = before ? `${currency} ${number}` : `${number} ${currency}`
      const format = { decimalSeparator, ...(currency === "" ? {} : { currencySign: currency }) }
      const text = Result.getOrThrow(unformat(format, `${negative ? "-" : ""}${amount}`))
      const value = Number(`${negative ? "-" : ""}${whole}.${two(cents)}`) + 0
      assert.deepStrictEqual(readNumber(text, "text"), Result.succeed(value))
    },
  )

  it("refuses other notations instead of reading them as another value", () => {
    const refused = (format: Parameters<typeof unformat>[0], ...cells: ReadonlyArray<string>) => {
      for (const cell of cells) assert.isTrue(Result.isFailure(unformat(format, cell)), cell)
    }
    refused(
      { dateFormat: "DD.MM.YYYY" },
      "05/17/1990",
      "31.02.2020",
      "13.13.2020",
      "1.2.20",
      "01.02",
      "x",
      "1.2.2020 25",
    )
    refused({ decimalSeparator: "," }, "12.5", "1.23.456", "1,2,3", "1 234.5", "x", "€ 5", "--5", "1.2345")
    refused({ decimalSeparator: "." }, "12,5", "1,2345.0", "1 234,5", "1,234 567.0", "..5", ".")
    refused({ currencySign: "€" }, "$ 5", "€", "€ 12,5", "€€5")
    refused({ decimalSeparator: "." }, "1".repeat(61))
    assert.deepStrictEqual(unformat({ decimalSeparator: "," }, " "), Result.succeed(""))
  })
})
