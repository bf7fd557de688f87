import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { type Email, EmailChange } from "../../src/emails/Email.ts"
import { type Current, isStale, statusOf } from "../../src/documents/Document.ts"
import { isUnchanged } from "../../src/documents/machine.ts"
import type { EmailFields } from "../../src/documents/EmailFields.ts"
import { atOnce } from "../../contract/kernel/steps.ts"
import { compile } from "../../src/rendering/Compile.ts"
import { scan } from "../../src/rendering/Markup.ts"
import { renderContent } from "../../src/rendering/Render.ts"
import { scaffold } from "../../src/rendering/EmailLayout.ts"
import { ApprovalId, EmailId, GenerationId } from "../../src/kernel/Ids.ts"
import { noBrand } from "../../src/workspaces/Workspace.ts"
import { edit } from "../../contract/documents/documentWorld.ts"
import { addresses, approved, at, recipient, sender } from "../../contract/emails/emailSamples.ts"

const id = EmailId.make("0190a0de-0000-7000-8000-00000000000a")
const approvalId = ApprovalId.make("0190a0de-0000-7000-8000-00000000000b")
const generationId = GenerationId.make("0190a0de-0000-7000-8000-00000000000c")
const complete: EmailFields = {
  name: "An email",
  subject: "Hello",
  previewText: null,
  fromName: "Acme",
  fromAddress: "news@example.test",
  replyToEmail: "reply@example.test",
}
const verified = { verifiedDomains: ["example.test", "xn--bcher-kva.example"], fourEyes: false }

const create = (fields: Partial<EmailFields> = {}, html = "<p>one</p>") =>
  EmailChange.create({ id, fields: { ...complete, ...fields }, html, createdByName: "a key", ...edit(1) })

const currentOf = (change: EmailChange<Email>, before: string | null = null): Current<Email> => ({
  document: change.after,
  html: change.html ?? before,
})
const current = (fields: Partial<EmailFields> = {}): Current<Email> => currentOf(Result.getOrThrow(create(fields)))
const approve = (it: Current<Email>, version?: number) =>
  EmailChange.approve(it, verified, { approvalId, ...(version === undefined ? {} : { version }) }, edit(9))

const stale = ({ plainText, currentVersion }: Email): boolean => isStale(plainText, currentVersion)

const issuesOf = (result: Result.Result<unknown, unknown>): ReadonlyArray<string> => {
  assert.isTrue(Result.isFailure(result))
  const failure = Result.isFailure(result) ? result.failure : null
  return typeof failure === "object" && failure !== null && "issues" in failure && Array.isArray(failure.issues)
    ? failure.issues.map((issue: { readonly path: string }) => issue.path)
    : []
}
const missingOf = (result: Result.Result<unknown, { readonly _tag: string }>) =>
  Result.isFailure(result) && "missing" in result.failure ? result.failure.missing : null

