import { assert, describe, it } from "@effect/vitest"
import type { BlastRecipient } from "@tentpole/core/blasts/BlastStore"
import { recipientHeader, recipientRow, recordHeader, recordRow } from "@tentpole/core/exports/ExportTables"
import { ConsentRecordId, ContactId, DeliveryId, TopicId } from "@tentpole/core/kernel/Ids"
import { evidenceOf } from "@tentpole/core/topics/ConsentRecord"
import { DateTime } from "effect"

const recipient: BlastRecipient = {
  id: DeliveryId.make("00000000-0000-4000-8000-0000000000dd"),
  contactId: ContactId.make("00000000-0000-4000-8000-0000000000cc"),
  displayName: "=1+1",
  email: "+tag@example.com",
  contactDeleted: true,
  status: "failed",
  reason: "hard_bounce",
  sentAt: null,
  deliveredAt: null,
  openedAt: DateTime.makeUnsafe("2026-05-01T12:00:00Z"),
  clickedAt: null,
  clickedUrl: "https://example.com/?a=1",
  bouncedAt: null,
  unsubscribedAt: null,
  complainedAt: null,
}

const cells = (it: BlastRecipient) => {
  const row = recipientRow(it)
  return Object.fromEntries(recipientHeader.map((name, at) => [name, row[at]]))
}

describe("Exported recipient", () => {
  it("has a cell for each column, guarded against formulas, empty without a value", () => {
    assert.strictEqual(recipientRow(recipient).length, recipientHeader.length)
    assert.deepInclude(cells(recipient), {
      contact_id: recipient.contactId,
      recipient_id: recipient.id,
      display_name: "'=1+1",
      email: "'+tag@example.com",
      contact_deleted: "true",
      status: "failed",
      reason: "hard_bounce",
      sent_at: "",
      opened_at: "2026-05-01T12:00:00.000Z",
      clicked_url: "https://example.com/?a=1",
      complained_at: "",
    })
  })

  it("keeps a name that looks like a phone number", () => {
    assert.strictEqual(cells({ ...recipient, displayName: "+14155550123" })["display_name"], "+14155550123")
  })
})

describe("Exported consent record", () => {
  it("has the address and the columns of a record in their order, guarded against formulas", () => {
    const record = {
      ...evidenceOf("import", { text: "=Yes", sourceDetail: "@shop" }),
      id: ConsentRecordId.make("00000000-0000-4000-8000-0000000000aa"),
      contactId: recipient.contactId,
      topicId: TopicId.make("00000000-0000-4000-8000-0000000000bb"),
      action: "imported",
      at: DateTime.makeUnsafe("2026-05-01T12:00:00Z"),
      email: "ann@example.org",
      textSha256: "00ff",
    } as const
    assert.strictEqual(
      recordHeader.join(" "),
      "email consent_record_id contact_id topic_id action at source source_detail text text_sha256 ip_prefix user_agent " +
        "tent_id form_id submission_id import_run_id message_id key_prefix",
    )
    assert.strictEqual(
      recordRow(record).join(" | "),
      `ann@example.org | ${record.id} | ${record.contactId} | ${record.topicId} | imported | 2026-05-01T12:00:00.000Z | ` +
        "import | '@shop | '=Yes | 00ff |  |  |  |  |  |  |  | ",
    )
  })
})
