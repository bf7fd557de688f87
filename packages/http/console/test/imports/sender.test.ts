// Whether the workspace of a console can ask people to confirm.
import { ApiError } from "@tentpole/client/Failures"
import { assert, it } from "vitest"
import { senderLackIn, senderLackOf } from "../../src/imports/session/sender.ts"

const consent = {
  marketing_consent: "assumed",
  confirmation_days: 7,
  confirmation_email_id: null,
  confirmations_per_hour: 1_000,
  privacy_url: null,
  one_click: "topic",
} as const

const workspace = (from_address: string | null, status: "pending" | "verified" = "verified") => ({
  consent,
  domains: [{ domain: "xn--mnchen-3ya.example", status }],
  sender_defaults: { from_name: null, from_address, reply_to_email: null },
})

it("confirmation mails need a sender on a verified domain, in any spelling", () => {
  assert.strictEqual(senderLackOf(workspace(null)), "from_address")
  assert.strictEqual(senderLackOf(workspace("ann@example.org")), "sender_domain")
  assert.isNull(senderLackOf(workspace("news@München.example")))
  assert.strictEqual(senderLackOf(workspace("news@münchen.example", "pending")), "sender_domain")
})

it("the sender of an own confirmation email is left to the service", () => {
  const own = {
    ...workspace(null),
    consent: { ...consent, confirmation_email_id: "0190a0de-0000-7000-8000-000000000001" },
  }
  assert.isNull(senderLackOf(own))
})

it("a refusal names what is missing", () => {
  const refusal = (code: string, missing: ReadonlyArray<string>) =>
    new ApiError<string>({
      code,
      message: "No.",
      status: 400,
      requestId: null,
      issues: [],
      details: { missing },
      body: {},
      retryAfter_s: null,
    })
  assert.strictEqual(senderLackIn(refusal("email_not_ready", ["sender_domain"])), "sender_domain")
  assert.isNull(senderLackIn(refusal("email_not_ready", ["confirm_url"])))
  assert.isNull(senderLackIn(refusal("validation_failed", ["sender_domain"])))
  assert.isNull(senderLackIn(null))
})
