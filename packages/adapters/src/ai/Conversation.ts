// The part that all prompts share: a system text and a user text go in, one text comes out. The answer may not contain what
// was requested.
import { AiRefused, type Reasoning } from "@tentpole/core/ports/Ai"
import { Result } from "effect"

export interface Conversation {
  readonly system: string
  readonly user: string
  /** Images and documents, in their order. */
  readonly attachments?: ReadonlyArray<Attachment>
  readonly reasoning?: Reasoning | null
}

/** A file that providers can read. Plain text goes into the user text instead. */
export interface Attachment {
  readonly kind: "picture" | "document"
  readonly fileName: string
  readonly contentType: string
  readonly base64: string
}

/** The user's message. Files come before the text that refers to them. */
export const contentOf = <Part>({ user, attachments = [] }: Conversation, partOf: (file: Attachment) => Part) =>
  attachments.length === 0 ? user : [...attachments.map(partOf), { type: "text", text: user }]

/** Tokens for reasoning, in addition to the answer's: providers count both together. */
export const thinking_tokens = { min: 0, medium: 4_000, high: 12_000, max: 24_000 } as const

export const cut_off = "The answer of the AI became too long and was cut off. Ask for less"
export const declined = "The AI declined to write this. Change the prompt and try again"

/**
 * The document in an answer, without a code fence or sentences around it, and the text `before` it. `otherwise` is the refusal
 * when there is none.
 */
export const findDocument = (
  answer: string,
  otherwise: string,
): Result.Result<{ readonly before: string; readonly html: string }, AiRefused> => {
  const begin = answer.search(/<!doctype\s+html|<html[\s>]/i)
  if (begin < 0) return Result.fail(new AiRefused({ reason: otherwise }))
  const end = answer.toLowerCase().lastIndexOf("</html>")
  return end < begin
    ? Result.fail(new AiRefused({ reason: cut_off }))
    : Result.succeed({ before: answer.slice(0, begin), html: answer.slice(begin, end + "</html>".length) })
}
