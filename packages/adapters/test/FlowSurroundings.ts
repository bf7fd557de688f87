// What flows need besides stores to make emails and pages for their members.
import * as Cleaner from "@tentpole/adapters/ai/SanitizeHtml"
import { Ai, AiRefused } from "@tentpole/core/ai/Ai"
import { settingsLayer } from "@tentpole/core/contract"
import { Effect, Layer } from "effect"

const written = (prompt: string) =>
  prompt.includes("refused")
    ? Effect.fail(new AiRefused({ reason: "I would rather not" }))
    : Effect.succeed(`<html><body><p>${prompt}</p></body></html>`)

const ai = Layer.succeed(
  Ai,
  Ai.of({
    page: ({ prompt }) => written(prompt),
    email: ({ prompt }) => Effect.map(written(prompt), (html) => ({ html, subject: "From the AI", previewText: null })),
    asksForPage: () => Effect.succeed(true),
    matchColumns: () => Effect.succeed([]),
  }),
)

export const surroundings = Layer.mergeAll(ai, settingsLayer(), Cleaner.layer)
