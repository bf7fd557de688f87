// Tests of proposed notations: a column decides, and what stays open is a question.
import { inferenceOf } from "@tentpole/core/imports/mapping/FieldCandidates"
import { reasonText } from "@tentpole/core/imports/mapping/Reasons"
import { proposeFormat } from "@tentpole/core/imports/mapping/FormatProposals"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const formatOf = (type: "date" | "number", ...values: ReadonlyArray<string>) => proposeFormat(type, values).format
const questionOf = (type: "date" | "number", ...values: ReadonlyArray<string>) => {
  const { question } = proposeFormat(type, values)
  return question === null ? null : reasonText([question])
}

describe("Proposed format", () => {
  it("of dates is the one that reads all of them", () => {
    assert.deepStrictEqual(formatOf("date", "17.05.1990", "1.2.2020"), { dateFormat: "DD.MM.YYYY" })
    assert.deepStrictEqual(formatOf("date", "05/17/1990"), { dateFormat: "MM/DD/YYYY" })
    assert.deepStrictEqual(formatOf("date", "2020/12/31 10:00"), { dateFormat: "YYYY/MM/DD" })
    assert.deepStrictEqual(formatOf("date", "2020-12-31", "2020-01-01T10:00:00Z"), {})
    assert.isNull(questionOf("date", "2020-12-31"))
    assert.deepStrictEqual(formatOf("date", "01/02/2020", "", "unknown", "13/02/2020", "2020-01-01"), {
      dateFormat: "DD/MM/YYYY",
    })
  })

  it("of ambiguous or contradictory dates is a question", () => {
    assert.deepStrictEqual(formatOf("date", "01/02/2020", "05/05/2020"), {})
    assert.match(questionOf("date", "01/02/2020", "05/05/2020") ?? "", /DD\/MM\/YYYY or MM\/DD\/YYYY/)
    assert.deepStrictEqual(formatOf("date", "13/02/2020", "02/13/2020"), {})
    assert.match(questionOf("date", "13/02/2020", "02/13/2020") ?? "", /several forms/)
    assert.isNull(questionOf("date", "01/02", "x", ""))
  })

  it("of numbers has the decimal separator and the currency", () => {
    assert.deepStrictEqual(formatOf("number", "1,234.50", "12.5", "99"), { decimalSeparator: "." })
    assert.deepStrictEqual(formatOf("number", "1.234,50"), { decimalSeparator: "," })
    assert.deepStrictEqual(formatOf("number", "12,5", "99"), { decimalSeparator: "," })
    assert.deepStrictEqual(formatOf("number", "€ 99", "€ 12,5"), { currencySign: "€", decimalSeparator: "," })
    assert.deepStrictEqual(formatOf("number", "99 EUR", "-5 EUR", "7"), { currencySign: "EUR" })
    assert.deepStrictEqual(formatOf("number", "1.5", "-3", "1e5"), {})
  })

  it("of ambiguous or contradictory numbers is a question", () => {
    for (const values of [["1,234"], ["12.5", "12,5"], ["€ 5", "$ 5"], ["1.234"]]) {
      const { format, question } = proposeFormat("number", values)
      assert.notProperty(format, "decimalSeparator")
      assert.isNotNull(question, values.join())
    }
    assert.isNull(questionOf("number", "1.5", "2"))
  })

  it("decides the type of a new field, and days without a year are text", () => {
    const inferred = (...values: ReadonlyArray<string>) => {
      const { suggestedValueType, format } = inferenceOf(values)
      return [suggestedValueType, format]
    }
    assert.deepStrictEqual(inferred("17.05.1990", "01.02.2000"), ["date", { dateFormat: "DD.MM.YYYY" }])
    assert.deepStrictEqual(inferred("€ 99", "€ 12,50"), ["number", { currencySign: "€", decimalSeparator: "," }])
    assert.deepStrictEqual(inferred("01/02", "12/31"), ["string", {}])
    assert.match(reasonText(inferenceOf(["01/02", "12/31"]).reasons), /without a year/)
    assert.deepStrictEqual(inferred("01/02/2020"), ["string", {}])
    assert.match(reasonText(inferenceOf(["01/02/2020"]).reasons), /set date_format/)
    assert.deepStrictEqual(inferred("SKU 77", "SKU 78"), ["string", {}])
    assert.deepStrictEqual(inferred("5 km"), ["string", {}])
  })

  it.prop(
    "exists for every column",
    [Schema.Literals(["date", "number"]), Schema.Array(Schema.String)],
    ([type, values]) => {
      const { format, question } = proposeFormat(type, values)
      if (question !== null) assert.isTrue(format.dateFormat === undefined && format.decimalSeparator === undefined)
    },
  )
})
