// The parsers of a model's answers: the document in the text of an answer, or why there is none.
import type { AiRefused, WrittenEmail } from "@tentpole/core/ports/Ai"
import type { Parser } from "@tentpole/core/ports/Parsers"
import { Result } from "effect"
import { readEmail } from "./EmailPrompt.ts"
import { inlined } from "./html/InlineStyles.ts"
import { readPage } from "./PagePrompt.ts"

interface Refused {
  readonly refused: string
}

const refused = ({ reason }: AiRefused): Refused => ({ refused: reason })

export const pageAnswers: Parser<string, { readonly html: string } | Refused> = {
  name: "page_answer",
  run: (answer) => Result.match(readPage(answer), { onSuccess: (html) => ({ html }), onFailure: refused }),
  sizeOf: (answer) => answer.length,
}

export const emailAnswers: Parser<string, WrittenEmail | Refused> = {
  name: "email_answer",
  run: (answer) =>
    Result.match(readEmail(answer), {
      onSuccess: (written) => ({ ...written, html: inlined(written.html) }),
      onFailure: refused,
    }),
  sizeOf: (answer) => answer.length,
}
