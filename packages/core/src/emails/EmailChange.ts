// Everything that can happen to an email, decided: each move is a pure function of what is known, and its outcome is the only
// thing that a store will write. Approval freezes everything together; what is edited later counts from the next approval.
import { DateTime, Result } from "effect"
import {
  acceptGeneration,
  type AskedGeneration,
  completeGeneration,
  creditsOfRemoval,
  failGeneration,
  type Generation,
  GenerationInProgress,
  type GenerationStep,
} from "../documents/Generation.ts"
import { checkHtml } from "../documents/Html.ts"
import { asOfFirst, overriddenBy, type PlainTextOverride } from "../documents/PlainTextOverride.ts"
import type { ApprovalId, EmailId, GenerationId } from "../kernel/Ids.ts"
import { Invalid, InvalidState } from "../kernel/Refusal.ts"
import type { ApprovedEmail } from "../rendering/ApprovedEmail.ts"
import { type ApprovalFacts, type CurrentEmail, type Email, type LockedEmail, missingIn, plainTextOf } from "./Email.ts"
import { type EmailFields, email_name_length_max } from "./EmailFields.ts"
import { checkFields, previewTextFrom, subjectFrom } from "./EmailInput.ts"
import {
  ApprovalVersionStale,
  EmailInUse,
  EmailNotReady,
  type EmailUses,
  type HtmlTooLarge,
  TemplateNotReady,
} from "./EmailErrors.ts"
import { copyName } from "../kernel/Text.ts"
import { withPreheader } from "../rendering/Preheader.ts"

/** Work that a change asks for; `id` names the intent. */
export interface EmailJob {
  readonly type: "email_generation"
  readonly emailId: EmailId
  readonly generationId: GenerationId
  readonly id: string
}

interface Begun {
  readonly id: EmailId
  readonly fields: Partial<EmailFields> & Pick<EmailFields, "name">
  readonly createdByName: string
  readonly now: DateTime.Utc
}

interface Decided<After extends Email | null> {
  readonly before: Email | null
  readonly after: After
  readonly html?: string | null
  readonly approved?: ApprovedEmail
  readonly generation?: GenerationStep
  readonly basis?: string | null
  readonly credits_taken?: number
}

/** What is to be written of an email: decided here, and nowhere else. */
export class EmailChange<After extends Email | null = Email | null> {
  readonly #brand = true
  readonly before: Email | null
  /** Null: the email is deleted. */
  readonly after: After
  /** HTML that goes with the change: `after.currentVersion` is written, or written over where it is there already. */
  readonly html: string | null
  /** What the change froze. */
  readonly approved: ApprovedEmail | null
  /** What becomes of a generation with it. */
  readonly generation: GenerationStep | null
  /** HTML of a template, kept until there is a first version: the first generation builds on it. */
  readonly basis: string | null
  /** Taken from the workspace with this change; negative: given back. */
  readonly credits_taken: number
  readonly jobs: ReadonlyArray<EmailJob>

  private constructor({ before, after, html, approved, generation, basis, credits_taken }: Decided<After>) {
    this.before = before
    this.after = after
    this.html = html ?? null
    this.approved = approved ?? null
    this.generation = generation ?? null
    this.basis = basis ?? null
    this.credits_taken = credits_taken ?? generation?.credits_taken ?? 0
    this.jobs = after === null || generation?.before !== null ? [] : [jobFor(after.id, generation.after.id)]
  }

  static is(it: unknown): it is EmailChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  /** Nothing to write. */
  get isNothing(): boolean {
    return this.before === this.after
  }

  /** A draft at version 1. The preview text stands in the HTML that is stored. */
  static create(
    it: Begun & { readonly html: string; readonly plainText?: PlainTextOverride | null },
  ): Result.Result<EmailChange<Email>, Invalid | HtmlTooLarge> {
    return Result.gen(function* () {
      const html = yield* checkHtml(it.html)
      const after: Email = { ...(yield* blank(it)), currentVersion: 1, plainText: it.plainText ?? null }
      return new EmailChange({ before: null, after, html: withPreviewText(html, after.previewText) })
    })
  }

