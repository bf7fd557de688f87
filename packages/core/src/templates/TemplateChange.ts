// Everything that can happen to a template, decided: each move is a pure function of what is known, and its outcome is the
// only thing that a store will write.
import { type DateTime, Result } from "effect"
import {
  acceptGeneration,
  type AskedGeneration,
  completeGeneration,
  creditsOfRemoval,
  failGeneration,
  GenerationInProgress,
  type GenerationStep,
} from "../documents/Generation.ts"
import { overriddenBy } from "../documents/PlainTextOverride.ts"
import { ApprovalVersionStale, TemplateNotReady } from "../emails/EmailErrors.ts"
import type { ApprovalId, GenerationId } from "../kernel/Ids.ts"
import { type Invalid, InvalidState } from "../kernel/Refusal.ts"
import { copyName } from "../kernel/Text.ts"
import type {
  ApprovedTemplate,
  CurrentTemplate,
  EmailTemplate,
  Kinds,
  ShownTemplate,
  Template,
  TemplateKind,
} from "./Template.ts"
import { TemplateInUse, type TemplateUse } from "./TemplateErrors.ts"

export const template_name_length_max = 200

interface Decided<Kind extends TemplateKind> {
  readonly before: Template<Kind> | null
  readonly after: Template<Kind> | null
  readonly html?: string
  readonly approved?: ApprovedTemplate<Kind>
  readonly generation?: GenerationStep
  readonly credits_taken?: number
}

export interface NewTemplateFacts<Kind extends TemplateKind> {
  readonly id: Kinds[Kind]["id"]
  readonly name: string
  readonly sourceId: Kinds[Kind]["sourceId"] | null
  readonly mail: Kinds[Kind]["mail"]
  readonly createdByName: string
  readonly now: DateTime.Utc
}

export class TemplateChange<Kind extends TemplateKind> {
  readonly #brand = true
  /** Null: the template is new. */
  readonly before: Template<Kind> | null
  /** Null: the template goes, with its versions and generations. What its approvals froze stays. */
  readonly after: Template<Kind> | null
  /** HTML that goes with the change, as `after.currentVersion`. */
  readonly html: string | null
  /** What the change froze. */
  readonly approved: ApprovedTemplate<Kind> | null
  /** What becomes of a generation with the change. */
  readonly generation: GenerationStep | null
  /** Credits taken with a removal; negative: given back. Those of a generation's step are the step's. */
  readonly credits_taken: number

  private constructor(it: Decided<Kind>) {
    this.before = it.before
    this.after = it.after
    this.html = it.html ?? null
    this.approved = it.approved ?? null
    this.generation = it.generation ?? null
    this.credits_taken = it.credits_taken ?? 0
  }

  static is(it: unknown): it is TemplateChange<TemplateKind> {
    return typeof it === "object" && it !== null && #brand in it
  }

  /** Nothing to write. */
  get isNothing(): boolean {
    return this.before === this.after && this.generation === null
  }

  /** A draft at version 1. */
  static create<Kind extends TemplateKind>(it: NewTemplateFacts<Kind>, html: string): TemplateChange<Kind> {
    return new TemplateChange<Kind>({ before: null, after: draft(it, 1), html })
  }

  /** A draft that the AI is to write: without a version, and with a generation that is paid for. */
  static createGenerating<Kind extends TemplateKind>(
    it: NewTemplateFacts<Kind>,
    asked: AskedGeneration,
  ): TemplateChange<Kind> {
    return new TemplateChange<Kind>({
      before: null,
      after: draft(it, 0),
      generation: acceptGeneration(asked, it.now),
    })
  }

  /** A draft of its own with what the template holds now. It is not approved, whatever the template is. */
  static duplicate<Kind extends TemplateKind>(
    { template, html }: CurrentTemplate<Kind>,
    copy: { readonly id: Kinds[Kind]["id"]; readonly mail: Kinds[Kind]["mail"]; readonly createdByName: string },
    now: DateTime.Utc,
  ): Result.Result<TemplateChange<Kind>, TemplateNotReady> {
    if (html === null) return Result.fail(new TemplateNotReady())
    const name = copyName(template.name, template_name_length_max)
    return Result.succeed(TemplateChange.create({ ...copy, name, sourceId: template.sourceId, now }, html))
  }

  /** Name and mail. They make no version. */
  static update<Kind extends TemplateKind>(
    template: Template<Kind>,
    { name, mail }: { readonly name: string; readonly mail: Kinds[Kind]["mail"] },
    now: DateTime.Utc,
  ): TemplateChange<Kind> {
    const same = name === template.name && mail === template.mail
    return new TemplateChange<Kind>({
      before: template,
      after: same ? template : { ...template, name, mail, updatedAt: now },
    })
  }

  /** A new version. */
  static setContent<Kind extends TemplateKind>(
    template: Template<Kind>,
    html: string,
    now: DateTime.Utc,
  ): TemplateChange<Kind> {
    const after = { ...template, currentVersion: template.currentVersion + 1, updatedAt: now }
    return new TemplateChange<Kind>({ before: template, after, html })
  }

