import { assert, describe, it } from "@effect/vitest"
import { bareTokens, estimated_s, isMissing } from "../../../src/blasts/inspection/DryRuns.ts"
import { blankContact } from "../../../src/contacts/Contact.ts"
import type { ApprovedEmail } from "../../../src/rendering/message/Message.ts"
import { resolveToken, parseToken } from "../../../src/rendering/MergeTokens.ts"
import { ApprovalId, ContactId, EmailId } from "../../../src/kernel/Ids.ts"
import { at } from "../Arbitraries.ts"

const uuid = "00000000-0000-4000-8000-000000000001"

const email = (html: string): ApprovedEmail => ({
  approvalId: ApprovalId.make(uuid),
  emailId: EmailId.make(uuid),
  version: 1,
  subject: "{{contact.first_name}}",
  previewText: null,
  fromName: "News",
  fromAddress: "news@example.test",
  replyToEmail: "news@example.test",
  html,
  text: "",
  approvedAt: at(0),
})
const fields = new Set(["size"])
const names = (html: string) => bareTokens(email(html), fields).map(({ token, of }) => `${token} ${of?.kind ?? "none"}`)

describe("Dry run", () => {
  it("names tokens that may be empty once each, and none with a fallback or a value for every contact", () => {
    assert.deepStrictEqual(
      names(
        `{{contact.first_name}} {{contact.last_name|you}} {{contact.contact_id}} {{contact.created_at}} {{workspace.name}}
         {{unsubscribe_url}} {{contact.custom_fields.size}} {{contact.custom_fields.gone}} {{campaign.dynamic.x}} {{nope}}`,
      ),
      [
        "contact.first_name standard",
        "contact.custom_fields.size custom",
        "contact.custom_fields.gone none",
        "campaign.dynamic.x none",
        "nope none",
      ],
    )
    assert.deepStrictEqual(names("{{contact.first_name:loud}}"), ["contact.first_name none"])
  })

  it("counts a contact as lacking a value exactly when the token renders empty", () => {
    const someone = blankContact(ContactId.make(uuid), at(0))
    const people = [
      someone,
      { ...someone, firstName: "\u2003 " },
      { ...someone, firstName: "Ann", serviceScore: 0, marketingEmailSubscribed: false, customFields: { size: 0 } },
      { ...someone, customFields: { size: " " } },
      { ...someone, customFields: { size: false } },
    ]
    const html = "{{contact.service_score}} {{contact.marketing_email_subscribed}} {{contact.custom_fields.size}}"
    for (const { token, of } of bareTokens(email(html), fields)) {
      const parsed = parseToken(token)
      assert(parsed !== null && of !== null)
      for (const contact of people) {
        const read = resolveToken(parsed, {
          contact,
          dynamic: {},
          workspaceName: "",
          links: { unsubscribe: "", view: "" },
        })
        assert.strictEqual(isMissing(contact, of), read === "", token)
      }
    }
  })

  it("takes the duration of the tightest limit", () => {
    const survey = { qualifiedCount: 10_000, domains: [{ domain: "a.test", count: 6_000 }] }
    const within = (sendingPerSecond: number | null, sendingPerDomainPerSecond: number | null) =>
      estimated_s(survey, { sendingPerSecond, sendingPerDomainPerSecond }, 10)
    assert.strictEqual(within(null, null), 100)
    assert.strictEqual(within(7, null), 1_429)
    assert.strictEqual(within(1_000_000, null), 100)
    assert.strictEqual(within(null, 2), 3_000)
    assert.strictEqual(
      estimated_s({ qualifiedCount: 0, domains: [] }, { sendingPerSecond: 1, sendingPerDomainPerSecond: 1 }, 10),
      0,
    )
  })
})
