// Tests of chunks that suppress addresses: the strongest reason, repeated rows, and the contacts that have the addresses.
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { blankContact, type Contact } from "../../src/contacts/Contact.ts"
import type { ImportRun } from "../../src/imports/Import.ts"
import { noTopics } from "@tentpole/core/imports/ChunkConsent"
import { chunkIdentities, ImportChunkChange, type ChunkRow } from "../../src/imports/ImportChunk.ts"
import { ContactId, ImportRunId, ImportSessionId } from "../../src/kernel/Ids.ts"
import type { SuppressionReason } from "../../src/sending/Suppression.ts"

const now = DateTime.makeUnsafe(2_000)
const before = DateTime.makeUnsafe(1_000)

const run: ImportRun = {
  id: ImportRunId.make("00000000-0000-4000-8000-0000000000aa"),
  sessionId: ImportSessionId.make("00000000-0000-4000-8000-0000000000bb"),
  status: "running",
  headers: ["Email"],
  as: "suppressions",
  suppressionReason: null,
  mappings: [],
  duplicateStrategy: "update",
  overwriteBlankOnly: false,
  onInvalidCell: "skip_row",
  listIds: [],
  consent: null,
  processedRows: 0,
  totalRows: null,
  counts: { created: 0, updated: 0, skipped: 0, failed: 0, warned: 0 },
  error: null,
  createdAt: before,
  startedAt: before,
  completedAt: null,
}

const contact = (email: string, more: Partial<Contact> = {}): Contact => ({
  ...blankContact(ContactId.make(`00000000-0000-4000-8000-${email.slice(0, 1).repeat(12)}`), before),
  email,
  emailNormalized: email,
  ...more,
})

const decided = (
  rows: ReadonlyArray<readonly [email: string, reason: SuppressionReason]>,
  facts: {
    readonly contacts?: ReadonlyArray<Contact>
    readonly suppressions?: Readonly<Record<string, SuppressionReason>>
  } = {},
) => {
  const chunk = rows.map(([email, reason], index): ChunkRow => ({
    row: { rowNumber: index + 2, line: index + 2, cells: [email] },
    read: { _tag: "suppression", email, reason },
  }))
  const suppressions = Object.entries(facts.suppressions ?? {}).map(([email, reason]) => ({
    email,
    reason,
    createdAt: before,
  }))
  const change = ImportChunkChange.decide(run, ["Email"], chunk, {
    ...noTopics,
    existing: facts.contacts ?? [],
    suppressions,
    ids: [],
    now,
  })
  return {
    ...change,
    identities: chunkIdentities(chunk),
    statuses: change.results.map(({ status }) => status),
    written: change.suppressions.map(({ email, reason }) => [email, reason]),
  }
}

describe("ImportChunkChange of suppressions", () => {
  it("counts new addresses, stronger reasons, and addresses that were suppressed before", () => {
    const { counts, identities, results, statuses, written } = decided(
      [
        ["a@x.test", "unsubscribe"],
        ["b@x.test", "complaint"],
        ["c@x.test", "unsubscribe"],
        ["c@x.test", "bounce"],
        ["a@x.test", "unsubscribe"],
      ],
      { suppressions: { "b@x.test": "bounce", "c@x.test": "manual" } },
    )
    assert.deepStrictEqual(statuses, ["created", "updated", "skipped", "skipped", "skipped"])
    assert.deepStrictEqual(written, [
      ["a@x.test", "unsubscribe"],
      ["b@x.test", "complaint"],
    ])
    assert.deepStrictEqual(counts, { created: 1, updated: 1, skipped: 3, failed: 0, warned: 0 })
    assert.deepStrictEqual(identities, { emails: ["a@x.test", "b@x.test", "c@x.test"], phones: [] })
    assert.deepInclude(results[2]?.issues[0], {
      code: "already_suppressed",
      message: "The address is suppressed already, with the reason manual",
    })
    assert.deepStrictEqual(results[2]?.record, ["c@x.test"])
  })

  it("writes the strongest reason of repeated rows once", () => {
    const { statuses, written } = decided([
      ["a@x.test", "bounce"],
      ["a@x.test", "unsubscribe"],
      ["a@x.test", "manual"],
    ])
    assert.deepStrictEqual([statuses, written], [["created", "skipped", "updated"], [["a@x.test", "manual"]]])
  })

  it("changes contacts as a report of the same kind does, with their timelines", () => {
    const { contacts, results } = decided(
      [
        ["a@x.test", "unsubscribe"],
        ["b@x.test", "complaint"],
        ["c@x.test", "bounce"],
        ["d@x.test", "manual"],
        ["e@x.test", "unsubscribe"],
      ],
      {
        contacts: [
          ...["a", "b", "c", "d"].map((name) => contact(`${name}@x.test`)),
          contact("e@x.test", { unsubscribed: true }),
        ],
      },
    )
    assert.deepStrictEqual(
      contacts.updates.map(({ after }) => [
        after.email,
        after.unsubscribed,
        after.marketingEmailInvalid,
        after.updatedAt,
      ]),
      [
        ["a@x.test", true, false, now],
        ["b@x.test", true, false, now],
        ["c@x.test", false, true, now],
      ],
    )
    assert.deepStrictEqual(
      contacts.activities.map(({ metadata, type }) => [type, metadata["changes"]]),
      ["unsubscribed", "unsubscribed", "marketing_email_invalid"].map((field) => [
        "contact_updated",
        [{ field, from: false, to: true }],
      ]),
    )
    assert.deepStrictEqual([contacts.creates, contacts.resubscribed], [[], []])
    assert.isTrue(results.every(({ contactId, status }) => contactId !== null && status === "created"))
  })

  it("unsubscribes a contact whose address is suppressed for a stronger reason", () => {
    const rows = [
      ["a@x.test", "unsubscribe"],
      ["a@x.test", "complaint"],
    ] as const
    const { contacts, statuses, written } = decided(rows, {
      contacts: [contact("a@x.test")],
      suppressions: { "a@x.test": "manual" },
    })
    assert.deepStrictEqual([statuses, written, contacts.updates.length], [["updated", "skipped"], [], 1])
  })
})
