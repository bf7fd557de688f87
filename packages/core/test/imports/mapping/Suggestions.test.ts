import type { ColumnMatch } from "@tentpole/core/ports/Ai"
import { proposeMappings, targetsOf } from "@tentpole/core/imports/mapping/Mapping"
import { reasonOf, reasonText } from "@tentpole/core/imports/mapping/Reasons"
import {
  type SuggestionAnswer,
  request_columns_max,
  acceptedMatches,
  suggestionRequestOf,
  shapeOf,
  withSuggestions,
} from "@tentpole/core/imports/mapping/Suggestions"
import { inSteps } from "@tentpole/core/kernel/runtime/Steps"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { field } from "../FieldFixture.ts"

const targets = targetsOf([field("shoe_size"), field("old_plan", { status: "archived" })])

type File = Readonly<Record<string, ReadonlyArray<string>>>

const reading = (file: File) => {
  const proposed = proposeMappings(Object.keys(file), targets)
  const columns = Object.entries(file).map(([header, values]) => ({ header, values }))
  return { proposed, question: Effect.runSync(inSteps(suggestionRequestOf(columns, proposed, targets))) }
}

/** The proposals for an AI answer: field, source and reason by header. */
const proposals = (file: File, said: Readonly<Record<string, string>> | SuggestionAnswer) => {
  const { proposed, question } = reading(file)
  const matches = Object.entries(said).map(([header, targetField]): ColumnMatch => ({ header, targetField }))
  const answer = isAnswer(said)
    ? said
    : ({
        _tag: "given",
        matches: question.request === null ? [] : acceptedMatches(question.request, matches, targets),
      } as const)
  return withSuggestions(proposed, question, answer, targets)
}

const isAnswer = (said: Readonly<Record<string, string>> | SuggestionAnswer): said is SuggestionAnswer => "_tag" in said

const fieldsOf = (file: File, said: Readonly<Record<string, string>>) =>
  proposals(file, said).map(({ targetField }) => targetField)

describe("AI request for mappings", () => {
  it("contains the open columns with the shapes of their values, and the free fields", () => {
    const { request } = reading({
      Email: ["ann@b.co"],
      "E-mail": ["ann@c.co"],
      Talla: ["38", "41 ", "n/a", "39", "M", "xl"],
      Vacío: ["", " "],
    }).question
    assert.deepStrictEqual(request?.columns, [{ header: "Talla", shapes: ["99", "a/a", "A"] }])
    const offered = request?.fields.map(({ apiName }) => apiName) ?? []
    assert.includeMembers(offered, ["phone", "first_name", "shoe_size"])
    for (const name of ["email", "created_at", "contact_id", "old_plan"]) assert.notInclude(offered, name)
  })

  it("is not sent when every column is mapped or empty", () => {
    assert.strictEqual(reading({ Email: ["a@b.co"], "E-mail": ["x"] }).question.request, null)
    assert.strictEqual(reading({ Email: ["a@b.co"], Talla: [""] }).question.request, null)
    assert.strictEqual(
      reading({ email: ["a"], row_number: ["2"], status: ["failed"], reason: ["x"] }).question.request,
      null,
    )
  })

  it("is not sent when the first line is a row of data", () => {
    for (const header of ["ann@example.com", "ann@localhost", "+49 30 1234567", "Ann <ann@b.co>"]) {
      const { question } = reading({ [header]: ["x"], Müller: ["y"] })
      assert.strictEqual(question.request, null)
      assert.match(question.omissionByHeader.get("Müller")?.code ?? "", /^ai_skipped_values$/)
    }
  })

  it("limits the number of columns and the length of headers", () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`Spalte ${index}`, ["x"]]))
    const { request, omissionByHeader } = reading(many).question
    assert.strictEqual(request?.columns.length, request_columns_max)
    assert.strictEqual(omissionByHeader.size, 100)
    const long = "n".repeat(5_000)
    const { question } = reading({ [long]: ["x"], [`${long}!`]: ["x"], "a\ud800b": ["x"] })
    assert.deepStrictEqual(
      question.request?.columns.map(({ header }) => header),
      ["n".repeat(100), "a\ufffdb"],
    )
    assert.match(
      reasonText(proposals({ [long]: ["x"], [`${long}!`]: ["x"] }, {})[1]?.reasons ?? []),
      /was not asked: an earlier/,
    )
    assert.strictEqual(fieldsOf({ [long]: ["x"] }, { ["n".repeat(100)]: "phone" })[0], "phone")
  })
})

