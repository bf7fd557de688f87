// The model of emails and templates: HTML in versions, of which one may be approved, and a plain text beside it.
import { type DateTime, Result } from "effect"
import { encodeText } from "../kernel/Bytes.ts"
import type { ActorName } from "../kernel/changes/Actor.ts"
import type { ApprovalId } from "../kernel/Ids.ts"
import { Invalid, type Refusal } from "../kernel/Refusal.ts"
import type { Generation, GenerationStatus } from "./Generation.ts"

export const document_name_length_max = 200
/** The same limit as for the HTML that it replaces. */
export const plain_text_length_max = 1_000_000

export interface Approval {
  readonly id: ApprovalId
  readonly version: number
  /** Who approved it. */
  readonly by: ActorName
}

export const contentStatuses = ["draft", "approved"] as const
export type ContentStatus = (typeof contentStatuses)[number]

export interface PlainTextOverride {
  readonly text: string
  readonly at: DateTime.Utc
  /** The version it was written for. A later version makes it stale. */
  readonly version: number
}

export interface Document {
  readonly id: string
  readonly name: string
  /** From 1; 0 until the first generation is done. */
  readonly currentVersion: number
  /** The user's own plain text; null: derived from the HTML. Always null for tent templates. */
  readonly plainText: PlainTextOverride | null
  /** The version that is sent or built on; null: a draft. */
  readonly approval: Approval | null
  /** The status of the latest generation; null if there was none. */
  readonly generationStatus: GenerationStatus | null
  /** The AI provider that wrote the current version, `sample` for the fake AI; null: a person wrote or copied it. */
  readonly generatedBy: string | null
  /** Name of the API key, or of the user. */
  readonly createdByName: string
  /** Who wrote the current content: HTML, plain text or header. */
  readonly editedBy: ActorName
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** What a block editor needs to go on with its HTML: the JSON text of `{editor, document}`. Only that editor reads it. */
export type Design = string

export const design_bytes_max = 1_000_000

/** Issues are at the field `design`. */
export const checkDesign = (design: Design | null): Result.Result<Design | null, Invalid> =>
  design !== null && encodeText(design).length > design_bytes_max
    ? Result.fail(Invalid.at("design", `must have at most ${design_bytes_max} bytes as JSON`))
    : Result.succeed(design)

/** Who changes a document, and when. */
export interface Edit {
  readonly by: ActorName
  readonly now: DateTime.Utc
}

/** The content that an approval froze. */
export interface ApprovedContent {
  readonly approvalId: ApprovalId
  readonly version: number
  readonly html: string
  readonly approvedAt: DateTime.Utc
}

/** The types in which the kinds of documents differ. */
export interface DocumentTypes {
  readonly document: Document
  /** The fields of a new document. */
  readonly given: { readonly name: string }
  /** The fields of an update: what is left out stays, null clears. */
  readonly patch: object
  readonly approved: ApprovedContent
  /** Facts that an approval needs besides the document. */
  readonly facts: unknown
  /** Why a document with HTML can't be approved. */
  readonly notReady: Refusal
  /** Uses of the approval. */
  readonly uses: unknown
  readonly inUse: Refusal
}

export type IdOf<T extends DocumentTypes> = T["document"]["id"]

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

/** The override of a copy, which starts at version 1. A stale override stays stale. */
export const overrideOfCopy = (override: PlainTextOverride | null, currentVersion: number): PlainTextOverride | null =>
  override && { ...override, version: isStale(override, currentVersion) ? 0 : 1 }

/** Sets the text for the current version; null removes it. Issues are at the field `text`. */
export const withOverride = (
  text: string | null,
  version: number,
  at: DateTime.Utc,
): Result.Result<PlainTextOverride | null, Invalid> =>
  text !== null && text.length > plain_text_length_max
    ? Result.fail(Invalid.at("text", `must have at most ${plain_text_length_max} characters`))
    : Result.succeed(text === null ? null : { text, at, version })

/** The object with these fields; the same object when no field differs. */
export const withFields = <A extends object>(before: A, fields: NoInfer<Partial<A>>): A => {
  const changed: Partial<A> = fields
  for (const field in changed) if (changed[field] !== before[field]) return { ...before, ...changed }
  return before
}