describe("Email", () => {
  it("starts as a draft at version 1, with its preview text in its HTML", () => {
    const change = Result.getOrThrow(create({ previewText: "Look & see" }))
    assert.strictEqual(statusOf(change.after), "draft")
    assert.strictEqual(change.after.currentVersion, 1)
    assert.match(change.html ?? "", /^<div data-preheader[^>]*>Look &amp; see<\/div><p>one<\/p>$/)
  })

  it("reports all wrong fields by their API names", () => {
    const wrong = create({
      name: " ",
      subject: "s".repeat(999),
      previewText: "p".repeat(201),
      fromName: "f".repeat(121),
      fromAddress: "nobody",
      replyToEmail: "a@@b",
    })
    assert.sameMembers(
      [...issuesOf(wrong)],
      ["name", "subject", "preview_text", "from_name", "from_address", "reply_to_email"],
    )
  })

  it.each(["\r\n", "\n", "\r", "\u0085", "\u2028", "\u0007"])("rejects %j in fields of headers", (end) => {
    const value = `a@example.test${end}Bcc: evil@example.test`
    for (const field of ["subject", "fromName", "fromAddress", "replyToEmail"] as const) {
      assert.isNotEmpty(issuesOf(create({ [field]: value })))
      assert.isNotEmpty(issuesOf(create({ [field]: `a@example.test${end}` })))
    }
  })

  it("accepts every field at its limit", () => {
    const fields = {
      name: "n".repeat(200),
      subject: "s".repeat(998),
      previewText: "p".repeat(200),
      fromName: "f".repeat(120),
    }
    assert.deepInclude(current(fields).document, fields)
  })

  it("treats an empty preview text or sender name as none, and trims addresses", () => {
    const { document: email } = current({ previewText: "", fromName: "  ", fromAddress: " News@Example.test " })
    assert.deepInclude(email, { previewText: null, fromName: null, fromAddress: "News@Example.test" })
  })

  it("accepts HTML of at most 4 MB in bytes, and not empty HTML", () => {
    const tag = (result: Result.Result<unknown, { readonly _tag: string }>) =>
      Result.isFailure(result) ? result.failure._tag : "taken"
    const half = "é".repeat(2 * 1024 * 1024)
    assert.strictEqual(tag(create({}, half)), "taken")
    assert.strictEqual(tag(create({}, `${half}x`)), "HtmlTooLarge")
    assert.strictEqual(
      tag(EmailChange.setContent(current().document, { html: `${half}x`, byName: "a key" }, edit(2))),
      "HtmlTooLarge",
    )
    assert.strictEqual(tag(create({}, " \n")), "Invalid")
  })

  it("does not change when an update repeats its values", () => {
    const it = current()
    for (const patch of [{}, { subject: "Hello" }, { previewText: null }]) {
      assert.isTrue(isUnchanged(Result.getOrThrow(EmailChange.update(it, patch, edit(2)))))
    }
  })

  it("changes the given fields, and clears those given as null", () => {
    const it = current({ previewText: "pre" })
    const change = Result.getOrThrow(EmailChange.update(it, { subject: "New", fromName: null }, edit(2)))
    assert.deepStrictEqual(change.after, { ...it.document, subject: "New", fromName: null, updatedAt: at(2) })
    assert.isNull(change.html)
  })

  it("writes a new preview text into its current HTML without a version", () => {
    const it = current({ previewText: "MarkerOne" })
    const change = Result.getOrThrow(EmailChange.update(it, { previewText: "MarkerTwo" }, edit(2)))
    assert.strictEqual(change.html, it.html?.replace("MarkerOne", "MarkerTwo"))
    assert.strictEqual(change.after.currentVersion, 1)
    assert.strictEqual(Result.getOrThrow(EmailChange.update(it, { previewText: null }, edit(2))).html, "<p>one</p>")
  })

  it("writes its preview text into a new version", () => {
    const change = Result.getOrThrow(
      EmailChange.setContent(
        current({ previewText: "pre" }).document,
        { html: "<p>two</p>", byName: "a key" },
        edit(2),
      ),
    )
    assert.match(change.html ?? "", />pre<\/div><p>two<\/p>$/)
    assert.strictEqual(change.after.currentVersion, 2)
  })

  it("marks its own plain text as stale when the HTML is newer", () => {
    const overridden = Result.getOrThrow(EmailChange.setPlainText(current().document, "mine", edit(2))).after
    assert.isFalse(stale(overridden))
    const changed = Result.getOrThrow(
      EmailChange.setContent(overridden, { html: "<p>two</p>", byName: "a key" }, edit(3)),
    ).after
    assert.isTrue(stale(changed))
    assert.isFalse(stale(Result.getOrThrow(EmailChange.setPlainText(changed, "mine 2", edit(4))).after))
    assert.isFalse(stale(Result.getOrThrow(EmailChange.setPlainText(changed, null, edit(4))).after))
    assert.isTrue(isUnchanged(Result.getOrThrow(EmailChange.setPlainText(current().document, null, edit(4)))))
  })
})