describe("Shape of a value", () => {
  it("shows its notation", () => {
    for (const [value, shape] of [
      ["Ann.Lee@example.com", "Aaa.Aaa@aaaaaaa.aaa"],
      ["+49 (30) 1234-567", "+99 (99) 9999-999"],
      ["2026-05-01", "9999-99-99"],
      ["Zoë Ångström", "Aaa Aaaaaaaa"],
      ["山田\t太郎", "aa aa"],
      ["①½٣", "999"],
      ["“ß” 🅰", "*a* *"],
    ] as const) {
      assert.strictEqual(shapeOf(value), shape)
    }
  })

  it.prop("contains neither letter nor digit of it, and at most 40 characters", [Schema.String], ([value]) => {
    const text = `${value}${value} Zz19 ${value}`
    assert.match(shapeOf(text), /^[aA9*\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]{0,40}$/)
  })
})

describe("AI answer for mappings", () => {
  const file: File = { Email: ["a@b.co"], Uno: ["x"], Dos: ["y"] }

  it("is accepted for an open column and a free field", () => {
    const [email, uno, dos] = proposals(file, { Uno: "first_name", Dos: "shoe_size" })
    assert.deepInclude(email, { targetField: "email", source: "deterministic" })
    assert.deepInclude(uno, { targetField: "first_name", targetKind: "standard", source: "ai", standing: "mapped" })
    assert.deepInclude(dos, { targetField: "shoe_size", targetKind: "custom", source: "ai" })
    assert.match(reasonText(uno?.reasons ?? []), /AI/)
  })

  it("is ignored for unknown columns, read-only fields, and columns that were not sent", () => {
    for (const name of ["no_such", "old_plan", "created_at", "contact_id", "__proto__", ""]) {
      assert.deepStrictEqual(fieldsOf(file, { Uno: name, Nowhere: "phone", uno: "phone" }), ["email", null, null], name)
    }
    assert.deepStrictEqual(fieldsOf(file, { Email: "phone" }), ["email", null, null])
  })

  it("never maps two columns to one field: a header match wins, then the earlier column", () => {
    const [, uno, dos] = proposals(file, { Dos: "phone", Uno: "phone" })
    assert.deepStrictEqual([uno?.targetField, dos?.targetField], ["phone", null])
    assert.deepInclude(dos, { source: "none", reasons: [reasonOf("field_claimed", "Uno", "phone")] })
    const [, other] = proposals(file, { Uno: "email" })
    assert.deepInclude(other, { targetField: null, reasons: [reasonOf("field_claimed", "Email", "email")] })
  })

  it("reports of each open column whether it was sent", () => {
    const texts = proposals({ ...file, Tres: [""] }, { Uno: "phone" }).map(({ reasons }) => reasonText(reasons))
    assert.deepStrictEqual(texts.slice(2), [
      "No field has this name, and the AI suggests none",
      "No field has this name, and the AI was not asked: the column is empty in the sample",
    ])
  })

  it("leaves the columns open when it is empty, and reports why", () => {
    const [email, uno] = proposals(file, { _tag: "silent", reason: reasonOf("ai_slow", 10) })
    assert.strictEqual(email?.source, "deterministic")
    assert.deepInclude(uno, {
      targetField: null,
      source: "none",
      reasons: [reasonOf("ai_slow", 10)],
    })
  })

  const name = Schema.Literals(["Email", "Phone", "Uno", "Dos", "Tres", "E-mail"])
  const said = Schema.Array(
    Schema.Struct({
      header: name,
      targetField: Schema.Literals(["email", "phone", "city", "shoe_size", "created_at", "x"]),
    }),
  )
  it.prop(
    "proposes no field twice and changes only open columns, for any answer",
    [Schema.Array(name), said],
    (drawn) => {
      const [headers, answer] = drawn
      const { proposed, question } = reading(Object.fromEntries(headers.map((header) => [header, ["x"]])))
      const matches = question.request === null ? [] : acceptedMatches(question.request, answer, targets)
      const after = withSuggestions(proposed, question, { _tag: "given", matches }, targets)
      const mapped = after.flatMap(({ targetField }) => (targetField === null ? [] : [targetField]))
      assert.strictEqual(new Set(mapped).size, mapped.length)
      for (const [index, before] of proposed.entries()) {
        if (before.standing !== "open") assert.deepStrictEqual(after[index], before)
      }
    },
  )
})
