import { assert, describe, it } from "@effect/vitest"
import { newContact } from "@tentpole/core/contacts/ContactPatch"
import { fieldsByName } from "@tentpole/core/contacts/batch/ContactItem"
import type { ImportConsent, ImportRun, Mapping } from "@tentpole/core/imports/Import"
import { chunkIdentities, ImportChunkChange } from "@tentpole/core/imports/ImportChunk"
import { topicsNamed } from "@tentpole/core/imports/ImportConsent"
import { rowReader } from "@tentpole/core/imports/Rows"
import { consentIssues } from "@tentpole/core/imports/mapping/TopicChecks"
import { ConsentRecordId, ContactId, ImportRunId, ImportSessionId } from "@tentpole/core/kernel/Ids"
import { parseEmail } from "@tentpole/core/kernel/values/EmailAddress"
import type { Topic, TopicStatus } from "@tentpole/core/topics/Topic"
import { DateTime } from "effect"
import { topicIdOf, topicOf } from "../topics/Topics.ts"

const at = (text: string) => DateTime.makeUnsafe(text)
const now = at("2026-05-01T12:00:00Z")
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`
const [news, offers] = [topicIdOf(1), topicIdOf(2)]

const given: ImportConsent = {
  topicIds: [],
  source: "shop",
  text: "Yes, send me the letter.",
  collectedAt: null,
  collectedAtHeader: null,
  doubleOptIn: false,
}

const headers = ["Email", "News", "Unsubscribed", "Agreed"]
const mapping = (header: string, targetField: string, more: Partial<Mapping> = {}): Mapping => ({
  header,
  targetField,
  targetKind: "standard",
  overwriteBehavior: "overwrite",
  ...more,
})
const byColumn = [
  mapping("Email", "email"),
  mapping("Unsubscribed", "unsubscribed"),
  mapping("News", news, { targetKind: "topic" }),
]

const runOf = (more: Partial<ImportRun>): ImportRun => ({
  id: ImportRunId.make(idOf(8)),
  sessionId: ImportSessionId.make(idOf(9)),
  status: "running",
  headers,
  as: "contacts",
  suppressionReason: null,
  mappings: byColumn,
  duplicateStrategy: "update",
  overwriteBlankOnly: false,
  onInvalidCell: "skip_row",
  listIds: [],
  consent: given,
  processedRows: 0,
  totalRows: null,
  counts: { created: 0, updated: 0, skipped: 0, failed: 0, warned: 0 },
  error: null,
  createdAt: now,
  startedAt: null,
  completedAt: null,
  ...more,
})

const ann = newContact(ContactId.make(idOf(100)), { email: parseEmail("ann@example.org") }, "api", now)

interface Known {
  readonly run?: Partial<ImportRun>
  readonly unsubscribed?: boolean
  readonly recorded?: TopicStatus
  readonly topics?: ReadonlyArray<Topic>
}

/** Imports rows, with a cell for each header, into a workspace that has Ann. */
const imported = (cells: ReadonlyArray<ReadonlyArray<string>>, known: Known = {}) => {
  const run = runOf(known.run ?? {})
  const header = run.consent?.collectedAtHeader ?? null
  const read = rowReader({
    headers,
    mappings: run.mappings,
    fields: fieldsByName([]),
    defaultCountry: "US",
    formulaGuarded: true,
    onInvalidCell: run.onInvalidCell,
    ...(header === null ? {} : { collectedAt: { header, now } }),
  })
  const rows = cells.map((each, index) => {
    const row = { rowNumber: index + 2, line: null, cells: each }
    return { row, read: read(row) }
  })
  assert.isAbove(chunkIdentities(rows).emails.length + 1, 0)
  const change = ImportChunkChange.decide(run, headers, rows, {
    existing: [{ ...ann, unsubscribed: known.unsubscribed ?? false }],
    suppressions: [],
    topics: known.topics ?? [topicOf(1), topicOf(2)],
    choices:
      known.recorded === undefined
        ? []
        : [{ contactId: ann.id, topicId: news, status: known.recorded, source: "api", changedAt: now }],
    ids: cells.map((_, index) => ContactId.make(idOf(200 + index))),
    recordIds: Array.from({ length: cells.length * 2 }, (_, index) => ConsentRecordId.make(idOf(300 + index))),
    now,
  })
  return {
    ...change,
    moves: change.choices.moves.map(({ after, before }) => `${before} ${after?.status}`),
    records: change.choices.records.map(({ action }) => action),
    issues: change.results.map(({ issues, status }) => [status, ...issues.map(({ code }) => code)].join(" ")),
  }
}

describe("Consent of an import", () => {
  it("is recorded for each imported row, by the words of its cells", () => {
    const words = ["subscribed", "YES", "true", "1", "unsubscribed", "no", "False", "0", ""]
    const { issues, moves, records } = imported(words.map((word, index) => [`p${index}@example.org`, word, "", ""]))
    assert.deepStrictEqual(moves, [
      ...Array.from({ length: 4 }, () => "null subscribed"),
      ...Array.from({ length: 4 }, () => "null unsubscribed"),
    ])
    assert.deepStrictEqual(records.slice(3, 5), ["imported", "withdrawn"])
    assert.deepStrictEqual(new Set(issues), new Set(["created"]))
  })

  it("has the run, the text and the time of the row, else of the request, else now", () => {
    const consent = { ...given, collectedAtHeader: "Agreed" }
    const { choices } = imported(
      [
        ["ann@example.org", "yes", "", "2024-02-03 10:00:00"],
        ["ben@example.org", "yes", "", ""],
        ["cat@example.org", "no", "", "2024-02-03"],
      ],
      { run: { consent } },
    )
    assert.deepStrictEqual(
      choices.records.map(({ at: when, text, sourceDetail }) => [DateTime.formatIso(when), text, sourceDetail]),
      [
        ["2024-02-03T10:00:00.000Z", given.text, "shop"],
        [DateTime.formatIso(now), given.text, "shop"],
        // When they agreed is not when they left, and the text is not theirs.
        [DateTime.formatIso(now), null, null],
      ],
    )
    assert.deepStrictEqual(new Set(choices.records.map(({ importRunId }) => importRunId)), new Set([runOf({}).id]))
    const collectedAt = at("2025-01-01T00:00:00Z")
    const dated = imported([["ann@example.org", "yes", "", ""]], { run: { consent: { ...given, collectedAt } } })
    assert.deepStrictEqual(dated.choices.records[0]?.at, collectedAt)
  })

  it("rejects a row, or leaves out its cell, for another word and for a time that is none or later than now", () => {
    const consent = { ...given, topicIds: [offers], collectedAtHeader: "Agreed" }
    const rows = [
      ["ann@example.org", "perhaps", "", ""],
      ["ben@example.org", "yes", "", "yesterday"],
      ["cat@example.org", "yes", "", "2026-05-02"],
    ]
    const rejected = imported(rows, { run: { consent } })
    assert.deepStrictEqual(rejected.issues, [
      "failed invalid_topic_status",
      "failed invalid_value",
      "failed invalid_value",
    ])
    assert.deepStrictEqual(rejected.records, [])
    const left = imported(rows, { run: { consent, onInvalidCell: "skip_cell" } })
    assert.deepStrictEqual(left.issues, [
      "updated invalid_topic_status",
      "created invalid_value",
      "created invalid_value",
    ])
    assert.strictEqual(left.records.length, 5)
  })

  it("never subscribes a person who ended the topic or all marketing, whatever the row says", () => {
    for (const known of [{ unsubscribed: true }, { recorded: "unsubscribed" }] as const) {
      for (const unsubscribed of ["", "false"]) {
        const { counts, issues, records } = imported([["ann@example.org", "yes", unsubscribed, ""]], known)
        assert.deepStrictEqual([issues, records, counts.warned], [["updated kept_unsubscribed"], [], 1])
      }
    }
    const ended = imported([["new@example.org", "yes", "true", ""]])
    assert.deepStrictEqual([ended.issues, ended.records], [["created kept_unsubscribed"], []])
    const twice = imported([
      ["ann@example.org", "no", "", ""],
      ["ann@example.org", "yes", "", ""],
    ])
    assert.deepStrictEqual(
      [twice.moves, twice.issues],
      [["null unsubscribed"], ["updated", "updated kept_unsubscribed"]],
    )
  })

  it("confirms a person who is pending, and records evidence again for one who is subscribed", () => {
    assert.deepStrictEqual(imported([["ann@example.org", "yes", "", ""]], { recorded: "pending" }).moves, [
      "pending subscribed",
    ])
    const again = imported([["ann@example.org", "yes", "", ""]], { recorded: "subscribed" })
    assert.deepStrictEqual([again.moves, again.records], [[], ["imported"]])
    const without = imported([["ann@example.org", "yes", "", ""]], { recorded: "subscribed", run: { consent: null } })
    assert.deepStrictEqual([without.moves, without.records], [[], []])
  })

  it("leaves recorded statuses alone if only blank ones are written, and topics that were deleted", () => {
    const row = [["ann@example.org", "no", "", ""]]
    assert.deepStrictEqual(imported(row, { recorded: "subscribed", run: { overwriteBlankOnly: true } }).moves, [])
    assert.deepStrictEqual(imported(row, { topics: [] }).records, [])
  })

  it("with double opt-in waits for the person, who is then asked for all topics that wait", () => {
    const consent = { ...given, topicIds: [offers], doubleOptIn: true }
    const rows = [
      ["ann@example.org", "", "", ""],
      ["ann@example.org", "yes", "", ""],
      ["new@example.org", "no", "", ""],
    ]
    const { contacts, moves, records, waiting } = imported(rows, { run: { consent } })
    assert.deepStrictEqual(moves, ["null pending", "null pending", "null pending", "null unsubscribed"])
    assert.deepStrictEqual(records, ["imported", "imported", "imported", "imported", "withdrawn"])
    assert.deepStrictEqual(
      waiting.map(({ contactId, topicIds }) => [contactId === ann.id, topicIds]),
      [
        [true, [offers, news]],
        [false, [offers]],
      ],
    )
    // The mail has to be confirmed before a contact that the import creates gets marketing.
    assert.deepStrictEqual(
      contacts.creates.map(({ marketingEmailSubscribed }) => marketingEmailSubscribed),
      [false],
    )
    assert.deepStrictEqual(contacts.updates, [])
    const known = imported([["ann@example.org", "yes", "", ""]], { recorded: "subscribed", run: { consent } })
    assert.deepStrictEqual(known.moves, ["null pending"])
    const ended = imported([["ann@example.org", "yes", "", ""]], { unsubscribed: true, run: { consent } })
    assert.deepStrictEqual([ended.waiting, ended.records], [[], []])
  })

  it("is of imported rows only", () => {
    const consent = { ...given, topicIds: [offers] }
    const skipped = imported([["ann@example.org", "yes", "", ""]], { run: { consent, duplicateStrategy: "skip" } })
    assert.deepStrictEqual([skipped.issues, skipped.records], [["skipped"], []])
    const failed = imported([["no address", "yes", "", ""]], { run: { consent } })
    assert.deepStrictEqual(failed.records, [])
    assert.strictEqual(imported([["ben@example.org", "", "", ""]], { run: { consent } }).records.length, 1)
  })
})

describe("Topics of a request", () => {
  const issuesOf = (
    consent: Partial<ImportConsent> | null,
    mappings = byColumn,
    as: "contacts" | "suppressions" = "contacts",
  ) =>
    consentIssues(
      { as, mappings, consent: consent && { ...given, ...consent } },
      { headers, topics: [topicOf(1), topicOf(2)], now },
    ).map(({ path }) => path)

  it("are those of its mappings and of its consent, each once", () => {
    assert.deepStrictEqual(topicsNamed({ mappings: byColumn, consent: { topicIds: [offers, news] } }), [offers, news])
  })

  it("need consent if a mapped one needs a confirmation, and a topic if there is consent", () => {
    assert.deepStrictEqual(issuesOf(null), ["consent"])
    assert.deepStrictEqual(issuesOf({}), [])
    assert.deepStrictEqual(issuesOf({}, byColumn.slice(0, 1)), ["consent.topic_ids"])
  })

  it("are named in one place, with one time, and not for suppressions", () => {
    assert.deepStrictEqual(issuesOf({ topicIds: [offers, news] }), ["consent.topic_ids.1"])
    assert.deepStrictEqual(issuesOf({ collectedAtHeader: "Nowhere" }), ["consent.collected_at_header"])
    assert.deepStrictEqual(issuesOf({ collectedAtHeader: "Agreed", collectedAt: now }), ["consent.collected_at_header"])
    assert.deepStrictEqual(issuesOf({ collectedAt: at("2026-05-02T00:00:00Z") }), ["consent.collected_at"])
    assert.deepStrictEqual(issuesOf({}, byColumn, "suppressions"), ["consent"])
    assert.deepStrictEqual(issuesOf({ doubleOptIn: true }), [])
  })
})
