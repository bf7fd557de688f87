// What is common to everything that providers are asked: two texts go in, one comes out, and sometimes the text is not what
// was asked for.
import { AiRefused, type Reasoning } from "@tentpole/core/ports/Ai"
import { Result } from "effect"

export interface Conversation {
  readonly system: string
  readonly user: string
  /** Pictures and documents that go with it, in their order. */
  readonly attachments?: ReadonlyArray<Attachment>
  readonly reasoning?: Reasoning | null
}

/** Nothing stands here that a provider can't read: text goes into the words. */
export interface Attachment {
  readonly kind: "picture" | "document"
  readonly fileName: string
  readonly contentType: string
  readonly base64: string
}

/** What is given to thought, on top of the answer: providers count both together. */
export const thinking_tokens = { min: 0, medium: 4_000, high: 12_000, max: 24_000 } as const

export const cut_off = "The answer of the AI became too long and was cut off. Ask for less"
export const declined = "The AI declined to write this. Change the prompt and try again"

export interface FoundDocument {
  /** What the model says before it. */
  readonly before: string
  readonly html: string
}

/** The document in an answer, which models like to wrap in a fence or in words. `otherwise`: what is said when there is none. */
export const findDocument = (answer: string, otherwise: string): Result.Result<FoundDocument, AiRefused> => {
  const begin = answer.search(/<!doctype\s+html|<html[\s>]/i)
  if (begin < 0) return Result.fail(new AiRefused({ reason: otherwise }))
  const end = answer.toLowerCase().lastIndexOf("</html>")
  return end < begin
    ? Result.fail(new AiRefused({ reason: cut_off }))
    : Result.succeed({ before: answer.slice(0, begin), html: answer.slice(begin, end + "</html>".length) })
}