describe("Email approval", () => {
  it.each([
    [{}, null],
    [{ subject: null }, ["subject"]],
    [{ fromName: null }, ["from_name"]],
    [{ fromAddress: null }, ["from_address"]],
    [{ replyToEmail: null }, ["reply_to_email"]],
    [{ fromAddress: "a@unverified.example" }, ["sender_domain"]],
    [{ fromAddress: "a@sub.example.test" }, ["sender_domain"]],
    [{ fromAddress: "a@BÜCHER.example" }, null],
    [{ subject: null, fromName: null, replyToEmail: null }, ["subject", "from_name", "reply_to_email"]],
  ] as const)("with %j lacks %j", (fields, missing) => {
    assert.deepStrictEqual(missingOf(approve(current(fields))), missing)
  })

  it("freezes all parts together", () => {
    const it = current({ previewText: "pre" })
    const { approved: frozen, after } = Result.getOrThrow(approve(it, 1))
    assert.deepStrictEqual(frozen, {
      approvalId,
      emailId: id,
      version: 1,
      subject: "Hello",
      previewText: "pre",
      fromName: "Acme",
      fromAddress: "news@example.test",
      replyToEmail: "reply@example.test",
      html: it.html ?? "",
      text: "one",
      approvedAt: at(9),
    })
    assert.deepStrictEqual(
      [statusOf(after), after.approval],
      ["approved", { id: approvalId, version: 1, by: "key:tp_live_abcd" }],
    )
  })

  it("freezes the user's own plain text when there is one", () => {
    const { document: email, html } = current()
    const overridden = Result.getOrThrow(EmailChange.setPlainText(email, "mine", edit(2))).after
    assert.strictEqual(Result.getOrThrow(approve({ document: overridden, html })).approved?.text, "mine")
  })

  it("refuses a version that is not the newest", () => {
    for (const version of [0, 2]) {
      const refused = approve(current(), version)
      assert.strictEqual(Result.isFailure(refused) ? refused.failure._tag : "", "ApprovalVersionStale")
    }
  })

  it("needs HTML", () => {
    const refused = approve({ ...current(), html: null })
    assert.strictEqual(Result.isFailure(refused) ? refused.failure._tag : "", "TemplateNotReady")
  })

  it.each([
    ["key:tp_live_abcd", "key:tp_live_abcd", "AnotherPersonNeeded"],
    ["user:1", "user:1", "AnotherPersonNeeded"],
    ["user:1", "user:2", null],
    ["worker", "worker", null],
  ] as const)("with four eyes, of an email by %s by %s is refused with %s", (editedBy, by, refusal) => {
    const it = current()
    const edited = { ...it, document: { ...it.document, editedBy } }
    const approval = (fourEyes: boolean) =>
      EmailChange.approve(edited, { ...verified, fourEyes }, { approvalId }, { by, now: at(9) })
    assert.isTrue(Result.isSuccess(approval(false)))
    const result = approval(true)
    assert.strictEqual(Result.isFailure(result) ? result.failure._tag : null, refusal)
  })

  it("is in the audit log, except those of flows", () => {
    const auditOf = (by: "user:1" | "worker") =>
      Result.getOrThrow(EmailChange.approve(current(), verified, { approvalId }, { by, now: at(9) })).audit
    assert.deepStrictEqual(auditOf("user:1"), [{ action: "email.approved", target: id, details: { version: 1 } }])
    assert.deepStrictEqual(auditOf("worker"), [])
  })

  it("with four eyes counts the requester of a generation as its editor", () => {
    const request = { id: generationId, prompt: "p", createdByName: "Ann", createdBy: "user:1" } as const
    const it = current()
    const generating = Result.getOrThrow(EmailChange.generate({ ...it, generation: null }, request, at(2)))
    const others = Result.getOrThrow(
      EmailChange.setContent(generating.after, { html: "<p>two</p>", byName: "Ben" }, { by: "user:2", now: at(3) }),
    )
    const generation = generating.generation?.after ?? null
    const answer = { html: "<p>x</p>", subject: null, previewText: null, generatedBy: "sample" }
    const written = EmailChange.complete({ document: others.after, generation }, generationId, answer, at(4))
    assert.strictEqual(written?.after.editedBy, "user:1")
  })

  it("is withdrawn only from an approved email that is not in use", () => {
    const { after } = Result.getOrThrow(approve(current()))
    const tag = (email: Email, names: ReadonlyArray<string>) => {
      const result = EmailChange.unapprove(
        email,
        { users: names.map((name) => ({ type: "blast" as const, id, name })), count: names.length },
        at(10),
      )
      return Result.isFailure(result) ? result.failure._tag : statusOf(result.success.after)
    }
    assert.deepStrictEqual(
      [tag(after, []), tag(after, ["May"]), tag(current().document, [])],
      ["draft", "EmailInUse", "InvalidState"],
    )
  })

  const Step = Schema.Literals(["subject", "preview", "content", "text", "automatic", "approve", "unapprove"])
  const take = (
    step: typeof Step.Type,
    it: Current<Email>,
    now: number,
  ): Result.Result<EmailChange<Email>, unknown> => {
    switch (step) {
      case "subject":
        return EmailChange.update(it, { subject: `S${now}` }, edit(now))
      case "preview":
        return EmailChange.update(it, { previewText: `P${now}` }, edit(now))
      case "content":
        return EmailChange.setContent(it.document, { html: `<p>${now}</p>`, byName: "a key" }, edit(now))
      case "text":
        return EmailChange.setPlainText(it.document, `T${now}`, edit(now))
      case "automatic":
        return EmailChange.setPlainText(it.document, null, edit(now))
      case "approve":
        return EmailChange.approve(it, verified, { approvalId }, edit(now))
      case "unapprove":
        return EmailChange.unapprove(it.document, { users: [], count: 0 }, at(now))
    }
  }

  it.prop(
    "changes only by approve and unapprove, whatever is edited, and versions only grow",
    [Schema.Array(Step)],
    ([steps]) => {
      let it = current()
      for (const [index, step] of steps.entries()) {
        const result = take(step, it, 10 + index)
        if (Result.isFailure(result)) continue
        const { before, after, html, approved: frozen } = result.success
        assert.strictEqual(before, it.document)
        if (step !== "approve" && step !== "unapprove") assert.strictEqual(after.approval, it.document.approval)
        assert.strictEqual(frozen !== null, step === "approve")
        assert.strictEqual(after.currentVersion, it.document.currentVersion + (step === "content" ? 1 : 0))
        it = { document: after, html: html ?? it.html }
        if (it.document.previewText !== null) assert.include(it.html, it.document.previewText)
        assert.isTrue(after.approval === null || after.approval.version <= after.currentVersion)
      }
    },
  )
})

