import { assert, describe, it } from "@effect/vitest"
import { blankContact, type Contact } from "@tentpole/core/contacts/Contact"
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import type { CustomField } from "@tentpole/core/contacts/CustomField"
import { ContactId, FieldDefinitionId } from "@tentpole/core/kernel/Ids"
import { memberTable } from "@tentpole/core/exports/MemberTable"
import { DateTime } from "effect"

const now = DateTime.makeUnsafe(1_750_000_000_000)
const id = ContactId.make("00000000-0000-4000-8000-000000000001")

const field = (apiName: string, status: CustomField["status"] = "active"): CustomField => ({
  id: FieldDefinitionId.make("00000000-0000-4000-8000-0000000000f1"),
  apiName,
  displayName: apiName,
  valueType: "string",
  isEditable: true,
  description: null,
  status,
  managementMode: "org_managed",
  provenanceKind: "api",
  provenanceProvider: null,
  provenanceReference: null,
  createdByUserId: null,
  createdFromImportSessionId: null,
  showInPeopleListDefault: false,
  createdAt: now,
  updatedAt: now,
})

const standard =
  "display_name first_name last_name company job_title city state country email phone address address2 zip_code lead_status " +
  "lifecycle_stage service_score unsubscribed marketing_email_subscribed marketing_sms_subscribed marketing_email_invalid " +
  "original_source original_source_detail"

const rowOf = (contact: Partial<Contact>, fields: ReadonlyArray<CustomField> = []) => {
  const { header, row } = memberTable(fields)
  const cells = row({ ...blankContact(id, now), ...contact })
  assert.strictEqual(cells.length, header.length)
  return Object.fromEntries(header.map((name, at) => [name, cells[at]]))
}

describe("Table of exported members", () => {
  it("has every field in the documented order, custom fields before the instants, without archived ones", () => {
    const { header } = memberTable([field("shoe_size"), field("gone", "archived"), field("email_2")])
    assert.deepStrictEqual(header, [
      "contact_id",
      ...standard.split(" "),
      "custom_fields.shoe_size",
      "custom_fields.email_2",
      "created_at",
      "updated_at",
      "last_activity_at",
    ])
    assert.strictEqual(memberTable([]).header.length, 1 + standardFields.length)
  })

  it("writes the contact's values: empty cells, ISO instants, plain phones and numbers", () => {
    assert.deepInclude(rowOf({}), { contact_id: id, email: "", service_score: "", unsubscribed: "false" })
    assert.deepInclude(
      rowOf({
        email: "ann@example.com",
        phone: "+14155550123",
        serviceScore: -5.5,
        unsubscribed: true,
        marketingEmailSubscribed: false,
        marketingSmsSubscribed: null,
        lastActivityAt: now,
      }),
      {
        email: "ann@example.com",
        phone: "+14155550123",
        service_score: "-5.5",
        unsubscribed: "true",
        marketing_email_subscribed: "false",
        marketing_sms_subscribed: "",
        created_at: "2025-06-15T15:06:40.000Z",
        last_activity_at: "2025-06-15T15:06:40.000Z",
      },
    )
  })

  it("guards all texts against formulas, and reads only own properties of a contact", () => {
    const fields = [field("note"), field("vip"), field("age"), field("tags"), field("constructor")]
    const cells = rowOf(
      {
        firstName: "=1+1",
        email: "-a@example.com",
        customFields: { note: "@x", vip: true, age: -7, tags: ["=a", "Bern, CH"] },
      },
      fields,
    )
    assert.deepInclude(cells, {
      first_name: "'=1+1",
      email: "'-a@example.com",
      "custom_fields.note": "'@x",
      "custom_fields.vip": "true",
      "custom_fields.age": "-7",
      "custom_fields.tags": `'=a, "Bern, CH"`,
      "custom_fields.constructor": "",
    })
  })
})
