import type { Contact } from "@tentpole/core/contacts/Contact"
import { fieldsByName } from "@tentpole/core/contacts/batch/ContactItem"
import { ContactId, ImportRunId, ImportSessionId } from "@tentpole/core/kernel/Ids"
import type { DuplicateStrategy, ImportRun, Mapping, RowResult } from "@tentpole/core/imports/Import"
import { noTopics } from "@tentpole/core/imports/ChunkConsent"
import { chunkIdentities, ImportChunkChange } from "@tentpole/core/imports/ImportChunk"
import { rowReader } from "@tentpole/core/imports/Rows"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const headers = ["Email", "Phone", "First", "Score", "Note"]
const now = DateTime.makeUnsafe(1_000)

const mapping = (header: string, targetField: string, more: Partial<Mapping> = {}): Mapping => ({
  header,
  targetField,
  targetKind: "standard",
  overwriteBehavior: "overwrite",
  ...more,
})

const runOf = (more: Partial<ImportRun> = {}): ImportRun => ({
  id: ImportRunId.make("00000000-0000-4000-8000-0000000000aa"),
  sessionId: ImportSessionId.make("00000000-0000-4000-8000-0000000000bb"),
  status: "running",
  headers,
  as: "contacts",
  suppressionReason: null,
  mappings: [
    mapping("Email", "email"),
    mapping("Phone", "phone"),
    mapping("First", "first_name"),
    mapping("Score", "service_score"),
  ],
  duplicateStrategy: "update",
  overwriteBlankOnly: false,
  onInvalidCell: "skip_row",
  listIds: [],
  consent: null,
  processedRows: 0,
  totalRows: null,
  counts: { created: 0, updated: 0, skipped: 0, failed: 0, warned: 0 },
  error: null,
  createdAt: now,
  startedAt: now,
  completedAt: null,
  ...more,
})

type Cells = ReadonlyArray<string>

/** Imports a file in chunks of `size` into contacts in a map, as a store does. */
const applied = (run: ImportRun, file: ReadonlyArray<Cells>, size: number, there: ReadonlyArray<Contact> = []) => {
  const contacts = new Map<string, Contact>(there.map((contact) => [contact.id, contact]))
  const read = rowReader({
    headers,
    mappings: run.mappings,
    fields: fieldsByName([]),
    defaultCountry: "US",
    formulaGuarded: true,
    onInvalidCell: run.onInvalidCell,
  })
  const results: Array<RowResult> = []
  for (let from = 0; from < file.length; from += size) {
    const rows = file.slice(from, from + size).map((cells, index) => {
      const row = { rowNumber: from + index + 2, line: null, cells }
      return { row, read: read(row) }
    })
    const { emails, phones } = chunkIdentities(rows)
    const existing = [...contacts.values()].filter(
      ({ emailNormalized, phone }) => emails.includes(emailNormalized ?? "") || phones.includes(phone ?? ""),
    )
    // The same id for the same row, for any chunk size.
    const fresh = rows.map((_, index) =>
      ContactId.make(`00000000-0000-4000-9000-${String(from + index).padStart(12, "0")}`),
    )
    const change = ImportChunkChange.decide({ ...run, processedRows: from }, headers, rows, {
      ...noTopics,
      existing,
      suppressions: [],
      ids: fresh,
      now,
    })
    for (const contact of [...change.contacts.creates, ...change.contacts.updates.map(({ after }) => after)]) {
      contacts.set(contact.id, contact)
    }
    results.push(...change.results)
  }
  return { results, contacts: [...contacts.values()] }
}

const people = (contacts: ReadonlyArray<Contact>) =>
  contacts
    .map(({ emailNormalized, phone, firstName, serviceScore }) =>
      JSON.stringify([emailNormalized, phone, firstName, serviceScore]),
    )
    .sort()

const statuses = (results: ReadonlyArray<RowResult>) => results.map(({ status }) => status)