describe("Email scaffold", () => {
  const brand = {
    ...noBrand,
    name: `A&B "<x>`,
    logoUrl: `https://example.com/l.png?a=1&b="`,
    primaryColor: "#ff0000",
    domain: "example.com",
  }

  it("shows the brand without letting it inject HTML", { tags: ["attack/brand-injection"] }, () => {
    const html = scaffold({ brand })
    assert.include(html, "A&amp;B &quot;&lt;x&gt;")
    assert.include(html, "https://example.com/l.png?a=1&amp;b=&quot;")
    assert.include(html, "4px solid #ff0000")
    assert.notInclude(scaffold({ brand: { ...brand, primaryColor: "red;}</style>" } }), "red;")
    assert.notInclude(scaffold({ brand: { ...brand, logoUrl: "javascript:alert(1)" } }), "javascript")
  })

  it("shows no name and no logo without a brand", () => {
    const html = scaffold({ brand: noBrand })
    assert.include(html, "<title>Your headline</title>")
    assert.notInclude(html, 'font-weight:bold">\n<span')
    assert.notInclude(html, "<img")
  })

  it("adapts to dark mode and narrow screens, and is built of tables", () => {
    const html = scaffold({ brand: noBrand })
    for (const part of ["prefers-color-scheme: dark", "max-width: 620px", 'role="presentation"', 'name="viewport"']) {
      assert.include(html, part)
    }
    assert.isAbove(scan(html).bodyEnd, scan(html).bodyStart)
  })

  it("is ready to send: its token has a fallback, and the footer with the unsubscribe link is added", () => {
    const compiled = compile(approved({ html: scaffold({ brand }) }), sender, {
      operational: false,
      tracked: true,
      addresses,
    })
    const { html } = atOnce(renderContent(compiled, recipient()))
    assert.include(html, "Hello ada,")
    assert.match(html, /Unsubscribe<\/a>.*Preferences<\/a><\/div>/)
    assert.notInclude(html, "{{")
  })
})