  /** A draft that the AI is to write: without HTML until it has. `basis`: HTML of the template that it begins with. */
  static createByPrompt(
    it: Begun & { readonly basis: string | null; readonly asked: AskedGeneration },
  ): Result.Result<EmailChange<Email>, Invalid> {
    return Result.map(blank(it), (email) => {
      const generation = acceptGeneration(it.asked, it.now)
      const after: Email = { ...email, generationStatus: generation.after.status }
      return new EmailChange({ before: null, after, generation, basis: it.basis })
    })
  }

  /** A draft of its own with everything that the email says now; a plain text that is stale stays so. */
  static duplicate(
    current: CurrentEmail,
    it: Omit<Begun, "fields">,
  ): Result.Result<EmailChange<Email>, TemplateNotReady> {
    const { email, html } = current
    if (html === null) return Result.fail(new TemplateNotReady())
    const plainText = asOfFirst(email.plainText, email.currentVersion)
    const after: Email = {
      ...email,
      id: it.id,
      name: copyName(email.name, email_name_length_max),
      currentVersion: 1,
      plainText,
      approval: null,
      generationStatus: null,
      createdByName: it.createdByName,
      createdAt: it.now,
      updatedAt: it.now,
    }
    return Result.succeed(new EmailChange({ before: null, after, html }))
  }

  /** Header fields. A new preview text is written into the current HTML in place; no version is made. */
  static update(
    { email, html }: CurrentEmail,
    patch: Partial<EmailFields>,
    now: DateTime.Utc,
  ): Result.Result<EmailChange<Email>, Invalid> {
    return Result.map(checkFields(patch), (fields) => {
      const after: Email = { ...email, ...fields, updatedAt: now }
      const changed = fieldNames.some((field) => after[field] !== email[field])
      if (!changed) return new EmailChange({ before: email, after: email })
      const rewritten = after.previewText !== email.previewText && html !== null
      return new EmailChange({ before: email, after, html: rewritten ? withPreheader(html, after.previewText) : null })
    })
  }

  /** A new version. The preview text, where there is one, stands in it too. */
  static setContent(
    email: Email,
    html: string,
    now: DateTime.Utc,
  ): Result.Result<EmailChange<Email>, Invalid | HtmlTooLarge> {
    return Result.map(checkHtml(html), (checked) => {
      const after: Email = { ...email, currentVersion: email.currentVersion + 1, updatedAt: now }
      return new EmailChange({ before: email, after, html: withPreviewText(checked, email.previewText) })
    })
  }

  /** The user's own plain text; null goes back to the one made from the HTML. Makes no version. */
  static setPlainText(
    email: Email,
    text: string | null,
    now: DateTime.Utc,
  ): Result.Result<EmailChange<Email>, Invalid> {
    if (text === null && email.plainText === null)
      return Result.succeed(new EmailChange({ before: email, after: email }))
    return Result.map(
      overriddenBy(text, email.currentVersion, now),
      (plainText) => new EmailChange({ before: email, after: { ...email, plainText, updatedAt: now } }),
    )
  }

  /** Asks the AI for a new version. The credit is taken with it: a workspace without one keeps everything as it was. */
  static generate(
    { email, generation: latest }: LockedEmail,
    asked: AskedGeneration,
    now: DateTime.Utc,
  ): Result.Result<EmailChange<Email>, GenerationInProgress> {
    if (latest?.status === "generating") return Result.fail(new GenerationInProgress())
    const generation = acceptGeneration(asked, afterThe(latest, now))
    const after: Email = { ...email, generationStatus: generation.after.status }
    return Result.succeed(new EmailChange({ before: email, after, generation }))
  }

  /**
   * What the AI wrote is the next version, whatever was edited meanwhile; `html` is clean and checked. Subject and preview
   * text are filled where the email has none. Null when that generation is over: the first answer stands.
   */
  static complete(
    { email, generation: latest }: LockedEmail,
    id: GenerationId,
    written: { readonly html: string; readonly subject: string | null; readonly previewText: string | null },
    now: DateTime.Utc,
  ): EmailChange<Email> | null {
    const version = email.currentVersion + 1
    const generation = latest?.id === id ? completeGeneration(latest, version, now) : null
    if (generation === null) return null
    const after: Email = {
      ...email,
      currentVersion: version,
      subject: email.subject ?? subjectFrom(written.subject),
      previewText: email.previewText ?? previewTextFrom(written.previewText),
      generationStatus: generation.after.status,
      updatedAt: now,
    }
    return new EmailChange({ before: email, after, generation, html: withPreviewText(written.html, after.previewText) })
  }

