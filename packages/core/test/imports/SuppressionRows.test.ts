// Tests of suppressions in the exports of other tools. The header lines are those of real exports, the rows are made up.
import { assert, describe, it } from "@effect/vitest"
import type { Mapping } from "../../src/imports/Import.ts"
import { emailMapping } from "../../src/imports/mapping/Mapping.ts"
import { reasonColumnsOf, suppressionReader } from "../../src/imports/SuppressionRows.ts"
import type { SuppressionReason } from "../../src/sending/Suppression.ts"

/** What each row of a file becomes: a reason, or the code of its issue. */
const outcomes = (
  header: string,
  rows: ReadonlyArray<Readonly<Record<string, string>>>,
  suppressionReason: SuppressionReason | null = null,
) => {
  const headers = header.split(",")
  const mappings = emailMapping(headers).flatMap(({ header: column, targetField }): ReadonlyArray<Mapping> => [
    { header: column, targetField: targetField ?? "", targetKind: "standard", overwriteBehavior: "overwrite" },
  ])
  const read = suppressionReader({ headers, mappings, suppressionReason, formulaGuarded: true })
  return rows.map((row, index) => {
    const known = { [mappings[0]?.header ?? ""]: `p${index}@x.test`, ...row }
    const cells = headers.map((name) => known[name] ?? "")
    const result = read({ rowNumber: index + 2, line: index + 2, cells })
    return result._tag === "suppression" ? result.reason : `${result._tag} ${result.issues[0]?.code}`
  })
}

const mailchimp = "Email Address,First Name,MEMBER_RATING,OPTIN_TIME,LEID,EUID"

describe("suppressionReader", () => {
  it("reads Mailchimp's unsubscribed and cleaned members by the time of their end", () => {
    const unsubscribed = `${mailchimp},UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_REASON`
    assert.deepStrictEqual(
      outcomes(unsubscribed, [{ UNSUB_TIME: "2026-01-01 10:00:00", UNSUB_REASON: "Spam" }, { UNSUB_REASON: "" }]),
      ["unsubscribe", "skipped not_suppressed"],
    )
    assert.deepStrictEqual(outcomes(`${mailchimp},CLEAN_TIME,CLEAN_CAMPAIGN_ID`, [{ CLEAN_TIME: "2026-01-01" }]), [
      "bounce",
    ])
  })

  it("reads the status of listmonk's subscribers, and leaves enabled ones alone, whatever the reason given", () => {
    const header = "uuid,email,name,attributes,status,created_at,updated_at"
    const rows = [{ status: "blocklisted" }, { status: "enabled" }, { status: "disabled" }, { status: "" }]
    const wanted = ["manual", "skipped not_suppressed", "unsubscribe", "skipped not_suppressed"]
    assert.deepStrictEqual(outcomes(header, rows), wanted)
    assert.deepStrictEqual(outcomes(header, rows, "complaint"), wanted)
  })

  it("reads HubSpot's contacts and its export of unsubscribes and bounces, and takes the strongest reason", () => {
    const contacts = "Record ID,Email,Lead Status,Unsubscribed from all email,Email hard bounce reason"
    assert.deepStrictEqual(
      outcomes(contacts, [
        { "Unsubscribed from all email": "true" },
        { "Unsubscribed from all email": "Yes", "Email hard bounce reason": "UNKNOWN_USER" },
        { "Unsubscribed from all email": "false" },
        { "Lead Status": "unsubscribed" },
      ]),
      ["unsubscribe", "bounce", "skipped not_suppressed", "skipped not_suppressed"],
    )
    const ended = "Email,Portal Bounce,Portal Unsubscribe,Portal Spam Report,Global Bounce,Marketing Information"
    assert.deepStrictEqual(
      outcomes(ended, [
        { "Portal Bounce": "FALSE", "Portal Unsubscribe": "TRUE" },
        { "Global Bounce": "TRUE", "Portal Unsubscribe": "TRUE" },
        { "Portal Spam Report": "TRUE" },
        { "Portal Bounce": "FALSE", "Marketing Information": "TRUE" },
      ]),
      ["unsubscribe", "bounce", "complaint", "skipped not_suppressed"],
    )
  })

  it("reads several words of one cell, and words of any case", () => {
    const klaviyo = "Email,Klaviyo ID,Email Suppressions"
    assert.deepStrictEqual(
      outcomes(klaviyo, [
        { "Email Suppressions": '["UNSUBSCRIBED","HARD_BOUNCE"]' },
        { "Email Suppressions": "User_Suppressed" },
        { "Email Suppressions": "" },
      ]),
      ["bounce", "manual", "skipped not_suppressed"],
    )
  })

  it("uses the given reason for rows whose columns say nothing that is known", () => {
    const sendgrid = "status,reason,email,created"
    const rows = [
      { status: "5.1.1", reason: "550 5.1.1 user unknown" },
      { status: "5.1.1", reason: "complaint" },
    ]
    assert.deepStrictEqual(outcomes(sendgrid, rows, "bounce"), ["bounce", "complaint"])
    assert.deepStrictEqual(outcomes(sendgrid, rows), ["failed unknown_reason", "complaint"])
    assert.deepStrictEqual(outcomes("Email", [{}], "unsubscribe"), ["unsubscribe"])
    assert.deepStrictEqual(outcomes("email,reason", [{ reason: "" }], "unsubscribe"), ["unsubscribe"])
    assert.deepStrictEqual(outcomes("email,reason", [{ reason: "" }]), ["failed unknown_reason"])
  })

  it("rejects rows without a valid address, and skips empty ones", () => {
    const rows = [{ email: "" }, { email: "nobody" }, { email: "", status: "bounced" }]
    assert.deepStrictEqual(outcomes("email,status", rows), [
      "skipped empty_row",
      "skipped not_suppressed",
      "failed missing_identity",
    ])
    assert.deepStrictEqual(outcomes("email,status", [{ email: "nobody", status: "bounced" }]), ["failed invalid_email"])
    const read = suppressionReader({ headers: ["Email"], mappings: [], suppressionReason: null, formulaGuarded: true })
    assert.deepInclude(read({ rowNumber: 2, line: 2, cells: ["a", "b"] }), { _tag: "failed" })
  })

  it("ignores the columns of an export of rejected rows", () => {
    assert.deepStrictEqual(reasonColumnsOf(["Email", "row_number", "status", "reason"]), [])
    assert.deepStrictEqual(
      reasonColumnsOf(["Email", "status", "row_number", "status (2)", "reason"]).map(({ header }) => header),
      ["status"],
    )
  })
})
