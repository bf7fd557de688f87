// Document: the model that emails, email templates and tent templates share. HTML in versions, one of which may be approved,
// and a plain text beside it.
import { type DateTime, Result } from "effect"
import type { ApprovalId } from "../kernel/Ids.ts"
import { Invalid, type Refusal } from "../kernel/Refusal.ts"
import type { Generation, GenerationStatus } from "./Generation.ts"

export const document_name_length_max = 200
/** An override is at most as long as the HTML that it replaces can be. */
export const plain_text_length_max = 1_000_000

export interface Approval {
  readonly id: ApprovalId
  readonly version: number
}

export const contentStatuses = ["draft", "approved"] as const
export type ContentStatus = (typeof contentStatuses)[number]

export interface PlainTextOverride {
  readonly text: string
  readonly at: DateTime.Utc
  /** The version that it was written for: with a later one it is stale. */
  readonly version: number
}

export interface Document {
  readonly id: string
  readonly name: string
  /** From 1; 0 until the first generation is done. */
  readonly currentVersion: number
  /** The user's own plain text; null: derived from the HTML. A tent template has none. */
  readonly plainText: PlainTextOverride | null
  /** The version that is sent or built on; null: a draft. */
  readonly approval: Approval | null
  /** Of the latest generation; null when there never was one. */
  readonly generationStatus: GenerationStatus | null
  /** Name of the API key, or of the user. */
  readonly createdByName: string
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** The types in which the kinds of documents differ. */
export interface DocumentTypes {
  readonly document: Document
  /** The fields of a new document. */
  readonly given: { readonly name: string }
  /** The fields of an update: what is left out stays, null clears. */
  readonly patch: object
  /** What an approval froze. */
  readonly approved: {
    readonly approvalId: ApprovalId
    readonly version: number
    readonly html: string
    readonly approvedAt: DateTime.Utc
  }
  /** What an approval depends on besides the document. */
  readonly facts: unknown
  /** Why a document with HTML can't be approved. */
  readonly notReady: Refusal
  /** What depends on the approval. */
  readonly uses: unknown
  readonly inUse: Refusal
}

/** A document with the HTML of its current version; null before the first. */
export interface Current<D extends Document> {
  readonly document: D
  readonly html: string | null
}

/** A document that no other transaction can change, with its latest generation. */
export interface Locked<D extends Document> extends Current<D> {
  readonly generation: Generation | null
}

export const statusOf = ({ approval }: Pick<Document, "approval">): ContentStatus =>
  approval === null ? "draft" : "approved"

/** The HTML changed after the text was written. */
export const isStale = (override: PlainTextOverride | null, currentVersion: number): boolean =>
  override !== null && override.version < currentVersion

/** The override beside version 1 of a copy: one that is stale stays so. */
export const asOfFirst = (override: PlainTextOverride | null, currentVersion: number): PlainTextOverride | null =>
  override && { ...override, version: isStale(override, currentVersion) ? 0 : 1 }

/** Another text for the current version; null for none. Refused as the field `text`. */
export const overriddenBy = (
  text: string | null,
  version: number,
  at: DateTime.Utc,
): Result.Result<PlainTextOverride | null, Invalid> =>
  text !== null && text.length > plain_text_length_max
    ? Result.fail(Invalid.at("text", `must have at most ${plain_text_length_max} characters`))
    : Result.succeed(text === null ? null : { text, at, version })

/** The document with these fields; the very same object when no field differs. */
export const withFields = <D extends Document>(document: D, fields: NoInfer<Partial<D>>): D => {
  const changed: Partial<D> = fields
  for (const field in changed) if (changed[field] !== document[field]) return { ...document, ...changed }
  return document
}