  /** There will be no version, and the credit goes back. Null when that generation is over already. */
  static fail(
    { email, generation: latest }: LockedEmail,
    id: GenerationId,
    error: string,
    now: DateTime.Utc,
  ): EmailChange<Email> | null {
    const generation = latest?.id === id ? failGeneration(latest, error, now) : null
    if (generation === null) return null
    return new EmailChange({
      before: email,
      after: { ...email, generationStatus: generation.after.status },
      generation,
    })
  }

  /** Freezes the email as it is now, also one that is approved already. `version`: what the caller believes is current. */
  static approve(
    current: CurrentEmail,
    facts: ApprovalFacts,
    { approvalId, version }: { readonly approvalId: ApprovalId; readonly version?: number },
    now: DateTime.Utc,
  ): Result.Result<EmailChange<Email>, TemplateNotReady | ApprovalVersionStale | EmailNotReady> {
    const { email, html } = current
    if (html === null) return Result.fail(new TemplateNotReady())
    if (version !== undefined && version !== email.currentVersion) {
      return Result.fail(new ApprovalVersionStale({ version, current: email.currentVersion }))
    }
    const { subject, fromName, fromAddress, replyToEmail } = email
    const missing = missingIn(email, facts)
    if (missing.length > 0 || subject === null || fromName === null || fromAddress === null || replyToEmail === null) {
      return Result.fail(new EmailNotReady({ missing, fromAddress, before: "approving the email" }))
    }
    const approved: ApprovedEmail = {
      approvalId,
      emailId: email.id,
      version: email.currentVersion,
      subject,
      previewText: email.previewText,
      fromName,
      fromAddress,
      replyToEmail,
      html,
      text: plainTextOf(current),
      approvedAt: now,
    }
    const after: Email = { ...email, approval: { id: approvalId, version: email.currentVersion }, updatedAt: now }
    return Result.succeed(new EmailChange({ before: email, after, approved }))
  }

  /** Back to a draft. What it froze is kept: blasts have sent by it. `uses` are those that still count on it. */
  static unapprove(
    email: Email,
    uses: EmailUses,
    now: DateTime.Utc,
  ): Result.Result<EmailChange<Email>, InvalidState | EmailInUse> {
    if (email.approval === null) {
      return Result.fail(new InvalidState({ resource: "email", status: "draft", move: "unapproved" }))
    }
    if (uses.count > 0) return Result.fail(new EmailInUse({ ...uses, move: "unapproved" }))
    return Result.succeed(new EmailChange({ before: email, after: { ...email, approval: null, updatedAt: now } }))
  }

  /** It goes with its versions and generations; a generation that goes on gives its credit back. What was frozen stays. */
  static remove({ email, generation }: LockedEmail, uses: EmailUses): Result.Result<EmailChange<null>, EmailInUse> {
    if (uses.count > 0) return Result.fail(new EmailInUse({ ...uses, move: "deleted" }))
    const change = new EmailChange<null>({
      before: email,
      after: null,
      credits_taken: creditsOfRemoval(generation),
    })
    return Result.succeed(change)
  }
}

const jobFor = (emailId: EmailId, generationId: GenerationId): EmailJob => ({
  type: "email_generation",
  emailId,
  generationId,
  id: `email_generation:${generationId}`,
})

/** A draft without HTML. */
const blank = ({ id, fields, createdByName, now }: Begun): Result.Result<Email, Invalid> =>
  Result.map(checkFields(fields), (checked) => ({
    subject: null,
    previewText: null,
    fromName: null,
    fromAddress: null,
    replyToEmail: null,
    ...checked,
    name: fields.name,
    id,
    currentVersion: 0,
    plainText: null,
    approval: null,
    generationStatus: null,
    createdByName,
    createdAt: now,
    updatedAt: now,
  }))

const fieldNames = ["name", "subject", "previewText", "fromName", "fromAddress", "replyToEmail"] as const

const withPreviewText = (html: string, text: string | null): string =>
  text === null ? html : withPreheader(html, text)

/** The latest generation is the one made last, also where the clock of another process was ahead. */
const afterThe = (latest: Generation | null, now: DateTime.Utc): DateTime.Utc =>
  latest === null || latest.createdAt.epochMilliseconds < now.epochMilliseconds
    ? now
    : DateTime.makeUnsafe(latest.createdAt.epochMilliseconds + 1)
