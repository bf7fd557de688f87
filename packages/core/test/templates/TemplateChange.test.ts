// What can happen to a template, decided without a store.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Generation } from "../../src/documents/Generation.ts"
import { ApprovalId, EmailTemplateId, GenerationId, TentTemplateId } from "../../src/kernel/Ids.ts"
import { noDefaults, withDefaults, withWritten } from "../../src/templates/MailDefaults.ts"
import { checkNewTemplate } from "../../src/templates/NewTemplate.ts"
import { pageScaffold } from "../../src/templates/PageScaffold.ts"
import { type CurrentTemplate, type EmailTemplate, plainTextOf } from "../../src/templates/Template.ts"
import { isStale } from "../../src/documents/PlainTextOverride.ts"
import { statusOf } from "../../src/documents/Approval.ts"
import { TemplateChange } from "../../src/templates/TemplateChange.ts"
import { asWritten, keepable } from "../../src/documents/Html.ts"
import { dangersOf, Unclean } from "../../src/documents/Clean.ts"
import { noBrand } from "../../src/workspaces/Workspace.ts"
import { at } from "../../contract/templates/templateWorld.ts"

const approvalId = ApprovalId.make("0190a0de-0000-7000-8000-00000000000b")
const generationId = GenerationId.make("0190a0de-0000-7000-8000-00000000000c")
const other = GenerationId.make("0190a0de-0000-7000-8000-00000000000d")
const asked = { id: generationId, prompt: "p", createdByName: "a key" }
const mail = { defaults: { ...noDefaults, subject: "Hello" }, plainText: null }
const emailFacts = {
  id: EmailTemplateId.make("0190a0de-0000-7000-8000-00000000000a"),
  name: "a template",
  sourceId: null,
  mail,
  createdByName: "a key",
  now: at(1),
}
const tentFacts = { ...emailFacts, id: TentTemplateId.make(emailFacts.id), mail: null }

const stale = ({ mail: { plainText }, currentVersion }: EmailTemplate): boolean => isStale(plainText, currentVersion)

const there = <A>(value: A | null | undefined): A => {
  if (value === null || value === undefined) throw new Error("nothing is there")
  return value
}

const email = (): CurrentTemplate<"email"> => ({
  template: there(TemplateChange.create<"email">(emailFacts, "<p>one</p>").after),
  latest: null,
  html: "<p>one</p>",
})
const tent = (): CurrentTemplate<"tent"> => ({
  template: there(TemplateChange.create<"tent">(tentFacts, "<p>one</p>").after),
  latest: null,
  html: "<p>one</p>",
})
const generating = (current = email()): CurrentTemplate<"email"> => {
  const change = Result.getOrThrow(TemplateChange.generate(current, asked, at(2)))
  return { ...current, latest: there(change.generation).after }
}
const tagOf = (result: Result.Result<unknown, { readonly _tag: string }>): string =>
  Result.isFailure(result) ? result.failure._tag : "ok"

