import { inSteps } from "@tentpole/core/kernel/runtime/Steps"
import { fieldCandidates, inferenceOf, suggestApiName } from "@tentpole/core/imports/mapping/FieldCandidates"
import { reasonText } from "@tentpole/core/imports/mapping/Reasons"
import { active_fields_max } from "@tentpole/core/contacts/CustomField"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { field } from "../FieldFixture.ts"

const candidatesOf = (...given: Parameters<typeof fieldCandidates>) =>
  Effect.runSync(inSteps(fieldCandidates(...given)))

const fields = [
  field("shoe_size", { displayName: "Size of shoes" }),
  field("old_plan", { status: "archived", displayName: "Old plan" }),
  field("tier", { status: "archived", displayName: "Level!" }),
]

const inferValueType = (values: ReadonlyArray<string>) => inferenceOf(values).suggestedValueType

const column = (header: string, ...values: ReadonlyArray<string>) => ({ header, index: 0, values })
const one = (...values: ReadonlyArray<string>) => candidatesOf([column("x", ...values)], [])[0]

describe("Field candidates", () => {
  it("have valid names for any header", () => {
    for (const [header, name] of [
      ["T-shirt Grö", "t_shirt_gro"],
      ["2nd phone", "field_2nd_phone"],
      ["名前", "column_4"],
      ["___", "column_4"],
    ] as const) {
      assert.strictEqual(suggestApiName(header, 4), name)
    }
  })

  it.prop("suggest a valid name for every header", [Schema.String], ([header]) => {
    assert.match(suggestApiName(header, 1), /^[a-z][a-z0-9_]{0,254}$/)
  })

  it("have the one type that all values decode as", () => {
    assert.strictEqual(inferValueType(["1", "2.5", "-3"]), "number")
    assert.strictEqual(inferValueType(["yes", "No"]), "boolean")
    assert.strictEqual(inferValueType(["2026-05-01", "2026-05-02T10:00:00Z"]), "date")
    assert.strictEqual(inferValueType(["1", "x"]), "string")
    assert.strictEqual(inferValueType([]), "string")
    assert.strictEqual(inferValueType(["007", "008"]), "string")
    assert.strictEqual(inferValueType(["4915112345678901"]), "string")
  })

  it("are tags if most values are lists of words", () => {
    assert.strictEqual(inferValueType(['"vip","gold"', '"gold"', '"Bern, CH"']), "tags")
    assert.strictEqual(inferValueType(["vip, gold", "vip; early bird; gold", "gold"]), "tags")
    assert.strictEqual(inferValueType(["vip, gold", "vip", "gold"]), "string")
    assert.strictEqual(inferValueType(["Doe, John", "Doe, Ann", "Roe, John"]), "string")
    assert.strictEqual(inferValueType(["vip, gold", "red, blue, green"]), "string")
    const sentence = "we met at the fair in Bern and talked about wine"
    assert.strictEqual(inferValueType(["wine, beer", `wine, ${sentence}`, "beer"]), "string")
    assert.strictEqual(inferValueType(["1,5", "2,5", "1,5"]), "number")
  })

  it("report what conflicts with their name", () => {
    const columns = ["Old Plan", "Shoe-Size", "Contact ID", "Plan", "plan"].map((header, index) => ({
      header,
      index,
      values: ["a", " ", "b", "a"],
    }))
    const candidates = candidatesOf(columns, fields)
    assert.deepStrictEqual(
      candidates.map(({ suggestedApiName, conflicts }) => [
        suggestedApiName,
        conflicts[0]?.kind,
        conflicts[0]?.resolution,
      ]),
      [
        ["old_plan", "archived_existing", "restore_existing"],
        ["shoe_size", "active_existing", "map_to_existing"],
        ["contact_id", "reserved_name", "rename"],
        ["plan", undefined, undefined],
        ["plan", "duplicate_in_file", "rename"],
      ],
    )
    assert.deepStrictEqual(candidates[0]?.conflicts[0], {
      kind: "archived_existing",
      resolution: "restore_existing",
      existingFieldDefinitionId: fields[1]?.id ?? null,
      existingFieldDisplayName: "Old plan",
      conflictKey: "old_plan",
    })
    assert.deepStrictEqual([candidates[3]?.sampleValues, candidates[3]?.confidence], [["a", "b"], "medium"])
  })

  it("report all conflicts of API name and label", () => {
    const kinds = (...headers: ReadonlyArray<string>) =>
      candidatesOf(
        headers.map((header) => column(header)),
        fields,
      ).map(({ conflicts }) => conflicts.map(({ kind }) => kind))
    assert.deepStrictEqual(kinds("LEVEL", "level"), [["archived_existing"], ["archived_existing", "duplicate_in_file"]])
    assert.deepStrictEqual(kinds("Email", "e-mail", "E.mail"), [["reserved_name"], [], ["duplicate_in_file"]])
    const [level] = candidatesOf([column("LEVEL")], fields)
    assert.deepInclude(level?.conflicts[0], { conflictKey: "tier", existingFieldDisplayName: "Level!" })
  })

  it("offer no more fields than a workspace may have", () => {
    const many = Array.from({ length: active_fields_max - 2 }, (_, index) => field(`f${index}`))
    const archived = field("old_plan", { status: "archived" })
    const headers = ["f1", "old plan", "one", "two", "three"]
    const candidates = candidatesOf(
      headers.map((header) => column(header)),
      [...many, archived],
    )
    assert.deepStrictEqual(
      candidates.map(({ conflicts }) => conflicts.map(({ kind, resolution }) => `${kind}: ${resolution}`)),
      [
        ["active_existing: map_to_existing"],
        ["archived_existing: restore_existing"],
        [],
        ["field_limit_reached: archive_others"],
        ["field_limit_reached: archive_others"],
      ],
    )
  })

  it("are more certain the more values agree, and uncertain of text that is nearly another type", () => {
    assert.deepStrictEqual([one()?.suggestedValueType, one()?.confidence], ["string", "low"])
    const dates = Array.from({ length: 20 }, (_, index) => `2026-05-${index + 10}`)
    assert.deepInclude(one(...dates.slice(0, 2)), { suggestedValueType: "date", confidence: "low" })
    assert.deepInclude(one(...dates.slice(0, 3)), { suggestedValueType: "date", confidence: "medium" })
    assert.deepInclude(one(...dates), { suggestedValueType: "date", confidence: "high" })
    const nearly = one(...dates, "soon")
    assert.deepInclude(nearly, { suggestedValueType: "string", confidence: "low" })
    assert.match(reasonText(nearly?.reasons ?? []), /^20 of the 21 values of the sample read as date/)
    assert.deepInclude(one("gold", "silver", "tin"), { suggestedValueType: "string", confidence: "medium" })
  })

  it("show up to five different values", () => {
    assert.deepStrictEqual(one("a", " a ", "", "b", "c", "d", "e", "f")?.sampleValues, ["a", "b", "c", "d", "e"])
  })

  const padded = (number: number) => String(number).padStart(2, "0")
  const Day = Schema.Tuple([
    Schema.Int.check(Schema.isBetween({ minimum: 1970, maximum: 2090 })),
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 28 })),
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 23 })),
    Schema.Literals(["day", "T", " ", "seconds", "zone", "offset"]),
  ])
  const written = ([year, month, day, hour, form]: typeof Day.Type): string => {
    const date = `${year}-${padded(month)}-${padded(day)}`
    const minutes = `${padded(hour)}:30`
    switch (form) {
      case "day":
        return date
      case "T":
      case " ":
        return `${date}${form}${minutes}`
      case "seconds":
        return `${date}T${minutes}:15.250`
      case "zone":
        return `${date} ${minutes}:15Z`
      case "offset":
        return `${date}T${minutes}:15+0200`
    }
  }

  it.prop("infer a date from days and timestamps in any accepted form", [Schema.NonEmptyArray(Day)], ([days]) => {
    assert.strictEqual(inferValueType(days.map(written)), "date")
  })

  it.prop("infer a number from amounts in any accepted form", [Schema.NonEmptyArray(Schema.Finite)], ([amounts]) => {
    const plain = amounts.map((amount) => amount.toFixed(2)).filter((text) => text.replace(/\D/g, "").length <= 15)
    if (plain.length > 0) assert.strictEqual(inferValueType(plain), "number")
  })

  it.prop(
    "infer a boolean from yes and no in any accepted form",
    [Schema.NonEmptyArray(Schema.Literals(["true", "No", "Y", "off", "T", "yes", "FALSE", "on"]))],
    ([words]) => {
      assert.strictEqual(inferValueType(words), "boolean")
    },
  )

  it.prop(
    "infer a type only when every value decodes as it: one word makes text",
    [Schema.Array(Day), Schema.Literals(["soon", "12.5.2026", "-"])],
    ([days, word]) => {
      assert.strictEqual(inferValueType([...days.map(written), word]), "string")
    },
  )
})
