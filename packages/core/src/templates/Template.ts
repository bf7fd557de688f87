// EmailTemplate and TentTemplate: documents that emails and tents start from. `TemplateChange.ts` has their decisions.
import { Result } from "effect"
import {
  type ApprovedContent,
  type Document,
  type DocumentTypes,
  type PlainTextOverride,
  withFields,
} from "../documents/Document.ts"
import type { GenerationInProgress } from "../documents/DocumentErrors.ts"
import type { MailHeader } from "../documents/EmailFields.ts"
import { checkFields } from "../documents/EmailInput.ts"
import type { EmailId, EmailTemplateId, TentId, TentTemplateId } from "../kernel/Ids.ts"
import { inverse } from "../kernel/Keys.ts"
import type { Invalid } from "../kernel/Refusal.ts"
import type { TemplateInUse, TemplateUse } from "./TemplateErrors.ts"

/** Header fields that emails start with; null: the template sets none. */
export type MailDefaults = MailHeader

/** The defaults by their names on the wire and in the database. */
export const defaultNames = {
  subject: "default_subject",
  previewText: "default_preview_text",
  fromName: "default_from_name",
  fromAddress: "default_from_address",
  replyToEmail: "default_reply_to_email",
} as const

export const defaultFields = inverse(defaultNames)

/** Omitted fields stay. Returns the same object when no field changes. */
export const withDefaults = (
  defaults: MailDefaults,
  patch: Partial<MailDefaults>,
): Result.Result<MailDefaults, Invalid> =>
  Result.map(checkFields(patch, "default_"), ({ name: _, ...checked }) => withFields(defaults, checked))

export interface EmailTemplate extends Document {
  readonly id: EmailTemplateId
  /** The email that it was created from; null: it was uploaded, generated or blank. */
  readonly sourceId: EmailId | null
  readonly defaults: MailDefaults
}

export interface TentTemplate extends Document {
  readonly id: TentTemplateId
  /** The tent that it was created from; null: it was uploaded, generated or blank. */
  readonly sourceId: TentId | null
}

export interface ApprovedEmailTemplate extends ApprovedContent {
  readonly templateId: EmailTemplateId
  readonly defaults: MailDefaults
  readonly plainText: PlainTextOverride | null
}

export interface ApprovedTentTemplate extends ApprovedContent {
  readonly templateId: TentTemplateId
}

export interface TemplateTypes extends DocumentTypes {
  readonly document: EmailTemplate | TentTemplate
  readonly patch: { readonly name?: string }
  readonly facts: null
  readonly uses: ReadonlyArray<TemplateUse>
  readonly inUse: TemplateInUse
}

export interface EmailTemplateTypes extends TemplateTypes {
  readonly document: EmailTemplate
  readonly given: Pick<EmailTemplate, "name" | "sourceId" | "defaults" | "plainText">
  readonly patch: { readonly name?: string; readonly defaults?: Partial<MailDefaults> }
  readonly approved: ApprovedEmailTemplate
  readonly notReady: GenerationInProgress
}

export interface TentTemplateTypes extends TemplateTypes {
  readonly document: TentTemplate
  readonly given: Pick<TentTemplate, "name" | "sourceId">
  readonly approved: ApprovedTentTemplate
  readonly notReady: never
}
