// The choices of a person about a file, and the request that they become.
import type { AvailableField, ImportPreview } from "@tentpole/client"
import { assert, describe, it } from "vitest"
import {
  changesTargets,
  columnProblem,
  type Draft,
  draftOf,
  executionOf,
  fieldsOf,
  fromStored,
  headerOfIssue,
  newFields,
  none,
  problemsOf,
  type Target,
  toStored,
  withCreated,
} from "../../src/imports/session/draft.ts"

const field = (api_name: string, value_type: AvailableField["value_type"]): AvailableField => ({
  field_definition_id: `id of ${api_name}`,
  type: "standard",
  api_name,
  display_name: api_name,
  value_type,
  is_editable: true,
  description: null,
  status: "active",
  management_mode: null,
  provenance_kind: null,
  provenance_provider: null,
  provenance_reference: null,
  created_by_user_id: null,
  created_from_import_session_id: null,
  show_in_people_list_default: false,
  created_at: null,
  updated_at: null,
})

const plain = { date_format: null, decimal_separator: null, currency_sign: null }

const proposed = (header: string, target_field: string | null) => ({
  header,
  target_field,
  target_kind: target_field === null ? null : ("standard" as const),
  reason: "",
  reasons: [],
  source: "deterministic" as const,
  overwrite_behavior: "overwrite" as const,
  ...plain,
})

const candidate = (header: string, api_name: string, value_type: AvailableField["value_type"]) => ({
  header,
  suggested_display_name: header,
  suggested_api_name: api_name,
  suggested_value_type: value_type,
  confidence: "high" as const,
  ...plain,
  sample_values: ["1"],
  reason: "",
  reasons: [],
  conflicts: [],
})

const preview: ImportPreview = {
  import_session_id: "session",
  headers: ["E-mail", "Birthday", "Plan", "Empty"],
  proposed_mappings: [
    proposed("E-mail", "email"),
    { ...proposed("Birthday", "born"), date_format: "DD.MM.YYYY" },
    proposed("Plan", null),
    proposed("Empty", null),
  ],
  unmapped_headers: ["Plan", "Empty"],
  available_fields: {
    standard: [field("email", "string"), field("phone", "string"), field("city", "string")],
    custom: [field("born", "date")],
  },
  field_creation_candidates: [
    candidate("Plan", "plan", "number"),
    { ...candidate("Empty", "empty", "string"), sample_values: [] },
  ],
  sample_rows: [],
  sample_issues: [],
  blocking_issues: [],
}

const fields = fieldsOf(preview)
const draft = draftOf(preview)

const put = (before: Draft, header: string, target: Target): Draft => ({
  ...before,
  columns: before.columns.map((column) => (column.header === header ? { ...column, target } : column)),
})

describe("draftOf", () => {
  it("takes the proposals, and a new field for each other column that has values", () => {
    assert.deepStrictEqual(
      draft.columns.map(({ target }) => target.kind),
      ["field", "field", "new", "none"],
    )
    assert.deepStrictEqual(newFields(draft), [{ display_name: "Plan", api_name: "plan", value_type: "number" }])
    assert.deepStrictEqual(problemsOf(draft), [])
  })
})

