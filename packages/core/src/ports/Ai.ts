// The port to whoever writes pages for us, and reads what people call the columns of their files. Adapters: a deterministic
// one, OpenAI's and Anthropic's wire formats.
import { Context, type Effect, Schema } from "effect"

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
/** How much a model may think before it answers. */
export type Reasoning = (typeof reasonings)[number]

/** A file that comes with a request. It is data, whoever made it. */
export interface PageAsset {
  readonly fileName: string
  readonly contentType: string
  readonly size_bytes: number
  /** Null where it is too large to be shown, or of a kind that no model reads: then only its name is told. */
  readonly bytes: Uint8Array | null
  /** What stands for the picture as the address of an `<img>`; null for what can't stand on a page. */
  readonly address: string | null
}

export interface PageRequest {
  readonly prompt: string
  readonly name: string
  readonly brand: Brand | null
  /** HTML of an approved template to build on. */
  readonly template: string | null
  readonly assets?: ReadonlyArray<PageAsset>
  /** Absent or null: as the provider has it. */
  readonly reasoning?: Reasoning | null
}

export interface EmailRequest {
  readonly prompt: string
  readonly name: string
  readonly brand: Brand | null
  /** HTML to build on: an approved template, or the email as it is, which the prompt asks to change. */
  readonly basis: string | null
}

/** An email as the AI writes it. It is data: the caller checks and cleans it. */
export interface WrittenEmail {
  /** A whole HTML document; merge tokens stand in it as they are. */
  readonly html: string
  /** Null where it says none. */
  readonly subject: string | null
  readonly previewText: string | null
}

/** A column of a file, without a word of what stands in it. */
export interface ColumnAsked {
  /** As the file has it, its beginning if it is long. */
  readonly header: string
  /** What its values look like: `aaa@aaaa.aa` for an address, `9999-99-99` for a day. */
  readonly shapes: ReadonlyArray<string>
}

export interface FieldOffered {
  readonly apiName: string
  readonly displayName: string
  readonly valueType: "string" | "number" | "boolean" | "date"
}

export interface ColumnsRequest {
  readonly columns: ReadonlyArray<ColumnAsked>
  readonly fields: ReadonlyArray<FieldOffered>
}

/** A column of the request, and the `api_name` of the field that it seems to belong to. */
export interface ColumnMatch {
  readonly header: string
  readonly targetField: string
}

/** The model said no, answered with something else than was asked for, or was cut off. `message` is shown to the user. */
export class AiRefused extends Schema.TaggedError<AiRefused>()("AiRefused", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** The provider does not answer or is overloaded. Trying again may help. */
export class AiUnavailable extends Schema.TaggedError<AiUnavailable>()("AiUnavailable", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

export class Ai extends Context.Service<
  Ai,
  {
    /** A whole HTML document. It is data: the caller cleans it. */
    readonly page: (request: PageRequest) => Effect.Effect<string, AiRefused | AiUnavailable>
    readonly email: (request: EmailRequest) => Effect.Effect<WrittenEmail, AiRefused | AiUnavailable>
    /** Whether the prompt asks for a web page or its content. With a template the judgement is more permissive. */
    readonly asksForPage: (
      prompt: string,
      options: { readonly hasTemplate: boolean },
    ) => Effect.Effect<boolean, AiUnavailable>
    /** Which field each column belongs to, where that can be told. It is a guess: the caller drops what can't be. */
    readonly matchColumns: (
      request: ColumnsRequest,
    ) => Effect.Effect<ReadonlyArray<ColumnMatch>, AiRefused | AiUnavailable>
  }
>()("tentpole/Ai") {}
