// Tests of the moves of templates, and of the HTML that they accept.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { isStale, type Locked, statusOf } from "../../src/documents/Document.ts"
import type { Generation } from "../../src/documents/Generation.ts"
import { cleanUnlessSafe, dangersOf, pageDangers, storable, Unclean } from "../../src/documents/Clean.ts"
import { inProcess } from "../../src/ports/Parsers.ts"
import { isUnchanged } from "../../src/documents/machine.ts"
import { plainTextOf } from "../../src/emails/Email.ts"
import { ApprovalId, EmailTemplateId, GenerationId, TentTemplateId, WorkspaceId } from "../../src/kernel/Ids.ts"
import { noHeader, withWritten } from "../../src/documents/EmailFields.ts"
import {
  withDefaults,
  checkNewTemplate,
  type EmailTemplate,
  type TentTemplate,
  EmailTemplateChange,
  TentTemplateChange,
} from "../../src/templates/Template.ts"
import { pageScaffold } from "../../src/templates/PageScaffold.ts"
import { noBrand } from "../../src/workspaces/Workspace.ts"
import { at, edit } from "../../contract/documents/documentWorld.ts"

const id = "0190a0de-0000-7000-8000-00000000000a"
const approvalId = ApprovalId.make("0190a0de-0000-7000-8000-00000000000b")
const generationId = GenerationId.make("0190a0de-0000-7000-8000-00000000000c")
const other = GenerationId.make("0190a0de-0000-7000-8000-00000000000d")
const request = { id: generationId, prompt: "p", createdByName: "a key", createdBy: "key:tp_live_abcd" } as const
const answer = { html: "<p>x</p>", subject: null, previewText: null, generatedBy: "sample" }
const defaults = { ...noHeader, subject: "Hello" }
const fields = { name: "a template", sourceId: null, defaults, plainText: null }
const started = { createdByName: "a key", ...edit(1), html: "<p>one</p>" }

const stale = ({ plainText, currentVersion }: EmailTemplate): boolean => isStale(plainText, currentVersion)

const there = <A>(value: A | null | undefined): A => {
  if (value === null || value === undefined) throw new Error("nothing is there")
  return value
}

const email = (): Locked<EmailTemplate> => ({
  document: Result.getOrThrow(EmailTemplateChange.create({ ...started, fields, id: EmailTemplateId.make(id) })).after,
  generation: null,
  html: "<p>one</p>",
})
const tent = (): Locked<TentTemplate> => ({
  document: Result.getOrThrow(TentTemplateChange.create({ ...started, fields, id: TentTemplateId.make(id) })).after,
  generation: null,
  html: "<p>one</p>",
})
const generating = (current = email()): Locked<EmailTemplate> => {
  const { after, generation } = Result.getOrThrow(EmailTemplateChange.generate(current, request, at(2)))
  return { ...current, document: after, generation: there(generation).after }
}
const tagOf = (result: Result.Result<unknown, { readonly _tag: string }>): string =>
  Result.isFailure(result) ? result.failure._tag : "ok"

describe("Template approval", () => {
  const approve = (current: Locked<EmailTemplate>, version?: number) =>
    EmailTemplateChange.approve(
      current,
      null,
      version === undefined ? { approvalId } : { approvalId, version },
      edit(9),
    )

  it("freezes the HTML with its other fields, also of an approved template", () => {
    const { after, approved } = Result.getOrThrow(approve(email()))
    assert.strictEqual(statusOf(after), "approved")
    assert.deepStrictEqual(approved, {
      approvalId,
      templateId: EmailTemplateId.make(id),
      version: 1,
      html: "<p>one</p>",
      defaults,
      plainText: null,
      approvedAt: at(9),
    })
    assert.strictEqual(tagOf(approve({ ...email(), document: after })), "ok")
  })

  it("needs HTML first, and then the newest version when one is named", () => {
    assert.strictEqual(tagOf(approve({ ...generating(), html: null })), "TemplateNotReady")
    assert.strictEqual(tagOf(approve({ ...generating(), html: null }, 1)), "TemplateNotReady")
    assert.strictEqual(tagOf(approve(email(), 2)), "ApprovalVersionStale")
    assert.strictEqual(tagOf(approve(email(), 1)), "ok")
  })

  it("of an email template waits for a generation unless the version is named", () => {
    assert.strictEqual(tagOf(approve(generating())), "GenerationInProgress")
    assert.strictEqual(tagOf(approve(generating(), 1)), "ok")
    assert.strictEqual(tagOf(approve(generating(), 2)), "ApprovalVersionStale")
  })

  it("of a tent template uses the newest completed version during a generation", () => {
    const { after: document, generation } = Result.getOrThrow(TentTemplateChange.generate(tent(), request, at(2)))
    const running = { ...tent(), document, generation: there(generation).after }
    const { after } = Result.getOrThrow(TentTemplateChange.approve(running, null, { approvalId }, edit(9)))
    assert.deepStrictEqual(after.approval, { id: approvalId, version: 1, by: "key:tp_live_abcd" })
  })

  it("is withdrawn only when there is one and it is not in use", () => {
    const approved = Result.getOrThrow(approve(email())).after
    const uses = [{ kind: "email flow" as const, name: "Welcome" }]
    assert.strictEqual(tagOf(EmailTemplateChange.unapprove(email().document, [], at(10))), "InvalidState")
    assert.strictEqual(tagOf(EmailTemplateChange.unapprove(approved, uses, at(10))), "TemplateInUse")
    assert.isNull(Result.getOrThrow(EmailTemplateChange.unapprove(approved, [], at(10))).after.approval)
    const refused = EmailTemplateChange.remove(email(), uses)
    assert.match(
      Result.isFailure(refused) ? refused.failure.message : "",
      /can't be deleted while .* the email flow "Welcome"$/,
    )
  })
})