const Row = Schema.Tuple([
  Schema.Literals(["", "a@b.co", "A@b.co", "b@b.co", "c@b.co", "nobody"]),
  Schema.Literals(["", "", "+14155550101", "(415) 555-0101", "+14155550102", "12"]),
  Schema.Literals(["", "Ann", "Bob"]),
  Schema.Literals(["", "1", "2.5", "much"]),
  Schema.Literals(["x", ""]),
])
const File = Schema.Array(Row)

describe("Import chunk", () => {
  it.prop(
    "gives the same result for any division into chunks",
    {
      file: File,
      size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
      duplicateStrategy: Schema.Literals(["update", "skip"]),
      overwriteBlankOnly: Schema.Boolean,
    },
    ({ file, size, duplicateStrategy, overwriteBlankOnly }) => {
      const run = runOf({ duplicateStrategy, overwriteBlankOnly })
      const [whole, cut] = [applied(run, file, 1000), applied(run, file, size)]
      assert.deepStrictEqual(statuses(cut.results), statuses(whole.results))
      assert.deepStrictEqual(people(cut.contacts), people(whole.contacts))
    },
    { arbitrary: { runs: 300 } },
  )

  it.prop(
    "gives each row one result, failed ones with issues, and named contacts exist",
    { file: File },
    ({ file }) => {
      const { results, contacts } = applied(runOf(), file, 3)
      const ids = new Set(contacts.map(({ id }) => id))
      assert.deepStrictEqual(
        results.map(({ rowNumber }) => rowNumber),
        file.map((_, index) => index + 2),
      )
      for (const { status, contactId, issues, record } of results) {
        assert.strictEqual(
          contactId !== null,
          ids.has(contactId ?? ContactId.make("00000000-0000-4000-8000-000000000000")),
        )
        assert.strictEqual(status === "failed", issues.length > 0 && issues[0]?.code !== "empty_row")
        assert.strictEqual(status === "created" || status === "updated", record === null)
      }
    },
  )

  const after = (file: ReadonlyArray<Cells>, more: Partial<ImportRun> = {}) => {
    const { results, contacts } = applied(runOf(more), file, 1000)
    return { rows: statuses(results), results, contacts }
  }

  it("merges a row that repeats an earlier one by email or by phone", () => {
    const { rows, contacts } = after([
      ["a@b.co", "", "Ann", "", ""],
      ["A@B.co", "+14155550101", "", "7", ""],
      ["", "(415) 555-0101", "Anna", "", ""],
    ])
    assert.deepStrictEqual(rows, ["created", "updated", "updated"])
    assert.deepStrictEqual(people(contacts), ['["a@b.co","+14155550101","Anna",7]'])
  })

  it("changes no existing contacts under `skip`, and names them", () => {
    const { rows, results, contacts } = after(
      [
        ["a@b.co", "", "Ann", "", ""],
        ["a@b.co", "", "Bob", "", ""],
      ],
      { duplicateStrategy: "skip" as DuplicateStrategy },
    )
    assert.deepStrictEqual(rows, ["created", "skipped"])
    assert.strictEqual(results[1]?.contactId, contacts[0]?.id)
    assert.deepStrictEqual(results[1]?.record, ["a@b.co", "", "Bob", "", ""])
    assert.strictEqual(contacts[0]?.firstName, "Ann")
  })

  it("never clears a value with an empty cell, and fills only empty values in fill mode", () => {
    const file: ReadonlyArray<Cells> = [
      ["a@b.co", "", "Ann", "", ""],
      ["a@b.co", "", "", "5", ""],
      ["a@b.co", "", "Bob", "6", ""],
    ]
    assert.deepStrictEqual(people(after(file).contacts), ['["a@b.co",null,"Bob",6]'])
    assert.deepStrictEqual(people(after(file, { overwriteBlankOnly: true }).contacts), ['["a@b.co",null,"Ann",5]'])
    const mappings = runOf().mappings.map((each) =>
      each.header === "First" ? { ...each, overwriteBehavior: "skip_if_filled" as const } : each,
    )
    assert.deepStrictEqual(people(after(file, { mappings }).contacts), ['["a@b.co",null,"Ann",6]'])
  })

  it("refuses a row with the email of one contact and the phone of another, and names its column", () => {
    const { rows, results } = after([
      ["a@b.co", "", "Ann", "", ""],
      ["", "+14155550101", "Bob", "", ""],
      ["a@b.co", "+14155550101", "Who", "", ""],
    ])
    assert.deepStrictEqual(rows, ["created", "created", "failed"])
    assert.deepInclude(results[2]?.issues[0], { header: "Phone", code: "conflict", value: "+14155550101" })
  })

  it("reports each wrong cell under its column", () => {
    const { results } = after([
      ["nobody", "12", "x".repeat(300), "much", ""],
      ["", " ", "Ann", "", ""],
      ["a@b.co", "", "Ann"],
      [" ", "", "", "", ""],
      ["'=a@b.co", "", "'=1+1", "", ""],
    ])
    assert.deepStrictEqual(
      results.map(({ status, issues }) => [status, issues.map(({ header, code }) => `${header} ${code}`)]),
      [
        ["failed", ["Email invalid_email", "Phone invalid_phone", "First invalid_value", "Score invalid_value"]],
        ["failed", ["Email missing_identity"]],
        ["failed", ["null wrong_column_count"]],
        ["skipped", ["null empty_row"]],
        ["created", []],
      ],
    )
    assert.strictEqual(results[0]?.issues[2]?.value?.length, 255)
  })

  it("must follow what the run has processed", () => {
    const rows = [{ row: { rowNumber: 4, line: 4, cells: [] }, read: { _tag: "skipped", issues: [] } as const }]
    assert.throws(
      () =>
        ImportChunkChange.decide(runOf(), headers, rows, { ...noTopics, existing: [], suppressions: [], ids: [], now }),
      /begin where/,
    )
  })

  it("imports rows without their invalid optional cells if asked to, and keeps their records", () => {
    const rows: ReadonlyArray<Cells> = [
      ["a@b.co", "", "Ann", "much", ""],
      ["b@b.co", "12", "Bob", "1", ""],
      ["nobody", "", "C", "much", ""],
      ["d@b.co", "", "D", "4", ""],
    ]
    const { results, contacts } = after(rows, { onInvalidCell: "skip_cell" })
    assert.deepStrictEqual(statuses(results), ["created", "failed", "failed", "created"])
    assert.deepStrictEqual(
      results.map(({ issues, record }) => [issues.map(({ targetField }) => targetField), record !== null]),
      [
        [["service_score"], true],
        [["phone"], true],
        [["email", "service_score"], true],
        [[], false],
      ],
    )
    assert.deepStrictEqual(people(contacts), ['["a@b.co",null,"Ann",null]', '["d@b.co",null,"D",4]'])
    assert.deepStrictEqual(statuses(after(rows).results), ["failed", "failed", "failed", "created"])
  })

  it("reads cells in the notation of their mapping, and values without a column", () => {
    const mappings = [
      mapping("Email", "email"),
      mapping("Score", "service_score", { format: { decimalSeparator: ",", currencySign: "€" } }),
      { ...mapping("", "company", { value: "Acme" }), header: null },
    ]
    const { results, contacts } = after(
      [
        ["a@b.co", "", "", "€ 1.234,50", ""],
        ["b@b.co", "", "", "12.5", ""],
      ],
      { mappings },
    )
    assert.deepStrictEqual(
      contacts.map(({ company, serviceScore }) => [company, serviceScore]),
      [["Acme", 1234.5]],
    )
    assert.deepStrictEqual(results[1]?.issues, [
      {
        header: "Score",
        targetField: "service_score",
        code: "invalid_value",
        message: "must be a number, as 1.234,50 €",
        value: "12.5",
      },
    ])
  })
})
