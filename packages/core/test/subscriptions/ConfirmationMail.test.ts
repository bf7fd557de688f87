// Tests of the built-in confirmation mail.
import { confirmationMail } from "@tentpole/core/subscriptions/ConfirmationMail"
import { findTokens } from "@tentpole/core/rendering/MergeTokens"
import { defaultConsent, noBrand } from "@tentpole/core/workspaces/Workspace"
import { DateTime } from "effect"
import { assert, describe, it } from "vitest"

const now = DateTime.makeUnsafe("2026-05-02T10:00:00Z")
const email = { written: "Ann@example.org", normalized: "ann@example.org" }

describe("Confirmation mail", { tags: ["attack/token-injection"] }, () => {
  it("has no tokens but its own, whatever the brand is called, and what people entered are values", () => {
    const workspace = {
      brand: { ...noBrand, name: "{{contact.email}} & <b>" },
      consent: { ...defaultConsent, privacyUrl: "https://example.org/{{contact.phone}}" },
      senderDefaults: { fromName: "Acme", fromAddress: null, replyToEmail: null },
    }
    const content = {
      email,
      topics: ["{{contact.city}}"],
      text: "{{contact.company}}",
      confirmUrl: "https://pages.example.org/s/x",
      emailId: null,
      expiresAt: DateTime.add(now, { days: 7 }),
    }
    const mail = confirmationMail(workspace, content, now)
    assert(mail.source.kind === "inline")
    const texts = [mail.header.subject, mail.source.html, mail.source.text]
    const names = texts.flatMap((text) => findTokens(text ?? "").map(({ token }) => token.name))
    assert.sameMembers(
      [...new Set(names)],
      ["confirm_url", "data.sender", "data.email", "data.topics", "data.text", "data.valid_until"],
    )
    assert.deepInclude(mail.data, {
      topics: "{{contact.city}}",
      text: "{{contact.company}}",
      valid_until: "9 May 2026",
    })
    assert.deepInclude(mail, { operational: true, trackClicks: false, trackOpens: false, retainContent: false })
    assert.isAtMost(mail.expiresAt.epochMilliseconds - now.epochMilliseconds, 24 * 3_600_000)
  })
})