describe("executionOf", () => {
  it("sends the notation that suits the field, the constants and the choices", () => {
    const wanted: Draft = {
      ...draft,
      columns: draft.columns.map((column) => ({
        ...column,
        notation: { date_format: "DD.MM.YYYY", decimal_separator: ",", currency_sign: "€" },
      })),
      constants: [{ field: "city", value: " Rome " }],
      lists: [{ id: "list", name: "June" }],
      existing: "fill",
      invalid: "skip_cell",
    }
    assert.deepStrictEqual(executionOf(wanted, fields), {
      mappings: [
        { header: "E-mail", target_field: "email" },
        { header: "Birthday", target_field: "born", date_format: "DD.MM.YYYY" },
        { header: "Plan", target_field: "plan", decimal_separator: ",", currency_sign: "€" },
        { header: null, target_field: "city", value: "Rome" },
      ],
      duplicate_strategy: "update",
      overwrite_blank_only: true,
      on_invalid_cell: "skip_cell",
      list_ids: ["list"],
      created_field_definition_ids: [],
    })
  })

  it("sends only the address of suppressions", () => {
    const wanted: Draft = { ...draft, as: "suppressions", reason: "bounce", lists: [{ id: "list", name: "June" }] }
    assert.deepStrictEqual(executionOf(wanted, fields), {
      as: "suppressions",
      mappings: [{ header: "E-mail", target_field: "email" }],
      reason: "bounce",
    })
  })

  it("sends what the people agreed to with the topics, and wants it before the start", () => {
    const consent = { ...draft.consent, topics: ["news"], text: " Yes. ", source: "fair", day: "2026-05-01" }
    const sent = (change: Partial<Draft["consent"]>) =>
      executionOf({ ...draft, consent: { ...consent, ...change } }, fields).consent
    const given = { topic_ids: ["news"], text: "Yes.", source: "fair", double_opt_in: false }
    assert.deepStrictEqual(sent({}), { ...given, collected_at: "2026-05-01T00:00:00.000Z" })
    assert.deepStrictEqual(sent({ header: "Birthday" }), { ...given, collected_at_header: "Birthday" })
    assert.strictEqual(sent({ isConfirmed: true })?.double_opt_in, true)
    assert.isUndefined(sent({ topics: [] }))
    assert.deepStrictEqual(problemsOf({ ...draft, consent: { ...consent, text: " " } }), ["consent"])
    assert.deepStrictEqual(problemsOf({ ...draft, consent }), [])
  })

  it("sends a column of a topic with its kind, and leaves the topic out of those of every row", () => {
    const column = put(draft, "Plan", { kind: "topic", id: "news", name: "News" })
    const consent = { ...draft.consent, text: "Yes.", source: "fair" }
    assert.deepStrictEqual(problemsOf(column), ["consent"])
    const { consent: sent, mappings } = executionOf(
      { ...column, consent: { ...consent, topics: ["news", "offers"] } },
      fields,
    )
    assert.deepStrictEqual(mappings?.[2], { header: "Plan", target_field: "news", target_kind: "topic" })
    assert.deepStrictEqual(sent, { topic_ids: ["offers"], text: "Yes.", source: "fair", double_opt_in: false })
    assert.deepStrictEqual(executionOf({ ...column, consent }, fields).consent, {
      text: "Yes.",
      source: "fair",
      double_opt_in: false,
    })
    assert.isUndefined(executionOf({ ...column, as: "suppressions", consent }, fields).consent)
    const twice = put(column, "Birthday", { kind: "topic", id: "news", name: "News" })
    assert.deepStrictEqual(problemsOf({ ...twice, consent }), ["twice"])
  })

  it("names the fields that were created, whose columns go to them from then on", () => {
    const after = withCreated(draft, [{ api_name: "plan", field_definition_id: "new" }])
    assert.deepStrictEqual(after.columns[2]?.target, { kind: "field", name: "plan" })
    assert.deepStrictEqual(executionOf(after, fields).created_field_definition_ids, ["new"])
    assert.deepStrictEqual(newFields(after), [])
  })
})

describe("changesTargets", () => {
  it("knows a column that goes elsewhere than proposed, and none that is left out", () => {
    const draft = draftOf(preview)
    const planTo = (target: Target): Draft => ({
      ...draft,
      columns: draft.columns.map((column) => (column.header === "Plan" ? { ...column, target } : column)),
    })
    assert.isFalse(changesTargets(draft, preview))
    assert.isFalse(changesTargets(planTo(none), preview))
    assert.isTrue(changesTargets(planTo({ kind: "topic", id: "t", name: "News" }), preview))
  })
})

describe("problemsOf", () => {
  it("wants a column of email or phone, of suppressions an email", () => {
    const without = put(draft, "E-mail", none)
    assert.deepStrictEqual(problemsOf(without), ["no_identity"])
    const phone = put(draft, "E-mail", { kind: "field", name: "phone" })
    assert.deepStrictEqual(problemsOf(phone), [])
    assert.deepStrictEqual(problemsOf({ ...phone, as: "suppressions" }), ["no_email"])
  })

  it("finds columns and constants that go to one field, and names that the API refuses", () => {
    const twice = put(draft, "Plan", { kind: "field", name: "email" })
    assert.deepStrictEqual(
      twice.columns.map((column) => columnProblem(twice, column)),
      ["twice", null, "twice", null],
    )
    assert.deepStrictEqual(problemsOf({ ...draft, constants: [{ field: "email", value: "x" }] }), ["twice"])
    assert.deepStrictEqual(problemsOf({ ...draft, constants: [{ field: "city", value: " " }] }), ["constant"])
    const named = put(draft, "Plan", {
      kind: "new",
      field: { display_name: "Plan", api_name: "Plan!", value_type: "string" },
    })
    assert.deepStrictEqual(problemsOf(named), ["api_name"])
  })

  it("finds the column of an issue by its place among the mappings", () => {
    const without = put(draft, "Birthday", none)
    assert.strictEqual(headerOfIssue(without, "mappings.1.target_field"), "Plan")
    assert.isNull(headerOfIssue(without, "mappings.9.value"))
    assert.isNull(headerOfIssue(without, "list_ids.0"))
  })
})

describe("a stored draft", () => {
  it("is used for the same columns only", () => {
    const changed = { ...draft, existing: "skip" as const }
    assert.deepStrictEqual(fromStored(toStored(changed), preview), changed)
    assert.deepStrictEqual(fromStored(toStored({ ...changed, columns: [] }), preview), draft)
    assert.deepStrictEqual(fromStored("{", preview), draft)
    assert.deepStrictEqual(fromStored(null, preview), draft)
  })
})