  /** The user's own plain text; null goes back to the one made from the HTML. Makes no version. */
  static setPlainText(
    template: EmailTemplate,
    text: string | null,
    now: DateTime.Utc,
  ): Result.Result<TemplateChange<"email">, Invalid> {
    if (text === null && template.mail.plainText === null) {
      return Result.succeed(new TemplateChange<"email">({ before: template, after: template }))
    }
    return Result.map(overriddenBy(text, template.currentVersion, now), (plainText) => {
      const after: EmailTemplate = { ...template, mail: { ...template.mail, plainText }, updatedAt: now }
      return new TemplateChange<"email">({ before: template, after })
    })
  }

  /**
   * Freezes the template as it is now, also one that is approved already. `version`: what the caller believes is newest. Who
   * names none may be asked to wait for a generation, so that nothing is approved that they have not seen coming.
   */
  static approve<Kind extends TemplateKind>(
    { template, html, latest }: CurrentTemplate<Kind>,
    it: { readonly approvalId: ApprovalId; readonly version?: number; readonly waitsForGeneration: boolean },
    now: DateTime.Utc,
  ): Result.Result<TemplateChange<Kind>, TemplateNotReady | ApprovalVersionStale | GenerationInProgress> {
    const { currentVersion: version } = template
    if (html === null) return Result.fail(new TemplateNotReady())
    if (it.version !== undefined && it.version !== version) {
      return Result.fail(new ApprovalVersionStale({ version: it.version, current: version }))
    }
    if (it.version === undefined && it.waitsForGeneration && latest?.status === "generating") {
      return Result.fail(new GenerationInProgress())
    }
    const { approvalId } = it
    const { id: templateId, mail } = template
    return Result.succeed(
      new TemplateChange<Kind>({
        before: template,
        after: { ...template, approval: { id: approvalId, version }, updatedAt: now },
        approved: { approvalId, templateId, version, html, mail, approvedAt: now },
      }),
    )
  }

  /** Back to a draft. What it froze is kept for what was accepted with it. `uses` are those that still count on it. */
  static unapprove<Kind extends TemplateKind>(
    template: Template<Kind>,
    uses: ReadonlyArray<TemplateUse>,
    now: DateTime.Utc,
  ): Result.Result<TemplateChange<Kind>, InvalidState | TemplateInUse> {
    if (template.approval === null) {
      return Result.fail(new InvalidState({ resource: "template", status: "draft", move: "unapproved" }))
    }
    if (uses.length > 0) return Result.fail(new TemplateInUse({ uses, move: "unapproved" }))
    const after: Template<Kind> = { ...template, approval: null, updatedAt: now }
    return Result.succeed(new TemplateChange<Kind>({ before: template, after }))
  }

  /** It goes, and a generation that is not done gives its credit back. */
  static remove<Kind extends TemplateKind>(
    { template, latest }: ShownTemplate<Kind>,
    uses: ReadonlyArray<TemplateUse>,
  ): Result.Result<TemplateChange<Kind>, TemplateInUse> {
    if (uses.length > 0) return Result.fail(new TemplateInUse({ uses, move: "deleted" }))
    const credits_taken = creditsOfRemoval(latest)
    return Result.succeed(new TemplateChange<Kind>({ before: template, after: null, credits_taken }))
  }

  /** The AI is to write the next version. One at a time. */
  static generate<Kind extends TemplateKind>(
    { template, latest }: ShownTemplate<Kind>,
    asked: AskedGeneration,
    now: DateTime.Utc,
  ): Result.Result<TemplateChange<Kind>, GenerationInProgress> {
    if (latest?.status === "generating") return Result.fail(new GenerationInProgress())
    const generation = acceptGeneration(asked, now)
    return Result.succeed(new TemplateChange<Kind>({ before: template, after: template, generation }))
  }

  /** What the AI wrote is the next version. Null when that generation is over already: the first answer stands. */
  static complete<Kind extends TemplateKind>(
    { template, latest }: ShownTemplate<Kind>,
    id: GenerationId,
    { html, mail }: { readonly html: string; readonly mail: Kinds[Kind]["mail"] },
    now: DateTime.Utc,
  ): TemplateChange<Kind> | null {
    if (latest?.id !== id) return null
    const currentVersion = template.currentVersion + 1
    const generation = completeGeneration(latest, currentVersion, now)
    if (generation === null) return null
    const after: Template<Kind> = { ...template, mail, currentVersion, updatedAt: now }
    return new TemplateChange<Kind>({ before: template, after, html, generation })
  }

  /** The AI writes nothing: the template stays as it is, and the credit is given back. Null when that is over already. */
  static fail<Kind extends TemplateKind>(
    { template, latest }: ShownTemplate<Kind>,
    id: GenerationId,
    error: string,
    now: DateTime.Utc,
  ): TemplateChange<Kind> | null {
    const generation = latest?.id === id ? failGeneration(latest, error, now) : null
    return generation === null ? null : new TemplateChange<Kind>({ before: template, after: template, generation })
  }
}

const draft = <Kind extends TemplateKind>(
  { id, name, sourceId, mail, createdByName, now }: NewTemplateFacts<Kind>,
  currentVersion: number,
): Template<Kind> => ({
  id,
  name,
  sourceId,
  mail,
  currentVersion,
  approval: null,
  createdByName,
  createdAt: now,
  updatedAt: now,
})
