// A template: HTML in versions, and the one of them that is approved. There are two kinds. An email template also holds what
// the emails made from it begin with; a tent template is HTML and a name. Approval freezes everything together; what is
// edited later counts from the next approval.
import type { DateTime } from "effect"
import type { Approval } from "../documents/Approval.ts"
import type { Generation } from "../documents/Generation.ts"
import type { PlainTextOverride } from "../documents/PlainTextOverride.ts"
import type { EmailFields } from "../emails/EmailFields.ts"
import { plainText } from "../rendering/PlainText.ts"
import type { ApprovalId, EmailId, EmailTemplateId, TentId, TentTemplateId } from "../kernel/Ids.ts"

/** What each kind has of its own: its ids, what it can be made from, and what else it holds. */
export interface Kinds {
  readonly email: { readonly id: EmailTemplateId; readonly sourceId: EmailId; readonly mail: TemplateMail }
  readonly tent: { readonly id: TentTemplateId; readonly sourceId: TentId; readonly mail: null }
}

export type TemplateKind = keyof Kinds

/** Header fields that emails made from a template begin with; null: they have none from here. */
export type MailDefaults = Omit<EmailFields, "name">

/** What only an email template has. */
export interface TemplateMail {
  readonly defaults: MailDefaults
  /** The user's own plain text; null: made from the HTML. */
  readonly plainText: PlainTextOverride | null
}

export interface Template<Kind extends TemplateKind = TemplateKind> {
  readonly id: Kinds[Kind]["id"]
  readonly name: string
  /** The email or the tent whose HTML it began with; null: it was uploaded, generated or blank. */
  readonly sourceId: Kinds[Kind]["sourceId"] | null
  readonly mail: Kinds[Kind]["mail"]
  /** From 1; 0 until the first generation is done. */
  readonly currentVersion: number
  /** Null: a draft. */
  readonly approval: Approval | null
  /** Name of the API key, or of the user. */
  readonly createdByName: string
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

export type EmailTemplate = Template<"email">

/** A template with the last writing that the AI was asked for; null when it never was. */
export interface ShownTemplate<Kind extends TemplateKind> {
  readonly template: Template<Kind>
  readonly latest: Generation | null
}

/** The same with the HTML of its current version; null before the first. */
export interface CurrentTemplate<Kind extends TemplateKind> extends ShownTemplate<Kind> {
  readonly html: string | null
}

/** What an approval froze. Emails and tents are made from this, and from nothing later. */
export interface ApprovedTemplate<Kind extends TemplateKind> {
  readonly approvalId: ApprovalId
  readonly templateId: Kinds[Kind]["id"]
  readonly version: number
  readonly html: string
  readonly mail: Kinds[Kind]["mail"]
  readonly approvedAt: DateTime.Utc
}

/** The override, or what the HTML reads without its tags. */
export const plainTextOf = ({ template, html }: CurrentTemplate<"email">): string =>
  template.mail.plainText?.text ?? (html === null ? "" : plainText(html))
