// The port to AI: writes pages and emails, and maps columns to fields.
import { Context, type Effect, Schema } from "effect"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { TooComplex } from "./Parsers.ts"

export interface Brand {
  readonly name: string | null
  readonly logoUrl: string | null
  readonly iconUrl: string | null
  readonly primaryColor: string | null
  readonly domain: string | null
  readonly description: string | null
  readonly guidelines: string | null
}

export const reasonings = ["min", "medium", "high", "max"] as const
/** How much the model may think before it answers. */
export type Reasoning = (typeof reasonings)[number]

/** A file that belongs to a request. Untrusted data. */
export interface PageAsset {
  readonly fileName: string
  readonly contentType: string
  readonly size_bytes: number
  /** Null if the file is too large or of a kind that models cannot read; the model then gets only its name. */
  readonly bytes: Uint8Array | null
  /** Placeholder for the picture as the address of an `<img>`; null if it cannot be used on a page. */
  readonly address: string | null
}

export interface PageRequest {
  readonly prompt: string
  readonly name: string
  readonly brand: Brand | null
  /** HTML to build on: an approved template, or the current page that the prompt changes. */
  readonly template: string | null
  /** Whether `template` is the page that the prompt changes. */
  readonly isRevision?: boolean
  readonly assets?: ReadonlyArray<PageAsset>
  /** Absent or null: the provider's default. */
  readonly reasoning?: Reasoning | null
}

export interface EmailRequest {
  readonly prompt: string
  readonly name: string
  readonly brand: Brand | null
  /** HTML to build on: an approved template, or the current email that the prompt changes. */
  readonly basis: string | null
}

/** An email from the AI. Untrusted data: the caller checks and cleans it. */
export interface WrittenEmail {
  /** A whole HTML document with merge tokens. */
  readonly html: string
  /** Null if the AI gave none. */
  readonly subject: string | null
  readonly previewText: string | null
}

/** A column of a file, without its contents. */
export interface ColumnAsked {
  /** The header, cut if it is long. */
  readonly header: string
  /** Masked values: `aaa@aaaa.aa` for an address, `9999-99-99` for a day. */
  readonly shapes: ReadonlyArray<string>
}

export interface FieldOffered {
  readonly apiName: string
  readonly displayName: string
  readonly valueType: "string" | "number" | "boolean" | "date" | "tags"
}

export interface ColumnsRequest {
  readonly columns: ReadonlyArray<ColumnAsked>
  readonly fields: ReadonlyArray<FieldOffered>
}

/** A column of the request and the `api_name` of the field that it probably belongs to. */
export interface ColumnMatch {
  readonly header: string
  readonly targetField: string
}

/** The model refused, gave an unusable answer, or was cut off. Users see `message`. */
export class AiRefused extends Schema.TaggedError<AiRefused>()("AiRefused", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** The provider does not answer or is overloaded. A retry may help. */
export class AiUnavailable extends Schema.TaggedError<AiUnavailable>()("AiUnavailable", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** Prompts and answers are parsed in the turn of the workspace. */
export class Ai extends Context.Service<
  Ai,
  {
    /** The value of `generated_by`: the provider's name, or `sample` for the fake AI. */
    readonly provider: string
    /** A whole HTML document. Untrusted data: the caller cleans it. */
    readonly generatePage: (
      workspace: WorkspaceId,
      request: PageRequest,
    ) => Effect.Effect<string, AiRefused | AiUnavailable>
    readonly generateEmail: (
      workspace: WorkspaceId,
      request: EmailRequest,
    ) => Effect.Effect<WrittenEmail, AiRefused | AiUnavailable>
    /** Whether the prompt asks for a web page or its content. With a template the check is more permissive. */
    readonly asksForPage: (
      workspace: WorkspaceId,
      prompt: string,
      options: { readonly hasTemplate: boolean },
    ) => Effect.Effect<boolean, AiUnavailable | TooComplex>
    /** Suggests a field for each column. A guess: the caller drops impossible matches. */
    readonly matchColumns: (
      workspace: WorkspaceId,
      request: ColumnsRequest,
    ) => Effect.Effect<ReadonlyArray<ColumnMatch>, AiRefused | AiUnavailable>
  }
>()("tentpole/Ai") {}
