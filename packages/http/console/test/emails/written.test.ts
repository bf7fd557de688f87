// Tests of the state of emails and templates, and of their payloads.
import type { Email } from "@tentpole/client"
import { describe, expect, it } from "vitest"
import { fieldAt, payloadOf, stateOf, toWritten } from "../../src/emails/written.ts"

const email: Email = {
  email_id: "e",
  name: "Sale",
  status: "approved",
  current_version: 2,
  approved_version: 2,
  number_of_iterations: 2,
  created_at: "2026-05-01T09:30:00.000Z",
  updated_at: "2026-05-01T09:30:00.000Z",
  created_by_name: "Ann",
  generated_by: null,
  latest_generation_status: "completed",
  content_path: "/v1/emails/e/content",
  subject: "Hi",
  preview_text: null,
  from_name: null,
  from_address: null,
  reply_to_email: null,
  changed_since_approval: [],
  plain_text_overridden: false,
  plain_text_overridden_at: null,
  plain_text_stale_after_html_iteration: false,
  plain_text_path: "/v1/emails/e/plain-text",
}

describe("the state of an email", () => {
  it("says what was changed after the approval", () => {
    expect([
      stateOf(email),
      stateOf({ ...email, current_version: 3 }),
      stateOf({ ...email, changed_since_approval: ["subject"] }),
      stateOf({ ...email, status: "draft", approved_version: null, changed_since_approval: ["subject"] }),
    ]).toEqual(["approved", "changed", "changed", "draft"])
  })

  it("says that the AI writes, and that it failed as long as there is no version", () => {
    expect([
      stateOf({ ...email, latest_generation_status: "generating" }),
      stateOf({ ...email, latest_generation_status: "failed" }),
      stateOf({ ...email, latest_generation_status: "failed", status: "draft", current_version: 0 }),
    ]).toEqual(["generating", "approved", "failed"])
  })
})

describe("the fields", () => {
  it("are texts in a form, and null in a payload where they are empty", () => {
    expect(toWritten(email).fields).toMatchObject({ subject: "Hi", preview_text: "" })
    expect(payloadOf("emails", { subject: " ", from_name: "Acme" })).toEqual({ subject: null, from_name: "Acme" })
  })

  it("are defaults of an email template, and only the name of a tent template", () => {
    const changed = { name: "A", subject: "B", from_name: "C" }
    expect(payloadOf("emailTemplates", changed)).toEqual({ name: "A", default_subject: "B" })
    expect(payloadOf("tentTemplates", changed)).toEqual({ name: "A" })
    expect([fieldAt("default_subject"), fieldAt("subject")]).toEqual(["subject", "subject"])
  })
})
