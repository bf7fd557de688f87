// The port to whoever writes pages and emails for us. Adapters: a deterministic one, OpenAI's and Anthropic's wire formats.
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

export interface PageRequest {
  readonly prompt: string
  readonly name: string
  readonly brand: Brand | null
  /** HTML of an approved template to build on. */
  readonly template: string | null
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
    /** Whether the prompt asks for a web page or its content. With a template the judgement is more permissive. */
    readonly asksForPage: (
      prompt: string,
      options: { readonly hasTemplate: boolean },
    ) => Effect.Effect<boolean, AiUnavailable>
  }
>()("tentpole/Ai") {}