describe("an approval", () => {
  const approve = (current: CurrentTemplate<"email">, version?: number) =>
    TemplateChange.approve(
      current,
      { approvalId, waitsForGeneration: true, ...(version === undefined ? {} : { version }) },
      at(9),
    )

  it("freezes the HTML with what stands beside it, also of one that is approved", () => {
    const { after, approved } = Result.getOrThrow(approve(email()))
    assert.strictEqual(statusOf(there(after)), "approved")
    assert.deepStrictEqual(approved, {
      approvalId,
      templateId: emailFacts.id,
      version: 1,
      html: "<p>one</p>",
      mail,
      approvedAt: at(9),
    })
    assert.strictEqual(tagOf(approve({ ...email(), template: there(after) })), "ok")
  })

  it("needs HTML before anything else, and the newest version when one is named", () => {
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

  it("of a tent template takes the newest completed version while one is being written", () => {
    const wish = Result.getOrThrow(TemplateChange.generate(tent(), asked, at(2)))
    const running = { ...tent(), latest: there(wish.generation).after }
    const { after } = Result.getOrThrow(
      TemplateChange.approve(running, { approvalId, waitsForGeneration: false }, at(9)),
    )
    assert.deepStrictEqual(after?.approval, { id: approvalId, version: 1 })
  })

  it("is taken back only where there is one, and where nothing counts on it", () => {
    const approved = there(Result.getOrThrow(approve(email())).after)
    const uses = [{ kind: "email flow" as const, name: "Welcome" }]
    assert.strictEqual(tagOf(TemplateChange.unapprove(email().template, [], at(10))), "InvalidState")
    assert.strictEqual(tagOf(TemplateChange.unapprove(approved, uses, at(10))), "TemplateInUse")
    assert.isNull(Result.getOrThrow(TemplateChange.unapprove(approved, [], at(10))).after?.approval)
    const refused = TemplateChange.remove(email(), uses)
    assert.match(
      Result.isFailure(refused) ? refused.failure.message : "",
      /can't be deleted while .* the email flow "Welcome"$/,
    )
  })
})

describe("a generation", () => {
  it("is one at a time", () => {
    assert.strictEqual(tagOf(TemplateChange.generate(generating(), asked, at(3))), "GenerationInProgress")
    const failed: Generation = { ...there(generating().latest), status: "failed", error: "no" }
    assert.strictEqual(tagOf(TemplateChange.generate({ ...email(), latest: failed }, asked, at(3))), "ok")
  })

  it("makes the version after the newest, also when somebody edited meanwhile", () => {
    const edited = there(TemplateChange.setContent(email().template, "<p>two</p>", at(3)).after)
    const current = { ...generating(), template: edited }
    const change = there(TemplateChange.complete(current, generationId, { html: "<p>three</p>", mail }, at(4)))
    assert.deepStrictEqual([change.after?.currentVersion, change.generation?.after.version], [3, 3])
    assert.strictEqual(change.generation?.credits_taken, 0)
  })

  it("that is over, or another one, changes nothing any more", () => {
    const answer = { html: "<p>x</p>", mail }
    assert.isNull(TemplateChange.complete(generating(), other, answer, at(4)))
    assert.isNull(TemplateChange.fail(generating(), other, "no", at(4)))
    const done = there(TemplateChange.complete(generating(), generationId, answer, at(4)))
    const after = { ...generating(), latest: there(done.generation).after }
    assert.isNull(TemplateChange.complete(after, generationId, answer, at(5)))
    assert.isNull(TemplateChange.fail(after, generationId, "no", at(5)))
  })

  it("gives its credit back when it fails, or when the template goes meanwhile", () => {
    assert.strictEqual(TemplateChange.fail(generating(), generationId, "no", at(4))?.generation?.credits_taken, -1)
    assert.strictEqual(Result.getOrThrow(TemplateChange.remove(generating(), [])).credits_taken, -1)
    assert.strictEqual(Result.getOrThrow(TemplateChange.remove(email(), [])).credits_taken, 0)
  })

  it("fills subject and preview text where nobody wrote them, with what can be kept", () => {
    const written = withWritten(mail, { subject: "AI", previewText: "before" })
    assert.deepStrictEqual([written.defaults.subject, written.defaults.previewText], ["Hello", "before"])
    const mended = withWritten(
      { ...mail, defaults: noDefaults },
      { subject: " two\nlines", previewText: "p".repeat(201) },
    )
    assert.deepStrictEqual(mended.defaults, { ...noDefaults, subject: "two lines", previewText: "p".repeat(200) })
  })
})

describe("what is written", () => {
  it("an unchanged name and mail are nothing to write", () => {
    const { template } = email()
    const same = Result.getOrThrow(withDefaults(template.mail, { subject: "Hello" }))
    assert.isTrue(TemplateChange.update<"email">(template, { name: template.name, mail: same }, at(2)).isNothing)
    const changed = Result.getOrThrow(withDefaults(template.mail, { subject: null }))
    const after = TemplateChange.update<"email">(template, { name: template.name, mail: changed }, at(2)).after
    assert.deepStrictEqual([after?.mail.defaults.subject, after?.updatedAt], [null, at(2)])
  })

  it("wrong defaults are told all at once, by their names on the wire", () => {
    const wrong = withDefaults(mail, {
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

  it("a plain text of one's own is stale once the HTML changes, and goes", () => {
    const { template, ...rest } = email()
    const own = there(Result.getOrThrow(TemplateChange.setPlainText(template, "mine", at(2))).after)
    assert.strictEqual(plainTextOf({ template: own, ...rest }), "mine")
    assert.isFalse(stale(own))
    assert.isTrue(stale(there(TemplateChange.setContent(own, "<p>2</p>", at(3)).after)))
    const back = there(Result.getOrThrow(TemplateChange.setPlainText(own, null, at(4))).after)
    assert.strictEqual(plainTextOf({ template: back, ...rest }), "one")
    assert.isTrue(Result.getOrThrow(TemplateChange.setPlainText(back, null, at(5))).isNothing)
    assert.strictEqual(tagOf(TemplateChange.setPlainText(back, "x".repeat(1_000_001), at(5))), "Invalid")
  })

  it("a copy says so in its name, which stays within its limit and whole", () => {
    const { template } = email()
    const copy = { id: EmailTemplateId.make(other), mail, createdByName: "b" }
    const nameOf = (name: string) =>
      there(
        Result.getOrThrow(TemplateChange.duplicate({ ...email(), template: { ...template, name } }, copy, at(2))).after,
      ).name
    assert.strictEqual(nameOf("a template"), "a template (copy)")
    const long = nameOf("🦊".repeat(100))
    assert.isTrue(long.length <= 200 && long.endsWith(" (copy)") && long.isWellFormed())
    assert.strictEqual(tagOf(TemplateChange.duplicate({ ...email(), html: null }, copy, at(2))), "TemplateNotReady")
  })

  it("a new one begins in one way only", () => {
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
  const cleaned = asWritten(() => Result.succeed("<p>clean</p>"))

  it("stays byte for byte when nothing in it could act, and is cleaned otherwise", () => {
    assert.deepStrictEqual(
      keepable(cleaned, dangersOf, 2 ** 21)("<P Class=x>é</P>"),
      Result.succeed("<P Class=x>é</P>"),
    )
    assert.deepStrictEqual(keepable(cleaned, dangersOf, 2 ** 21)("<p onclick=x()>"), Result.succeed("<p>clean</p>"))
  })

  it("is refused when it is empty, too large, or can't be made safe", () => {
    assert.strictEqual(tagOf(keepable(cleaned, dangersOf, 2 ** 21)(" \n")), "Invalid")
    assert.strictEqual(tagOf(keepable(cleaned, dangersOf, 2 ** 21)("é".repeat(2 ** 20 + 1))), "HtmlTooLarge")
    const unclean = keepable(() => Result.fail(new Unclean({ reason: "nests too deep" })), dangersOf, 2 ** 21)("<p>")
    assert.deepStrictEqual(Result.isFailure(unclean) && unclean.failure._tag === "Invalid" && unclean.failure.issues, [
      { path: "html", message: "nests too deep" },
    ])
    // A cleaner that does nothing is seen through.
    assert.strictEqual(
      tagOf(keepable((html) => Result.succeed(html), dangersOf, 2 ** 21)("<script>x()</script>")),
      "Invalid",
    )
  })

  it(
    "of a page that begins blank carries the brand, and nothing that a brand could bring along",
    { tags: ["attack/brand-injection"] },
    () => {
      const brand = {
        ...noBrand,
        name: `<script>x()</script>"`,
        logoUrl: `https://e.test/"onerror="x()`,
        primaryColor: "red;}</style><script>",
      }
      const html = pageScaffold({ workspaceName: "w", brand })
      assert.deepStrictEqual(dangersOf(html), [])
      assert.include(html, "&lt;script&gt;")
      assert.notInclude(html, "red;")
      const plain = pageScaffold({ workspaceName: "Acme & Co", brand: { ...noBrand, primaryColor: "#abcdef" } })
      assert.include(plain, "<title>Acme &amp; Co</title>")
      assert.include(plain, "#abcdef")
    },
  )
})