describe("Template generation", () => {
  it("is the only one at a time", () => {
    assert.strictEqual(tagOf(EmailTemplateChange.generate(generating(), request, at(3))), "GenerationInProgress")
    const failed: Generation = { ...there(generating().generation), status: "failed", error: "no" }
    assert.strictEqual(tagOf(EmailTemplateChange.generate({ ...email(), generation: failed }, request, at(3))), "ok")
  })

  it("creates the version after the newest, also after edits meanwhile", () => {
    const edited = Result.getOrThrow(
      EmailTemplateChange.setContent(generating().document, { html: "<p>two</p>", byName: "a key" }, edit(3)),
    ).after
    const change = there(
      EmailTemplateChange.complete({ ...generating(), document: edited }, generationId, answer, at(4)),
    )
    assert.deepStrictEqual([change.after.currentVersion, change.generation?.after.version], [3, 3])
    assert.deepStrictEqual([edited.generatedBy, change.after.generatedBy], [null, "sample"])
    const rewritten = Result.getOrThrow(
      EmailTemplateChange.setContent(change.after, { html: "<p>mine</p>", byName: "a key" }, edit(5)),
    ).after
    assert.isNull(rewritten.generatedBy)
    assert.strictEqual(change.credits_taken, 0)
  })

  it("changes nothing when it is over or another one", () => {
    assert.isNull(EmailTemplateChange.complete(generating(), other, answer, at(4)))
    assert.isNull(EmailTemplateChange.fail(generating(), other, "no", at(4)))
    const done = there(EmailTemplateChange.complete(generating(), generationId, answer, at(4)))
    const after = { ...generating(), document: done.after, generation: there(done.generation).after }
    assert.isNull(EmailTemplateChange.complete(after, generationId, answer, at(5)))
    assert.isNull(EmailTemplateChange.fail(after, generationId, "no", at(5)))
  })

  it("returns its credit when it fails or its template is deleted", () => {
    assert.strictEqual(EmailTemplateChange.fail(generating(), generationId, "no", at(4))?.credits_taken, -1)
    assert.strictEqual(Result.getOrThrow(EmailTemplateChange.remove(generating(), [])).credits_taken, -1)
    assert.strictEqual(Result.getOrThrow(EmailTemplateChange.remove(email(), [])).credits_taken, 0)
  })

  it("fills empty subject and preview text with what can be stored", () => {
    const written = withWritten(defaults, { subject: "AI", previewText: "before" })
    assert.deepStrictEqual([written.subject, written.previewText], ["Hello", "before"])
    const mended = withWritten(noHeader, { subject: " two\nlines", previewText: "p".repeat(201) })
    assert.deepStrictEqual(mended, { ...noHeader, subject: "two lines", previewText: "p".repeat(200) })
  })
})

describe("Template fields", () => {
  it("write nothing when name and email are unchanged", () => {
    const same = EmailTemplateChange.update(email(), { name: "a template", defaults: { subject: "Hello" } }, edit(2))
    assert.isTrue(isUnchanged(Result.getOrThrow(same)))
    const { after } = Result.getOrThrow(EmailTemplateChange.update(email(), { defaults: { subject: null } }, edit(2)))
    assert.deepStrictEqual([after.defaults.subject, after.updatedAt], [null, at(2)])
  })

  it("report all wrong defaults at once, by their API names", () => {
    const wrong = withDefaults(defaults, {
      subject: "",
      previewText: "p".repeat(201),
      fromName: "a\nb",
      fromAddress: "nobody",
      replyToEmail: "a@example.test\r\nBcc: b@example.test",
    })
    const issues = Result.isFailure(wrong) ? wrong.failure.issues.map(({ path }) => path) : []
    assert.sameMembers(
      [...new Set(issues)],
      [
        "default_subject",
        "default_preview_text",
        "default_from_name",
        "default_from_address",
        "default_reply_to_email",
      ],
    )
  })

  it("lose a custom plain text, which is stale, when the HTML changes", () => {
    const { document, html } = email()
    const own = Result.getOrThrow(EmailTemplateChange.setPlainText(document, "mine", edit(2))).after
    assert.strictEqual(plainTextOf({ document: own, html }), "mine")
    assert.isFalse(stale(own))
    assert.isTrue(
      stale(
        Result.getOrThrow(EmailTemplateChange.setContent(own, { html: "<p>2</p>", byName: "a key" }, edit(3))).after,
      ),
    )
    const back = Result.getOrThrow(EmailTemplateChange.setPlainText(own, null, edit(4))).after
    assert.strictEqual(plainTextOf({ document: back, html }), "one")
    assert.isTrue(isUnchanged(Result.getOrThrow(EmailTemplateChange.setPlainText(back, null, edit(5)))))
    assert.strictEqual(tagOf(EmailTemplateChange.setPlainText(back, "x".repeat(1_000_001), edit(5))), "Invalid")
  })

  it("mark a copy in its name, within the limit and without cutting characters", () => {
    const copy = { id: EmailTemplateId.make(other), createdByName: "b", ...edit(2) }
    const { document } = email()
    const nameOf = (name: string) =>
      Result.getOrThrow(EmailTemplateChange.duplicate({ ...email(), document: { ...document, name } }, copy)).after.name
    assert.strictEqual(nameOf("a template"), "a template (copy)")
    const long = nameOf("🦊".repeat(100))
    assert.isTrue(long.length <= 200 && long.endsWith(" (copy)") && long.isWellFormed())
    assert.strictEqual(tagOf(EmailTemplateChange.duplicate({ ...email(), html: null }, copy)), "TemplateNotReady")
  })

  it("of a new template have exactly one source", () => {
    const paths = (it: { readonly html?: string; readonly prompt?: string }, id?: string) => {
      const checked = checkNewTemplate({ name: "n", ...it }, { path: "email_id", id })
      return Result.isFailure(checked) ? checked.failure.issues.map(({ path }) => path) : []
    }
    assert.deepStrictEqual(paths({}), [])
    assert.deepStrictEqual(paths({ html: "x" }), [])
    assert.deepStrictEqual(paths({ html: "x", prompt: "p" }, "id"), ["email_id", "prompt"])
    assert.deepStrictEqual(paths({ prompt: "p" }, "id"), ["prompt"])
    assert.deepStrictEqual(paths({ prompt: " " }), ["prompt"])
  })
})

describe("HTML of templates", () => {
  const cleaned = cleanUnlessSafe(() => Effect.succeed("<p>clean</p>"), inProcess)
  const rules = { bytes_max: 2 ** 21, parsers: inProcess }
  const stored = (html: string, clean = cleaned) =>
    Effect.runSync(Effect.result(storable(clean, pageDangers, rules)(html, WorkspaceId.make(id))))

  it("stays byte for byte when nothing in it is active, and is cleaned otherwise", () => {
    assert.deepStrictEqual(stored("<P Class=x>é</P>"), Result.succeed("<P Class=x>é</P>"))
    assert.deepStrictEqual(stored("<p onclick=x()>"), Result.succeed("<p>clean</p>"))
  })

  it.each([
    "<select><option><img src=x onerror=x()></option></select>",
    "<SELECT><optgroup><option><svg onload=x()></svg></option></optgroup></SELECT>",
    '<select><button><selectedcontent></selectedcontent></button><option><iframe srcdoc="x"></iframe></option></select>',
  ])("is cleaned of what only newer browsers read in a choice: %s", { tags: ["attack/page-script"] }, (html) => {
    assert.deepStrictEqual(stored(html), Result.succeed("<p>clean</p>"))
  })

  it("stays byte for byte with a choice that has only texts", () => {
    const html = "<select name=a><option value=1>one<option selected>two</select>"
    assert.deepStrictEqual(stored(html), Result.succeed(html))
  })

  it("is refused when it is empty, too large, or cannot be made safe", () => {
    assert.strictEqual(tagOf(stored(" \n")), "Invalid")
    assert.strictEqual(tagOf(stored("é".repeat(2 ** 20 + 1))), "HtmlTooLarge")
    const unclean = stored("<p>", () => Effect.fail(new Unclean({ reason: "nests too deep" })))
    assert.deepStrictEqual(Result.isFailure(unclean) && unclean.failure._tag === "Invalid" && unclean.failure.issues, [
      { path: "html", message: "nests too deep" },
    ])
    // A cleaner that does nothing is detected.
    assert.strictEqual(tagOf(stored("<script>x()</script>", Effect.succeed)), "Invalid")
  })

  it("of a blank page carries the brand without injected content", { tags: ["attack/brand-injection"] }, () => {
    const brand = {
      ...noBrand,
      name: `<script>x()</script>"`,
      logoUrl: `https://e.test/"onerror="x()`,
      primaryColor: "red;}</style><script>",
    }
    const html = pageScaffold({ brand })
    assert.deepStrictEqual(dangersOf(html), [])
    assert.include(html, "&lt;script&gt;")
    assert.notInclude(html, "red;")
    const plain = pageScaffold({ brand: { ...noBrand, name: "Acme & Co", primaryColor: "#abcdef" } })
    assert.include(plain, "<title>Acme &amp; Co</title>")
    assert.include(plain, "#abcdef")
    const nameless = pageScaffold({ brand: noBrand })
    assert.notMatch(nameless, /<header>|<footer>/)
  })
})
